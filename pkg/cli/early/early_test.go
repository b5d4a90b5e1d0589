package early

import "testing"

func TestName(t *testing.T) {
	for path, want := range map[string]string{"ihmt-mcp": "ihmt-mcp", "/usr/bin/ihmt-mcp": "ihmt-mcp", "./ihmt.exe": "ihmt", ".exe": ".exe", "": ""} {
		if got := name(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/MCP.md names every tool, every argument and every default.
func TestThePageNamesEveryArgument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "MCP.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := connect(t, t.TempDir()).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		_, section, ok := strings.Cut(string(page), "\n### "+tool.Name+"\n")
		if !ok {
			t.Errorf("the page lacks %s", tool.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n#")
		properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		for name := range properties {
			if !strings.Contains(section, "\n| `"+name+"` |") {
				t.Errorf("%s: the page lacks %s", tool.Name, name)
			}
		}
		if n := strings.Count(section, "\n| `"); n != len(properties) {
			t.Errorf("%s: the page has %d arguments, the tool %d", tool.Name, n, len(properties))
		}
	}
}

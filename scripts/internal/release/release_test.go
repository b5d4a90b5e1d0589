package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The same sources give the same bytes, wherever they stand, in whatever time
// zone, and whoever may read what is made.
func TestReleasesAreReproducible(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds all tools twice, by a shell script")
	}
	work := t.TempDir()
	var sums []string
	for i, zone := range []string{"UTC", "Pacific/Auckland"} {
		root := filepath.Join(work, strings.Repeat("deeper/", i)+"tree")
		copySources(t, root)
		cmd := exec.Command("go", "run", "./scripts/internal/release", "dist", runtime.GOOS+"/"+runtime.GOARCH)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1790000000", "TZ="+zone, "TMPDIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(filepath.Join(root, "dist/SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(data))
		if err := os.Chmod(filepath.Join(root, "README.md"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] != sums[1] || strings.Count(sums[0], "\n") != 2 {
		t.Errorf("one time it is\n%sand another\n%s", sums[0], sums[1])
	}
}

// Without history there must be a date, and nothing is left.
func TestAReleaseNeedsADate(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(root))
	for _, c := range []struct{ epoch, want string }{{"", "set SOURCE_DATE_EPOCH to the seconds"}, {"yesterday", "is no number of seconds"}} {
		t.Setenv("SOURCE_DATE_EPOCH", c.epoch)
		if err := release("dist", platforms); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("SOURCE_DATE_EPOCH=%q: %v, want %q", c.epoch, err, c.want)
		}
		if _, err := os.Stat("dist"); err == nil {
			t.Errorf("SOURCE_DATE_EPOCH=%q: a folder is left", c.epoch)
		}
	}
}

// copySources copies what a release is built from.
func copySources(t *testing.T, root string) {
	t.Helper()
	const project = "../../.."
	for _, name := range []string{"cmd", "pkg", "mcp", "docs", "scripts", "testdata"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join(project, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "README.md", "LICENSE"} {
		data, err := os.ReadFile(filepath.Join(project, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

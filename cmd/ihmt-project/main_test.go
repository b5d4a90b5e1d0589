package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-project": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireUniqueNames: true, Setup: func(env *testscript.Env) error {
		env.Setenv("IHMT_PROJECTS_DIR", env.WorkDir+"/indexes")
		env.Setenv("NO_COLOR", "1")
		return nil
	}})
}

// forest makes a tree of many files.
func forest(t *testing.T, files int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		folder := filepath.Join(dir, fmt.Sprint("p", i%10))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("package p\n\n// Step%d takes turn %d.\nfunc Step%d() {}\n%s", i, i, i, strings.Repeat(fmt.Sprintf("\nfunc filler%d() { println(%d) }\n", i, i), 50))
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%d.go", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tool(home string, args ...string) *exec.Cmd {
	cmd := exec.Command("ihmt-project", args...)
	cmd.Env = append(os.Environ(), "IHMT_PROJECTS_DIR="+home)
	return cmd
}

func output(t *testing.T, home string, args ...string) string {
	t.Helper()
	out, err := tool(home, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("ihmt-project %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Wherever a sync is killed, the next call answers as if it had never run, and
// leaves nothing of it behind.
func TestKilledSync(t *testing.T) {
	dir, home := forest(t, 100), t.TempDir()
	for i := range 8 {
		changed := filepath.Join(dir, "p3", "f3.go")
		name := fmt.Sprint("Changed", i)
		if err := os.WriteFile(changed, []byte("package p\n\nfunc "+name+"() {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			os.RemoveAll(home) // a first sync
		}
		cmd := tool(home, "sync", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(2*i*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if out := output(t, home, "find", dir, "--text", name); !strings.HasPrefix(out, "p3/f3.go:3-3  "+name) {
			t.Fatalf("after kill %d: %s", i, out)
		}
	}
	indexes, _ := filepath.Glob(filepath.Join(home, "*", "*"))
	if len(indexes) > 4 { // state, lock, at most two tables
		t.Errorf("left over: %v", indexes)
	}
}

// Calls at once, while the tree changes, all answer by the tree as it is.
func TestSyncsAtOnce(t *testing.T) {
	dir, home := forest(t, 50), t.TempDir()
	var running sync.WaitGroup
	for i := range 5 {
		running.Go(func() {
			name := fmt.Sprint("Own", i)
			file := filepath.Join(dir, "p1", strings.ToLower(name)+".go")
			for range 2 {
				if err := os.WriteFile(file, []byte("package p\n\nfunc "+name+"() {}\n"), 0o600); err != nil {
					t.Error(err)
				}
				out, err := tool(home, "find", dir, "--text", name).Output()
				if err != nil || !bytes.HasPrefix(out, fmt.Appendf(nil, "p1/own%d.go:3-3  %s\nfunc %s() {}\n", i, name, name)) {
					t.Errorf("%s: %v: %s", name, err, out)
				}
				os.Remove(file)
				out, _ = tool(home, "find", dir, "--text", name).Output()
				if bytes.Contains(out, fmt.Appendf(nil, "own%d.go", i)) {
					t.Errorf("%s is found after its file has gone: %s", name, out)
				}
			}
		})
	}
	running.Wait()
}

package gui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "make the screenshots in docs/screens anew")

// The tests run the built tools, found on PATH as an installed window finds
// them, below a home folder of their own.
func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withTools(m.Run))
}

func withTools(run func() int) int {
	dir, err := os.MkdirTemp("", "ihmt-gui-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bin")
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		panic(err)
	}
	os.Setenv("PATH", bin+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
	os.Setenv("HOME", home)
	os.Setenv("USERPROFILE", home)
	os.Setenv("TZ", "UTC")
	for _, name := range []string{"IHMT_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
		os.Unsetenv(name)
	}
	defer closeBrowser()
	return run()
}

// demoMemory is the folder of the memory that ihmt demo makes; tests must not
// save in it.
var demoMemory = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.Getenv("HOME"), "demo")
	out, err := exec.Command("ihmt", "demo", dir).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ihmt demo: %w\n%s", err, out)
	}
	// Its facts are read once, so that reading them changes nothing any more.
	return dir, exec.Command("ihmt-facts", "now", "--path", dir).Run()
})

func demo(t testing.TB) string {
	t.Helper()
	dir, err := demoMemory()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// save stores chunk records in a memory.
func save(t testing.TB, home string, chunks ...string) {
	t.Helper()
	store := exec.Command("ihmt-store", "--path", home)
	store.Stdin = strings.NewReader(strings.Join(chunks, "\n") + "\n")
	if out, err := store.CombinedOutput(); err != nil {
		t.Fatalf("ihmt-store: %v\n%s", err, out)
	}
}

func tool(t testing.TB, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s %v: %v\n%s", name, args, err, errs.String())
	}
	return string(out)
}

// serve serves a window on a memory until the test ends.
func serve(t testing.TB, home, project string) *Window {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := New(home, project, listener.Addr().(*net.TCPAddr).Port)
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: w, ReadHeaderTimeout: time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go server.Serve(listener)
	t.Cleanup(func() {
		cancel()
		server.Close()
		w.Close()
	})
	return w
}

//lint:file-ignore SA1019 roots and logging are what the clients of today have

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// built are the tools that a server starts, and those that start it.
var built = []string{"./cmd/ihmt", "./cmd/ihmt-mcp", "./cmd/ihmt-detect", "./cmd/ihmt-chunk", "./cmd/ihmt-store", "./cmd/ihmt-facts", "./cmd/ihmt-nav", "./cmd/ihmt-summarize", "./cmd/ihmt-project"}

// bin is the folder of the tools, which are built when a test first needs
// them: the server is tested as the process that a client starts.
var bin = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "ihmt-bin-")
	if err != nil {
		panic(err)
	}
	binDir = dir
	build := exec.Command("go", append([]string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}, built...)...)
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%s%v", out, err))
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
})

var binDir string // what to remove

func TestMain(m *testing.M) {
	os.Unsetenv("IHMT_HOME")
	code := m.Run()
	if binDir != "" {
		os.RemoveAll(binDir)
	}
	os.Exit(code)
}

// tool is the path of a built tool.
func tool(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(bin(), name)
}

// A client is a session with a server of its own.
type client struct {
	*sdk.ClientSession
	t        testing.TB
	cmd      *exec.Cmd
	home     string
	stderr   *strings.Builder
	progress chan string
	logs     chan string
}

// An option changes what a client starts.
type option func(*client, *sdk.Client)

// in makes the server start in a folder.
func in(dir string) option { return func(c *client, _ *sdk.Client) { c.cmd.Dir = dir } }

func args(a ...string) option {
	return func(c *client, _ *sdk.Client) { c.cmd.Args = append(c.cmd.Args, a...) }
}

func roots(dirs ...string) option {
	return func(_ *client, s *sdk.Client) {
		for _, d := range dirs {
			s.AddRoots(&sdk.Root{URI: "file://" + filepath.ToSlash(d)})
		}
	}
}

// connect starts a server on the memory in a home folder.
func connect(t testing.TB, home string, options ...option) *client {
	t.Helper()
	c := &client{t: t, home: home, stderr: &strings.Builder{}, progress: make(chan string, 100), logs: make(chan string, 1000)}
	c.cmd = exec.Command(tool("ihmt"), "mcp")
	c.cmd.Env = append(os.Environ(), "IHMT_HOME="+home, "IHMT_PROJECTS_DIR="+filepath.Join(home, "projects"), "TMPDIR="+temp(t, home))
	c.cmd.Dir = home
	c.cmd.Stderr = c.stderr
	s := sdk.NewClient(&sdk.Implementation{Name: "test-agent", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { c.progress <- r.Params.Message },
		LoggingMessageHandler:       func(_ context.Context, r *sdk.LoggingMessageRequest) { c.logs <- fmt.Sprint(r.Params.Data) },
	})
	for _, o := range options {
		o(c, s)
	}
	var err error
	c.ClientSession, err = s.Connect(t.Context(), &sdk.CommandTransport{Command: c.cmd}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatalf("%v\n%s", err, c.stderr)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// temp is the folder for temporary files of the servers of a home.
func temp(t testing.TB, home string) string {
	dir := filepath.Join(home, "tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

type m = map[string]any

// try calls a tool and returns its text and whether it is an error.
func (c *client) try(name string, arguments m) (text string, failed bool) {
	c.t.Helper()
	text, _, failed = c.whole(name, arguments)
	return text, failed
}

func (c *client) whole(name string, arguments m) (text string, structured json.RawMessage, failed bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", name, err, c.stderr)
	}
	if len(r.Content) != 1 {
		c.t.Fatalf("%s: %d contents", name, len(r.Content))
	}
	structured, _ = json.Marshal(r.StructuredContent)
	return r.Content[0].(*sdk.TextContent).Text, structured, r.IsError
}

// call calls a tool that must not fail.
func (c *client) call(name string, arguments m) string {
	c.t.Helper()
	text, failed := c.try(name, arguments)
	if failed {
		c.t.Fatalf("%s(%v): %s", name, arguments, text)
	}
	return text
}

// says fails where a text lacks a part.
func says(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the answer does not say %q:\n%s", part, text)
		}
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a tool on the memory in a home and returns what it prints.
func run(t testing.TB, home string, name string, arguments ...string) string {
	t.Helper()
	cmd := exec.Command(tool(name), arguments...)
	cmd.Env = append(os.Environ(), "IHMT_HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
	}
	return string(out)
}

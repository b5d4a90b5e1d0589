package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve starts a server on a free port and returns its URL and its token.
func serve(t *testing.T, home string) (url, token string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(tool("ihmt"), "mcp", "--http=127.0.0.1:0")
	cmd.Env = append(os.Environ(), "IHMT_HOME="+home, "TMPDIR="+temp(t, home))
	cmd.Dir = home
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	said, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", said, err)
	}
	_, rest, _ := strings.Cut(said, "serving ")
	url, rest, _ = strings.Cut(rest, "; the token is in ")
	data, err := os.ReadFile(strings.TrimSpace(rest))
	if err != nil {
		t.Fatal(err)
	}
	token = strings.TrimSpace(string(data))
	if strings.Contains(said, token) {
		t.Error("the token is printed")
	}
	return url, token, cmd
}

// A bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	url, token, cmd := serve(t, home)
	connect := func() *client {
		t.Helper()
		s, err := sdk.NewClient(&sdk.Implementation{Name: "web-agent", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &client{ClientSession: s, t: t, home: home, stderr: &strings.Builder{}}
	}
	one, two := connect(), connect()
	one.call("save_memory", m{"content": "2026-02-03: Saved over the web."})
	says(t, two.call("search_memory", m{"query": "web"}), "Saved over the web")
	one.call("note", m{"text": "a note of the first"})
	says(t, two.call("recall", m{"query": "note"}), "Nothing noted")
	says(t, one.call("recall", m{"query": "note"}), "a note of the first")
	one.Close()
	two.call("note", m{"text": "a note of the second"})
	end(t, cmd) // while two listens
	if left := scratches(home); len(left) != 0 {
		t.Errorf("notes are left in %v", left)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(home, "mcp-token"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the token's file: %v, %v", info.Mode(), err)
		}
	}
	if _, again, _ := serve(t, home); again != token {
		t.Error("the token has changed")
	}
}

// end ends a server, which must not wait for those who are connected.
func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server waits for its clients")
	}
}

// Nobody gets in without the token, by another name, or from another page.
func TestHTTPRefuses(t *testing.T) {
	t.Parallel()
	url, token, _ := serve(t, t.TempDir())
	address := strings.TrimPrefix(url, "http://")
	port := address[strings.LastIndexByte(address, ':'):]
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	for _, c := range []struct {
		name, host, origin, authorization string
		want                              int
	}{
		{"well", "", "", "Bearer " + token, 200},
		{"by the name localhost", "localhost" + port, "", "Bearer " + token, 200},
		{"a page of its own", "", url, "Bearer " + token, 200},
		{"no token", "", "", "", 401},
		{"another token", "", "", "Bearer " + token + "x", 401},
		{"the token alone", "", "", token, 401},
		{"a name made to point here", "evil.example" + port, "", "Bearer " + token, 403},
		{"a name that begins well", "localhost.evil.example" + port, "", "Bearer " + token, 403},
		{"another port", "127.0.0.1:1", "", "Bearer " + token, 403},
		{"no port", "127.0.0.1", "", "Bearer " + token, 403},
		{"another page", "", "https://evil.example", "Bearer " + token, 403},
		{"another page here", "", "http://127.0.0.1:1", "Bearer " + token, 403},
		{"a page of no origin", "", "null", "Bearer " + token, 403},
	} {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.host != "" {
			r.Host = c.host
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, answer.StatusCode, c.want, body)
		}
	}
}

func TestHTTPIsForThisMachineOnly(t *testing.T) {
	t.Parallel()
	for address, wrong := range map[string]string{"0.0.0.0:0": "could be reached", ":8080": "could be reached", "192.0.2.1:80": "could be reached", "example.org:80": "could be reached", "8080": "no address"} {
		out, err := exec.Command(tool("ihmt"), "mcp", "--http="+address, "--path="+t.TempDir()).CombinedOutput()
		if err == nil || !strings.Contains(string(out), wrong) {
			t.Errorf("%s: %v, %s", address, err, out)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	home := t.TempDir()
	file := filepath.Join(home, "mcp-token")
	write(t, file, "aaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool("ihmt"), "mcp", "--http=127.0.0.1:0", "--path="+home).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can be read by others") {
		t.Errorf("a token that others can read: %v, %s", err, out)
	}
}

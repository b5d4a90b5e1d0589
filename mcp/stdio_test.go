package mcp_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// What is no message is answered with an error, and the session goes on with
// all that it has.
func TestLinesThatAreNoMessages(t *testing.T) {
	t.Parallel()
	r := startRaw(t, t.TempDir(), exec.Command(tool("ihmt"), "mcp"))
	r.refused("garbage", -32700) // before the client introduces itself, too
	r.introduce("2025-06-18")
	r.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"note","arguments":{"text":"the kettle is blue"}}}`)
	for line, code := range map[string]int{
		"garbage": -32700, "{": -32700, `{"jsonrpc":"2.0"}{}`: -32700, "\x00": -32700, strings.Repeat("[", 20_000): -32700, "\xff\xfe": -32700,
		"[1,2]": -32600, "[]": -32600, `{"a":1}`: -32600, "{}": -32600, "null": -32600, "7": -32600, `"text"`: -32600,
		`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`:                          -32600,
		`{"jsonrpc":"1.0","method":"ping"}`:                                   -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                           -32600,
		`{"jsonrpc":"2.0","method":7}`:                                        -32600,
		`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`: -32600,
		strings.Repeat("x", 65<<20):                                           -32600,
	} {
		r.refused(line, code)
	}
	if a := r.ask(`{"jsonrpc":"2.0","id":"own","method":7}`); a["id"] != "own" || a["error"] == nil {
		t.Errorf("a request with an id is answered by it: %v", a)
	}
	r.send("") // blank lines, and answers to what nobody asked, are no matter
	r.send("  \r")
	r.send(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	r.send(`{"jsonrpc":"2.0","id":6,"method":"ping"} ` + "\r")
	if a := r.ask(`{"jsonrpc":"2.0","id":7,"method":"ping"}`); a["result"] == nil {
		t.Errorf("ping: %v", a)
	}
	a := r.ask(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"recall","arguments":{"query":"kettle"}}}`)
	for a["id"] != 8.0 {
		a = r.next()
	}
	if said, _ := json.Marshal(a); !strings.Contains(string(said), "kettle is blue") {
		t.Errorf("the note is lost: %s", said)
	}
	r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// What was asked before the input ended is answered.
func TestTheInputEndsAfterARequest(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(tool("ihmt"), "mcp", "--path="+t.TempDir())
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `"serverInfo"`) || !strings.Contains(string(out), `"inputSchema"`) {
		t.Errorf("%v, %s", err, out)
	}
}

// refused sends a line that is no message.
func (r *raw) refused(line string, code int) {
	r.t.Helper()
	r.send(line)
	answer := r.next()
	e, _ := answer["error"].(map[string]any)
	id, has := answer["id"]
	if e == nil || e["code"] != float64(code) || !has || id != nil || answer["jsonrpc"] != "2.0" {
		r.t.Errorf("%.60q: %v, want the code %d and a null id", line, answer, code)
	}
}

// next is the next message.
func (r *raw) next() map[string]any {
	r.t.Helper()
	if !r.lines.Scan() {
		r.t.Fatal("the server has ended")
	}
	var message map[string]any
	if err := json.Unmarshal(r.lines.Bytes(), &message); err != nil {
		r.t.Fatalf("%s: %v", r.lines.Text(), err)
	}
	return message
}

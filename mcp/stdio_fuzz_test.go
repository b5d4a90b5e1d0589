package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Every line is either handed on as a message of its own or answered, and an
// answer is one line of JSON with a code of JSON-RPC.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{"garbage\n", "[1,2]\n{\"a\":1}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} \r\n\n", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"\"}", "{}{}\n", "\xff\x00\n", "{\"jsonrpc\":\"2.0\",\"id\":1e99,\"method\":2}\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var answers bytes.Buffer
		m := &messages{in: io.NopCloser(nil), lines: bufio.NewReader(bytes.NewReader(stream)), refuse: &answers}
		m.open.Store(-1 << 40) // nobody is waited for
		passed, err := io.ReadAll(m)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range bytes.Lines(passed) {
			lines++
			if _, err := jsonrpc.DecodeMessage(line); err != nil || !json.Valid(line) || line[0] == '[' {
				t.Errorf("handed on %q: %v", line, err)
			}
		}
		for line := range bytes.Lines(answers.Bytes()) {
			lines++
			var a struct {
				Error struct{ Code int }
			}
			if err := json.Unmarshal(line, &a); err != nil || a.Error.Code != notJSON && a.Error.Code != notRequest {
				t.Errorf("answered %q: %v", line, err)
			}
		}
		wanted := 0
		for line := range bytes.Lines(stream) {
			if len(bytes.TrimSpace(line)) > 0 {
				wanted++
			}
		}
		if lines != wanted {
			t.Errorf("%d lines came of %d", lines, wanted)
		}
	})
}

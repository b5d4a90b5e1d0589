package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the transport over a pair of streams, a message a line. The SDK's
// own ends at the first line that is no message; here such a line is answered
// with an error, as JSON-RPC wants it, and the session goes on. And the SDK
// drops what is under way when the input ends; here that may take as long as
// grace, so that what a shell pipes in is answered.
func stdio(in io.ReadCloser, out io.Writer) sdk.Transport {
	w := &lineWriter{out: out}
	m := &messages{in: in, lines: bufio.NewReader(in), refuse: w}
	return &sdk.IOTransport{Reader: m, Writer: &answers{w, &m.open}, MaxLineLength: -1}
}

// messages reads the lines of a stream that are messages. All others are
// answered.
type messages struct {
	in     io.Closer
	lines  *bufio.Reader
	refuse io.Writer
	rest   []byte       // of the message that is being read
	open   atomic.Int64 // requests that are not answered
}

const grace = time.Second

func (m *messages) Close() error { return m.in.Close() }

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if refusal := refusalOf(line, err); refusal != nil {
			if _, err := m.refuse.Write(refusal); err != nil {
				return 0, err
			}
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			m.rest = append(line, '\n')
			if isRequest(line) {
				m.open.Add(1)
			}
		} else if err != nil {
			m.wait()
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// wait waits until all requests are answered, but not for long.
func (m *messages) wait() {
	for end := time.Now().Add(grace); m.open.Load() > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

func isRequest(line []byte) bool {
	message, err := jsonrpc.DecodeMessage(line)
	r, ok := message.(*jsonrpc.Request)
	return err == nil && ok && r.IsCall()
}

var errTooLong = fmt.Errorf("the message is longer than %d MiB", maxMessage>>20)

// line reads the next line, of which no more than maxMessage is held.
func (m *messages) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := m.lines.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxMessage; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong:
			return nil, errTooLong
		default:
			return line, err
		}
	}
}

// Codes of JSON-RPC.
const (
	notJSON    = -32700
	notRequest = -32600
)

// refusalOf is the answer to a line that is no message, nil for one that is.
func refusalOf(line []byte, err error) []byte {
	line = bytes.TrimSpace(line)
	switch {
	case errors.Is(err, errTooLong):
		return refusal(notRequest, err.Error(), nil)
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		return refusal(notJSON, "the line is not JSON; a message is one JSON object on a line of its own", nil)
	case line[0] == '[':
		return refusal(notRequest, "the protocol has no batches; send each message on a line of its own", nil)
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return refusal(notRequest, `the line is no JSON-RPC message; it wants "jsonrpc":"2.0" and a method`, idOf(line))
	}
	return nil
}

// idOf is the id that a request can be answered by, nil where it has none.
func idOf(line []byte) any {
	var request struct{ ID any }
	if json.Unmarshal(line, &request) != nil {
		return nil
	}
	switch request.ID.(type) {
	case string, float64:
		return request.ID
	}
	return nil
}

func refusal(code int, message string, id any) []byte {
	answer := map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message}}
	return append(jsonOf(answer), '\n')
}

// A lineWriter writes whole lines, each in one piece.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

// answers writes the messages of the server and counts the requests that are
// answered by them.
type answers struct {
	*lineWriter
	open *atomic.Int64
}

func (a *answers) Write(line []byte) (int, error) {
	n, err := a.lineWriter.Write(line)
	if message, bad := jsonrpc.DecodeMessage(line); bad == nil {
		if _, ok := message.(*jsonrpc.Response); ok {
			a.open.Add(-1)
		}
	}
	return n, err
}

// Close leaves the stream open, as others may write to it.
func (a *answers) Close() error { return nil }

package setup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A call is a message of JSON-RPC as programs exchange it over pipes, one a
// line. It serves for MCP servers and for Codex, which is asked in the same
// way.
type call struct {
	JSONRPC string          `json:"jsonrpc,omitempty"`
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// A peer is a process that answers calls.
type peer struct {
	version string // what "jsonrpc" says; "" leaves it out
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errs    bytes.Buffer
	last    int
}

// maxLine is the longest answer that is read.
const maxLine = 16 << 20

func startPeer(ctx context.Context, version, name string, env []string, args ...string) (*peer, error) {
	p := &peer{version: version, name: name, cmd: exec.CommandContext(ctx, name, args...)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.errs
	p.cmd.WaitDelay = 2 * time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", name, err)
	}
	return p, nil
}

// notify sends a message that has no answer.
func (p *peer) notify(method string) error {
	return p.send(call{JSONRPC: p.version, Method: method})
}

func (p *peer) send(c call) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = p.in.Write(append(line, '\n'))
	return err
}

// call sends a message and waits for its answer. Other messages that arrive
// meanwhile are passed over.
func (p *peer) call(method string, params, result any) error {
	p.last++
	if err := p.send(call{JSONRPC: p.version, ID: p.last, Method: method, Params: params}); err != nil {
		return p.ended()
	}
	for {
		line, err := readLine(p.out)
		if err != nil {
			return p.ended()
		}
		var answer struct {
			call
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.Method != "" || string(answer.ID) != fmt.Sprint(p.last) {
			continue
		}
		if answer.Error != nil {
			return fmt.Errorf("%s answered %s with %s", p.name, method, answer.Error)
		}
		return json.Unmarshal(answer.Result, result)
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errors.New("the answer is too long")
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// ended says how a peer that no longer answers ended.
func (p *peer) ended() error {
	err := p.close()
	said := strings.TrimSpace(p.errs.String())
	if i := strings.LastIndexByte(said, '\n'); i >= 0 {
		said = said[i+1:]
	}
	switch {
	case said != "":
		return fmt.Errorf("%s ended: %s", p.name, said)
	case err != nil:
		return fmt.Errorf("%s ended: %w", p.name, err)
	}
	return fmt.Errorf("%s ended without an answer", p.name)
}

// close asks a peer to end, by closing its input, and waits for it.
func (p *peer) close() error {
	p.in.Close()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(5 * time.Second):
		p.cmd.Process.Kill()
		return <-done
	}
}

// handshake starts a server as an agent would and returns the names of its
// tools.
func handshake(ctx context.Context, s Server) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	p, err := startPeer(ctx, "2.0", s.Command, nil, s.Args...)
	if err != nil {
		return nil, err
	}
	defer p.close()
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "ihmt-setup", "version": "1"}}
	if err := p.call("initialize", hello, new(json.RawMessage)); err != nil {
		return nil, err
	}
	if err := p.notify("notifications/initialized"); err != nil {
		return nil, p.ended()
	}
	var list struct{ Tools []struct{ Name string } }
	if err := p.call("tools/list", map[string]any{}, &list); err != nil {
		return nil, err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s offers no tools", s.Command)
	}
	return names, nil
}

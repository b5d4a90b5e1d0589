package summarize

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// modelProgram is the tool that asks models.
const modelProgram = "ihmt-model"

// command is a back end that runs a program for each branch. Its standard
// input gets the children, one [Request] a line; its standard output must hold
// one JSON object with title, summary and keywords.
type command struct {
	name    string
	argv    func() ([]string, error)
	timeout time.Duration
}

// A Request is one child as a program sees it: a line of JSON.
type Request struct {
	Kind   string `json:"kind"` // child
	Domain string `json:"domain"`
	Layer  int    `json:"layer"` // of the branch to summarise, 1 over leaves
	Node
}

// shell runs a command line as the user's shell would.
func shell(line string) func() ([]string, error) {
	return func() ([]string, error) { return shellCommand(line), nil }
}

// modelCommand runs ihmt-model, which stands beside the running program or on
// the PATH.
func modelCommand(s Settings) *command {
	args := []string{"--backend", s.Backend, "--model", s.Model, "--base-url", s.BaseURL, "--timeout", s.Timeout.String()}
	return &command{s.Backend, func() ([]string, error) {
		program, err := sibling(modelProgram)
		return append([]string{program}, args...), err
	}, s.Timeout + 2*time.Second}
}

func sibling(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor on the PATH: install it, or use another back end", name)
	}
	return path, nil
}

func (c *command) Name() string { return c.name }

func (c *command) Summarize(ctx context.Context, domain string, layer int, nodes []Node) (Summary, error) {
	argv, err := c.argv()
	if err != nil {
		return Summary{}, &Failure{NotStarted, err}
	}
	input, err := requests(domain, layer, nodes)
	if err != nil {
		return Summary{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	stdout := &head{limit: MaxReply + 1}
	stderr := &head{limit: 4 << 10}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), stdout, stderr
	cmd.WaitDelay = time.Second
	inGroup(cmd)
	if err := cmd.Start(); err != nil {
		return Summary{}, &Failure{NotStarted, err}
	}
	err = cmd.Wait()
	endGroup(cmd)
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // that one is of a child left behind
		return Summary{}, c.failure(ctx, err, stderr.kept)
	}
	return ParseReply(stdout.kept)
}

// failure says why a program failed, in its own words where it has some.
func (c *command) failure(ctx context.Context, err error, stderr []byte) error {
	if ctx.Err() != nil {
		return &Failure{TimedOut, fmt.Errorf("no reply within %v", c.timeout)}
	}
	kind := Failed
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		kind = kindOf(exit.ExitCode())
	}
	if words := cut(oneLine(string(bytes.ToValidUTF8(stderr, nil))), 400); words != "" {
		if kind != Failed {
			return &Failure{kind, errors.New(words)}
		}
		err = fmt.Errorf("%w: %s", err, words)
	}
	return &Failure{kind, err}
}

// exitCodes are those with which a program says more than that it failed:
// 75, 76 and 77 of sysexits.h, and what POSIX shells say of an unknown command.
var exitCodes = map[FailureKind]int{TimedOut: 75, Unusable: 76, NoKey: 77, NotStarted: 127}

// ExitCode is the exit code of a program for the command back end that fails
// in this way.
func (k FailureKind) ExitCode() int {
	if code, ok := exitCodes[k]; ok {
		return code
	}
	return 2
}

func kindOf(exitCode int) FailureKind {
	for kind, code := range exitCodes {
		if code == exitCode {
			return kind
		}
	}
	return Failed
}

// requests is the input of a program.
func requests(domain string, layer int, nodes []Node) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, n := range nodes {
		if err := e.Encode(Request{"child", domain, layer, n}); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// ReadRequests reads what the command back end gives to a program. It needs
// at least one child.
func ReadRequests(r io.Reader) (domain string, layer int, nodes []Node, err error) {
	in := json.NewDecoder(r)
	for {
		var q Request
		switch err := in.Decode(&q); {
		case errors.Is(err, io.EOF) && len(nodes) > 0:
			return domain, layer, nodes, nil
		case errors.Is(err, io.EOF):
			return "", 0, nil, errors.New("no children on standard input")
		case err != nil:
			return "", 0, nil, fmt.Errorf("child %d on standard input: %w", len(nodes)+1, err)
		}
		domain, layer, nodes = q.Domain, q.Layer, append(nodes, q.Node)
	}
}

// head keeps the first bytes of what is written to it and drops the rest, so
// that a program that never stops talking fills no memory.
type head struct {
	kept  []byte
	limit int
}

func (h *head) Write(p []byte) (int, error) {
	if room := h.limit - len(h.kept); room > 0 {
		h.kept = append(h.kept, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// Package pipeline runs the tools as a shell would: every stage a process,
// every connection an operating system pipe, every exit code looked at.
//
// What a pipeline works on travels through its standard input, never in an
// argument, where any user of the machine could read it in the list of
// processes. [Pipeline.Line] prints a pipeline as a line to paste into a
// shell, where it does the same.
//
// The stages form one process group, which ends when the context does and,
// where the system can arrange it, when the process that started it dies.
package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
)

// grace is how long stages may take to end when they are asked to.
const grace = 2 * time.Second

// A Stage is one tool with its arguments.
type Stage struct {
	Tool string
	Args []string
}

// Tool returns the stage that runs a tool.
func Tool(name string, args ...string) Stage { return Stage{name, args} }

// A Pipeline is a row of stages, each reading what the one before it writes.
type Pipeline struct {
	Stages []Stage
	Input  string    // what the first stage reads, where Stdin is nil
	Stdin  io.Reader // what the first stage reads; Line cannot show it
	Stderr io.Writer // receives the stages' messages, line by line; nil leaves them to the error
}

// New returns the pipeline of some stages, which reads nothing.
func New(stages ...Stage) *Pipeline { return &Pipeline{Stages: stages} }

// An Error tells which stage failed and what it said. Its code is 1 where a
// stage found nothing or skipped something, and 3 where the last one needs a
// clue; any other is a failure.
type Error struct {
	Tool   string
	Code   int    // its exit code; -1 where a signal ended it
	Status string // "exit status 2", "signal: killed"
	Stderr string // the end of its messages, where Pipeline.Stderr was nil
}

func (e *Error) Error() string {
	if said := strings.TrimSpace(e.Stderr); said != "" {
		return said
	}
	return fmt.Sprintf("%s failed: %s", e.Tool, e.Status)
}

// Code returns the exit code that a process should end with after Run or
// Each returned err: that of the stage which decided it, 2 for any other
// error.
func Code(err error) int {
	var failed *Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed) && failed.Code > 0:
		return failed.Code
	}
	return 2
}

// Run runs the pipeline and copies what the last stage writes to out. A file
// is handed to that stage, which so can tell a terminal. The error is nil
// where every stage ended with 0, the context's where it ended first, and an
// *Error otherwise.
func (p *Pipeline) Run(ctx context.Context, out io.Writer) error {
	if file, ok := out.(*os.File); ok {
		return p.run(ctx, file, func() error { return nil })
	}
	return p.read(ctx, func(r io.Reader) error {
		_, err := io.Copy(out, r)
		return err
	})
}

// Each runs the pipeline and calls do for every record that the last stage
// writes. An error of do ends the pipeline and is returned.
func (p *Pipeline) Each(ctx context.Context, do func(*record.Record) error) error {
	return p.read(ctx, func(r io.Reader) error {
		records := record.NewReader(r)
		for {
			rec, err := records.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return fmt.Errorf("the output of %s: %w", p.Stages[len(p.Stages)-1].Tool, err)
			}
			if err := do(rec); err != nil {
				return err
			}
		}
	})
}

// read runs the pipeline while consume reads its output to the end.
func (p *Pipeline) read(ctx context.Context, consume func(io.Reader) error) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return p.run(ctx, w, func() error {
		w.Close()
		err := consume(r)
		if err != nil {
			cancel(err)
		}
		return err
	})
}

// run starts the stages, calls started, waits for the stages and judges them.
func (p *Pipeline) run(ctx context.Context, out *os.File, started func() error) error {
	// Where a child is to die with its parent, Linux means the parent's
	// thread: this goroutine keeps its own until the stages have ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	stages, group, err := p.start(out)
	if err != nil {
		return err
	}
	defer group.close()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			group.end()
		}
		select {
		case <-ended:
		case <-time.After(grace):
			group.kill()
		}
	}()

	consumed := started()
	failures := make([]*Error, len(stages))
	for i, s := range stages {
		failures[i] = s.wait()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := verdict(failures); err != nil {
		return err
	}
	return consumed
}

// start starts every stage, or none: those that did are ended again.
func (p *Pipeline) start(out *os.File) ([]*process, *group, error) {
	stages, err := p.processes(out)
	if err != nil {
		return nil, nil, err
	}
	pipes, err := connect(stages)
	defer func() {
		for _, end := range pipes {
			end.Close()
		}
	}()
	if err != nil {
		return nil, nil, err
	}
	group, err := newGroup()
	if err != nil {
		return nil, nil, err
	}
	for i, s := range stages {
		if err := group.start(s.cmd); err != nil {
			group.kill()
			for _, started := range stages[:i] {
				started.wait()
			}
			group.close()
			return nil, nil, fmt.Errorf("cannot start %s: %w", s.tool, err)
		}
	}
	return stages, group, nil
}

// processes prepares the stages, the first with its input, the last with out.
func (p *Pipeline) processes(out *os.File) ([]*process, error) {
	messages := &sharedWriter{w: p.Stderr}
	stages := make([]*process, len(p.Stages))
	for i, stage := range p.Stages {
		path, err := Find(stage.Tool)
		if err != nil {
			return nil, err
		}
		s := &process{tool: stage.Tool, cmd: exec.Command(path, stage.Args...), messages: tail{to: messages}}
		s.cmd.Stderr = &s.messages
		s.cmd.Env = append(os.Environ(), cli.VersionEnv+"="+cli.Version)
		s.cmd.WaitDelay = grace // for messages, where a grandchild holds stderr open
		stages[i] = s
	}
	stages[0].cmd.Stdin = p.stdin()
	stages[len(stages)-1].cmd.Stdout = out
	return stages, nil
}

// stdin is what the first stage reads. A terminal is read here and passed on:
// it stops processes of other groups that read from it.
func (p *Pipeline) stdin() io.Reader {
	if p.Stdin == nil {
		return strings.NewReader(p.Input)
	}
	if f, ok := p.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return struct{ io.Reader }{f}
	}
	return p.Stdin
}

// connect makes the pipes between the stages and returns their ends, which
// are to be closed here once the stages have them.
func connect(stages []*process) (ends []*os.File, err error) {
	for i := range stages[1:] {
		r, w, err := os.Pipe()
		if err != nil {
			return ends, err
		}
		ends = append(ends, r, w)
		stages[i].cmd.Stdout, stages[i+1].cmd.Stdin = w, r
	}
	return ends, nil
}

// verdict picks what a pipeline fails of: the first stage that failed, since
// those after it only read what it left; else what the last stage reports;
// else any stage that skipped something. A stage whose reader went away did
// not fail.
func verdict(stages []*Error) error {
	last := len(stages) - 1
	for i, e := range stages {
		if e != nil && e.Code != 1 && !(e.Code == 3 && i == last) {
			return e
		}
	}
	for i := last; i >= 0; i-- {
		if stages[i] != nil {
			return stages[i]
		}
	}
	return nil
}

// A process is a stage that runs.
type process struct {
	tool     string
	cmd      *exec.Cmd
	messages tail
}

func (s *process) wait() *Error {
	err := s.cmd.Wait()
	s.messages.flush()
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case !errors.As(err, &exit):
		return &Error{Tool: s.tool, Code: 2, Status: err.Error(), Stderr: s.messages.text()}
	case readerLeft(exit.ProcessState):
		return nil
	}
	return &Error{Tool: s.tool, Code: exit.ExitCode(), Status: exit.String(), Stderr: s.messages.text()}
}

// A sharedWriter lets the stages write to one place.
type sharedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// A tail passes the messages of a stage on in whole lines or, where nobody
// takes them, keeps the end of them.
type tail struct {
	to  *sharedWriter
	buf []byte
}

const tailSize = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if t.to.w == nil {
		if over := len(t.buf) - tailSize; over > 0 {
			t.buf = append(t.buf[:0], t.buf[over:]...)
		}
		return len(p), nil
	}
	if end := bytes.LastIndexByte(t.buf, '\n') + 1; end > 0 || len(t.buf) > tailSize {
		if end == 0 {
			end = len(t.buf)
		}
		t.to.Write(t.buf[:end])
		t.buf = append(t.buf[:0], t.buf[end:]...)
	}
	return len(p), nil
}

func (t *tail) flush() {
	if t.to.w != nil && len(t.buf) > 0 {
		t.to.Write(append(t.buf, '\n'))
		t.buf = nil
	}
}

func (t *tail) text() string { return strings.ToValidUTF8(string(t.buf), "\uFFFD") }

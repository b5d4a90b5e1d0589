package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// A runner runs the pipelines of one command on one memory, until Ctrl-C.
type runner struct {
	*cli.Context
	ctx   context.Context
	trace bool
}

func newRunner(c *cli.Context, g *grammar) *runner {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return &runner{c, ctx, g.Trace}
}

// stage is a tool on this memory.
func (r *runner) stage(tool string, args ...string) pipeline.Stage {
	return pipeline.Tool(tool, append(args, "--path", r.Path)...)
}

// show runs one tool, which prints for itself.
func (r *runner) show(tool string, args ...string) error {
	return r.print(pipeline.New(r.stage(tool, args...)))
}

// print runs a pipeline whose last stage prints for itself, in the form that
// was asked of this command.
func (r *runner) print(p *pipeline.Pipeline) error {
	last := &p.Stages[len(p.Stages)-1]
	last.Args = append(last.Args, flags("--json", r.JSON, "--text", r.Text)...)
	return r.run(p, func() error { return p.Run(r.ctx, os.Stdout) })
}

// each runs a pipeline and calls do for every record that comes out of it.
func (r *runner) each(p *pipeline.Pipeline, do func(*record.Record) error) error {
	return r.run(p, func() error { return p.Each(r.ctx, do) })
}

func (r *runner) run(p *pipeline.Pipeline, run func() error) error {
	if p.Stderr == nil {
		p.Stderr = r.Err
	}
	if r.trace {
		fmt.Fprintln(r.Err, p.Line())
	}
	return exit(run())
}

// exit turns a stage's exit code into the error that makes it this command's.
func exit(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case pipeline.Code(err) == 1:
		return cli.ErrSkipped
	case pipeline.Code(err) == 3:
		return cli.ErrAmbiguous
	}
	return err
}

// flags returns arguments for pairs of a flag and its value; a value that is
// empty, zero or false leaves its flag out.
func flags(pairs ...any) []string {
	var args []string
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		switch v := pairs[i+1].(type) {
		case bool:
			if v {
				args = append(args, name)
			}
		case int:
			if v != 0 {
				args = append(args, fmt.Sprintf("%s=%d", name, v))
			}
		case string:
			if v != "" {
				args = append(args, name+"="+v)
			}
		case []string:
			for _, s := range v {
				args = append(args, name+"="+s)
			}
		}
	}
	return args
}

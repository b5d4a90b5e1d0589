package gui

import (
	"context"
	"net/http"
	"regexp"
	"sync"

	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// An answer is what a pipeline printed, and the line that prints it in a
// shell.
type answer struct {
	Shell   string           `json:"shell"`
	Code    int              `json:"code"` // as in pkg/cli: 1 nothing found, 3 ambiguous
	Records []*record.Record `json:"records"`
}

// run runs a tool on the memory. That it found nothing, or needs a clue, is no
// error: the code tells.
func (w *Window) run(ctx context.Context, tool string, args ...string) (answer, error) {
	return collect(ctx, pipeline.New(w.stage(tool, args...)))
}

// stage is a tool on the memory that prints JSON lines.
func (w *Window) stage(tool string, args ...string) pipeline.Stage {
	return pipeline.Tool(tool, append(args, "--path="+w.memory())...)
}

// collect runs a pipeline and keeps what it prints. The line to paste is
// without --json, which on a terminal shows the same for people.
func collect(ctx context.Context, p *pipeline.Pipeline) (answer, error) {
	a := answer{Shell: p.Line(), Records: []*record.Record{}}
	last := &p.Stages[len(p.Stages)-1]
	last.Args = append(last.Args, "--json")
	err := p.Each(ctx, func(r *record.Record) error {
		a.Records = append(a.Records, r)
		return nil
	})
	if code := pipeline.Code(err); err != nil && (code == 1 || code == 3) {
		a.Code, err = code, nil
	}
	return a, err
}

// together runs some functions at the same time and returns the first error.
func together(do ...func() error) error {
	errs := make([]error, len(do))
	var wg sync.WaitGroup
	for i, f := range do {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ids and domains are as docs/FORMAT.md says. Whatever else an address holds
// is refused before a tool sees it.
var (
	leafID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^L-[a-z0-9._-]{1,64}-[0-9]{4,}-[0-9a-f]{10,64}$`) })
	branchID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^N[0-9]{1,3}-[a-z0-9._-]{1,64}-[0-9a-f]{10,64}$`) })
	slug     = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9_-]([a-z0-9._-]{0,62}[a-z0-9_-])?$`)
	})
)

// parameter returns a parameter of the address that matches one of the shapes.
func parameter(r *http.Request, name string, shapes ...*regexp.Regexp) (string, error) {
	value := r.URL.Query().Get(name)
	for _, shape := range shapes {
		if shape.MatchString(value) {
			return value, nil
		}
	}
	return "", refusal{http.StatusNotFound, "there is no such " + name}
}

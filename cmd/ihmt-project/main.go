// Command ihmt-project finds code in a source tree.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/term"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/project"
	"github.com/ihmt/ihmt/pkg/record"
)

const about = `Find code in a source tree.

Each call first brings the index of the tree up to date. The index is a cache
under $IHMT_PROJECTS_DIR, by default in ihmt_projects beside the memory, and
holds no code: answers are cut out of the files as they are.`

type grammar struct {
	cli.Common
	Sync syncCmd `cmd:"" help:"Bring the index up to date and say what it holds."`
	Map  mapCmd  `cmd:"" help:"List the files of the tree, or their symbols."`
	Find findCmd `cmd:"" help:"Find symbols by name or by what they do."`
}

func main() {
	debug.SetGCPercent(200) // fewer collections, and not many more pages to fault in
	cli.UseHugePages()
	cli.Main("ihmt-project", about, &grammar{}, render)
}

// Tree is the source tree of a command.
type Tree struct {
	Dir      string `arg:"" help:"Folder of the source tree."`
	Progress bool   `help:"Print progress as records, into a pipe too."`
}

// with opens the project of a tree for the time of do.
func (t *Tree) with(c *cli.Context, do func(context.Context, *project.Project) error) error {
	home := os.Getenv(project.HomeEnv)
	if home == "" {
		memory, err := c.Memory()
		if err != nil {
			return err
		}
		home = filepath.Join(filepath.Dir(memory), "ihmt_projects")
	}
	p, err := project.Open(home, t.Dir)
	if err != nil {
		return err
	}
	p.Notify = func(s string) { fmt.Fprintln(c.Err, c.Name+": "+cli.Clean(s)) }
	p.Progress = inBulk(t.progress(c))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return do(ctx, p)
}

// inBulk prepares the heap, when it turns out that many files are to be read.
func inBulk(tell func(done, total int)) func(done, total int) {
	const many = 100
	return func(done, total int) {
		if done == 1 && total >= many {
			debug.SetGCPercent(400)
			cli.ReserveHugePages(64 << 20)
		}
		if tell != nil {
			tell(done, total)
		}
	}
}

type syncCmd struct{ Tree }

func (s *syncCmd) Run(c *cli.Context) error {
	return s.with(c, func(ctx context.Context, p *project.Project) error {
		r, err := p.Sync(ctx)
		if err != nil {
			return err
		}
		return c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Source: p.Dir(), Totals: map[string]any{
			"files": r.Files, "symbols": r.Symbols, "left": r.Left, "changed": r.Changed, "removed": r.Removed}}))
	})
}

type mapCmd struct {
	Tree
	Detail    string `help:"files or symbols." default:"files" enum:"files,symbols"`
	Subpath   string `help:"Only what is at or below this path of the tree."`
	MaxTokens int    `help:"Print at most this much; deeper files are then told by folder. 0 is no limit." default:"2000"`
}

func (m *mapCmd) Run(c *cli.Context) error {
	if m.MaxTokens < 0 {
		return fmt.Errorf("--max-tokens is %d; want a count, or 0 for no limit", m.MaxTokens)
	}
	return m.with(c, func(ctx context.Context, p *project.Project) error {
		found, err := p.Map(ctx, project.Request{Detail: m.Detail, Subpath: m.Subpath, MaxTokens: m.MaxTokens})
		if err != nil {
			return err
		}
		for i := range found.Items {
			if err := c.Out.Write(record.New(kindItem, &found.Items[i])); err != nil {
				return err
			}
		}
		err = c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Source: p.Dir(), Totals: map[string]any{
			"files": found.Files, "symbols": found.Symbols, "omitted": found.Omitted}}))
		if err == nil && found.Files == 0 {
			err = cli.ErrNothing
		}
		return err
	})
}

// kindItem is the kind of a line of a map.
const kindItem = "item"

type findCmd struct {
	Tree
	Query     []string `arg:"" help:"The question; - reads one query record."`
	K         int      `short:"k" help:"How many results." default:"5"`
	Clue      string   `help:"Words that tell the right symbol from others like it."`
	Scope     string   `help:"main puts tests last, test has nothing else, all treats them alike." default:"main"`
	Subpath   string   `help:"Only what is at or below this path of the tree."`
	MaxTokens int      `help:"Print at most this much." default:"1500"`
}

func (f *findCmd) Run(c *cli.Context) error {
	q, err := f.query(c)
	if err != nil {
		return err
	}
	return f.with(c, func(ctx context.Context, p *project.Project) error {
		answer, err := p.Find(ctx, q)
		if err != nil {
			return err
		}
		return write(c, answer)
	})
}

func (f *findCmd) query(c *cli.Context) (project.Query, error) {
	q := project.Query{Query: strings.Join(f.Query, " "), Clue: f.Clue, K: f.K, Scope: f.Scope, Subpath: f.Subpath, MaxTokens: f.MaxTokens}
	if q.Query != "-" {
		return q, nil
	}
	r, err := record.NewReader(c.In).Read()
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("no query record")
	case err == nil && r.Kind() != record.KindQuery:
		err = fmt.Errorf("a %q record, want a query", r.Kind())
	case err == nil:
		q.Query = ""
		err = r.Decode(&q)
	}
	if err != nil {
		err = fmt.Errorf("standard input: %w", err)
	}
	return q, err
}

// write prints an answer and returns the error that stands for it.
func write(c *cli.Context, a *project.Answer) error {
	if err := c.Out.Write(record.New(record.KindSearch, a.Search)); err != nil {
		return err
	}
	if a.Clue != nil {
		if err := c.Out.Write(record.New(record.KindClue, a.Clue)); err != nil {
			return err
		}
		return cli.ErrAmbiguous
	}
	for i := range a.Results {
		if err := c.Out.Write(record.New(record.KindResult, &a.Results[i])); err != nil {
			return err
		}
	}
	if len(a.Results) == 0 {
		return cli.ErrNothing
	}
	return nil
}

// progress tells on a terminal, or as records, how far reading is.
func (t *Tree) progress(c *cli.Context) func(done, total int) {
	switch {
	case t.Progress:
		return func(done, total int) {
			if done%100 == 0 || done == total {
				fmt.Fprintf(c.Err, `{"kind":"progress","done":%d,"total":%d}`+"\n", done, total)
			}
		}
	case c.Out.People && term.IsTerminal(int(os.Stderr.Fd())):
		return func(done, total int) {
			switch {
			case total < 500:
			case done == total:
				fmt.Fprint(c.Err, "\r\033[K")
			case done%100 == 0:
				fmt.Fprintf(c.Err, "\rreading %d of %d files", done, total)
			}
		}
	}
	return nil
}

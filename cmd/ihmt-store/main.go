// Command ihmt-store keeps chunks as leaves of a memory, and looks after it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

const about = `Keep chunks as leaves of a memory.

Reads chunk records from standard input and prints a leaf record for each once
it is safe on the disk. Other records pass through.`

type grammar struct {
	cli.Common
	Put     putCmd     `cmd:"" default:"withargs" help:"Store the chunks on standard input (the default)."`
	Init    initCmd    `cmd:"" help:"Make a memory, or change its settings."`
	Get     getCmd     `cmd:"" help:"Print leaves."`
	Ls      lsCmd      `cmd:"" help:"List the leaves."`
	Stats   statsCmd   `cmd:"" help:"Print counts and sizes."`
	Verify  verifyCmd  `cmd:"" help:"Check every file of the memory."`
	Rebuild rebuildCmd `cmd:"" help:"Make everything that is derived anew, from the leaves."`
	Import  importCmd  `cmd:"" help:"Take what another memory holds: the union of both."`
	Export  exportCmd  `cmd:"" help:"Print every leaf with its text."`
	Rm      rmCmd      `cmd:"" help:"Remove texts of leaves everywhere."`
}

func main() {
	cli.Main("ihmt-store", about, &grammar{}, render)
}

// open opens the memory that exists.
func open(c *cli.Context) (*store.Store, error) {
	dir, err := c.Memory()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	return notifying(c, s), err
}

// create opens the memory, and makes it on first use.
func create(c *cli.Context) (*store.Store, error) {
	dir, err := c.Memory()
	if err != nil {
		return nil, err
	}
	s, err := store.Create(dir)
	return notifying(c, s), err
}

func notifying(c *cli.Context, s *store.Store) *store.Store {
	if s != nil {
		s.Notify = func(word string) { fmt.Fprintf(c.Err, "%s: %s\n", c.Name, cli.Clean(word)) }
	}
	return s
}

type putCmd struct {
	Replaces  *string `help:"The leaf that the first chunk replaces." placeholder:"LEAF_ID"`
	KeepGoing bool    `help:"Skip what cannot be stored, and exit 1 at the end."`
}

// Validate is called by kong after parsing.
func (p *putCmd) Validate() error {
	if p.Replaces != nil && *p.Replaces == "" {
		return errors.New("--replaces is empty: give the id of a leaf, or leave the flag out")
	}
	return nil
}

func (p *putCmd) Run(c *cli.Context) error {
	s, err := create(c)
	if err != nil {
		return err
	}
	defer s.Close()
	stop, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer release()
	context.AfterFunc(stop, release) // a second one ends it at once
	opt := store.PutOptions{KeepGoing: p.KeepGoing, NoLeaves: c.Out.People, Stop: stop.Done()}
	if p.Replaces != nil {
		opt.Replaces = *p.Replaces
	}
	totals, err := s.Put(record.NewReader(c.In), func(records []*record.Record) error {
		for _, r := range records {
			if err := c.Out.Write(r); err != nil {
				return err
			}
		}
		return c.Out.Flush()
	}, opt)
	if err != nil {
		return err
	}
	c.Out.Print(totals.String())
	if totals.Passed > 0 {
		fmt.Fprintf(c.Err, "%s: %d leaf records passed through, not stored; use ihmt-store import -\n", c.Name, totals.Passed)
	}
	if totals.Skipped+totals.Passed > 0 {
		return cli.ErrSkipped
	}
	return nil
}

type initCmd struct {
	BranchFactor int    `help:"Children of a full branch (8)." placeholder:"N"`
	TargetTokens int    `help:"Size to which blocks are packed, in tokens (2000)." placeholder:"N"`
	MaxTokens    int    `help:"Size above which a block is oversized, in tokens (3000)." placeholder:"N"`
	Backend      string `help:"Who writes the summaries: heuristic, anthropic, openai or command." placeholder:"B"`
	Force        bool   `help:"Change a memory that exists: its derived state is made anew, no leaf is touched."`
}

func (i *initCmd) Run(c *cli.Context) error {
	dir, err := c.Memory()
	if err != nil {
		return err
	}
	s, err := store.Init(dir, i.settings, i.Force)
	if err != nil {
		return err
	}
	defer s.Close()
	if i.Force {
		if err := rebuild(c, s); err != nil {
			return err
		}
	}
	c.Out.Print("memory in " + cli.Clean(dir))
	return nil
}

func (i *initCmd) settings(s *store.Settings) {
	for _, n := range []struct {
		from int
		to   *int
	}{{i.BranchFactor, &s.BranchFactor}, {i.TargetTokens, &s.TargetTokens}, {i.MaxTokens, &s.MaxTokens}} {
		if n.from != 0 {
			*n.to = n.from
		}
	}
	if i.TargetTokens > s.MaxTokens {
		s.MaxTokens = i.TargetTokens * 3 / 2
	}
	if i.Backend != "" {
		s.SummarizerBackend = i.Backend
	}
}

type getCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of leaves."`
}

func (g *getCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, id := range g.IDs {
		l, err := s.Find(id)
		if err != nil {
			return err
		}
		if err := c.Out.Write(l.Record()); err != nil {
			return err
		}
	}
	return nil
}

type lsCmd struct{}

func (*lsCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	none := true
	err = s.Each(func(l *store.Leaf) error {
		none = false
		return c.Out.Write(l.Listing())
	})
	if err == nil && none {
		return cli.ErrNothing
	}
	return err
}

type statsCmd struct{}

func (*statsCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	stats, err := s.Stats()
	if err != nil {
		return err
	}
	return c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: stats}))
}

type verifyCmd struct {
	Repair bool `help:"Mend what can be mended."`
}

func (v *verifyCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	problems, checked, err := s.Verify()
	if err != nil {
		return err
	}
	for _, p := range problems {
		if err := c.Out.Write(record.New(record.KindSkipped, record.Skipped{Source: p.File, Reason: p.Wrong + "; " + p.Mend})); err != nil {
			return err
		}
	}
	if len(problems) > 0 && v.Repair {
		return rebuild(c, s)
	}
	if err := c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: checked})); err != nil || len(problems) == 0 {
		return err
	}
	return cli.ErrSkipped
}

type rebuildCmd struct{}

func (*rebuildCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	return rebuild(c, s)
}

type importCmd struct {
	Dir string `arg:"" name:"dir" help:"Folder of the other memory, which is only read; - reads what its export printed."`
}

func (i *importCmd) Run(c *cli.Context) error {
	united, err := i.unite(c)
	for _, note := range united.Notes {
		fmt.Fprintf(c.Err, "%s: %s\n", c.Name, cli.Clean(note))
	}
	if err != nil {
		return err
	}
	err = c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: map[string]any{
		"taken": united.Leaves, "unchanged": united.Unchanged, "removed": len(united.Doomed), "skipped": len(united.Notes)}}))
	if err == nil && len(united.Notes) > 0 {
		return cli.ErrSkipped
	}
	return err
}

func (i *importCmd) unite(c *cli.Context) (store.United, error) {
	ctx := context.Background()
	if i.Dir == "-" {
		s, err := create(c)
		if err != nil {
			return store.United{}, err
		}
		defer s.Close()
		united, err := summarize.ImportRecords(ctx, s, record.NewReader(c.In), c.Out.Write, nil)
		if bad := new(record.LineError); errors.As(err, &bad) {
			err = fmt.Errorf("standard input, %w; what stands before it was taken: mend it and import it all again", err)
		}
		return united, err
	}
	other, err := store.OpenOther(i.Dir)
	if err != nil {
		return store.United{}, err
	}
	defer other.Close()
	s, err := create(c)
	if err != nil {
		return store.United{}, err
	}
	defer s.Close()
	return summarize.Import(ctx, s, other, nil)
}

type exportCmd struct{}

func (*exportCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	var skipped error
	none := true
	err = s.Files(func(name string, l *store.Leaf, err error) error {
		none = false
		if err != nil {
			skipped = cli.ErrSkipped
			return c.Out.Write(record.New(record.KindSkipped, record.Skipped{Source: name, Reason: err.Error()}))
		}
		return c.Out.Write(l.Record())
	})
	switch {
	case err != nil:
		return err
	case none:
		return cli.ErrNothing
	}
	return skipped
}

type rmCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of leaves."`
	Yes bool     `help:"Do not ask."`
}

func (r *rmCmd) Run(c *cli.Context) error {
	s, err := open(c)
	if err != nil {
		return err
	}
	defer s.Close()
	if !r.Yes {
		if err := r.confirm(c, s); err != nil {
			return err
		}
	}
	if err := summarize.Remove(context.Background(), s, r.IDs...); err != nil {
		return err
	}
	c.Out.Print("removed " + strings.Join(r.IDs, " "))
	return nil
}

// confirm shows what would go and asks for a yes.
func (r *rmCmd) confirm(c *cli.Context, s *store.Store) error {
	question := "Remove for good?\n"
	for _, id := range r.IDs {
		l, err := s.Find(id)
		if err != nil {
			return err
		}
		question += fmt.Sprintf("  %s  %s\n", l.ID, cli.CleanLine(l.Content, 200))
	}
	ok, err := c.Confirm(question)
	if err == nil && !ok {
		err = errors.New("nothing was removed")
	}
	return err
}

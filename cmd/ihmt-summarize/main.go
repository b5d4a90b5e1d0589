// Command ihmt-summarize grows the tree of a memory: it gives the leaves that
// are new their branches. It is meant for cron.
package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

const about = `Grow the tree.

Every branch_factor leaves of a domain become a branch that summarises them,
then the same layer by layer. Safe to run at any time and as often as you like.`

type grammar struct {
	cli.Common
	Force      bool   `help:"Close partial groups too; the next run groups them anew."`
	Backend    string `help:"Who writes the summaries: heuristic, anthropic, openai or command." placeholder:"B"`
	BackendCmd string `help:"The program of the command back end." placeholder:"CMD"`
}

func main() {
	debug.SetGCPercent(50) // much may have been saved since the last time
	cli.Main("ihmt-summarize", about, &grammar{}, render)
}

// Run grows the tree once.
func (g *grammar) Run(c *cli.Context) error {
	dir, err := c.Memory()
	if err != nil {
		return err
	}
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	s.Notify = func(word string) { fmt.Fprintf(c.Err, "%s: %s\n", c.Name, cli.Clean(word)) }
	backend, err := g.backend(c, s.Settings)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	grown, err := summarize.Grow(ctx, s, summarize.Options{Force: g.Force, Backend: backend})
	if err != nil {
		return err
	}
	if _, err := ledger.Read(s, nil); err != nil { // so that no search has to read what is new
		return err
	}
	return c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: map[string]any{
		"leaves": grown.Leaves, "branches": grown.Branches, "provisional": grown.Provisional, "tables": grown.Tables, "depth": grown.Depth}}))
}

func (g *grammar) backend(c *cli.Context, s store.Settings) (summarize.Backend, error) {
	chosen := summarize.SettingsOf(s)
	if g.Backend != "" {
		chosen.Backend = g.Backend
	}
	if g.BackendCmd != "" {
		chosen.Command = g.BackendCmd
		if g.Backend == "" {
			chosen.Backend = summarize.Command
		}
	}
	b, err := summarize.New(chosen)
	if err != nil {
		return nil, err
	}
	return summarize.WithFallback(b, func(err error) {
		fmt.Fprintf(c.Err, "%s: %s; the heuristic wrote the summary instead\n", c.Name, cli.Clean(err.Error()))
	}), nil
}

// render says for people what grew.
func render(w io.Writer, r *record.Record) {
	if r.Kind() != record.KindReport {
		fmt.Fprintln(w, cli.Clean(r.String()))
		return
	}
	var grew []string
	for _, name := range []string{"leaves", "branches", "provisional"} {
		if n := r.Get("totals").Get(name).Int(); n > 0 {
			grew = append(grew, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(grew) == 0 {
		grew = []string{"nothing"}
	}
	fmt.Fprintf(w, "new: %s; depth %d\n", strings.Join(grew, ", "), r.Get("totals").Get("depth").Int())
}

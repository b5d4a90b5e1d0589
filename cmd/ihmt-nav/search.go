package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

type searchCmd struct {
	Query     []string `arg:"" help:"The question; - reads query records."`
	KeepGoing bool     `help:"Skip lines that are no query, and exit 1 at the end."`
	Ask
}

func (s *searchCmd) Run(c *cli.Context) error {
	return with(c, func(memory *store.Store) error {
		searcher, err := nav.NewSearcher(memory)
		if err != nil {
			return err
		}
		defer searcher.Close()
		if len(s.Query) == 1 && s.Query[0] == "-" {
			return s.batch(c, searcher)
		}
		q := s.query(strings.Join(s.Query, " "))
		if err := check(q); err != nil {
			return err
		}
		answer, err := searcher.Search(q)
		if err != nil {
			return err
		}
		return write(c, answer)
	})
}

// batch answers the queries on standard input in order. What each of them
// found does not matter to the exit code.
func (s *searchCmd) batch(c *cli.Context, searcher *nav.Searcher) error {
	in := record.NewReader(c.In)
	return c.Records(in, s.KeepGoing, func(r *record.Record) error {
		if r.Kind() != record.KindQuery {
			return c.Out.Write(r)
		}
		answer, err := s.answer(searcher, r)
		if err != nil {
			return &record.LineError{Line: in.Line(), Err: err}
		}
		err = write(c, answer)
		if errors.Is(err, cli.ErrNothing) || errors.Is(err, cli.ErrAmbiguous) {
			err = nil
		}
		if err == nil && !in.Buffered() {
			err = c.Out.Flush()
		}
		return err
	})
}

// answer answers a query record; what it leaves out is as in the flags.
func (s *searchCmd) answer(searcher *nav.Searcher, r *record.Record) (*nav.Answer, error) {
	q := s.query("")
	if err := r.Decode(&q); err != nil {
		return nil, err
	}
	if err := check(q); err != nil {
		return nil, err
	}
	return searcher.Search(q)
}

type askCmd struct {
	Query []string `arg:"" help:"The question; - reads one query record."`
	Ask
}

// Run asks for a clue while the query is ambiguous and somebody is there to
// give one.
func (a *askCmd) Run(c *cli.Context) error {
	return with(c, func(memory *store.Store) error {
		searcher, err := nav.NewSearcher(memory)
		if err != nil {
			return err
		}
		defer searcher.Close()
		q := a.query(strings.Join(a.Query, " "))
		if q.Query == "-" {
			if q, err = readQuery(c, q); err != nil {
				return err
			}
		}
		if err := check(q); err != nil {
			return err
		}
		rounds := 0
		if c.Interactive() {
			rounds = memory.Settings.MaxClueRounds
		}
		answer, err := nav.Ask(searcher.Search, q, rounds, func(clue *record.Clue) (string, error) { return askForClue(c, clue) })
		if err != nil {
			return err
		}
		return write(c, answer)
	})
}

// check says what a query cannot ask for.
func check(q record.Query) error {
	if q.K < 0 {
		return fmt.Errorf("k is %d; want how many results, 1 or more (0 stands for 5)", q.K)
	}
	return nil
}

// readQuery reads the one query record on standard input; what it leaves out
// is as in q.
func readQuery(c *cli.Context, q record.Query) (record.Query, error) {
	r, err := record.NewReader(c.In).Read()
	if err == nil && r.Kind() != record.KindQuery {
		err = fmt.Errorf("a %q record, want a query", r.Kind())
	}
	if err == nil {
		q.Query = ""
		err = r.Decode(&q)
	}
	if err != nil {
		return q, fmt.Errorf("standard input: %w", err)
	}
	return q, nil
}

func askForClue(c *cli.Context, clue *record.Clue) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", clue.Reason)
	for _, o := range clue.Options {
		fmt.Fprintf(&b, "  %s  %s  %s\n", cli.Day(o.Timestamp), cli.CleanLine(o.Domain, 64), cli.CleanLine(o.Excerpt, 100))
	}
	b.WriteString("A word that tells them apart? ")
	return c.Prompt(b.String())
}

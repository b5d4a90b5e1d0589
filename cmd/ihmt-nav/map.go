package main

import (
	"fmt"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

type mapCmd struct {
	Domain string `help:"Only this domain and those below it."`
}

func (m *mapCmd) Run(c *cli.Context) error {
	return with(c, func(s *store.Store) error {
		plots, err := nav.Map(s, m.Domain)
		if err != nil {
			return err
		}
		for _, p := range plots {
			r := record.New(record.KindBranch, p)
			if c.Out.People {
				r.Set("title", fmt.Sprintf("%s, %s to %s", memories(int64(p.Leaves)), p.First, p.Last))
			}
			if err := c.Out.Write(r); err != nil {
				return err
			}
		}
		return orNothing(len(plots))
	})
}

type newestCmd struct {
	ID string `arg:"" name:"id" help:"Id of a leaf."`
}

func (n *newestCmd) Run(c *cli.Context) error {
	return with(c, func(s *store.Store) error {
		l, err := nav.Newest(s, n.ID)
		if err != nil {
			return err
		}
		if l == nil {
			return cli.ErrNothing
		}
		return c.Out.Write(l.Record())
	})
}

type savedCmd struct {
	K      cli.Count `short:"k" help:"How many." default:"20"`
	Skip   int       `help:"Leave out this many of the newest." placeholder:"N"`
	Domain string    `help:"Only this domain, without those below it."`
	Loose  bool      `help:"Only leaves that no branch holds yet."`
	ByDay  bool      `help:"Count what was saved on each day instead."`
}

func (v *savedCmd) Run(c *cli.Context) error {
	if v.K < 1 || v.Skip < 0 {
		return fmt.Errorf("-k is %d and --skip %d; want 1 or more, and 0 or more", v.K, v.Skip)
	}
	return with(c, func(s *store.Store) error {
		if v.ByDay {
			days, err := nav.SavedByDay(s)
			if err != nil {
				return err
			}
			totals := map[string]any{}
			for day, n := range days {
				totals[day] = n
			}
			return c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: totals}))
		}
		leaves, err := nav.Saved(s, nav.Saving{Domain: v.Domain, Loose: v.Loose, Skip: v.Skip, K: int(v.K)})
		if err != nil {
			return err
		}
		for _, l := range leaves {
			if err := c.Out.Write(l.Listing()); err != nil {
				return err
			}
		}
		return orNothing(len(leaves))
	})
}

// orNothing is the error for having printed n records.
func orNothing(n int) error {
	if n == 0 {
		return cli.ErrNothing
	}
	return nil
}

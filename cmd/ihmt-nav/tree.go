package main

import (
	"fmt"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

type treeCmd struct {
	Depth  int    `help:"How many levels below the domains." default:"2"`
	Domain string `help:"Only this domain and those below it."`
}

func (t *treeCmd) Run(c *cli.Context) error {
	if t.Depth < 0 {
		return fmt.Errorf("--depth is %d; want 0 or more", t.Depth)
	}
	return with(c, func(s *store.Store) error {
		tree, err := nav.Tree(s, t.Domain, t.Depth)
		if err != nil {
			return err
		}
		if len(tree) == 0 {
			return cli.ErrNothing
		}
		return writeAll(c, tree)
	})
}

type getCmd struct {
	ID string `arg:"" name:"id" help:"Id of a leaf or branch."`
}

func (g *getCmd) Run(c *cli.Context) error {
	return with(c, func(s *store.Store) error {
		if strings.HasPrefix(g.ID, "N") {
			b, err := s.Branch(g.ID)
			if err != nil {
				return err
			}
			return c.Out.Write(record.New(record.KindBranch, b))
		}
		l, err := s.Leaf(g.ID)
		if err != nil {
			return err
		}
		return c.Out.Write(l.Record())
	})
}

type pathCmd struct {
	ID string `arg:"" name:"id" help:"Id of a leaf or branch."`
}

func (p *pathCmd) Run(c *cli.Context) error {
	return with(c, func(s *store.Store) error {
		branches, err := nav.Path(s, p.ID)
		if err != nil {
			return err
		}
		return writeAll(c, branches)
	})
}

func writeAll(c *cli.Context, records []*record.Record) error {
	for _, r := range records {
		if err := c.Out.Write(r); err != nil {
			return err
		}
	}
	return nil
}

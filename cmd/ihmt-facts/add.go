package main

import (
	"errors"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

type addCmd struct {
	Subject   string `arg:"" help:"Whom it is about: user, or a name."`
	Attribute string `arg:"" help:"What: location, employer, or a key of your own."`
	Value     string `arg:"" help:"The value."`
	Date      string `help:"The day from which it holds; today by default." placeholder:"D"`
}

// Run stores a leaf that says so and prints the leaf, its fact, and what it
// changes.
func (a *addCmd) Run(c *cli.Context) error {
	chunk, err := facts.Chunk(a.Subject, a.Attribute, a.Value, a.Date)
	if err != nil {
		return err
	}
	dir, err := c.Memory()
	if err != nil {
		return err
	}
	s, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	x := extraction{c: c, store: s, known: map[string]*facts.Source{}}
	if x.rules, err = ledger.Rules(s); err != nil {
		return err
	}
	in := record.NewReader(strings.NewReader(record.New(record.KindChunk, chunk).String()))
	_, err = s.Put(in, func(leaves []*record.Record) error {
		for _, leaf := range leaves {
			if err := x.add(leaf); err != nil {
				return err
			}
		}
		return nil
	}, store.PutOptions{})
	return errors.Join(err, x.tell())
}

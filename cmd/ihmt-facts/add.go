package main

import (
	"errors"
	"fmt"

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
	day := today()
	if a.Date != "" {
		var err error
		if day, err = dayOf(a.Date); err != nil {
			return err
		}
	}
	said, err := facts.Say(a.Subject, a.Attribute, a.Value)
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
	leaf, err := keep(s, record.Chunk{DataType: record.TypePersonal, Domain: "personal", Timestamp: day, Tags: []string{facts.FactTag},
		Title: said, Content: day + ": " + said + "\n"})
	if err != nil {
		return err
	}
	x := extraction{c: c, store: s, known: map[string]*facts.Source{}}
	if x.rules, err = ledger.Rules(s); err != nil {
		return err
	}
	return errors.Join(x.add(leaf), x.tell())
}

// keep stores a chunk and returns its leaf record.
func keep(s *store.Store, chunk record.Chunk) (*record.Record, error) {
	if err := store.Complete(&chunk); err != nil {
		return nil, err
	}
	w, err := s.NewWriter()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	outcomes, err := w.Commit([]store.Item{{Chunk: chunk}})
	if err != nil {
		return nil, err
	}
	if len(outcomes) != 1 {
		return nil, fmt.Errorf("the store answered %d leaves for one", len(outcomes))
	}
	leaf := record.New(record.KindLeaf, chunk)
	leaf.Merge(outcomes[0].Leaf)
	return leaf, nil
}

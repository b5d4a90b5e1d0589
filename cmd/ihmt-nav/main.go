// Command ihmt-nav finds memories, exactly, and says when it is in doubt.
package main

import (
	"runtime/debug"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

const about = `Find memories.

Prints a search record and the results, best first. Exits 1 where nothing was
found and 3 where the query fits several memories and needs a clue.`

type grammar struct {
	cli.Common
	Search searchCmd `cmd:"" help:"Answer a query, or with - the query records on standard input."`
	Ask    askCmd    `cmd:"" help:"Answer a query; in doubt ask for a clue and try again."`
	Tree   treeCmd   `cmd:"" help:"Print the tree from the trunk down."`
	Get    getCmd    `cmd:"" help:"Print a leaf or a branch."`
	PathTo pathCmd   `cmd:"" name:"path" help:"Print what a leaf or branch stands under."`
	Newest newestCmd `cmd:"" help:"Print the leaf that replaced another, the last of a row."`
	Map    mapCmd    `cmd:"" help:"Print every domain and branch with its number of leaves and its dates."`
	Saved  savedCmd  `cmd:"" help:"Print the leaves that were saved last."`
}

func main() {
	debug.SetGCPercent(800) // a search ends before it is worth collecting
	cli.UseHugePages()
	cli.Main("ihmt-nav", about, &grammar{}, render)
}

// with opens the memory for the time of do.
func with(c *cli.Context, do func(*store.Store) error) error {
	dir, err := c.Memory()
	if err != nil {
		return err
	}
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	return do(s)
}

// Ask are the flags of a question.
type Ask struct {
	K       cli.Count `short:"k" help:"How many results." default:"5"`
	Clue    []string  `help:"Words that tell the right memory from others like it; may be repeated."`
	Full    bool      `help:"Print whole texts, not excerpts."`
	Domain  string    `help:"Only this domain and those below it."`
	Tag     string    `help:"Only leaves with this tag."`
	Type    string    `help:"Only this type of content."`
	Author  string    `help:"Only this author's."`
	Project string    `help:"Only this project's."`
	Agent   string    `help:"Only what this agent saved."`
	Source  string    `help:"Only sources that start with this."`
	Since   string    `help:"Only from this day on." placeholder:"YYYY-MM-DD"`
	Until   string    `help:"Only up to this day." placeholder:"YYYY-MM-DD"`
	At      string    `help:"What was true at the end of this day." placeholder:"YYYY-MM-DD"`
	History bool      `help:"Earlier versions of files too."`
	Scope   string    `help:"For code: main, test or all." placeholder:"SCOPE"`
}

func (a *Ask) query(text string) record.Query {
	return record.Query{Query: text, K: int(a.K), Full: a.Full, Clues: a.Clue, Filters: record.Filters{Domain: a.Domain, Tag: a.Tag, Type: a.Type, Author: a.Author,
		Project: a.Project, Agent: a.Agent, Source: a.Source, Since: a.Since, Until: a.Until, At: a.At, History: a.History, Scope: a.Scope}}
}

// write prints an answer and returns the error that stands for it.
func write(c *cli.Context, a *nav.Answer) error {
	if err := c.Out.Write(record.New(record.KindSearch, a.Search)); err != nil {
		return err
	}
	if a.Clue != nil {
		if err := c.Out.Write(record.New(record.KindClue, a.Clue)); err != nil {
			return err
		}
	}
	for _, r := range a.Results {
		if err := c.Out.Write(record.New(record.KindResult, r)); err != nil {
			return err
		}
	}
	switch {
	case len(a.Results) == 0:
		return cli.ErrNothing
	case a.Search.Ambiguous:
		return cli.ErrAmbiguous
	}
	return nil
}

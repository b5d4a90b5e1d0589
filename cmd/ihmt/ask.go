package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// filters narrow a search; see record.Filters.
type filters struct {
	Domain  string `help:"Only this domain and those below it." placeholder:"D"`
	Tag     string `help:"Only leaves with this tag." placeholder:"T"`
	Type    string `help:"Only this type of content." placeholder:"T"`
	Author  string `help:"Only leaves by this author." placeholder:"A"`
	Project string `help:"Only leaves of this project." placeholder:"P"`
	Agent   string `help:"Only leaves saved by this agent." placeholder:"A"`
	Source  string `help:"Only sources that begin so." placeholder:"S"`
	Since   string `help:"Only this day (YYYY-MM-DD) and later ones." placeholder:"DATE"`
	Until   string `help:"Only this day (YYYY-MM-DD) and earlier ones." placeholder:"DATE"`
	At      string `help:"What was true at the end of this day (YYYY-MM-DD)." placeholder:"DATE"`
	History bool   `help:"Retired versions too."`
	Scope   string `help:"Of code: main, test or all." placeholder:"S"`
}

type searchCmd struct {
	Query []string  `arg:"" help:"Words to look for; \"phrases\" in quotes."`
	K     cli.Count `short:"k" help:"At most so many results." placeholder:"N"`
	Clue  string    `help:"Words that say which of several memories is meant." placeholder:"C"`
	Full  bool      `help:"Whole contents instead of excerpts."`
	filters
}

func (c *searchCmd) query() record.Query {
	return record.Query{Query: strings.Join(c.Query, " "), K: int(c.K), Clue: c.Clue, Full: c.Full, Filters: record.Filters(c.filters)}
}

func (c *searchCmd) Run(ctx *cli.Context, g *grammar) error {
	r := newRunner(ctx, g)
	return r.print(r.asking(c.query()))
}

// asking is the pipeline that answers one query. It travels as a record, so
// that its words do not show in the list of processes.
func (r *runner) asking(q record.Query) *pipeline.Pipeline {
	p := pipeline.New(r.stage("ihmt-nav", "ask", "-"))
	p.Input = record.New(record.KindQuery, q).String() + "\n"
	return p
}

type askCmd struct {
	searchCmd
	MaxClueRounds int `hidden:"" setting:"max_clue_rounds" default:"3"`
}

// Run asks for a clue while the query is ambiguous and somebody is there to
// give one.
func (c *askCmd) Run(ctx *cli.Context, g *grammar) error {
	r := newRunner(ctx, g)
	q := c.query()
	for round := 0; ; round++ {
		err := r.print(r.asking(q))
		if !errors.Is(err, cli.ErrAmbiguous) || !ctx.Interactive() || round == c.MaxClueRounds {
			return err
		}
		clue, promptErr := ctx.Prompt("A word that tells them apart? ")
		if promptErr != nil {
			return promptErr
		}
		if clue == "" || slices.Contains(q.Clues, clue) {
			return err
		}
		q.Clues = append(q.Clues, clue)
	}
}

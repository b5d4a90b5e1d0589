package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

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
	Query []string `arg:"" help:"Words to look for; \"phrases\" in quotes."`
	K     int      `short:"k" help:"At most so many results." placeholder:"N"`
	Clue  string   `help:"Words that say which of several memories is meant." placeholder:"C"`
	Full  bool     `help:"Whole contents instead of excerpts."`
	filters
}

func (c *searchCmd) query() record.Query {
	return record.Query{Query: strings.Join(c.Query, " "), K: c.K, Clue: c.Clue, Full: c.Full, Filters: record.Filters(c.filters)}
}

func (c *searchCmd) Run(ctx *cli.Context, g *grammar) error {
	r := newRunner(ctx, g)
	return r.print(r.asking("search", c.query()))
}

// asking is the pipeline that answers one query. It travels as a record, so
// that its words do not show in the list of processes.
func (r *runner) asking(verb string, q record.Query) *pipeline.Pipeline {
	p := pipeline.New(r.stage("ihmt-nav", verb, "-"))
	p.Input = record.New(record.KindQuery, q).String() + "\n"
	return p
}

type askCmd struct {
	searchCmd
}

// Run asks for a clue, where somebody is there to give one, for as long as
// the query needs it.
func (c *askCmd) Run(ctx *cli.Context, g *grammar) error {
	r := newRunner(ctx, g)
	q := c.query()
	answers := bufio.NewReader(ctx.In)
	for {
		err := r.print(r.asking("ask", q))
		if !errors.Is(err, cli.ErrAmbiguous) || !somebodyIsThere() {
			return err
		}
		fmt.Fprint(ctx.Err, "clue: ")
		clue, readErr := answers.ReadString('\n')
		if clue = strings.TrimSpace(clue); clue == "" {
			return err
		}
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		q.Clues = append(q.Clues, clue)
	}
}

func somebodyIsThere() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
}

// Command ihmt-detect says what texts are: it emits a document record with
// type, domain and language for each file, folder or text that it is given.
package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

type grammar struct {
	cli.Common
	Sources []string `arg:"" optional:"" name:"source" help:"Files, folders, or - for standard input: plain text or document records. Default: standard input."`

	Type      string         `help:"Say the type: CODE, NARRATIVE, CLINICAL, PERSONAL, PROCESS or GENERIC." placeholder:"T"`
	Domain    string         `help:"Say the domain, as in software.go." placeholder:"D"`
	Tag       []string       `help:"Add a tag; may be repeated." sep:"none" placeholder:"X"`
	Author    string         `help:"Say who wrote it." placeholder:"NAME"`
	Project   string         `help:"Say which project it belongs to." placeholder:"NAME"`
	Agent     string         `help:"Say which agent saves it." placeholder:"NAME"`
	DateOrder text.DateOrder `help:"How to read 03/04/2026: dmy or mdy." default:"dmy" setting:"date_order"`
	KeepGoing bool           `help:"Skip lines of standard input that are no records."`
}

func (g *grammar) Run(c *cli.Context) error {
	opt := detect.Options{
		Type: g.Type, Domain: g.Domain, Tags: g.Tag, Author: g.Author, Project: g.Project, Agent: g.Agent,
		DateOrder: g.DateOrder, KeepGoing: g.KeepGoing, Pause: c.Out.Flush,
	}
	err := detect.Each(g.Sources, c.In, opt, c.Out.Write, func(s record.Skipped) error {
		return c.Out.Write(record.New(record.KindSkipped, s))
	})
	if errors.Is(err, detect.ErrIncomplete) {
		return cli.ErrSkipped
	}
	return err
}

// render prints a document or what was skipped as one line of a table.
func render(w io.Writer, r *record.Record) {
	switch r.Kind() {
	case record.KindDocument:
		fmt.Fprintf(w, "%-9s  %-20s  %-10s  %4.2f  %s\n", cli.CleanLine(r.Str("data_type"), 9), cli.CleanLine(r.Str("domain"), 64),
			cli.CleanLine(r.Str("language"), 10), r.Get("confidence").Float(), cli.CleanLine(r.Str("source"), 4096))
	case record.KindSkipped:
		fmt.Fprintf(w, "%-9s  %s: %s\n", "skipped", cli.CleanLine(r.Str("source"), 4096), cli.CleanLine(r.Str("reason"), 200))
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

func main() {
	cli.Main("ihmt-detect", "Say what texts are: emit document records with type, domain and language.", &grammar{}, render)
}

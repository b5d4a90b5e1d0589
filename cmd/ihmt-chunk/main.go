// Command ihmt-chunk splits documents where they may be cut: it emits chunk
// records and, after the last of a document, its document_end.
package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/ihmt/ihmt/pkg/chunk"
	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

type grammar struct {
	cli.Common
	Sources []string `arg:"" optional:"" name:"source" help:"Files, folders, or - for standard input: document records or plain text. Default: standard input."`

	TargetTokens int            `help:"Pack blocks up to this many tokens." default:"2000" setting:"target_tokens" placeholder:"N"`
	MaxTokens    int            `help:"A block above this is flagged oversized; a paragraph of a story is split at sentences." default:"3000" setting:"max_tokens" placeholder:"N"`
	CodeMode     string         `help:"pack joins symbols up to the target, symbol makes each a chunk." enum:"pack,symbol" default:"pack" setting:"code_chunk_mode"`
	DateOrder    text.DateOrder `help:"How to read 03/04/2026: dmy or mdy." default:"dmy" setting:"date_order"`
	Type         string         `help:"Say the type: CODE, NARRATIVE, CLINICAL, PERSONAL, PROCESS or GENERIC." placeholder:"T"`
	Domain       string         `help:"Say the domain, as in software.go." placeholder:"D"`
	Tag          []string       `help:"Add a tag; may be repeated." sep:"none" placeholder:"X"`
	KeepGoing    bool           `help:"Skip lines of standard input that are no records."`
}

// Validate is called by kong after parsing.
func (g *grammar) Validate() error {
	switch {
	case g.TargetTokens < 1:
		return fmt.Errorf("--target-tokens is %d, here or in ihmt.config.json; it must be at least 1", g.TargetTokens)
	case g.MaxTokens < g.TargetTokens:
		return fmt.Errorf("--max-tokens %d is less than --target-tokens %d; raise the first or lower the second", g.MaxTokens, g.TargetTokens)
	}
	return nil
}

func (g *grammar) Run(c *cli.Context) error {
	find := detect.Options{Type: g.Type, Domain: g.Domain, Tags: g.Tag, DateOrder: g.DateOrder, KeepGoing: g.KeepGoing, Pause: c.Out.Flush}
	split := chunk.Options{TargetTokens: g.TargetTokens, MaxTokens: g.MaxTokens, CodeMode: g.CodeMode, DateOrder: g.DateOrder}
	err := detect.Each(g.Sources, c.In, find, func(r *record.Record) error {
		if r.Kind() != record.KindDocument {
			return c.Out.Write(r)
		}
		return chunk.Records(r, split, c.Out.Write)
	}, func(s record.Skipped) error {
		return c.Out.Write(record.New(record.KindSkipped, s))
	})
	if errors.Is(err, detect.ErrIncomplete) {
		return cli.ErrSkipped
	}
	return err
}

// render prints a chunk as one line: its lines, size and title.
func render(w io.Writer, r *record.Record) {
	switch r.Kind() {
	case record.KindChunk:
		span := r.Get("span")
		lines := fmt.Sprintf("%d-%d", span.Get("start_line").Int(), span.Get("end_line").Int())
		flag := ""
		if r.Get("oversized").Bool() {
			flag = "  (oversized)"
		}
		fmt.Fprintf(w, "  %4d  lines %-11s  %6d tokens  %s%s\n", r.Get("position").Int(), lines, r.Get("tokens").Int(), cli.CleanLine(r.Str("title"), 80), flag)
	case record.KindDocumentEnd:
		fmt.Fprintf(w, "%s: chunks %d\n", cli.CleanLine(r.Str("source"), 4096), r.Get("chunks").Int())
	case record.KindSkipped:
		fmt.Fprintf(w, "skipped %s: %s\n", cli.CleanLine(r.Str("source"), 4096), cli.CleanLine(r.Str("reason"), 200))
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

// memoryGoal is what splitting a large document should get by with, in bytes:
// the collector works harder near it.
const memoryGoal = 160 << 20

func main() {
	debug.SetMemoryLimit(memoryGoal)
	cli.Main("ihmt-chunk", "Split documents where they may be cut: emit chunk records.", &grammar{}, render)
}

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/project"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// render prints a record for people and for models: plain lines, no more than
// it takes.
func render(w io.Writer, r *record.Record) {
	switch r.Kind() {
	case record.KindSearch:
		renderSearch(w, r)
	case record.KindResult:
		renderResult(w, r)
	case record.KindClue:
		renderClue(w, r)
	case kindItem:
		renderItem(w, r)
	case record.KindReport:
		renderReport(w, r)
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

func renderSearch(w io.Writer, r *record.Record) {
	name := cli.CleanLine(r.Str("unnamed"), 80)
	switch found := r.Get("results").Int() > 0; {
	case found && name != "":
		fmt.Fprintf(w, "No symbol is named %s; nearest:\n", name)
		return
	case found || r.Get("ambiguous").Bool():
		return
	}
	fmt.Fprintf(w, "Nothing found in %s.\n", text.Counted(r.Get("files").Int(), "file", "files"))
	if name != "" {
		fmt.Fprintf(w, "  no symbol is named %s\n", name)
	}
	for _, word := range r.Get("missing").Array() {
		fmt.Fprintf(w, "  no file has %q\n", cli.CleanLine(word.String(), 60))
	}
}

func renderResult(w io.Writer, r *record.Record) {
	var result project.Result
	if r.Decode(&result) != nil {
		return
	}
	label(w, &result.Place)
	if result.Content == "" {
		return
	}
	if result.Header != "" {
		fmt.Fprintf(w, "%s\n", color.HiBlackString(cli.Clean(result.Header)))
	}
	fmt.Fprintf(w, "%s\n", strings.TrimRight(cli.Clean(strings.ReplaceAll(result.Content, "\r\n", "\n")), "\n"))
	if result.Omitted > 0 {
		fmt.Fprintf(w, "… %s\n", text.Counted(result.Omitted, "more line", "more lines"))
	}
	fmt.Fprintln(w)
}

func label(w io.Writer, p *project.Place) {
	fmt.Fprintf(w, "%s\n", color.CyanString(cli.CleanLine(p.File, 400))+cli.Clean(strings.TrimPrefix(p.Label(), p.File)))
}

func renderClue(w io.Writer, r *record.Record) {
	var clue project.Clue
	if r.Decode(&clue) != nil {
		return
	}
	fmt.Fprintf(w, "%s %s; ask again with a clue (a file, a class, another word):\n", color.YellowString("AMBIGUOUS"), cli.CleanLine(clue.Reason, 200))
	for i := range clue.Options {
		label(w, &clue.Options[i])
	}
}

func renderItem(w io.Writer, r *record.Record) {
	var item project.Item
	if r.Decode(&item) != nil {
		return
	}
	fmt.Fprintln(w, cli.Clean(item.Label()))
	for i := range item.Outline {
		fmt.Fprintf(w, "  %s\n", cli.Clean(item.Outline[i].Label()))
	}
}

func renderReport(w io.Writer, r *record.Record) {
	totals := r.Get("totals")
	fmt.Fprintf(w, "%s, %s", text.Counted(totals.Get("files").Int(), "file", "files"), text.Counted(totals.Get("symbols").Int(), "symbol", "symbols"))
	for _, more := range []string{"changed", "removed", "left"} {
		if n := totals.Get(more); n.Exists() {
			fmt.Fprintf(w, ", %d %s", n.Int(), more)
		}
	}
	if n := totals.Get("omitted").Int(); n > 0 {
		fmt.Fprintf(w, "; no room for %s: name a subpath", text.Counted(n, "file", "files"))
	}
	fmt.Fprintln(w)
}

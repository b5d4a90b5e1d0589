package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// render prints an answer for people.
func render(w io.Writer, r *record.Record) {
	switch r.Kind() {
	case record.KindSearch:
		renderSearch(w, r)
	case record.KindResult:
		renderResult(w, r)
	case record.KindClue:
		fmt.Fprintf(w, "%s %s; add --clue WORDS to choose:\n", color.YellowString("AMBIGUOUS"), cli.CleanLine(r.Str("reason"), 200))
		for _, o := range r.Get("options").Array() {
			fmt.Fprintf(w, "  %s  %s  %s\n", cli.Day(o.Get("timestamp").String()), cli.CleanLine(o.Get("domain").String(), 64), cli.CleanLine(o.Get("excerpt").String(), 100))
		}
		fmt.Fprintln(w)
	case record.KindBranch:
		renderBranch(w, r)
	case record.KindLeaf:
		fmt.Fprintf(w, "%s  %s  %s\n%s\n", color.CyanString(cli.CleanLine(r.Str("leaf_id"), 200)), cli.CleanLine(r.Str("timestamp"), 40), cli.CleanLine(r.Str("title"), 100), cli.Clean(r.Str("content")))
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

func memories(n int64) string { return text.Counted(n, "memory", "memories") }

func renderSearch(w io.Writer, r *record.Record) {
	n := r.Get("results").Int()
	if n == 0 {
		fmt.Fprintf(w, "Nothing found in %s.\n", memories(r.Get("leaves_total").Int()))
		renderUnknown(w, r)
		for _, word := range r.Get("missing").Array() {
			fmt.Fprintf(w, "  no memory has %q", cli.CleanLine(word.String(), 60))
			if near := r.Get("close").Map()[word.String()]; near.Exists() {
				var words []string
				for _, x := range near.Array() {
					words = append(words, cli.CleanLine(x.String(), 60))
				}
				fmt.Fprintf(w, "; there is %s", strings.Join(words, ", "))
			}
			fmt.Fprintln(w)
		}
		return
	}
	fmt.Fprintf(w, "%d of %s, confidence %.2f, %s opened, %.1f ms\n\n", n, memories(r.Get("leaves_total").Int()),
		r.Get("confidence").Float(), text.Counted(r.Get("files_opened").Int(), "file", "files"), r.Get("elapsed_ms").Float())
	if renderUnknown(w, r) {
		fmt.Fprintln(w)
	}
}

// renderUnknown says what is not known of the time asked about, and tells
// whether there was anything to say.
func renderUnknown(w io.Writer, r *record.Record) bool {
	unknown := cli.CleanLine(r.Str("unknown"), 300)
	if unknown != "" {
		fmt.Fprintf(w, "  %s\n", unknown)
	}
	return unknown != ""
}

func renderResult(w io.Writer, r *record.Record) {
	title := cli.CleanLine(r.Str("title"), 80)
	if title != "" {
		title = "  " + color.New(color.Bold).Sprint(title)
	}
	fmt.Fprintf(w, "%d. %s  %s%s\n", r.Get("rank").Int(), cli.Day(r.Str("timestamp")), color.CyanString(cli.CleanLine(r.Str("domain"), 64)), title)
	if day := r.Str("as_of"); day != "" {
		fmt.Fprintf(w, "   %s\n", color.GreenString("AS OF "+cli.CleanLine(day, 10)+": this is what was true then"))
	}
	for _, n := range r.Get("notices").Array() {
		fmt.Fprintf(w, "   %s\n", color.RedString(cli.CleanLine(n.String(), 400)))
	}
	text := cli.CleanLine(r.Str("excerpt"), 400)
	if content := r.Str("content"); content != "" {
		text = strings.ReplaceAll(strings.TrimRight(cli.Clean(content), "\n"), "\n", "\n   ")
	}
	fmt.Fprintf(w, "   %s\n   %s\n\n", text, color.HiBlackString(cli.CleanLine(r.Str("leaf_id"), 200)))
}

func renderBranch(w io.Writer, r *record.Record) {
	indent := strings.Repeat("  ", int(r.Get("depth").Int()))
	name := r.Str("node_id")
	if name == "" {
		name = r.Str("domain")
	}
	fmt.Fprintf(w, "%s%s  %s\n", indent, color.CyanString(cli.CleanLine(name, 200)), cli.CleanLine(r.Str("title"), 80))
	if s := r.Str("summary"); s != "" {
		fmt.Fprintf(w, "%s  %s\n", indent, color.HiBlackString(cli.CleanLine(s, 160)))
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// bench is one run of the program: where it works and what it found.
type bench struct {
	ctx context.Context
	options
	corpus
	dir, bin, self string
	rows           []row
}

// A row is one line of the table.
type row struct{ what, figure, target, verdict string }

const (
	reached = "ok"
	missed  = "MISSED"
	none    = "" // nothing to judge
)

// A unit says how a figure is printed.
type unit string

const (
	times unit = "%.2f×"
	count unit = "%.0f"
	mib   unit = "%.1f MiB"
)

// atMost judges a figure against a target; with judge false, as for small
// memories, it only shows both.
func (b *bench) atMost(what string, figure float64, u unit, target float64, judge bool, detail string) {
	b.judge(what, figure, u, "≤", target, figure <= target, judge, detail)
}

func (b *bench) atLeast(what string, figure float64, u unit, target float64, judge bool, detail string) {
	b.judge(what, figure, u, "≥", target, figure >= target, judge, detail)
}

func (b *bench) judge(what string, figure float64, u unit, relation string, target float64, holds, judge bool, detail string) {
	verdict := none
	if judge {
		verdict = missed
		if holds {
			verdict = reached
		}
	}
	b.rows = append(b.rows, row{what, fmt.Sprintf(string(u), figure) + "  " + detail, relation + " " + fmt.Sprintf(string(u), target), verdict})
}

func (b *bench) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nmeasured\tfigure\ttarget\tverdict")
	for _, r := range b.rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.what, r.figure, r.target, r.verdict)
	}
	t.Flush()
}

// missed is an error where a target was.
func (b *bench) missed() error {
	var names []string
	for _, r := range b.rows {
		if r.verdict == missed {
			names = append(names, r.what)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("missed: %s", strings.Join(names, "; "))
}

func over(a, b time.Duration) float64 { return float64(a) / float64(b) }

// both shows two durations, the ihmt one first.
func both(a, b time.Duration) string { return fmt.Sprintf("(%s / %s)", short(a), short(b)) }

func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

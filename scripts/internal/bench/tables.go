package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ihmt/ihmt/scripts/internal/known"
)

// A measure is a line of the table: how a figure is printed, and the figure as
// a number, from which the exponent is taken.
type measure struct {
	what  string
	print func(s scaled) string
	value func(s scaled) float64
}

func duration(what string, of func(s scaled) time.Duration) measure {
	return measure{what, func(s scaled) string { return short(of(s)) }, func(s scaled) float64 { return float64(of(s)) }}
}

func number(what, format string, of func(s scaled) float64) measure {
	return measure{what, func(s scaled) string { return fmt.Sprintf(format, of(s)) }, of}
}

var measures = []measure{
	duration("search", func(s scaled) time.Duration { return s.search }),
	duration("SQLite FTS5", func(s scaled) time.Duration { return s.fts5 }),
	duration("ripgrep", func(s scaled) time.Duration { return s.ripgrep }),
	duration("git grep", func(s scaled) time.Duration { return s.gitGrep }),
	number("files a search opens, most", "%.0f", func(s scaled) float64 { return float64(s.opened) }),
	number("KiB a search reads, most", "%.0f", func(s scaled) float64 { return float64(s.read) / 1024 }),
	number("peak MiB of a search", "%.0f", func(s scaled) float64 { return s.searchPeak }),
	duration("one save", func(s scaled) time.Duration { return s.save }),
	number("files a save writes", "%.0f", func(s scaled) float64 { return float64(s.saved.files) }),
	number("bytes a save writes", "%.0f", func(s scaled) float64 { return float64(s.saved.bytes) }),
	number("fsyncs of a save", "%.0f", func(s scaled) float64 { return float64(s.saved.fsyncs) }),
	duration("growing after one save", func(s scaled) time.Duration { return s.grow }),
	number("files that growing writes", "%.0f", func(s scaled) float64 { return float64(s.grown.files) }),
	number("of these, term tables", "%.0f", func(s scaled) float64 { return float64(s.grown.tables) }),
	number("KiB that growing writes", "%.0f", func(s scaled) float64 { return float64(s.grown.bytes) / 1024 }),
	duration("ingest and growing the whole tree", func(s scaled) time.Duration { return s.ingest }),
	number("peak MiB of it, largest process", "%.0f", func(s scaled) float64 { return s.peak }),
	number("MiB of text", "%.1f", func(s scaled) float64 { return float64(s.textBytes) / (1 << 20) }),
	number("disk MiB, all", "%.1f", func(s scaled) float64 { return float64(s.disk) / (1 << 20) }),
	number("disk MiB, leaves", "%.1f", func(s scaled) float64 { return float64(s.leaves) / (1 << 20) }),
	number("all / leaves", "%.2f", func(s scaled) float64 { return float64(s.disk) / float64(s.leaves) }),
	number("term tables", "%.0f", func(s scaled) float64 { return float64(s.tables) }),
	number("MiB of term tables", "%.1f", func(s scaled) float64 { return float64(s.tableBytes) / (1 << 20) }),
}

// growth is how all grows, a line a measure.
func growth(all []scaled) [][]string {
	head := []string{"notes"}
	for _, s := range all {
		head = append(head, thousands(s.notes))
	}
	rows := [][]string{append(head, "exponent")}
	for _, m := range measures {
		line := []string{m.what}
		for _, s := range all {
			line = append(line, m.print(s))
		}
		rows = append(rows, append(line, fmt.Sprintf("%.2f", exponent(all, m.value))))
	}
	return rows
}

// found is what is found of known notes, first and among the first ten.
func found(all []scaled) [][]string {
	rows := [][]string{{"notes", "asked by", "ihmt @1", "@10", "any word @1", "@10", "all words @1", "@10", "right, but asked back"}}
	for _, s := range all {
		for _, style := range append(known.Styles[:len(known.Styles):len(known.Styles)], "all") {
			line := []string{thousands(s.notes), style}
			var doubted float64
			for _, way := range []string{byMemory, byOR, byAND} {
				score := s.found[way][style]
				if score == nil {
					score = &known.Score{}
				}
				first, ten, doubt := score.Shares()
				line = append(line, fmt.Sprintf("%.2f", first), fmt.Sprintf("%.2f", ten))
				if way == byMemory {
					doubted = doubt
				}
			}
			rows = append(rows, append(line, fmt.Sprintf("%.2f", doubted)))
		}
	}
	return rows
}

// costs is what answers cost in tokens.
func costs(all []scaled) [][]string {
	head := []string{"notes", "all pasted", "`search_memory`"}
	for _, k := range printedResults {
		head = append(head, fmt.Sprintf("printed, k = %d", k))
	}
	rows := [][]string{append(head, "pasted / `search_memory`")}
	for _, s := range all {
		line := []string{thousands(s.notes), thousands(s.cost.paste), thousands(s.cost.answer)}
		for _, k := range printedResults {
			line = append(line, thousands(s.cost.printed[k]))
		}
		rows = append(rows, append(line, fmt.Sprintf("%.0f", float64(s.cost.paste)/float64(max(1, s.cost.answer)))))
	}
	return rows
}

func printScale(w io.Writer, all []scaled) {
	for _, rows := range [][][]string{growth(all), found(all), costs(all)} {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t)
		for _, row := range rows {
			fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
		}
		t.Flush()
	}
}

// markdown is a table with its first row as head.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// render prints what the store did for people.
func render(w io.Writer, r *record.Record) {
	switch r.Kind() {
	case record.KindLeaf:
		if content := r.Str("content"); content != "" && r.Str("status") == "" {
			fmt.Fprintln(w, cli.Clean(content))
			return
		}
		fmt.Fprintf(w, "%-9s  %s  %s  %s\n", cli.CleanLine(r.Str("status"), 9), cli.Day(r.Str("timestamp")), cli.CleanLine(r.Str("leaf_id"), 120), cli.CleanLine(r.Str("title"), 60))
		for _, similar := range r.Get("similar").Array() {
			fmt.Fprintf(w, "           like %s of %s (%.0f %% of the words)\n", cli.CleanLine(similar.Get("leaf_id").String(), 120),
				cli.Day(similar.Get("timestamp").String()), 100*similar.Get("share").Float())
		}
	case record.KindDocumentEnd:
	case record.KindSkipped:
		fmt.Fprintf(w, "%s: %s\n", cli.CleanLine(r.Str("source"), 300), cli.CleanLine(r.Str("reason"), 300))
	case record.KindReport:
		for _, name := range []string{"memory", "leaves", "retired", "removed", "pending", "depth", "tables", "table_bytes", "branches", "journal", "generation", "grown_at", "problems", "taken", "unchanged", "skipped"} {
			if v := r.Get("totals").Get(name); v.Exists() {
				fmt.Fprintf(w, "%-12s %s\n", name, cli.CleanLine(v.String(), 300))
			}
		}
		for name, v := range r.Get("totals.domains").Map() {
			fmt.Fprintf(w, "  %-30s %d\n", cli.CleanLine(name, 64), v.Int())
		}
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

// rebuild makes everything that is derived anew and says what it found. What
// it had to leave alone counts as skipped.
func rebuild(c *cli.Context, s *store.Store) error {
	debug.SetGCPercent(50) // the whole tree is grown at once
	rebuilt, grown, err := summarize.Rebuild(context.Background(), s, nil)
	for _, note := range rebuilt.Notes {
		fmt.Fprintf(c.Err, "%s: %s\n", c.Name, cli.Clean(note))
	}
	if err != nil {
		return err
	}
	err = c.Out.Write(record.New(record.KindReport, record.Report{Tool: c.Name, Totals: map[string]any{
		"leaves": rebuilt.Leaves, "branches": grown.Branches, "tables": grown.Tables, "depth": grown.Depth}}))
	if err == nil && rebuilt.LeftAlone > 0 {
		return cli.ErrSkipped
	}
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/setup"
	"github.com/ihmt/ihmt/pkg/text"
)

type ingestCmd struct {
	Paths         []string `arg:"" name:"path" help:"Files and folders; - is standard input."`
	Domain        string   `help:"Domain of all of it, instead of the one detected." placeholder:"D"`
	Type          string   `help:"Type of all of it, instead of the one detected." placeholder:"T"`
	Tag           []string `sep:"none" help:"Tag to add; may be repeated." placeholder:"T"`
	NoConsolidate bool     `help:"Leave growing the tree to a later run."`
}

func (c *ingestCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).ingest(c)
}

// ingest stores what the command names, grows the tree, and reports: a line
// per file, what changed, the sum, the tree.
func (r *runner) ingest(c *ingestCmd) error {
	p := r.ingesting(c)
	bar := newProgress(r.Err, r.Out.People)
	p.Stderr = bar
	t := newTally()
	stored := r.each(p, func(rec *record.Record) error {
		t.add(rec)
		bar.step(rec)
		if r.Out.People {
			return nil
		}
		return r.Out.Write(rec)
	})
	bar.finish()
	if failed(stored) {
		if len(t.files) == 0 {
			return stored
		}
		r.lookBeyond(c, t)
	}
	for _, rec := range t.reports(r.Out.People) {
		if err := r.Out.Write(rec); err != nil {
			return err
		}
	}
	if failed(stored) {
		return stored
	}
	if !c.NoConsolidate {
		if err := r.each(pipeline.New(r.stage("ihmt-summarize")), r.Out.Write); err != nil {
			return err
		}
	}
	if err := r.each(pipeline.New(r.stage("ihmt-store", "stats")), r.Out.Write); err != nil {
		return err
	}
	return stored
}

// failed tells whether an error is more than that something was skipped.
func failed(err error) bool { return err != nil && !errors.Is(err, cli.ErrSkipped) }

// lookTime is how long a run that has failed looks for what it did not reach.
const lookTime = 2 * time.Second

// lookBeyond counts the files that a run which has failed did not reach.
func (r *runner) lookBeyond(c *ingestCmd, t *tally) {
	if slices.Contains(c.Paths, "-") {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	p := pipeline.New(r.detecting(c))
	p.Stderr = io.Discard
	p.Each(ctx, func(rec *record.Record) error { // what it cannot read now it has told before
		if rec.Kind() == record.KindDocument && t.bySource[rec.Str("source")] == nil {
			t.unreached++
		}
		return nil
	})
	t.lookedAway = ctx.Err() != nil
}

func (r *runner) detecting(c *ingestCmd) pipeline.Stage {
	detect := r.stage("ihmt-detect", flags("--domain", c.Domain, "--type", c.Type, "--tag", c.Tag)...)
	detect.Args = append(append(detect.Args, "--"), c.Paths...)
	return detect
}

// ingesting is the pipeline that stores.
func (r *runner) ingesting(c *ingestCmd) *pipeline.Pipeline {
	p := pipeline.New(r.detecting(c), r.stage("ihmt-chunk"), r.stage("ihmt-store"), r.stage("ihmt-facts"))
	if len(c.Paths) == 1 && c.Paths[0] == "-" {
		p.Stdin = r.In
	}
	return p
}

// A file is what was stored of one source.
type file struct {
	source, dataType, domain string
	confidence               float64
	ended                    bool // all of it came
	leaves, new, oversized   int
	tokens                   int64
	facts                    int
}

// A tally counts what comes out of the pipeline, by source.
type tally struct {
	files    []*file
	bySource map[string]*file
	byLeaf   map[string]*file
	told     []*record.Record // what people are told besides: skipped, notice
	skipped  int

	unreached  int  // files, where the run failed
	lookedAway bool // there may be more of them
}

func newTally() *tally { return &tally{bySource: map[string]*file{}, byLeaf: map[string]*file{}} }

func (t *tally) add(rec *record.Record) {
	switch rec.Kind() {
	case record.KindLeaf:
		f := t.of(rec)
		f.leaves++
		f.tokens += rec.Get("tokens").Int()
		if rec.Str("status") != "unchanged" {
			f.new++
		}
		if rec.Get("oversized").Bool() {
			f.oversized++
		}
		t.byLeaf[rec.Str("leaf_id")] = f
	case record.KindDocumentEnd:
		if f := t.bySource[rec.Str("source")]; f != nil {
			f.confidence, f.ended = rec.Get("confidence").Float(), true
		}
	case record.KindFact:
		if f := t.byLeaf[rec.Str("source_leaf")]; f != nil {
			f.facts++
		}
	case record.KindSkipped:
		t.skipped++
		t.told = append(t.told, rec)
	case record.KindNotice:
		t.told = append(t.told, rec)
	}
}

func (t *tally) of(leaf *record.Record) *file {
	source := leaf.Str("source")
	f := t.bySource[source]
	if f == nil {
		f = &file{source: source, dataType: leaf.Str("data_type"), domain: leaf.Str("domain")}
		t.bySource[source] = f
		t.files = append(t.files, f)
	}
	return f
}

func (f *file) report() *record.Record {
	totals := map[string]any{"data_type": f.dataType, "domain": f.domain,
		"leaves": f.leaves, "new": f.new, "oversized": f.oversized, "tokens": f.tokens, "facts": f.facts}
	if f.ended {
		totals["confidence"] = f.confidence
	} else {
		totals["partial"] = true
	}
	return record.New(record.KindReport, record.Report{Tool: "ihmt", Source: f.source, Totals: totals})
}

// reports are the lines of the files and of their sum. People also see, in
// between, what has gone by in a pipe already.
func (t *tally) reports(people bool) []*record.Record {
	var all []*record.Record
	var sum file
	for _, f := range t.files {
		all = append(all, f.report())
		sum.leaves += f.leaves
		sum.new += f.new
		sum.tokens += f.tokens
		sum.facts += f.facts
		sum.oversized += f.oversized
	}
	if people {
		all = append(all, t.told...)
	}
	totals := map[string]any{"files": len(t.files), "skipped": t.skipped,
		"leaves": sum.leaves, "new": sum.new, "oversized": sum.oversized, "tokens": sum.tokens, "facts": sum.facts}
	switch {
	case t.lookedAway:
		totals["unreached_at_least"] = t.unreached
	case t.unreached > 0:
		totals["unreached"] = t.unreached
	}
	return append(all, record.New(record.KindReport, record.Report{Tool: "ihmt", Totals: totals}))
}

// render prints what ingest, setup and doctor report for people.
func render(w io.Writer, rec *record.Record) {
	totals := rec.Get("totals")
	n := func(name string) int64 { return totals.Get(name).Int() }
	switch kind, tool := rec.Kind(), rec.Str("tool"); {
	case kind == kindMemory || kind == setup.KindFound || kind == setup.KindChange || kind == setup.KindAgent:
		renderSetup(w, rec)
	case kind == kindCheck:
		renderCheck(w, rec)
	case kind == record.KindSkipped:
		fmt.Fprintf(w, "skipped %s: %s\n", shorten(rec.Str("source")), cli.CleanLine(rec.Str("reason"), 200))
	case kind == record.KindNotice:
		fmt.Fprintf(w, "changed: %s\n", cli.CleanLine(rec.Str("text"), 400))
	case rec.Has("source"):
		sure := fmt.Sprintf("%.2f", totals.Get("confidence").Float())
		if totals.Get("partial").Bool() {
			sure = "part"
		}
		fmt.Fprintf(w, "%-9s  %-20s  %s  %13s  %13s  %9s  %s%s%s\n",
			cli.CleanLine(totals.Get("data_type").String(), 9), cli.CleanLine(totals.Get("domain").String(), 64), sure,
			text.Counted(n("leaves"), "leaf", "leaves"), text.Counted(n("tokens"), "token", "tokens"), text.Counted(n("facts"), "fact", "facts"),
			shorten(rec.Str("source")), news(n("leaves"), n("new")), large(n("leaves"), n("oversized")))
	case tool == "ihmt":
		fmt.Fprintf(w, "%s: %s (%d new), %s, %s; %d skipped%s\n", text.Counted(n("files"), "file", "files"), text.Counted(n("leaves"), "leaf", "leaves"),
			n("new"), text.Counted(n("tokens"), "token", "tokens"), text.Counted(n("facts"), "fact", "facts"), n("skipped"), beyond(rec))
	case tool == "ihmt-store":
		fmt.Fprintf(w, "tree: %s in %s, %s of branches\n", text.Counted(n("leaves"), "leaf", "leaves"),
			text.Counted(int64(len(totals.Get("domains").Map())), "domain", "domains"), text.Counted(n("depth"), "layer", "layers"))
	}
}

// news tells how many leaves are new, where not all of them are.
func news(leaves, added int64) string {
	switch added {
	case leaves:
		return ""
	case 0:
		return "  (unchanged)"
	}
	return fmt.Sprintf("  (%d new)", added)
}

// large tells of leaves that are one block above the maximum size.
func large(leaves, oversized int64) string {
	switch {
	case oversized == 0:
		return ""
	case leaves == 1:
		return "  (oversized)"
	}
	return fmt.Sprintf("  (%d oversized)", oversized)
}

// beyond tells how many files a run that failed did not reach.
func beyond(rec *record.Record) string {
	totals := rec.Get("totals")
	switch {
	case totals.Get("unreached").Exists():
		return ", " + text.Counted(totals.Get("unreached").Int(), "file", "files") + " not reached"
	case totals.Get("unreached_at_least").Exists():
		return ", " + text.Counted(totals.Get("unreached_at_least").Int(), "file", "files") + " or more not reached"
	}
	return ""
}

// shorten writes a source as a path from here where that is shorter.
func shorten(source string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, filepath.FromSlash(source)); err == nil && len(rel) < len(source) {
			source = rel
		}
	}
	return cli.CleanLine(source, 200)
}

// A progress is the bar that people see while a pipeline takes longer than a
// second; messages of the stages are printed above it.
type progress struct {
	w       io.Writer
	visible bool
	start   time.Time
	leaves  int
	bar     *progressbar.ProgressBar // nil until it is needed
}

func newProgress(w io.Writer, people bool) *progress {
	file, ok := w.(*os.File)
	return &progress{w: w, visible: people && ok && term.IsTerminal(int(file.Fd())), start: time.Now()}
}

func (p *progress) step(rec *record.Record) {
	if rec.Kind() != record.KindLeaf || !p.visible {
		return
	}
	p.leaves++
	if p.bar == nil {
		if time.Since(p.start) < time.Second {
			return
		}
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.w), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(fmt.Sprintf("%s stored, %s", text.Counted(int64(p.leaves), "leaf", "leaves"), cli.CleanLine(path.Base(rec.Str("source")), 40)))
	p.bar.Set(p.leaves)
}

func (p *progress) Write(message []byte) (int, error) {
	if p.bar != nil {
		p.bar.Clear()
	}
	return p.w.Write(message)
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

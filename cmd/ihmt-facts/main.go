// Command ihmt-facts says what leaves assert, and answers what was true when.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

const about = `Say what leaves assert, and what was true when.

Facts are derived from the leaves of a memory: location, employer, role, stack,
preferred tools, and the diagnosis, treatment and medication of patients.`

type grammar struct {
	cli.Common
	From      string       `hidden:"" help:"Read leaf records from standard input (-) in place of the memory." enum:"-," default:""`
	Extract   extractCmd   `cmd:"" default:"withargs" help:"Pass leaves on standard input through, and add fact and notice records (the default)."`
	Add       addCmd       `cmd:"" help:"Store a leaf that states a fact."`
	Now       nowCmd       `cmd:"" help:"Print what holds now."`
	At        atCmd        `cmd:"" help:"Print what held at the end of a day."`
	Timeline  timelineCmd  `cmd:"" help:"Print the values that an attribute had, oldest first."`
	Conflicts conflictsCmd `cmd:"" help:"Print what was said and later changed."`
	Rules     rulesCmd     `cmd:"" help:"Print the rules in force, or try a text against them."`
}

func main() { cli.Main("ihmt-facts", about, &grammar{}, render) }

// today is the present calendar day.
func today() string { return facts.Today(time.Now()) }

func open(c *cli.Context) (*store.Store, error) {
	dir, err := c.Memory()
	if err != nil {
		return nil, err
	}
	return store.Open(dir)
}

// timeline reads the timeline of the memory, or of the leaves on standard
// input.
func timeline(c *cli.Context, g *grammar) (*facts.Timeline, error) {
	if g.From == "-" {
		var sources []facts.Source
		err := c.Records(record.NewReader(c.In), false, func(r *record.Record) error {
			source, ok, err := sourceOf(facts.Bundled(), r)
			if ok {
				sources = append(sources, source)
			}
			return err
		})
		return facts.Build(sources), err
	}
	s, err := open(c)
	if errors.Is(err, store.ErrNoMemory) {
		return facts.Build(nil), nil
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return ledger.Timeline(s)
}

// sourceOf reads a leaf record; ok tells whether it is one and states
// something.
func sourceOf(rules *facts.Rules, r *record.Record) (s facts.Source, ok bool, err error) {
	if r.Kind() != record.KindLeaf {
		return s, false, nil
	}
	var chunk record.Chunk
	var leaf record.Leaf
	if err := errors.Join(r.Decode(&chunk), r.Decode(&leaf)); err != nil {
		return s, false, err
	}
	s, ok = rules.Source(facts.Leaf{ID: leaf.LeafID, Timestamp: chunk.Timestamp, SavedAt: leaf.SavedAt, Source: chunk.Source, Position: chunk.Position,
		Type: chunk.DataType, Tags: chunk.Tags, Author: chunk.Author, Replaces: chunk.Replaces, Text: chunk.Content})
	return s, ok, nil
}

// write prints records; none is ErrNothing.
func write(c *cli.Context, records []*record.Record) error {
	for _, r := range records {
		if err := c.Out.Write(r); err != nil {
			return err
		}
	}
	if len(records) == 0 {
		return cli.ErrNothing
	}
	return nil
}

func factRecords(list []record.Fact, subject string) []*record.Record {
	var records []*record.Record
	for _, f := range list {
		if subject == "" || f.Subject == facts.FoldName(subject) {
			records = append(records, record.New(record.KindFact, f))
		}
	}
	return records
}

type extractCmd struct {
	KeepGoing bool `help:"Skip lines of standard input that are no records."`
}

func (e *extractCmd) Run(c *cli.Context, g *grammar) error {
	x := &extraction{c: c, known: map[string]*facts.Source{}}
	defer x.close()
	in := record.NewReader(c.In)
	var skipped error
	err := c.Records(in, e.KeepGoing, func(r *record.Record) error {
		if r.Kind() == record.KindLeaf && x.rules == nil {
			if err := x.open(g); err != nil {
				return err
			}
		}
		if err := x.add(r); err != nil {
			bad := &record.LineError{Line: in.Line(), Err: err}
			if !e.KeepGoing {
				return fmt.Errorf("standard input, %w; mend it, or skip such leaves with --keep-going", bad)
			}
			skipped = cli.ErrSkipped
			return c.Out.Write(record.New(record.KindSkipped, record.Skipped{Source: "standard input", Reason: bad.Error()}))
		}
		switch {
		case in.Buffered():
			return nil
		case len(x.news) == 0:
			return c.Out.Flush()
		}
		return x.tell()
	})
	if told := x.tell(); told != nil {
		return told
	}
	return cmp.Or(err, skipped)
}

// rulesOf opens the memory, if there is one, and its rules.
func rulesOf(c *cli.Context, g *grammar) (*facts.Rules, *store.Store, error) {
	if g.From == "-" {
		return facts.Bundled(), nil, nil
	}
	s, err := open(c)
	if errors.Is(err, store.ErrNoMemory) {
		return facts.Bundled(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	rules, err := ledger.Rules(s)
	return rules, s, err
}

// An extraction passes leaves through and tells what they state and change.
type extraction struct {
	c       *cli.Context
	rules   *facts.Rules // nil until it is opened
	store   *store.Store // nil without a memory
	known   map[string]*facts.Source
	sources []facts.Source // without a memory: all so far
	news    []string       // leaves that state something and have not been told of
}

// open opens the memory. It waits for the first leaf: until then what stores
// the leaves may not have made the memory.
func (x *extraction) open(g *grammar) (err error) {
	x.rules, x.store, err = rulesOf(x.c, g)
	return err
}

func (x *extraction) close() {
	if x.store != nil {
		x.store.Close()
	}
}

func (x *extraction) add(r *record.Record) error {
	if r.Kind() != record.KindLeaf {
		return x.c.Out.Write(r)
	}
	id := r.Str("leaf_id")
	source, ok, err := sourceOf(x.rules, r)
	if err != nil {
		return err
	}
	if err := x.c.Out.Write(r); err != nil {
		return err
	}
	x.known[id] = nil
	if ok {
		x.known[id] = &source
		x.sources = append(x.sources, source)
		x.news = append(x.news, id)
	}
	return nil
}

// tell writes the facts of the leaves since the last time, and the notices of
// what they change.
func (x *extraction) tell() error {
	if len(x.known) == 0 {
		return x.c.Out.Flush()
	}
	t, err := x.timeline()
	if err != nil {
		return err
	}
	news := map[string]bool{}
	for _, id := range x.news {
		news[id] = true
	}
	for _, f := range t.Stated(today()) {
		if news[f.SourceLeaf] {
			if err := x.c.Out.Write(record.New(record.KindFact, f)); err != nil {
				return err
			}
		}
	}
	for _, n := range t.Changes(today()) {
		if news[n.LeafID] || n.New != nil && news[n.New.SourceLeaf] {
			if err := x.c.Out.Write(record.New(record.KindNotice, n)); err != nil {
				return err
			}
		}
	}
	x.known, x.news = map[string]*facts.Source{}, nil
	return x.c.Out.Flush()
}

func (x *extraction) timeline() (*facts.Timeline, error) {
	if x.store == nil {
		return facts.Build(x.sources), nil
	}
	l, err := ledger.Read(x.store, x.known)
	if err != nil {
		return nil, err
	}
	return l.Timeline(), nil
}

type nowCmd struct {
	Subject string `help:"Only of this subject." placeholder:"S"`
}

func (n *nowCmd) Run(c *cli.Context, g *grammar) error {
	t, err := timeline(c, g)
	if err != nil {
		return err
	}
	return write(c, factRecords(t.At(today()), n.Subject))
}

type atCmd struct {
	Date    string `arg:"" help:"A day: 2024-12-31."`
	Subject string `help:"Only of this subject." placeholder:"S"`
}

func (a *atCmd) Run(c *cli.Context, g *grammar) error {
	day, err := facts.ParseDay(a.Date)
	if err != nil {
		return err
	}
	t, err := timeline(c, g)
	if err != nil {
		return err
	}
	return write(c, factRecords(t.At(day), a.Subject))
}

type timelineCmd struct {
	Subject   string `arg:"" optional:"" help:"As in user, or a patient's name."`
	Attribute string `arg:"" optional:"" help:"As in location."`
}

func (l *timelineCmd) Run(c *cli.Context, g *grammar) error {
	t, err := timeline(c, g)
	if err != nil {
		return err
	}
	history := t.History(l.Subject, l.Attribute, today())
	if len(history) == 0 {
		fmt.Fprintf(c.Err, "%s: %s\n", c.Name, cli.Clean(nothingOf(t, l.Subject, l.Attribute)))
	}
	return write(c, factRecords(history, ""))
}

// nothingOf says that nothing is known of an attribute of a subject, and of
// which something is.
func nothingOf(t *facts.Timeline, subject, attribute string) string {
	subjects := t.Subjects()
	if len(subjects) == 0 {
		return "nothing is known yet"
	}
	if !slices.Contains(subjects, facts.FoldName(subject)) {
		return fmt.Sprintf("nothing is known of %q; there is %s", subject, some(subjects))
	}
	var attributes []string
	for _, f := range t.History(subject, "", today()) {
		if !slices.Contains(attributes, f.Attribute) {
			attributes = append(attributes, f.Attribute)
		}
	}
	return fmt.Sprintf("nothing is known of %s %q; there is %s", subject, attribute, some(attributes))
}

// some lists words, of very many the first.
func some(words []string) string {
	const most = 20
	if len(words) > most {
		return fmt.Sprintf("%s, and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

type conflictsCmd struct {
	Subject string `help:"Only of this subject." placeholder:"S"`
}

func (f *conflictsCmd) Run(c *cli.Context, g *grammar) error {
	t, err := timeline(c, g)
	if err != nil {
		return err
	}
	var records []*record.Record
	for _, n := range t.Changes(today()) {
		if f.Subject == "" || n.Old.Subject == facts.FoldName(f.Subject) {
			records = append(records, record.New(record.KindNotice, n))
		}
	}
	return write(c, records)
}

type rulesCmd struct {
	Try string `help:"Say what a text states by the rules in force; - reads it from standard input." placeholder:"TEXT"`
}

func (r *rulesCmd) Run(c *cli.Context, g *grammar) error {
	rules, s, err := rulesOf(c, g)
	if err != nil {
		return err
	}
	if s != nil {
		defer s.Close()
	}
	if r.Try == "" {
		return writeRules(c, rules)
	}
	tried := r.Try
	if tried == "-" {
		all, err := io.ReadAll(c.In)
		if err != nil {
			return err
		}
		tried = string(all)
	}
	statements := rules.Extract(tried, today())
	for _, st := range statements {
		if err := c.Out.Write(statementRecord(st)); err != nil {
			return err
		}
	}
	if len(statements) == 0 {
		return cli.ErrNothing
	}
	return nil
}

// writeRules prints each rule as source:line, attribute, verb and pattern.
func writeRules(c *cli.Context, rules *facts.Rules) error {
	for _, r := range rules.List() {
		if err := c.Out.Write(record.New("rule", r)); err != nil {
			return err
		}
	}
	return nil
}

func statementRecord(st facts.Statement) *record.Record { return record.New("statement", st) }

// render prints a record for people.
func render(w io.Writer, r *record.Record) {
	line := func(name string, n int) string { return cli.CleanLine(r.Str(name), n) }
	switch r.Kind() {
	case record.KindFact:
		until := ""
		if to := r.Str("valid_to"); to != "" {
			until = "  until " + cli.CleanLine(to, 10)
		}
		fmt.Fprintf(w, "%-16s %-15s %-30s  since %s%s  %s  %s\n", line("subject", 40), line("attribute", 40), line("value", 200), line("valid_from", 10), until, line("status", 10), line("source_leaf", 120))
	case record.KindNotice:
		fmt.Fprintln(w, line("text", 1000))
	case "rule":
		fmt.Fprintf(w, "%s:%-4s %-15s %-6s %s\n", line("source", 40), line("line", 10), line("attribute", 20), line("verb", 6), line("pattern", 1000))
	case "statement":
		ends := ""
		if r.Get("ends").Bool() {
			ends = "  ended"
		}
		fmt.Fprintf(w, "%s %s = %s  (%s)%s\n", line("subject", 40), line("attribute", 40), line("value", 500), line("date", 10), ends)
	case record.KindLeaf:
		fmt.Fprintf(w, "%s  %s\n", line("leaf_id", 120), line("status", 20))
	default:
		fmt.Fprintln(w, cli.Clean(r.String()))
	}
}

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/testdata"
)

type demoCmd struct {
	Folder string `arg:"" optional:"" help:"Where to put the examples and their memory; else a temporary folder."`
}

// Run plays the demo and fails where one of its claims does not hold.
func (c *demoCmd) Run(ctx *cli.Context, g *grammar) error {
	dir := c.Folder
	if dir == "" {
		temporary, err := os.MkdirTemp("", "ihmt-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	ctx.Path = dir
	d := &demo{runner: newRunner(ctx, g), out: os.Stdout, examples: filepath.Join(dir, "examples")}
	start := time.Now()
	for _, step := range []func() error{d.store, d.reconstruct, d.again, d.tree, d.search, d.ambiguity, d.changes, d.past, d.verify} {
		if err := step(); err != nil {
			return err
		}
	}
	if d.failed > 0 {
		return fmt.Errorf("%d of %d claims do not hold", d.failed, d.claims)
	}
	fmt.Fprintf(d.out, "\nAll %d claims hold. %.1f s.\n", d.claims, time.Since(start).Seconds())
	if c.Folder != "" {
		fmt.Fprintf(d.out, "The memory is in %s: try  ihmt --path %s search limonero\n", dir, dir)
	}
	return nil
}

// A demo shows what a memory does on the examples, and counts what it claims.
type demo struct {
	*runner
	out            io.Writer
	examples       string // the folder with the example files
	leaves         []string
	claims, failed int
}

func (d *demo) title(format string, args ...any) {
	fmt.Fprintf(d.out, "\n%s\n", fmt.Sprintf(format, args...))
}

// claim prints what a step proves, or that it does not.
func (d *demo) claim(holds bool, format string, args ...any) {
	d.claims++
	mark := "ok  "
	if !holds {
		d.failed++
		mark = "FAIL"
	}
	fmt.Fprintf(d.out, "  %s %s\n", mark, cli.Clean(fmt.Sprintf(format, args...)))
}

// records are what a pipeline writes. A stage that finds nothing or wants a
// clue is no failure here.
func (d *demo) records(p *pipeline.Pipeline) ([]*record.Record, error) {
	var all []*record.Record
	err := d.each(p, func(r *record.Record) error {
		all = append(all, r)
		return nil
	})
	if errors.Is(err, cli.ErrSkipped) || errors.Is(err, cli.ErrAmbiguous) {
		err = nil
	}
	return all, err
}

func (d *demo) tool(name string, args ...string) ([]*record.Record, error) {
	return d.records(pipeline.New(d.stage(name, append(args, "--json")...)))
}

func (d *demo) store() error {
	d.title("A new memory with branches of 4 and leaves of about 400 tokens takes the examples in.")
	if _, err := d.tool("ihmt-store", "init", "--branch-factor=4", "--target-tokens=400"); err != nil {
		return err
	}
	if err := writeExamples(d.examples); err != nil {
		return err
	}
	t, err := d.ingestExamples()
	if err != nil {
		return err
	}
	for _, f := range t.files {
		line := f.report()
		line.Set("source", path.Base(f.source))
		fmt.Fprint(d.out, "  ")
		render(d.out, line)
	}
	d.claim(len(t.files) == len(exampleNames()) && t.skipped == 0, "%d files stored, none skipped", len(t.files))
	for _, want := range []struct{ name, dataType, domain string }{
		{"InventoryService.java", record.TypeCode, "software.java"}, {"pricing.py", record.TypeCode, "software.python"},
		{"ratelimit.go", record.TypeCode, "software.go"}, {"el_faro.txt", record.TypeNarrative, "literature.narrative"},
		{"journal.md", record.TypePersonal, "personal"}, {"historia_clinica.md", record.TypeClinical, "medicine.clinical"},
		{"focaccia.md", record.TypeProcess, "process.cooking"},
	} {
		f := t.bySource[d.source(want.name)]
		d.claim(f != nil && f.dataType == want.dataType && f.domain == want.domain, "%s is %s, %s", want.name, want.dataType, want.domain)
	}
	_, err = d.tool("ihmt-summarize")
	return err
}

func (d *demo) ingestExamples() (*tally, error) {
	t := newTally()
	records, err := d.records(d.ingesting(&ingestCmd{Paths: []string{d.examples}}))
	for _, r := range records {
		t.add(r)
		if r.Kind() == record.KindLeaf && r.Str("status") != "unchanged" {
			d.leaves = append(d.leaves, r.Str("leaf_id"))
		}
	}
	return t, err
}

func (d *demo) source(name string) string { return filepath.ToSlash(filepath.Join(d.examples, name)) }

func (d *demo) reconstruct() error {
	d.title("The leaves of a file, put together again, are the file.")
	leaves, err := d.tool("ihmt-store", append([]string{"get"}, d.leaves...)...)
	if err != nil {
		return err
	}
	slices.SortFunc(leaves, func(a, b *record.Record) int {
		return cmp.Compare(a.Get("position").Int(), b.Get("position").Int())
	})
	texts := map[string]*bytes.Buffer{}
	for _, leaf := range leaves {
		source := leaf.Str("source")
		if texts[source] == nil {
			texts[source] = &bytes.Buffer{}
		}
		texts[source].WriteString(leaf.Str("content"))
	}
	for _, name := range exampleNames() {
		original, err := os.ReadFile(filepath.Join(d.examples, name))
		if err != nil {
			return err
		}
		text := texts[d.source(name)]
		d.claim(text != nil && bytes.Equal(text.Bytes(), original), "%s: %d bytes, the same", name, len(original))
	}
	return nil
}

func (d *demo) again() error {
	d.title("The same files once more: nothing is stored twice.")
	t, err := d.ingestExamples()
	if err != nil {
		return err
	}
	unchanged, added := 0, 0
	for _, f := range t.files {
		added += f.new
		unchanged += f.leaves - f.new
	}
	d.claim(added == 0 && unchanged == len(d.leaves), "%d leaves, all unchanged", unchanged)
	return nil
}

func (d *demo) tree() error {
	d.title("Every four leaves of a domain have a summary, and every four summaries another.")
	p := pipeline.New(d.stage("ihmt-nav", "tree", "--depth=2", "--text"))
	var shown bytes.Buffer
	if err := d.run(p, func() error { return p.Run(d.ctx, &shown) }); err != nil {
		return err
	}
	d.show(shown.String(), 24)
	header, _, err := d.answer("limonero", "")
	if err != nil {
		return err
	}
	depth := header.Get("depth").Int()
	d.claim(depth >= 2, "the tree has %d layers of branches", depth)
	return nil
}

// show prints the first lines of what a tool printed.
func (d *demo) show(text string, lines int) {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range all[:min(lines, len(all))] {
		fmt.Fprintf(d.out, "  %s\n", cli.Clean(line))
	}
	if more := len(all) - lines; more > 0 {
		fmt.Fprintf(d.out, "  … %d more lines\n", more)
	}
}

// answer asks a query and returns the head of the answer and what follows.
func (d *demo) answer(query, clue string) (header *record.Record, rest []*record.Record, err error) {
	records, err := d.records(d.asking(record.Query{Query: query, Clue: clue, Full: true}))
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		if r.Kind() == record.KindSearch {
			header = r
		} else {
			rest = append(rest, r)
		}
	}
	if header == nil {
		return nil, nil, fmt.Errorf("ihmt-nav gave no answer to %q", query)
	}
	return header, rest, nil
}

// first is the first result of an answer; an empty record where there is none.
func first(answer []*record.Record) *record.Record {
	for _, r := range answer {
		if r.Kind() == record.KindResult {
			return r
		}
	}
	return &record.Record{}
}

func (d *demo) search() error {
	d.title("What was saved is found, in its language.")
	for _, c := range []struct{ query, file, holds string }{
		{"where do we reserve stock for an order", "InventoryService.java", "reserveStock"},
		{"volume discount of a line", "pricing.py", "volume_discount"},
		{"how often do I fold the dough", "focaccia.md", "Fold the dough"},
		{"quién iba en la vela blanca", "el_faro.txt", "vela blanca"},
		{"pieza de la cafetera que pierde agua", "journal.md", "junta tórica"},
		{"备份存放在哪里", "会议记录.txt", "成都"},
	} {
		header, answer, err := d.answer(c.query, "")
		if err != nil {
			return err
		}
		top := first(answer)
		d.claim(top.Str("source") == d.source(c.file) && strings.Contains(top.Str("content"), c.holds) && header.Get("exact").Bool(),
			"%q: %s, %q; exact, %d files opened", c.query, path.Base(top.Str("source")), cli.CleanLine(top.Str("title"), 40), header.Get("files_opened").Int())
	}
	return nil
}

func (d *demo) ambiguity() error {
	d.title("Two people are called Luis: it asks back instead of guessing.")
	header, answer, err := d.answer("Luis", "")
	if err != nil {
		return err
	}
	clues := kindOf(answer, record.KindClue)
	d.claim(header.Get("ambiguous").Bool() && len(clues) == 1, "\"Luis\" is ambiguous, and a clue is asked for")
	for _, c := range clues {
		fmt.Fprintf(d.out, "       %s\n", cli.CleanLine(c.Str("reason"), 100))
		for _, o := range c.Get("options").Array() {
			fmt.Fprintf(d.out, "       - %s  %s\n", cli.CleanLine(o.Get("timestamp").String(), 10), cli.CleanLine(o.Get("excerpt").String(), 80))
		}
	}
	for _, c := range []struct{ clue, who string }{{"carpenter oak doors", "Luis Ferrer"}, {"climbing the Naranjo", "Luis Ortega"}} {
		header, answer, err := d.answer("Luis", c.clue)
		if err != nil {
			return err
		}
		d.claim(!header.Get("ambiguous").Bool() && strings.Contains(first(answer).Str("content"), c.who), "with the clue %q it is %s", c.clue, c.who)
	}
	return nil
}

func (d *demo) changes() error {
	d.title("What changed is kept with both dates, and the past is not passed off as the present.")
	found, err := d.tool("ihmt-facts", "conflicts")
	if err != nil {
		return err
	}
	for _, c := range []struct{ subject, attribute, old, new string }{
		{"user", "location", "Madrid", "Valencia"},
		{"Elena Robles Marín", "diagnosis", "anemia ferropénica", "enfermedad celíaca"},
	} {
		i := slices.IndexFunc(found, func(r *record.Record) bool {
			old, new := r.Get("old"), r.Get("new")
			return r.Kind() == record.KindNotice && strings.EqualFold(old.Get("subject").String(), c.subject) && old.Get("attribute").String() == c.attribute &&
				old.Get("value").String() == c.old && new.Get("value").String() == c.new
		})
		text := fmt.Sprintf("no notice that the %s of %s changed", c.attribute, c.subject)
		if i >= 0 {
			text = found[i].Str("text")
		}
		d.claim(i >= 0, "%s", text)
	}
	_, answer, err := d.answer("Vivo en Madrid", "")
	if err != nil {
		return err
	}
	noted := slices.ContainsFunc(kindOf(answer, record.KindResult), func(r *record.Record) bool {
		return strings.Contains(r.Str("content"), "Vivo en Madrid") && strings.Contains(r.Get("notices").Raw, "Valencia")
	})
	d.claim(noted, "the entry that says \"Vivo en Madrid\" is found, with a notice that it is outdated")
	return nil
}

func (d *demo) past() error {
	d.title("What was true on 2024-12-31, and what holds now?")
	then, err := d.tool("ihmt-facts", "at", "2024-12-31")
	if err != nil {
		return err
	}
	now, err := d.tool("ihmt-facts", "now")
	if err != nil {
		return err
	}
	for _, c := range []struct{ attribute, then, now string }{
		{"location", "Madrid", "Valencia"}, {"employer", "Nimbus Labs", "Faro Analytics"}, {"editor", "Vim", "Helix"}, {"diagnosis", "anemia ferropénica", "enfermedad celíaca"},
	} {
		was, is := valueOf(then, c.attribute), valueOf(now, c.attribute)
		d.claim(was == c.then && is == c.now, "%s: %s, now %s", c.attribute, was, is)
	}
	return nil
}

func valueOf(facts []*record.Record, attribute string) string {
	for _, r := range facts {
		if r.Kind() == record.KindFact && r.Str("attribute") == attribute {
			return r.Str("value")
		}
	}
	return "nothing"
}

func kindOf(records []*record.Record, kind string) (of []*record.Record) {
	for _, r := range records {
		if r.Kind() == kind {
			of = append(of, r)
		}
	}
	return of
}

func (d *demo) verify() error {
	d.title("Every checksum, branch and table is in order.")
	p := pipeline.New(d.stage("ihmt-store", "verify", "--json"))
	err := d.each(p, func(*record.Record) error { return nil })
	d.claim(err == nil, "ihmt-store verify finds nothing wrong")
	return nil
}

func exampleNames() []string {
	entries, err := testdata.Examples.ReadDir("examples")
	if err != nil {
		panic(err) // it is part of the binary
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// writeExamples writes the example files into a folder.
func writeExamples(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, name := range exampleNames() {
		data, err := fs.ReadFile(testdata.Examples, path.Join("examples", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

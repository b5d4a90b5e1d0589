package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/scripts/internal/known"
)

// scaleMode is the argument for how everything grows with the number of notes.
const scaleMode = "scale"

// A scaled is what was measured of a memory of one size.
type scaled struct {
	notes                      int
	ingest, search, save, grow time.Duration
	fts5, ripgrep, gitGrep     time.Duration
	opened, tables             int // files a search opens, most; of these, tables
	beyond                     int // most, beyond tables and results
	read                       int // bytes, of a search, most
	peak, searchPeak           float64
	saved, grown               written
	disk, leaves, tableBytes   int64 // bytes: in blocks, of all and of the leaves; of the tables
	textBytes                  int64
	found                      map[string]map[string]*known.Score // by way of searching and style
	cost                       cost
}

// document is where --write puts what was measured.
const document = "docs/BENCHMARKS.md"

func runScale(args []string) error {
	opt := options{}
	f := flag.NewFlagSet(scaleMode, flag.ExitOnError)
	f.StringVar(&opt.notes, "notes", "", "JSON lines with a `FILE` of real notes; without it they are generated")
	most := f.Int("most", 200000, "size of the largest memory")
	f.IntVar(&opt.runs, "runs", 20, "runs of each search and save; of searches that are slow, 5")
	f.Uint64Var(&opt.seed, "seed", 1, "of the generated notes and of the queries")
	f.StringVar(&opt.dir, "dir", "", "where to build the memories (default: the temporary folder)")
	write := f.Bool("write", false, "measure what scripts/bench does too, and write "+document)
	about := f.String("about", "", "what the notes are, for "+document)
	f.Parse(args)
	for _, n := range []int{1000, 10000, 50000} {
		if n < *most {
			opt.sizes = append(opt.sizes, n)
		}
	}
	sizes := append(opt.sizes, *most)
	opt.sizes, opt.fills = sizes, 3
	return with(opt, func(b *bench) error {
		begin := time.Now()
		if *write {
			if err := b.compareApart(sizes); err != nil {
				return err
			}
		}
		var all []scaled
		for _, n := range sizes {
			s, err := b.scaled(n)
			if err != nil {
				return err
			}
			all = append(all, s)
			b.say("%d notes: ingest %s, search %s, save %s, growing %s, disk %.2f times the leaves", n, short(s.ingest), short(s.search), short(s.save), short(s.grow), float64(s.disk)/float64(s.leaves))
		}
		b.judgeScale(all)
		printScale(os.Stdout, all)
		b.print(os.Stdout)
		if *write {
			if err := b.writeDocument(all, *about, time.Since(begin)); err != nil {
				return err
			}
		}
		return b.missed()
	})
}

// compareApart compares with other programs, in a folder of its own, with
// memories of at most 50,000 notes.
func (b *bench) compareApart(sizes []int) error {
	apart := *b
	apart.sizes = slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n > 50000 })
	apart.quick = apart.largest() < 50000
	apart.runs = max(10, b.runs/2)
	var err error
	if apart.dir, err = os.MkdirTemp(b.dir, "compare-"); err != nil {
		return err
	}
	err = apart.compareAll()
	b.rows = apart.rows
	return errors.Join(err, os.RemoveAll(apart.dir))
}

// scaled builds a memory of n notes, measures it and deletes it.
func (b *bench) scaled(n int) (scaled, error) {
	s := scaled{notes: n}
	name := fmt.Sprint(n)
	b.say("%d notes: filling the memory", n)
	if err := os.WriteFile(b.input(n, domains), documents(b.texts[:n], domains), 0o600); err != nil {
		return s, err
	}
	begin := time.Now()
	if err := b.fill(name, n, domains, &s.peak); err != nil {
		return s, err
	}
	s.ingest = time.Since(begin)
	for _, t := range b.texts[:n] {
		s.textBytes += int64(len(t))
	}
	if err := errors.Join(b.tabulate(n), writePlain(b.plain(n), b.texts[:n], writeSimply)); err != nil {
		return s, err
	}
	for _, measure := range []func(string, *scaled) error{b.measureDisk, b.measureSearch, b.measureFound, b.measureCost, b.measureSave} {
		if err := measure(name, &s); err != nil {
			return s, err
		}
	}
	return s, errors.Join(os.RemoveAll(b.memory(name)), os.RemoveAll(b.plain(n)), os.Remove(b.database(n)), os.Remove(b.input(n, domains)))
}

// slow is how often to run, at most, what reads all of n texts.
func slow(n int) int {
	if n > 20000 {
		return 5
	}
	return 0
}

func (b *bench) measureSearch(name string, s *scaled) (err error) {
	n := s.notes
	b.say("%d notes: searching", n)
	asked := queries(b.texts[:n], b.runs, b.seed)
	if len(asked) == 0 {
		return errors.New("the notes have no words to ask for")
	}
	words := func(i int) []string { return asked[i%len(asked)] }
	ripgrep := b.process(func(i int) command { return b.ripgrep(n, words(i)) })
	gitGrep := b.process(func(i int) command { return b.gitGrep(n, words(i)) })
	ripgrep.most, gitGrep.most = slow(n), slow(n)
	took, err := alternate(b.runs, true,
		b.process(func(i int) command { return b.nav(name, words(i)) }),
		b.process(func(i int) command { return b.fts5(n, words(i)) }),
		ripgrep, gitGrep)
	if err != nil {
		return err
	}
	s.search, s.fts5, s.ripgrep, s.gitGrep = took[0], took[1], took[2], took[3]
	if s.tables, err = b.tables(name); err != nil {
		return err
	}
	for _, w := range asked {
		one, err := b.searched(name, w)
		if err != nil {
			return err
		}
		s.opened, s.read = max(s.opened, one.FilesOpened), max(s.read, one.BytesRead)
		s.beyond = max(s.beyond, one.FilesOpened-s.tables-one.Results)
	}
	s.searchPeak, err = b.peakOf(n, asked)
	return err
}

// gitGrep lists the files, one for each text, that hold any of the words.
func (b *bench) gitGrep(n int, words []string) command {
	argv := []string{"git", "-C", b.plain(n), "grep", "--no-index", "--ignore-case", "--fixed-strings", "--files-with-matches"}
	for _, w := range words {
		argv = append(argv, "-e", w)
	}
	return command{argv: argv, fine: []int{1}}
}

// measureSave saves one note after the other, and grows the tree after the
// last.
func (b *bench) measureSave(name string, s *scaled) error {
	b.say("%d notes: saving", s.notes)
	serial := 0
	next := func() []byte {
		serial++
		// Each save has the same length, so that bytes can be compared.
		return chunk(fmt.Sprintf("scale-%03d", serial), fmt.Sprintf("Save number %03d. %s", serial, b.texts[serial%10]))
	}
	save := func(int) error {
		_, err := pipe(b.ctx, strings.NewReader(string(next())), false, command{argv: []string{b.tool("ihmt-store"), "--path", b.memory(name)}})
		return err
	}
	grow := func(int) error {
		_, err := pipe(b.ctx, nil, false, command{argv: []string{b.tool("ihmt-summarize"), "--path", b.memory(name)}})
		return err
	}
	if err := errors.Join(save(0), grow(0)); err != nil { // what --force closed is regrouped
		return err
	}
	took, err := alternate(b.runs, true, trial{run: save})
	if err != nil {
		return err
	}
	s.save = took[0]
	if err := grow(0); err != nil {
		return err
	}
	took, err = alternate(5, false, trial{before: save, run: grow})
	if err != nil {
		return err
	}
	s.grow = took[0]
	if s.saved, err = b.written(name, func() error { return b.saveHere(name, next()) }); err != nil {
		return err
	}
	s.grown, err = b.written(name, func() error { return b.growHere(name) })
	return err
}

// judgeScale holds what was measured against what must be true.
func (b *bench) judgeScale(all []scaled) {
	last := all[len(all)-1]
	for _, s := range all {
		b.atMost(fmt.Sprintf("disk / blocks of the leaves, %d", s.notes), float64(s.disk)/float64(s.leaves), times, 1.5, s.notes >= 1000, "")
		b.atMost(fmt.Sprintf("files opened, most, %d", s.notes), float64(s.opened), count, 20, true, fmt.Sprintf("(%d tables)", s.tables))
		b.atMost(fmt.Sprintf("files opened beyond tables and results, %d", s.notes), float64(s.beyond), count, 6, true, "")
		b.atMost(fmt.Sprintf("tables that growing after one save writes, %d", s.notes), float64(s.grown.tables), count, 2, true, "(the fresh one, and one that filled)")
	}
	base := all[0]
	for _, s := range all {
		if s.notes <= 10000 {
			base = s
		}
	}
	if last.notes > base.notes {
		b.atMost(fmt.Sprintf("search of %d / of %d", last.notes, base.notes), over(last.search, base.search), times, 3, base.notes == 10000, both(last.search, base.search))
	}
	same := func(what string, of func(written) int64) {
		least, most := of(all[0].saved), of(all[0].saved)
		for _, s := range all {
			least, most = min(least, of(s.saved)), max(most, of(s.saved))
		}
		b.atMost("a save's "+what+", most - least of all sizes", float64(most-least), count, 0, true, fmt.Sprintf("(%d)", most))
	}
	same("files written", func(w written) int64 { return int64(w.files) })
	same("bytes written", func(w written) int64 { return w.bytes })
	same("fsyncs", func(w written) int64 { return int64(w.fsyncs) })
}

// exponent fits value = c·notesᵉ, by least squares of the logarithms, and
// returns e.
func exponent(all []scaled, value func(scaled) float64) float64 {
	var n, x, y, xx, xy float64
	for _, s := range all {
		v := value(s)
		if v <= 0 {
			continue
		}
		a, b := math.Log(float64(s.notes)), math.Log(v)
		n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
	}
	if d := n*xx - x*x; d > 0 {
		return (n*xy - x*y) / d
	}
	return 0
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

// scaleMode is the argument for how everything grows with the number of notes.
const scaleMode = "scale"

// A scaled is what was measured of a memory of one size.
type scaled struct {
	notes                      int
	ingest, search, save, grow time.Duration
	fts5, ripgrep, gitGrep     time.Duration
	opened                     int
	read                       int // bytes, of a search
	peak                       float64
	saved, grown               written
	disk, leaves, tables       int64 // bytes: in blocks, of all and of the leaves; of the tables
}

// written is what a command changed in a memory.
type written struct {
	files int
	bytes int64
}

func scale(args []string) error {
	opt := options{}
	f := flag.NewFlagSet(scaleMode, flag.ExitOnError)
	f.StringVar(&opt.notes, "notes", "", "JSON lines with a `FILE` of real notes; without it they are generated")
	most := f.Int("most", 200000, "size of the largest memory")
	f.IntVar(&opt.runs, "runs", 20, "runs of each search and save")
	f.Uint64Var(&opt.seed, "seed", 1, "of the generated notes and of the queries")
	f.StringVar(&opt.dir, "dir", "", "where to build the memories (default: the temporary folder)")
	f.Parse(args)
	for n := 1000; n < *most; n *= 10 {
		opt.sizes = append(opt.sizes, n)
	}
	opt.sizes = append(opt.sizes, *most)
	return with(opt, func(b *bench) error {
		var all []scaled
		for _, n := range opt.sizes {
			s, err := b.scaled(n)
			if err != nil {
				return err
			}
			all = append(all, s)
		}
		b.printScale(all)
		return nil
	})
}

// scaled builds a memory of n notes, measures it and deletes it.
func (b *bench) scaled(n int) (scaled, error) {
	s := scaled{notes: n}
	name := fmt.Sprint(n)
	b.say("%d notes", n)
	if err := os.WriteFile(b.input(n, domains), documents(b.texts[:n], domains), 0o600); err != nil {
		return s, err
	}
	begin := time.Now()
	if err := b.fill(name, n, domains, &s.peak); err != nil {
		return s, err
	}
	s.ingest = time.Since(begin)
	if err := errors.Join(writePlain(b.plain(n), b.texts[:n]), b.tabulate(n), b.measureDisk(name, &s)); err != nil {
		return s, err
	}
	if err := b.measureSearch(n, &s); err != nil {
		return s, err
	}
	if err := b.measureSave(name, &s); err != nil {
		return s, err
	}
	return s, errors.Join(os.RemoveAll(b.memory(name)), os.RemoveAll(b.plain(n)), os.Remove(b.database(n)))
}

func (b *bench) measureSearch(n int, s *scaled) error {
	asked := queries(b.texts[:n], b.runs, b.seed)
	words := func(i int) []string { return asked[i%len(asked)] }
	took, err := alternate(b.runs, true,
		b.process(func(i int) command { return b.nav(fmt.Sprint(n), words(i)) }),
		b.process(func(i int) command { return b.fts5(n, words(i)) }),
		b.process(func(i int) command { return b.ripgrep(n, words(i)) }),
		b.process(func(i int) command { return b.gitGrep(n, words(i)) }))
	if err != nil {
		return err
	}
	s.search, s.fts5, s.ripgrep, s.gitGrep = took[0], took[1], took[2], took[3]
	for _, w := range asked {
		one, err := b.searched(fmt.Sprint(n), w)
		if err != nil {
			return err
		}
		s.opened, s.read = max(s.opened, one.FilesOpened), max(s.read, one.BytesRead)
	}
	return nil
}

// gitGrep lists the files, one for each text, that hold any of the words.
func (b *bench) gitGrep(n int, words []string) command {
	argv := []string{"git", "-C", b.plain(n), "grep", "--no-index", "--ignore-case", "--fixed-strings", "--files-with-matches"}
	for _, w := range words {
		argv = append(argv, "-e", w)
	}
	return command{argv: argv}
}

// measureSave saves one note after the other, and grows the tree after the
// last.
func (b *bench) measureSave(name string, s *scaled) error {
	save := func(i int) error {
		text := fmt.Sprintf("Save number %d. %s", i, b.texts[i%len(b.texts)])
		_, err := pipe(b.ctx, strings.NewReader(string(chunk(fmt.Sprintf("scale-%d", i), text))), false,
			command{argv: []string{b.tool("ihmt-store"), "--path", b.memory(name)}})
		return err
	}
	grow := func(int) error {
		_, err := pipe(b.ctx, nil, false, command{argv: []string{b.tool("ihmt-summarize"), "--path", b.memory(name)}})
		return err
	}
	if err := errors.Join(save(b.runs), grow(0)); err != nil { // what --force closed is regrouped
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
	if s.saved, err = b.changed(name, func() error { return save(b.runs + 1) }); err != nil {
		return err
	}
	begin := time.Now()
	s.grown, err = b.changed(name, func() error { return grow(0) })
	s.grow = time.Since(begin)
	return err
}

// changed tells which files of a memory something wrote: those that are new,
// or larger, or have another time.
func (b *bench) changed(name string, do func() error) (written, error) {
	type state struct {
		size int64
		time time.Time
	}
	list := func() (map[string]state, error) {
		all := map[string]state{}
		err := b.walk(name, func(path string, info fs.FileInfo) { all[path] = state{info.Size(), info.ModTime()} })
		return all, err
	}
	before, err := list()
	if err != nil {
		return written{}, err
	}
	if err := do(); err != nil {
		return written{}, err
	}
	after, err := list()
	var w written
	for path, now := range after {
		was, there := before[path]
		if there && was == now {
			continue
		}
		w.files++
		w.bytes += now.size
		if there && strings.Contains(path, "/journal/") { // only ever appended to
			w.bytes -= was.size
		}
	}
	return w, err
}

func (b *bench) walk(name string, do func(path string, info fs.FileInfo)) error {
	return filepath.WalkDir(b.memory(name), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			do(filepath.ToSlash(path), info)
		}
		return err
	})
}

// block is the unit in which a usual file system gives room to a file.
const block = 4096

func (b *bench) measureDisk(name string, s *scaled) error {
	return b.walk(name, func(path string, info fs.FileInfo) {
		size := (info.Size() + block - 1) / block * block
		s.disk += size
		switch {
		case strings.Contains(path, "/layer_0/"):
			s.leaves += size
		case strings.HasSuffix(path, ".terms"):
			s.tables += info.Size()
		}
	})
}

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
	duration("one save", func(s scaled) time.Duration { return s.save }),
	number("files a save writes", "%.0f", func(s scaled) float64 { return float64(s.saved.files) }),
	number("KiB a save writes", "%.1f", func(s scaled) float64 { return float64(s.saved.bytes) / 1024 }),
	duration("growing after one save", func(s scaled) time.Duration { return s.grow }),
	number("files that growing writes", "%.0f", func(s scaled) float64 { return float64(s.grown.files) }),
	number("KiB that growing writes", "%.0f", func(s scaled) float64 { return float64(s.grown.bytes) / 1024 }),
	duration("ingest", func(s scaled) time.Duration { return s.ingest }),
	number("peak MiB of ingest, largest process", "%.0f", func(s scaled) float64 { return s.peak }),
	number("disk MiB, all", "%.1f", func(s scaled) float64 { return float64(s.disk) / (1 << 20) }),
	number("disk MiB, leaves", "%.1f", func(s scaled) float64 { return float64(s.leaves) / (1 << 20) }),
	number("all / leaves", "%.2f", func(s scaled) float64 { return float64(s.disk) / float64(s.leaves) }),
	number("MiB of term tables", "%.1f", func(s scaled) float64 { return float64(s.tables) / (1 << 20) }),
}

func (b *bench) printScale(all []scaled) {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nnotes\t")
	for _, s := range all {
		fmt.Fprintf(t, "%d\t", s.notes)
	}
	fmt.Fprintln(t, "exponent\t")
	for _, m := range measures {
		fmt.Fprintf(t, "%s\t", m.what)
		for _, s := range all {
			fmt.Fprintf(t, "%s\t", m.print(s))
		}
		fmt.Fprintf(t, "%.2f\t\n", exponent(all, m.value))
	}
	t.Flush()
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

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Domains of the memories that are searched.
const domains = 12

func (b *bench) tool(name string) string   { return filepath.Join(b.bin, name) }
func (b *bench) memory(name string) string { return filepath.Join(b.dir, "memory-"+name) }
func (b *bench) plain(n int) string        { return filepath.Join(b.dir, fmt.Sprintf("plain-%d", n)) }
func (b *bench) database(n int) string     { return filepath.Join(b.dir, fmt.Sprintf("fts5-%d.db", n)) }
func (b *bench) largest() int              { return b.sizes[len(b.sizes)-1] }
func (b *bench) say(format string, a ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", a...)
}

// process is a trial that runs one command.
func (b *bench) process(of func(i int) command) trial {
	return trial{run: func(i int) error {
		_, err := pipe(b.ctx, nil, false, of(i))
		return err
	}}
}

// start compares how long each tool takes to print its version with a program
// that does nothing.
func (b *bench) start() error {
	tools, err := filepath.Glob(filepath.Join(b.bin, "ihmt*"))
	if err != nil {
		return err
	}
	run := func(argv ...string) trial {
		return b.process(func(int) command { return command{argv: argv} })
	}
	trials := []trial{run(filepath.Join(b.bin, "internal", "empty"))}
	for _, t := range tools {
		trials = append(trials, run(t, "--version"))
	}
	took, err := alternate(4*b.runs, true, trials...)
	if err != nil {
		return err
	}
	for i, t := range tools {
		b.atMost(filepath.Base(t)+" --version / empty program", over(took[i+1], took[0]), times, 3, true, both(took[i+1], took[0]))
	}
	return nil
}

// ingest fills memories of each size, by the pipeline of "ihmt ingest" from
// documents on and with every branch closed, in turn with writing the same
// texts to files durably.
func (b *bench) ingest() error {
	var trials []trial
	for _, n := range b.sizes {
		name := fmt.Sprint(n)
		trials = append(trials, trial{
			before: func(int) error { return os.RemoveAll(b.memory(name)) },
			run:    func(int) error { return b.fill(name, n, domains, nil) },
		}, trial{
			before: func(int) error { return os.RemoveAll(b.plain(n)) },
			run:    func(int) error { return writePlain(b.plain(n), b.texts[:n], writeDurably) },
		})
	}
	progress := trials[0].before
	trials[0].before = func(i int) error {
		b.say("filling memories of %v notes, round %d of %d", b.sizes, i+1, b.fills)
		return progress(i)
	}
	for _, n := range b.sizes { // the input is made before the clock runs
		if err := os.WriteFile(b.input(n, domains), documents(b.texts[:n], domains), 0o600); err != nil {
			return err
		}
	}
	took, err := alternate(b.fills, false, trials...)
	if err != nil {
		return err
	}
	for i, n := range b.sizes {
		b.atMost(fmt.Sprintf("ingest of %d / plain writing", n), over(took[2*i], took[2*i+1]), times, 3, !b.quick && n == b.largest(), both(took[2*i], took[2*i+1]))
	}
	if last := len(b.sizes) - 1; last > 0 {
		b.atMost(fmt.Sprintf("ingest of %d / ingest of %d", b.sizes[last], b.sizes[last-1]), over(took[2*last], took[2*last-2]), times, 6, !b.quick, both(took[2*last], took[2*last-2]))
	}
	var peak float64
	err = b.fill("peak", b.largest(), domains, &peak)
	b.atMost(fmt.Sprintf("peak memory of ingest, largest process, %d", b.largest()), peak, mib, 256, true, "")
	return errors.Join(err, os.RemoveAll(b.memory("peak")))
}

func (b *bench) input(n, domains int) string {
	return filepath.Join(b.dir, fmt.Sprintf("documents-%d-%d.jsonl", n, domains))
}

// fill makes a memory of the first n texts. With peak it also tells the
// memory of the largest process.
func (b *bench) fill(name string, n, domains int, peak *float64) error {
	path := b.memory(name)
	commands := []command{
		{argv: []string{b.tool("ihmt-chunk")}},
		{argv: []string{b.tool("ihmt-store"), "--path", path}},
		{argv: []string{b.tool("ihmt-facts"), "--path", path}},
		{argv: []string{b.tool("ihmt-summarize"), "--path", path, "--force"}},
	}
	if peak != nil {
		wrapped, read := b.peaks(commands...)
		commands = wrapped
		defer func() { *peak, _ = read() }()
	}
	input, err := os.Open(b.input(n, domains))
	if err != nil {
		return err
	}
	defer input.Close()
	if _, err := pipe(b.ctx, input, false, commands[:3]...); err != nil {
		return err
	}
	_, err = pipe(b.ctx, nil, false, commands[3])
	return err
}

// writePlain writes each text to a file of its own, and nothing more.
func writePlain(dir string, texts []string, write func(dir, name, text string) error) error {
	for d := range domains {
		if err := os.MkdirAll(filepath.Join(dir, domainName(d)), 0o700); err != nil {
			return err
		}
	}
	for i, text := range texts {
		if err := write(filepath.Join(dir, domainOf(i, domains)), fmt.Sprintf("%06d.txt", i), text); err != nil {
			return err
		}
	}
	return nil
}

func writeSimply(dir, name, text string) error {
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
}

// writeDurably writes by temporary name, fsync and rename.
func writeDurably(dir, name, text string) error {
	f, err := os.CreateTemp(dir, ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, name))
}

// search asks each memory the same questions as FTS5 and ripgrep.
func (b *bench) search() error {
	for _, n := range b.sizes {
		if err := b.searchAmong(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) searchAmong(n int) error {
	b.say("searching %d notes", n)
	judge := !b.quick && n == b.largest()
	asked := queries(b.texts[:n], 4*b.runs, b.seed)
	if len(asked) == 0 {
		return errors.New("the notes have no words to ask for")
	}
	words := func(i int) []string { return asked[i%len(asked)] }
	if err := b.tabulate(n); err != nil {
		return err
	}
	if err := b.effort(fmt.Sprint(n), fmt.Sprintf("%d, first search", n), asked[:1], 20); err != nil {
		return err
	}
	ripgrep := b.process(func(i int) command { return b.ripgrep(n, words(i)) })
	ripgrep.most = 2 * slow(n)
	took, err := alternate(4*b.runs, true,
		b.process(func(i int) command { return b.nav(fmt.Sprint(n), words(i)) }),
		b.process(func(i int) command { return b.fts5(n, words(i)) }),
		ripgrep,
		b.process(func(int) command { return command{argv: []string{filepath.Join(b.bin, "internal", "empty")}} }))
	if err != nil {
		return err
	}
	b.atMost(fmt.Sprintf("search of %d / SQLite FTS5", n), over(took[0], took[1]), times, 1, judge, both(took[0], took[1]))
	b.atLeast(fmt.Sprintf("ripgrep / search of %d", n), over(took[2], took[0]), times, 50, judge, both(took[2], took[0]))
	b.rows = append(b.rows, row{fmt.Sprintf("ripgrep / empty program, %d", n), fmt.Sprintf(string(times), over(took[2], took[3])) + "  " + both(took[2], took[3]), "", none})
	if err := b.effort(fmt.Sprint(n), fmt.Sprintf("%d, %d domains, all branches closed", n, domains), asked, 20); err != nil {
		return err
	}
	if n == b.largest() {
		return b.searchPeak(n, asked)
	}
	return nil
}

// nav searches a memory for words. Finding nothing, or finding too much, is an
// answer.
func (b *bench) nav(name string, words []string) command {
	argv := []string{b.tool("ihmt-nav"), "search", "--path", b.memory(name), "-k", "5"}
	return command{append(argv, words...), []int{1, 3}}
}

// fts5 searches the same texts in an SQLite table, best five first.
func (b *bench) fts5(n int, words []string) command {
	match := `"` + strings.Join(words, `" OR "`) + `"`
	return command{argv: []string{"sqlite3", "-readonly", b.database(n), "SELECT text FROM notes WHERE notes MATCH '" + match + "' ORDER BY rank LIMIT 5"}}
}

// ripgrep lists the files, one for each text, that hold any of the words.
func (b *bench) ripgrep(n int, words []string) command {
	argv := []string{"rg", "--no-config", "--no-ignore", "--ignore-case", "--fixed-strings", "--files-with-matches"}
	for _, w := range words {
		argv = append(argv, "-e", w)
	}
	return command{argv: append(argv, b.plain(n))}
}

// tabulate makes the SQLite table of the first n texts.
func (b *bench) tabulate(n int) error {
	var sql bytes.Buffer
	sql.WriteString("CREATE VIRTUAL TABLE notes USING fts5(text, tokenize='porter unicode61');\nBEGIN;\n")
	for _, t := range b.texts[:n] {
		fmt.Fprintf(&sql, "INSERT INTO notes VALUES('%s');\n", strings.ReplaceAll(strings.ReplaceAll(t, "'", "''"), "\x00", ""))
	}
	sql.WriteString("COMMIT;\nINSERT INTO notes(notes) VALUES('optimize');\n")
	_, err := pipe(b.ctx, &sql, false, command{argv: []string{"sqlite3", b.database(n)}})
	return err
}

// effort tells how many files searches open and how much they read, and judges
// the number of files: at most 6, the tables in force and the results; and at
// most limit in all, where there is one.
func (b *bench) effort(name, what string, asked [][]string, limit int) error {
	tables, err := b.tables(name)
	if err != nil {
		return err
	}
	var files, bytesRead []int
	extra := 0
	for _, words := range asked {
		s, err := b.searched(name, words)
		if err != nil {
			return err
		}
		files, bytesRead = append(files, s.FilesOpened), append(bytesRead, s.BytesRead)
		extra = max(extra, s.FilesOpened-tables-s.Results)
	}
	slices.Sort(bytesRead)
	detail := fmt.Sprintf("(%d tables; %d KiB read, median)", tables, bytesRead[len(bytesRead)/2]>>10)
	if limit > 0 {
		b.atMost("files opened, most, "+what, float64(slices.Max(files)), count, float64(limit), true, detail)
	}
	b.atMost("files opened beyond tables and results, "+what, float64(extra), count, 6, true, detail)
	return nil
}

// A searched is what a search says of itself.
type searched struct {
	Kind        string
	Exact       bool
	Results     int
	FilesOpened int `json:"files_opened"`
	BytesRead   int `json:"bytes_read"`
}

// searched searches a memory for words.
func (b *bench) searched(name string, words []string) (s searched, err error) {
	out, err := pipe(b.ctx, nil, true, b.nav(name, words))
	if err != nil {
		return s, err
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&s); err != nil || s.Kind != "search" || !s.Exact {
		return s, fmt.Errorf("search for %q: no exact search record first: %.200s", words, out)
	}
	return s, nil
}

// tables is how many term tables the trunk names.
func (b *bench) tables(name string) (int, error) {
	data, err := os.ReadFile(filepath.Join(b.memory(name), "ihmt_memory", "root.json"))
	if err != nil {
		return 0, err
	}
	var trunk struct{ Tables []json.RawMessage }
	err = json.Unmarshal(data, &trunk)
	return len(trunk.Tables), err
}

func (b *bench) searchPeak(n int, asked [][]string) error {
	peak, err := b.peakOf(n, asked)
	b.atMost(fmt.Sprintf("peak memory of search, %d", n), peak, mib, 64, true, "")
	return err
}

// peakOf is the most memory that a search takes, in MiB.
func (b *bench) peakOf(n int, asked [][]string) (peak float64, err error) {
	for _, words := range asked {
		wrapped, read := b.peaks(b.nav(fmt.Sprint(n), words))
		if _, err := pipe(b.ctx, nil, false, wrapped...); err != nil {
			return 0, err
		}
		one, err := read()
		if err != nil {
			return 0, err
		}
		peak = max(peak, one)
	}
	return peak, nil
}

// save compares one save to the largest memory with one to the smallest, and
// then searches among what is not in the tree yet.
func (b *bench) save() error {
	small, large := b.sizes[0], b.largest()
	one := func(n int) trial {
		serial := 0
		return trial{run: func(int) error {
			serial++
			text := fmt.Sprintf("Save number %d. %s", serial, b.texts[serial%len(b.texts)])
			_, err := pipe(b.ctx, bytes.NewReader(chunk(fmt.Sprintf("save-%d", serial), text)), false,
				command{argv: []string{b.tool("ihmt-store"), "--path", b.memory(fmt.Sprint(n))}})
			return err
		}}
	}
	took, err := alternate(4*b.runs, true, one(large), one(small))
	if err != nil {
		return err
	}
	b.atMost(fmt.Sprintf("one save at %d / at %d", large, small), over(took[0], took[1]), times, 1.3, !b.quick, both(took[0], took[1]))
	return b.effort(fmt.Sprint(large), fmt.Sprintf("%d and %d saves", large, 4*b.runs+1), queries(b.texts[:large], b.runs, b.seed), 0)
}

// manyDomains searches memories of 300 domains.
func (b *bench) manyDomains() error {
	const many = 300
	for _, n := range b.sizes[1:] {
		b.say("filling a memory of %d notes in %d domains", n, many)
		name := fmt.Sprintf("%d-many", n)
		if err := os.WriteFile(b.input(n, many), documents(b.texts[:n], many), 0o600); err != nil {
			return err
		}
		if err := b.fill(name, n, many, nil); err != nil {
			return err
		}
		if err := b.effort(name, fmt.Sprintf("%d, %d domains, all branches closed", n, many), queries(b.texts[:n], b.runs, b.seed), 30); err != nil {
			return err
		}
		if err := os.RemoveAll(b.memory(name)); err != nil {
			return err
		}
	}
	return nil
}

package project

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// A state is what state.tsv says: the tree as it was read, and the tables.
type state struct {
	dir      string
	analyzer string
	tables   []table // at most two
	folders  []place
	asked    []place
	files    []file // in path order
}

// A table is a term table in force.
type table struct {
	name    string
	bytes   int64
	entries int // dead ones too
}

// A place is something whose stamp shows whether the tree may have changed.
type place struct {
	path string // of a folder slashed and relative to the tree, else native
	stamp
}

// A file is one that the rules take. Where reason says why its content is none
// to index it has no entries.
type file struct {
	path string // slashed, relative to the tree
	stamp
	wanted   bool // the rules take it even where it looks generated
	test     bool // its path is one of test code
	reason   string
	language string
	sum      string // SHA-256, hexadecimal
	lines    int
	table    int // of its entries
	first    int // ordinal of the first
	entries  int
	length   int // of all entries, in words
}

const (
	magic     = "ihmt-project 1"
	stateName = "state.tsv"
)

var errBroken = errors.New("the index is broken")

// encode writes the state as lines of fields with tabs between; the last line
// holds a checksum of all before.
func (s *state) encode() []byte {
	var b []byte
	line := func(kind string, fields ...string) {
		b = append(b, kind...)
		for _, f := range fields {
			b = append(append(b, '\t'), f...)
		}
		b = append(b, '\n')
	}
	line(magic, s.analyzer, quoted(s.dir))
	for _, t := range s.tables {
		line("table", t.name, strconv.FormatInt(t.bytes, 10), strconv.Itoa(t.entries))
	}
	for _, f := range s.folders {
		line("folder", f.stamp.String(), quoted(f.path))
	}
	for _, f := range s.asked {
		line("asked", f.stamp.String(), quoted(f.path))
	}
	for i := range s.files {
		f := &s.files[i]
		if f.reason != "" {
			line("left", f.stamp.String(), f.flags(), quoted(f.reason), quoted(f.path))
			continue
		}
		line("file", f.stamp.String(), f.flags(), f.language, f.sum, strconv.Itoa(f.lines),
			strconv.Itoa(f.table), strconv.Itoa(f.first), strconv.Itoa(f.entries), strconv.Itoa(f.length), quoted(f.path))
	}
	return fmt.Appendf(b, "end\t%08x\n", crc32.ChecksumIEEE(b))
}

func (f *file) flags() string {
	flags := "-"
	if f.wanted {
		flags += "w"
	}
	if f.test {
		flags += "t"
	}
	return flags
}

func (f *file) setFlags(s string) {
	f.wanted, f.test = strings.Contains(s, "w"), strings.Contains(s, "t")
}

func (s stamp) String() string {
	return fmt.Sprintf("%d %d %d %d", s.size, s.mtime, s.ctime, s.inode)
}

// quoted is a path that fits into a line.
func quoted(s string) string {
	if strings.HasPrefix(s, `"`) || !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0 {
		return strconv.Quote(s)
	}
	return s
}

func unquoted(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		return strconv.Unquote(s)
	}
	return s, nil
}

// load reads the state of an index; none where there is no index that can be
// used.
func (p *Project) load() *state {
	f, err := os.Open(filepath.Join(p.index, stateName))
	if err != nil {
		return nil
	}
	defer f.Close()
	body, err := readBody(f)
	if err != nil {
		return nil
	}
	s, err := parseState(body)
	if err != nil || s.dir != p.dir || s.analyzer != p.analyzer.Name() {
		return nil
	}
	return s
}

// readBody reads all lines but the last, which holds their checksum.
func readBody(f *os.File) (string, error) {
	const endWidth = int64(len("end\t01234567\n"))
	info, err := f.Stat()
	if err != nil || info.Size() < endWidth {
		return "", errBroken
	}
	var body strings.Builder
	body.Grow(int(info.Size() - endWidth))
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(io.MultiWriter(&body, sum), f, info.Size()-endWidth); err != nil {
		return "", err
	}
	end, err := io.ReadAll(f)
	if err != nil || string(end) != fmt.Sprintf("end\t%08x\n", sum.Sum32()) {
		return "", errBroken
	}
	return body.String(), nil
}

// parseState is the inverse of encode, but for the last line.
func parseState(rest string) (*state, error) {
	s := &state{files: make([]file, 0, strings.Count(rest, "\n"))}
	for n := 0; rest != ""; n++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		f := fields{rest: line}
		kind := f.next()
		if (kind == magic) != (n == 0) {
			return nil, errBroken
		}
		switch kind {
		case magic:
			s.analyzer, s.dir = f.next(), f.path()
		case "table":
			s.tables = append(s.tables, table{f.next(), int64(f.number()), f.number()})
		case "folder":
			s.folders = append(s.folders, place{stamp: f.stamp(), path: f.path()})
		case "asked":
			s.asked = append(s.asked, place{stamp: f.stamp(), path: f.path()})
		case "left":
			left := file{stamp: f.stamp()}
			left.setFlags(f.next())
			left.reason, left.path = f.path(), f.path()
			s.files = append(s.files, left)
		case "file":
			taken := file{stamp: f.stamp()}
			taken.setFlags(f.next())
			taken.language, taken.sum, taken.lines = f.next(), f.next(), f.number()
			taken.table, taken.first, taken.entries, taken.length = f.number(), f.number(), f.number(), f.number()
			taken.path = f.path()
			s.files = append(s.files, taken)
		default:
			return nil, errBroken
		}
		if f.failed {
			return nil, errBroken
		}
	}
	return s, s.check()
}

// check tells whether what the state says can be true.
func (s *state) check() error {
	if s.dir == "" || len(s.tables) > 2 {
		return errBroken
	}
	for _, t := range s.tables {
		if filepath.Base(t.name) != t.name || !strings.HasSuffix(t.name, tableSuffix) {
			return errBroken
		}
	}
	for i := range s.files {
		f := &s.files[i]
		if !filepath.IsLocal(filepath.FromSlash(f.path)) || i > 0 && f.path <= s.files[i-1].path {
			return errBroken
		}
		if f.entries > 0 && (f.table >= len(s.tables) || f.first > s.tables[f.table].entries-f.entries) {
			return errBroken
		}
	}
	return nil
}

// fields takes a line apart. What it cannot read makes it fail.
type fields struct {
	rest   string
	failed bool
}

func (f *fields) next() string {
	var field string
	field, f.rest, _ = strings.Cut(f.rest, "\t")
	return field
}

// number reads a count, which is never negative.
func (f *fields) number() int {
	n, err := strconv.ParseUint(f.next(), 10, 31)
	f.failed = f.failed || err != nil
	return int(n)
}

func (f *fields) path() string {
	path, err := unquoted(f.next())
	f.failed = f.failed || err != nil || path == ""
	return path
}

func (f *fields) stamp() (s stamp) {
	rest := f.next()
	for _, to := range []*int64{&s.size, &s.mtime, &s.ctime} {
		var number string
		number, rest, _ = strings.Cut(rest, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		f.failed = f.failed || err != nil
		*to = n
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	f.failed = f.failed || err != nil
	s.inode = n
	return s
}

// current tells whether everything that the state notes is as it was.
func (p *Project) current(s *state) bool {
	tree, err := newStatter(p.dir)
	if err != nil {
		return false
	}
	defer tree.close()
	var changed atomic.Bool
	parallel(len(s.folders)+len(s.asked)+len(s.files), 64, func() func(int) {
		return func(i int) {
			if !changed.Load() && !s.unchanged(tree, i) {
				changed.Store(true)
			}
		}
	})
	return !changed.Load()
}

// unchanged compares the i-th thing that the state notes.
func (s *state) unchanged(tree statter, i int) bool {
	if i < len(s.folders) {
		return s.folders[i].stamp == tree.at(s.folders[i].path)
	}
	if i -= len(s.folders); i < len(s.asked) {
		return s.asked[i].stamp == askedStamp(s.asked[i].path)
	}
	f := &s.files[i-len(s.asked)]
	return f.stamp == tree.at(f.path)
}

// parallel does 0 to n-1 on all processors, in portions, each with what worker
// returns.
func parallel(n, portion int, worker func() func(i int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+portion-1)/portion) {
		running.Go(func() {
			do := worker()
			for {
				end := int(next.Add(int64(portion)))
				if end-portion >= n {
					return
				}
				for i := end - portion; i < min(end, n); i++ {
					do(i)
				}
			}
		})
	}
	running.Wait()
}

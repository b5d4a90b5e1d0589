package project

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gofrs/flock"
	atomicfile "github.com/natefinch/atomic"

	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/terms"
)

// A Report says what an index holds, and what was done to bring it up to date.
type Report struct {
	Files   int // indexed
	Symbols int // entries, blocks of text too
	Left    int // files whose content is none to index
	Changed int // files read because they are new or differ
	Removed int // files that are gone
}

// Sync brings the index up to date.
func (p *Project) Sync(ctx context.Context) (Report, error) {
	_, report, err := p.sync(ctx)
	return report, err
}

func (p *Project) sync(ctx context.Context) (*state, Report, error) {
	if s := p.load(); s != nil && p.current(s) {
		return s, s.report(), nil
	}
	unlock, err := p.lock(ctx)
	if err != nil {
		return nil, Report{}, err
	}
	defer unlock()
	old := p.load()
	if old != nil && p.current(old) { // another process has done it
		return old, old.report(), nil
	}
	s, report, err := p.update(ctx, old)
	if errors.Is(err, errBroken) {
		return p.update(ctx, nil)
	}
	return s, report, err
}

func (s *state) report() Report {
	var r Report
	for i := range s.files {
		if s.files[i].reason != "" {
			r.Left++
			continue
		}
		r.Files++
		r.Symbols += s.files[i].entries
	}
	return r
}

// How long to wait for another process: a word after a second, an error after
// this.
const lockTimeout = 5 * time.Minute

// lock keeps other writers of the index out.
func (p *Project) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(p.index, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the index: %w; choose another with %s", err, HomeEnv)
	}
	l := flock.New(filepath.Join(p.index, "lock"), flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	told := time.AfterFunc(time.Second, func() {
		if p.Notify != nil {
			p.Notify("waiting for another process that reads " + p.dir)
		}
	})
	defer told.Stop()
	if _, err := l.TryLockContext(waiting, 5*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("cannot lock the index in %s: %w; is another process stuck?", p.index, err)
	}
	return func() { l.Unlock() }, nil
}

// update walks the tree, reads what differs from the old state, which may be
// nil, and puts a new state in force. The caller holds the lock.
func (p *Project) update(ctx context.Context, old *state) (*state, Report, error) {
	if old == nil {
		old = &state{}
	}
	u := &update{Project: p, old: old, trusted: time.Now().Add(-p.settling),
		next: &state{dir: p.dir, analyzer: p.analyzer.Name(), tables: old.tables}}
	for _, step := range []func(context.Context) error{u.walk, u.read, u.tables, u.commit} {
		if err := step(ctx); err != nil {
			return nil, Report{}, err
		}
	}
	r := u.next.report()
	r.Changed, r.Removed = len(u.changed), u.removed
	return u.next, r, nil
}

// An update makes one state of another.
type update struct {
	*Project
	old, next *state
	trusted   time.Time        // what changed before it shows
	known     map[string]*file // of the old state

	changed []int // files of next that have to be read
	removed int
	found   map[int]*finding // of files whose content is new
}

// A finding is what a file holds that is new.
type finding struct {
	part
	entries []terms.Leaf
}

// walk lists the tree and takes over what has not changed.
func (u *update) walk(ctx context.Context) error {
	u.known = make(map[string]*file, len(u.old.files))
	for i := range u.old.files {
		u.known[u.old.files[i].path] = &u.old.files[i]
	}
	met := 0
	err := detect.Walk(u.dir, detect.Tree{
		Folder: u.folder,
		Asked:  u.asked,
		Skip:   func(string, string, bool) error { return ctx.Err() },
		File: func(path string, info fs.FileInfo, wanted bool) error {
			rel, err := filepath.Rel(u.dir, path)
			if err != nil || !utf8.ValidString(rel) || strings.IndexFunc(rel, unicode.IsControl) >= 0 {
				return nil // a name that no answer could print
			}
			f := file{path: filepath.ToSlash(rel), stamp: stampOf(info), wanted: wanted}
			f.test = nav.IsTest(f.path)
			known := u.known[f.path]
			if known != nil {
				met++
			}
			if known != nil && known.stamp == f.stamp && known.wanted == wanted {
				f = *known
			} else {
				u.changed = append(u.changed, len(u.next.files))
			}
			u.next.files = append(u.next.files, f)
			return ctx.Err()
		},
	})
	u.removed = len(u.known) - met
	return err
}

func (u *update) folder(path string) {
	rel, err := filepath.Rel(u.dir, path)
	if err != nil {
		return
	}
	s := absent
	if info, err := os.Lstat(path); err == nil {
		s = stampOf(info).settled(u.trusted)
	}
	u.next.folders = append(u.next.folders, place{filepath.ToSlash(rel), s})
}

// asked notes what the rules depend on. What is not there, in a folder that is
// noted itself, need not be.
func (u *update) asked(path string) {
	s := askedStamp(path)
	if s == absent && (filepath.Dir(path) == u.dir || strings.HasPrefix(path, u.dir+string(filepath.Separator))) {
		return
	}
	if s != absent && s != folder {
		s = s.settled(u.trusted)
	}
	u.next.asked = append(u.next.asked, place{path, s})
}

// read reads what differs and makes entries of what is new. Neighbours, which
// share their words, go to one indexer.
func (u *update) read(ctx context.Context) error {
	u.found = make(map[int]*finding, len(u.changed))
	var mu sync.Mutex
	done := 0
	parallel(len(u.changed), 16, func() func(int) {
		x := newIndexer(u.analyzer, len(u.changed))
		return func(i int) {
			if ctx.Err() != nil {
				return
			}
			found := u.take(u.changed[i], x)
			mu.Lock()
			defer mu.Unlock()
			if found != nil {
				u.found[u.changed[i]] = found
			}
			if done++; u.Progress != nil {
				u.Progress(done, len(u.changed))
			}
		}
	})
	return ctx.Err()
}

// take reads a file and returns what is new in it.
func (u *update) take(n int, x *indexer) *finding {
	f := &u.next.files[n]
	known := u.known[f.path]
	c, err := read(u.path(f.path))
	f.stamp = c.stamp.settled(u.trusted)
	if err != nil {
		if f.reason = err.Error(); c.stamp.ctime == 0 {
			f.stamp = untrusted // a permission granted would not show
		}
		return nil
	}
	if known != nil && known.reason == "" && known.sum == c.sum && known.wanted == f.wanted {
		stamp := f.stamp
		*f = *known
		f.stamp = stamp
		return nil
	}
	if !f.wanted {
		if f.reason = detect.Opaque(path.Base(f.path), c.text); f.reason != "" {
			return nil
		}
	}
	guess := detect.ClassifyByName(path.Base(f.path), c.text)
	f.language, f.sum = guess.Language, c.sum
	x.found = x.found[:0]
	found := &finding{}
	words := pathWords(f.path)
	for i, e := range entriesOf(guess.DataType, guess.Domain, guess.Language, c.text) {
		length := x.add(i, &e, c.text, words)
		f.length += length
		found.entries = append(found.entries, terms.Leaf{ID: e.id(), Length: length})
	}
	found.part = part{indexer: x, found: slices.Clone(x.found)}
	f.lines = strings.Count(strings.TrimSuffix(c.text, "\n"), "\n") + 1
	f.entries = len(found.entries)
	return found
}

// mergeAt is the share of entries from which the second table joins the first.
const mergeAt = 8

// tables writes the entries that are new into a table: into the second, or,
// where that becomes large, with all others into a new first one.
func (u *update) tables(context.Context) error {
	run, fresh := u.run()
	live := make([]int, 2)
	for i := range u.next.files {
		if f := &u.next.files[i]; f.entries > 0 && u.found[i] == nil {
			live[f.table] += f.entries
		}
	}
	whole := len(u.old.tables) > 0 && live[0] >= u.old.tables[0].entries/2
	switch {
	case fresh == 0 && whole:
		return nil
	case whole && fresh+live[1] <= live[0]/mergeAt:
		return u.merge(run, 1)
	}
	return u.merge(run, 0)
}

// run holds the new entries. Their files are given ordinals in it.
func (u *update) run() (run *terms.Run, entries int) {
	var parts []part
	var leaves []terms.Leaf
	for _, n := range u.changed {
		if found := u.found[n]; found != nil {
			found.first, u.next.files[n].first = len(leaves), len(leaves)
			parts = append(parts, found.part)
			leaves = append(leaves, found.entries...)
		}
	}
	return runOf(parts, leaves), len(leaves)
}

// merge writes the new entries and those of the tables from the given one on
// into a new table in its place.
func (u *update) merge(run *terms.Run, from int) error {
	inputs := []terms.Input{run}
	for _, t := range u.old.tables[min(from, len(u.old.tables)):] {
		f, err := os.Open(filepath.Join(u.index, t.name))
		if err != nil {
			return fmt.Errorf("%w: %v", errBroken, err)
		}
		defer f.Close()
		table, err := terms.Open(f, t.bytes)
		if err != nil || table.Len() != t.entries {
			return fmt.Errorf("%w: %v", errBroken, err)
		}
		inputs = append(inputs, table)
	}
	var layout terms.Layout
	for i := range u.next.files {
		f := &u.next.files[i]
		input := 0
		if u.found[i] == nil {
			input = 1 + f.table - from
		}
		if f.entries == 0 || input < 0 || input == 0 && u.found[i] == nil {
			continue
		}
		at := len(layout.Leaves)
		for n := range f.entries {
			layout.Leaves = append(layout.Leaves, terms.Entry{Input: input, Ordinal: f.first + n})
		}
		f.table, f.first = from, at
	}
	u.next.tables = slices.Clone(u.old.tables[:min(from, len(u.old.tables))])
	if len(layout.Leaves) == 0 {
		return nil
	}
	layout.L1 = []terms.Group{{Size: len(layout.Leaves)}}
	layout.L2 = []terms.Group{{Size: 1}}
	t := table{name: fmt.Sprintf("%x%s", time.Now().UnixNano(), tableSuffix), entries: len(layout.Leaves)}
	var err error
	if t.bytes, err = u.write(t.name, inputs, layout); err != nil {
		return err
	}
	u.next.tables = append(u.next.tables, t)
	return nil
}

const tableSuffix = ".terms"

func (u *update) write(name string, inputs []terms.Input, layout terms.Layout) (size int64, err error) {
	f, err := os.OpenFile(filepath.Join(u.index, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := terms.Merge(w, u.analyzer.Name(), inputs, layout); err != nil {
		return 0, fmt.Errorf("%w: %v", errBroken, err)
	}
	if err := cmp.Or(w.Flush(), f.Sync()); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// commit puts the new state in force and drops the tables that it does not
// name.
func (u *update) commit(context.Context) error {
	data := u.next.encode()
	if len(u.old.dir) > 0 && bytes.Equal(data, u.old.encode()) {
		return nil
	}
	if err := atomicfile.WriteFile(filepath.Join(u.index, stateName), bytes.NewReader(data)); err != nil {
		return fmt.Errorf("cannot write the index in %s: %w", u.index, err)
	}
	entries, err := os.ReadDir(u.index)
	if err != nil {
		return err
	}
	for _, e := range entries {
		named := slices.ContainsFunc(u.next.tables, func(t table) bool { return t.name == e.Name() })
		if !named && (strings.HasSuffix(e.Name(), tableSuffix) || strings.HasPrefix(e.Name(), stateName) && e.Name() != stateName) {
			os.Remove(filepath.Join(u.index, e.Name())) // where somebody still reads it, the next one does
		}
	}
	return nil
}

// A content is what a file holds.
type content struct {
	stamp stamp // from before it was read
	sum   string
	text  string
}

// maxFile is the size in bytes of the largest file that is read: nobody writes
// larger ones.
const maxFile = 2 << 20

var errMoved = errors.New("cannot be read: it changes")

// read reads a regular file that no symbolic link leads to. The errors are
// reasons for people.
func read(path string) (c content, err error) {
	before, err := os.Lstat(path)
	if err != nil || !before.Mode().IsRegular() {
		return c, errMoved
	}
	c.stamp = stampOf(before)
	switch {
	case before.Size() == 0:
		return c, errors.New("empty")
	case before.Size() > maxFile:
		return c, fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return c, errors.New("cannot be read")
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(before, opened) {
		c.stamp = untrusted
		return c, errMoved
	}
	return c.fill(f, before.Size())
}

// fill takes the text from a file of the given size.
func (c content) fill(f io.Reader, size int64) (content, error) {
	data := make([]byte, size+1) // one more, to see whether it grew
	n, err := io.ReadFull(f, data)
	if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) || int64(n) != size {
		c.stamp = untrusted
		return c, errMoved
	}
	sum := sha256.Sum256(data[:n])
	c.sum = hex.EncodeToString(sum[:])
	if c.text, _, err = detect.Decode(data[:n]); err == nil && c.text == "" {
		err = errors.New("empty")
	}
	return c, err
}

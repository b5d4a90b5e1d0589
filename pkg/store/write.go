package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/terms"
)

// What became of a chunk.
const (
	StatusStored    = "stored"    // a new leaf, or an old one with a new date
	StatusUnchanged = "unchanged" // this very leaf is there, current and of the same day
	StatusReplaced  = "replaced"  // a new leaf that replaces another
)

// An Item is one thing to commit: a chunk, or the end of a document.
type Item struct {
	Chunk record.Chunk
	Other map[string]json.RawMessage // fields of the chunk that record.Chunk does not name
	End   *record.DocumentEnd        // set: the chunk is not
}

// An Outcome says what became of an item.
type Outcome struct {
	record.Leaf
	Retired int    // of a document's end: leaves of the earlier version
	Warning string // why an earlier version was kept
}

// A Writer stores chunks. It is not safe for concurrent use, but any number
// of writers may work on one memory.
type Writer struct {
	s    *Store
	snap *Snapshot
	seen map[string]map[string]bool // leaf ids by source, since its last document end
}

// NewWriter returns a writer. Close it.
func (s *Store) NewWriter() (*Writer, error) {
	snap, err := s.Snapshot()
	return &Writer{s: s, snap: snap, seen: map[string]map[string]bool{}}, err
}

// Close releases the writer; everything committed is on the disk already.
func (w *Writer) Close() {
	if w.snap != nil {
		w.snap.Close()
	}
}

// Complete gives a chunk what it lacks to be stored, or says what is wrong
// with it.
func Complete(c *record.Chunk) error {
	if c.Domain == "" {
		c.Domain = "general"
	}
	if c.DataType == "" {
		c.DataType = record.TypeGeneric
	}
	if c.Timestamp == "" {
		c.Timestamp = now().Format("2006-01-02T15:04:05Z07:00")
	}
	if err := CheckDomain(c.Domain); err != nil {
		return err
	}
	if err := CheckTimestamp(c.Timestamp); err != nil {
		return err
	}
	switch {
	case c.Content == "":
		return errors.New("the chunk has no content")
	case c.Position < 0:
		return fmt.Errorf("position %d is negative", c.Position)
	case len(c.Content) > maxLeaf/2:
		return fmt.Errorf("the content is larger than %d MiB", maxLeaf>>21)
	}
	if c.Source == "" {
		c.Source = "text:" + Checksum(c.Timestamp[:10] + "\n" + c.Content)[7:17]
	}
	return nil
}

// A planned leaf is what Commit is about to write.
type planned struct {
	leaf  *Leaf
	entry Entry
}

// Commit stores items and returns, in their order, what became of them. When
// it returns without an error everything is on the disk; with one, nothing
// of it counts and it can be tried again. The chunks must be complete.
func (w *Writer) Commit(items []Item) ([]Outcome, error) {
	prepared := w.prepare(items)
	unlock, err := w.s.lock("write")
	if err != nil {
		return nil, err
	}
	outcomes, err := w.commitLocked(items, prepared)
	unlock()
	if err == nil && len(items) <= similarBatch {
		w.tellSimilar(prepared, outcomes)
	}
	return outcomes, err
}

func (w *Writer) commitLocked(items []Item, prepared []planned) (outcomes []Outcome, err error) {
	err = w.locked(func() error {
		var leaves []*Leaf
		for _, p := range prepared {
			if p.leaf != nil {
				leaves = append(leaves, p.leaf)
			}
		}
		w.trustFolders(leaves)
		outcomes, err = w.commit(items, prepared)
		return err
	})
	return outcomes, err
}

// locked brings the writer's snapshot up to date, and gives it up where what
// do planned did not come about.
func (w *Writer) locked(do func() error) (err error) {
	if w.snap == nil {
		w.snap, err = w.s.Snapshot()
	} else {
		w.snap, err = w.snap.refresh()
	}
	if err != nil {
		w.snap = nil
		return err
	}
	if err = do(); err != nil { // what was planned is in the snapshot but not in the memory
		w.snap.Close()
		w.snap = nil
	}
	return err
}

// prepare makes leaves of the chunks and analyses them, on all processors.
func (w *Writer) prepare(items []Item) []planned {
	prepared := make([]planned, len(items))
	each(len(items), runtime.GOMAXPROCS(0), func(i int) error {
		if items[i].End == nil {
			prepared[i] = w.plan(&items[i])
		}
		return nil
	})
	return prepared
}

func (w *Writer) plan(item *Item) planned {
	c := &item.Chunk
	l := newLeaf(c, item.Other)
	l.ID = leafID(c.Domain, c.Source, c.Position, c.Content, 10)
	l.Checksum = Checksum(c.Content)
	l.Extra.Replaces = slices.DeleteFunc(slices.Clone(l.Extra.Replaces), func(id string) bool { return id == l.ID }) // nothing replaces itself
	return planned{leaf: l, entry: w.s.entryOf(l)}
}

// newLeaf is a leaf of a chunk and its other fields, without id, checksum and
// time of saving.
func newLeaf(c *record.Chunk, other map[string]json.RawMessage) *Leaf {
	l := &Leaf{Timestamp: c.Timestamp, DataType: c.DataType, Domain: c.Domain, Tags: slices.Clone(c.Tags), Span: c.Span, Content: c.Content,
		Extra: Extra{Source: c.Source, Title: c.Title, Position: c.Position, Language: c.Language, Author: c.Author, Project: c.Project, Agent: c.Agent,
			Context: c.Context, Tokens: c.Tokens, Oversized: c.Oversized, Replaces: c.Replaces, Fields: other}}
	if l.Tags == nil {
		l.Tags = []string{}
	}
	return l
}

func (w *Writer) commit(items []Item, prepared []planned) ([]Outcome, error) {
	outcomes := make([]Outcome, len(items))
	var writes []*Leaf
	var lines []byte
	for i := range items {
		if end := items[i].End; end != nil {
			retired, err := w.retire(end, &outcomes[i])
			if err != nil {
				return nil, err
			}
			for _, l := range retired {
				e := Entry{Op: opRetire, Leaf: terms.Leaf{ID: l.ID, SavedAt: l.Extra.RetiredAt, Source: l.Extra.Source, Position: l.Extra.Position}}
				writes, lines = append(writes, l), e.append(lines)
				w.snap.apply(e)
			}
			continue
		}
		p := &prepared[i]
		status, err := w.decide(p)
		if err != nil {
			return nil, err
		}
		l := p.leaf
		if status != StatusUnchanged {
			writes, lines = append(writes, l), p.entry.append(lines)
			w.snap.apply(p.entry)
		}
		w.saw(l.Extra.Source, l.ID)
		outcomes[i].Leaf = record.Leaf{LeafID: l.ID, Path: LeafPath(l.ID), Checksum: l.Checksum, SavedAt: l.SavedAt, Status: status}
	}
	return outcomes, w.write(writes, lines)
}

// write stores leaves and then their lines in the journal.
func (w *Writer) write(leaves []*Leaf, lines []byte) error {
	if len(leaves) == 0 { // the lines of what is unchanged may be those of a writer that was killed before it synced them
		return w.s.SyncJournal(w.snap.End)
	}
	writes, err := w.s.writeLeaves(leaves)
	if err == nil {
		w.snap.End, err = w.s.appendJournal(w.snap.End, lines)
	}
	if err != nil {
		w.s.takeBack(writes)
	} else {
		w.s.forget(writes)
	}
	return err
}

// trustFolders spares the leaves of a domain that has some already the making
// of its folder: before a leaf is journalled the name of its folder lasts.
func (w *Writer) trustFolders(leaves []*Leaf) {
	asked := map[string]bool{}
	for _, l := range leaves {
		if asked[l.Domain] {
			continue
		}
		asked[l.Domain] = true
		if folder := path.Dir(LeafPath(l.ID)); !w.s.folders[folder] && w.snap.hasDomain(l.Domain) {
			w.s.trust(folder)
		}
	}
}

func (w *Writer) saw(source, id string) {
	if w.seen[source] == nil {
		w.seen[source] = map[string]bool{}
	}
	w.seen[source][id] = true
}

// decide says whether a leaf is new, and completes it.
func (w *Writer) decide(p *planned) (status string, err error) {
	l := p.leaf
	if err := l.checkHeader(); err != nil {
		return "", err
	}
	if err := w.s.mayReplace(l.Extra.Replaces, l.Timestamp); err != nil {
		return "", err
	}
	there, err := w.distinguish(p)
	if err != nil {
		return "", err
	}
	asked := len(l.Extra.Replaces) > 0
	linked := there != nil && w.keepLinks(p, there)
	for _, ref := range w.snap.BySource(l.Extra.Source) {
		p.entry.Known = p.entry.Known || ref.Table != nil
		if ref.ID != l.ID {
			continue
		}
		if !ref.Retired && terms.Day(ref.Timestamp) == terms.Day(l.Timestamp) && !w.superseded(&ref) && !linked {
			l.SavedAt = ref.SavedAt
			return StatusUnchanged, nil
		}
		p.entry.Again = true
	}
	l.SavedAt = now().Format(savedAtLayout)
	p.entry.SavedAt = l.SavedAt
	if asked {
		return StatusReplaced, nil
	}
	return StatusStored, nil
}

// keepLinks lets a leaf replace what the stored one of its id does too, and
// tells whether that is news to the stored one: the same text may be saved
// again to say what it replaces, and never takes back that it did.
func (w *Writer) keepLinks(p *planned, there *Leaf) (news bool) {
	links := united(there.Extra.Replaces, p.leaf.Extra.Replaces)
	news = len(links) > len(there.Extra.Replaces)
	if len(links) > len(p.leaf.Extra.Replaces) {
		known := p.entry.Known
		p.leaf.Extra.Replaces = links
		p.entry = w.s.entryOf(p.leaf)
		p.entry.Known = known
	} else {
		p.leaf.Extra.Replaces, p.entry.Replaces = links, links
	}
	return news
}

// united are the ids of both lists, sorted, each once.
func united(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// mayReplace says why a leaf of a day cannot replace others: they are not
// there, or of a later day. A leaf of a day to come counts from its saving on.
func (s *Store) mayReplace(ids record.IDs, timestamp string) error {
	for _, id := range ids {
		if !s.has(id) {
			return fmt.Errorf("nothing to replace: %w", s.noLeaf(id))
		}
		old, err := s.Leaf(id)
		if err != nil {
			continue // damaged, and can be replaced
		}
		since := min(terms.Day(old.Timestamp), cmp.Or(terms.Day(old.SavedAt), math.MaxInt))
		if terms.Day(timestamp) < since {
			return fmt.Errorf("dated %.10s, it cannot replace %s, which is of %.10s: a correction holds from its own day on; save it under the day on which it became known, such as today, and name %.10s in its text", timestamp, id, old.Timestamp, timestamp)
		}
	}
	return nil
}

// indexed tells whether a leaf can be found, in the state in which it is.
func (w *Writer) indexed(l *Leaf) bool {
	return slices.ContainsFunc(w.snap.BySource(l.Extra.Source), func(r Ref) bool {
		return r.ID == l.ID && r.SavedAt == l.SavedAt && r.Retired == (l.Extra.RetiredAt != "")
	})
}

// place tells whether tables hold leaves of a leaf's source, and whether one of
// its id is there.
func (w *Writer) place(l *Leaf) (known, again bool) {
	for _, ref := range w.snap.BySource(l.Extra.Source) {
		known = known || ref.Table != nil
		again = again || ref.ID == l.ID
	}
	return known, again
}

// distinguish gives a leaf a longer id where another text has its id. It
// returns the leaf of its id that is there, nil for none.
func (w *Writer) distinguish(p *planned) (*Leaf, error) {
	l := p.leaf
	for digits := 16; digits <= 64; digits += 16 {
		if _, err := w.s.root.Lstat(LeafPath(l.ID)); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		there, err := w.s.Leaf(l.ID)
		if err != nil {
			return nil, nil // a file that cannot be read is damaged: it is written anew
		}
		if there.Checksum == l.Checksum && there.Extra.Source == l.Extra.Source && there.Extra.Position == l.Extra.Position {
			return there, nil
		}
		l.ID = leafID(l.Domain, l.Extra.Source, l.Extra.Position, l.Content, digits)
		p.entry.ID = l.ID
	}
	return nil, fmt.Errorf("no free id for %s", l.ID)
}

// superseded tells whether a leaf that was saved later replaces this one.
func (w *Writer) superseded(ref *Ref) bool {
	return slices.ContainsFunc(w.snap.Replacers(ref.ID), func(r Ref) bool { return !r.Retired && r.SavedAt > ref.SavedAt })
}

// retire returns the leaves of an earlier version of a source that the
// version just closed does not have.
func (w *Writer) retire(end *record.DocumentEnd, outcome *Outcome) ([]*Leaf, error) {
	seen := w.seen[end.Source]
	delete(w.seen, end.Source)
	if len(seen) != end.Chunks || (end.Chunks == 0 && end.Checksum != Checksum("")) {
		return nil, nil // not the whole document came
	}
	var retired []*Leaf
	for _, ref := range w.snap.BySource(end.Source) {
		if ref.Retired || seen[ref.ID] {
			continue
		}
		l, err := w.s.Leaf(ref.ID)
		if err != nil {
			outcome.Warning = err.Error()
			continue
		}
		l.Extra.RetiredAt = now().Format(savedAtLayout)
		retired = append(retired, l)
	}
	outcome.Retired = len(retired)
	return retired, nil
}

// A leafWrite is the file of a leaf that is being written, and what was there:
// under a second name, or where the file system has none, its content.
type leafWrite struct {
	*Leaf
	kept    string
	old     []byte
	written bool
}

// writeLeaves writes the files of leaves and makes them last. The retired ones
// come last, so that a version is not given up before the next one is there.
// What it returns is for takeBack, where it fails or the journal cannot follow,
// else for forget.
func (s *Store) writeLeaves(leaves []*Leaf) (all []*leafWrite, err error) {
	var current, retired []*leafWrite
	for _, l := range leaves {
		w := &leafWrite{Leaf: l}
		if l.Extra.RetiredAt == "" {
			current = append(current, w)
		} else {
			retired = append(retired, w)
		}
		all = append(all, w)
	}
	if err = s.writeAll(current); err == nil {
		err = s.writeAll(retired)
	}
	return all, err
}

// writeAll writes several files at a time, since most of the time goes into
// waiting for the disk.
func (s *Store) writeAll(writes []*leafWrite) error {
	folders := map[string]bool{}
	for _, w := range writes {
		folders[path.Dir(LeafPath(w.ID))] = true
	}
	for folder := range folders {
		if err := s.mkdir(folder); err != nil {
			return err
		}
	}
	err := each(len(writes), 16, func(i int) error {
		w, name := writes[i], LeafPath(writes[i].ID)
		var err error
		if w.kept, err = disk.Keep(s.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.old, _ = s.readFile(name, maxLeaf)
		}
		err = s.writeFile(name, w.format())
		w.written = err == nil
		return err
	})
	for folder := range folders {
		if err == nil {
			err = s.syncFolder(folder)
		}
	}
	return err
}

// takeBack undoes as much of the writing of leaves as was done. First it
// deletes, since that makes room.
func (s *Store) takeBack(writes []*leafWrite) {
	folders := map[string]bool{}
	for _, w := range writes {
		folders[path.Dir(LeafPath(w.ID))] = true
		if w.written && w.kept == "" && w.old == nil {
			s.remove(LeafPath(w.ID))
		}
	}
	for _, w := range writes {
		switch name := LeafPath(w.ID); {
		case w.written && w.kept != "":
			disk.Move(s.root, w.kept, name)
		case w.written && w.old != nil:
			s.writeFile(name, w.old)
		}
	}
	left, _ := s.leftovers(sortedKeys(folders)...) // also where too many files were open to delete them at once
	for _, name := range left {
		s.remove(name)
	}
}

// forget deletes what was kept for takeBack.
func (s *Store) forget(writes []*leafWrite) {
	for _, w := range writes {
		if w.kept != "" {
			s.remove(w.kept)
		}
	}
}

// each calls do for 0 to n-1 with several goroutines and returns the first
// error.
func each(n, workers int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(workers)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

func keys(set map[int]bool) []int {
	list := make([]int, 0, len(set))
	for i := range set {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

// remove deletes a file of the memory; one that is gone is no error.
func (s *Store) remove(name string) error {
	if err := disk.Delete(s.root, name); err != nil {
		return fmt.Errorf("cannot remove %s: %w", s.file(name), cause(err))
	}
	return nil
}

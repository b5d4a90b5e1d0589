package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Erase takes leaves out of the journal, deletes their files and what stopped
// writers left beside them, and leaves tombstones. The caller holds the growth
// lock; commit puts a trunk into force whose tables and branches do not hold
// the leaves. The tombstones come first: whatever happens after them, the
// leaves do not come back.
func (s *Store) Erase(ids []string, commit func() error) error {
	if err := s.buryNow(ids); err != nil {
		return err
	}
	if err := commit(); err != nil {
		return err
	}
	unlock, err := s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	parts, err := s.journalParts()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := s.blankIn(part, ids); err != nil {
			return fmt.Errorf("cannot write %s: %w", s.file(partName(part)), cause(err))
		}
	}
	if err := s.forgetFacts(); err != nil {
		return err
	}
	folders := map[string]bool{"layers/*": true}
	for _, id := range ids {
		folders[path.Dir(LeafPath(id))] = true
	}
	left, err := s.leftovers(sortedKeys(folders)...)
	if err != nil {
		return err
	}
	if err := s.Discard(left...); err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.remove(LeafPath(id)); err != nil {
			return err
		}
		if err := s.syncFolder(path.Dir(LeafPath(id))); err != nil {
			return err
		}
	}
	return nil
}

// Removed tells whether a leaf has a tombstone and no file: a removal that was
// interrupted after that may be repeated.
func (s *Store) Removed(id string) (bool, error) {
	if CheckID(id) != nil {
		return false, nil
	}
	if _, err := s.Leaf(id); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	gone, err := s.tombstones()
	_, removed := gone[id]
	return removed, err
}

// HalfRemoved returns leaves that were removed and whose files are there still:
// their removal was interrupted.
func (s *Store) HalfRemoved() (ids []string, err error) {
	gone, err := s.tombstones()
	if err != nil {
		return nil, err
	}
	for _, id := range sortedKeys(gone) {
		if !s.has(id) {
			continue
		}
		if l, err := s.Leaf(id); err == nil && gone.hold(id, l) { // one that cannot be read is damaged: verify tells
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// buryNow adds tombstones for leaves that have none yet that holds.
func (s *Store) buryNow(ids []string) error {
	unlock, err := s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	gone, err := s.tombstones()
	if err != nil {
		return err
	}
	news := removals{}
	for _, id := range ids {
		if l, err := s.Leaf(id); !gone.hold(id, l) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			news[id] = now().Format(savedAtLayout)
		}
	}
	return s.bury(news)
}

// forgetFacts deletes the timeline, when who is writing it has finished.
func (s *Store) forgetFacts() error {
	unlock, err := s.LockDerived("facts")
	if err != nil {
		return err
	}
	defer unlock()
	left, err := s.leftovers("state")
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(name string) bool { return !strings.HasPrefix(name, "state/facts.jsonl") })
	return s.Discard(append(left, "state/facts.jsonl")...)
}

// blankIn overwrites the lines of leaves in a part of the journal, in place, so
// that no position changes: first their first byte, which is never written in
// part, and once that lasts the rest, which then does not count.
func (s *Store) blankIn(part int, ids []string) error {
	f, err := disk.OpenFile(s.root, partName(part), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return err
	}
	type doomed struct {
		at   int64
		rest []byte // blanks
	}
	var lines []doomed
	offset := int64(0)
	for line := range bytes.Lines(data) {
		if line[0] == erased || slices.Contains(ids, gjson.GetBytes(line, "leaf_id").String()) {
			lines = append(lines, doomed{offset, bytes.Repeat([]byte(" "), len(bytes.TrimSuffix(line, []byte("\n")))-1)})
		}
		offset += int64(len(line))
	}
	for _, l := range lines {
		if err := f.WriteAt([]byte{erased}, l.at); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	for _, l := range lines {
		if err := f.WriteAt(l.rest, l.at+1); err != nil {
			return err
		}
	}
	return f.Sync()
}

// PassOn lets the leaves that replaced some, which are about to be erased,
// replace what those replaced, so that it stays superseded. It returns the
// leaves that nothing else replaced. The caller holds the growth lock.
func (s *Store) PassOn(ids []string) (freed []string, err error) {
	w, err := s.NewWriter()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	unlock, err := s.lock("write")
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = w.locked(func() error {
		for _, id := range ids {
			l, err := s.Leaf(id)
			if err != nil || len(l.Extra.Replaces) == 0 {
				continue
			}
			if err := w.passOn(l); err != nil {
				return err
			}
			freed = united(freed, l.Extra.Replaces)
		}
		freed = slices.DeleteFunc(freed, func(id string) bool {
			return slices.Contains(ids, id) || !s.has(id) || slices.ContainsFunc(w.snap.Replacers(id), func(r Ref) bool { return !r.Retired && !slices.Contains(ids, r.ID) })
		})
		return nil
	})
	return freed, err
}

// passOn hands what a leaf replaces to those that replace it.
func (w *Writer) passOn(l *Leaf) error {
	var heirs []*Leaf
	var lines []byte
	for _, ref := range w.snap.Replacers(l.ID) {
		heir, err := w.s.Leaf(ref.ID)
		if err != nil {
			continue // damaged: verify tells
		}
		heir.Extra.Replaces = united(heir.Extra.Replaces, slices.DeleteFunc(slices.Clone(l.Extra.Replaces), func(id string) bool { return id == heir.ID }))
		heirs, lines = append(heirs, heir), w.journal(lines, heir)
	}
	return w.write(heirs, lines)
}

// journal appends the lines of the journal that say what a leaf is like.
func (w *Writer) journal(lines []byte, l *Leaf) []byte {
	e := w.s.entryOf(l)
	e.Known, e.Again = w.place(l)
	lines = e.append(lines)
	w.snap.apply(e)
	if l.Extra.RetiredAt != "" {
		retire := Entry{Op: opRetire, Leaf: terms.Leaf{ID: l.ID, SavedAt: l.Extra.RetiredAt, Source: l.Extra.Source, Position: l.Extra.Position}}
		lines = retire.append(lines)
		w.snap.apply(retire)
	}
	return lines
}

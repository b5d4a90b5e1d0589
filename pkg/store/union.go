package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/terms"
)

// United says what the union with another memory did.
type United struct {
	Leaves    int      // new here, or in a later state than the one that was here
	Unchanged int      // here already, as they are or in a later state
	Doomed    []string // leaves that the other memory removed: still here, for package summarize to take out
	Notes     []string // what was left alone
}

// OpenOther opens a memory to be read: its own folder, or the one that holds
// it.
func OpenOther(dir string) (*Store, error) {
	s, err := Open(filepath.Join(dir, "ihmt_memory"))
	if errors.Is(err, ErrNoMemory) {
		s, err = Open(dir)
	}
	if err != nil {
		return nil, err
	}
	data, err := s.readFile(trunkName, maxTrunk)
	if format := gjson.GetBytes(data, "format").Int(); err == nil && format > Format {
		s.Close()
		return nil, fmt.Errorf("%s is of format %d, newer than this program's %d: update ihmt", s.file(trunkName), format, Format)
	}
	return s, nil
}

// Unite takes the leaves and tombstones of another memory that this one lacks,
// from its files alone: nothing derived is read. Of two states of a leaf the
// later counts, by when it was saved or retired; of two equally late ones, the
// one whose file comes later in byte order. So the union of memories is the
// same in whatever order it is made. The caller holds the growth lock.
func (s *Store) Unite(other *Store) (united United, err error) {
	theirs, err := other.tombstones()
	if err != nil {
		return united, err
	}
	if err := s.takeTombstones(theirs); err != nil {
		return united, err
	}
	gone, err := s.tombstones()
	if err != nil {
		return united, err
	}
	u := &union{s: s, other: other, gone: gone, out: &united}
	if u.writer, err = s.NewWriter(); err != nil {
		return united, err
	}
	defer u.writer.Close()
	if err := other.leafFiles(u.take); err != nil {
		return united, err
	}
	if err := u.flush(); err != nil {
		return united, err
	}
	for _, id := range sortedKeys(theirs) {
		if !s.has(id) {
			continue
		}
		if l, err := s.Leaf(id); err == nil && gone.hold(id, l) { // not where it was saved again since
			united.Doomed = append(united.Doomed, id)
		}
	}
	return united, nil
}

// takeTombstones adds tombstones that are not here, or not as late.
func (s *Store) takeTombstones(theirs removals) error {
	unlock, err := s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	ours, err := s.tombstones()
	if err != nil {
		return err
	}
	news := removals{}
	for id, at := range theirs {
		if at > ours[id] {
			news[id] = at
		}
	}
	return s.bury(news)
}

type union struct {
	s, other *Store
	gone     removals
	writer   *Writer
	batch    []*Leaf
	size     int
	out      *United
}

func (u *union) skip(name string, why error) {
	u.out.Notes = append(u.out.Notes, fmt.Sprintf("%s: %v; left alone", u.other.file(name), why))
}

// take takes what is in a file among the other memory's leaves.
func (u *union) take(name string) error {
	if !isLeafFile(name) {
		if !leftover(name) {
			u.skip(name, errors.New("is no leaf"))
		}
		return nil
	}
	id := strings.TrimSuffix(path.Base(name), ".txt")
	l, err := u.other.Leaf(id)
	if err == nil {
		err = l.acceptable(id)
	}
	if err != nil {
		u.skip(name, err)
		return nil
	}
	if u.gone.hold(id, l) {
		return nil
	}
	u.batch, u.size = append(u.batch, l), u.size+len(l.Content)
	if len(u.batch) < batchRecords && u.size < batchBytes {
		return nil
	}
	return u.flush()
}

// acceptable says why a leaf of another memory cannot be taken.
func (l *Leaf) acceptable(id string) error {
	switch {
	case l.ID != id || l.Domain != terms.Domain(id):
		return fmt.Errorf("its header names it %s; run ihmt-store rebuild there", l.ID)
	case l.Checksum != Checksum(l.Content):
		return errors.New("its text does not have the checksum of its header; run ihmt-store rebuild there to accept it")
	case l.Extra.Position < 0:
		return fmt.Errorf("position %d is negative", l.Extra.Position)
	}
	for _, at := range []string{l.SavedAt, l.Extra.RetiredAt} {
		if _, err := time.Parse(time.RFC3339, at); err != nil && at != "" {
			return fmt.Errorf("%q is no time", at)
		}
	}
	return CheckTimestamp(l.Timestamp)
}

// flush stores the leaves of the batch that are new, or later than those here.
func (u *union) flush() error {
	if len(u.batch) == 0 {
		return nil
	}
	unlock, err := u.s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	err = u.writer.locked(func() error { return u.store(u.batch) })
	u.batch, u.size = u.batch[:0], 0
	return err
}

func (u *union) store(batch []*Leaf) error {
	u.writer.trustFolders(batch)
	var writes []*Leaf
	var lines []byte
	for _, l := range batch {
		l.ParentID, l.Extra.GrandparentID = nil, nil
		ours, err := u.s.Leaf(l.ID)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil: // ours is damaged
		case ours.Extra.Source != l.Extra.Source || ours.Extra.Position != l.Extra.Position:
			u.skip(LeafPath(l.ID), errors.New("another text has its id here"))
			continue
		case later(ours, l) >= 0 && u.writer.indexed(ours):
			u.out.Unchanged++
			continue
		case later(ours, l) >= 0: // a writer was stopped before it journalled ours
			l = ours
		}
		e := u.s.entryOf(l)
		e.Known, e.Again = u.writer.place(l)
		retire := Entry{Op: opRetire, Leaf: terms.Leaf{ID: l.ID, SavedAt: l.Extra.RetiredAt, Source: l.Extra.Source, Position: l.Extra.Position}}
		lines = e.append(lines)
		u.writer.snap.apply(e)
		if l.Extra.RetiredAt != "" {
			lines = retire.append(lines)
			u.writer.snap.apply(retire)
		}
		writes = append(writes, l)
	}
	u.out.Leaves += len(writes)
	return u.writer.write(writes, lines)
}

// later compares two states of one leaf.
func later(a, b *Leaf) int {
	bare := func(l *Leaf) []byte {
		c := *l
		c.ParentID, c.Extra.GrandparentID = nil, nil
		return c.format()
	}
	return cmp.Or(strings.Compare(max(a.SavedAt, a.Extra.RetiredAt), max(b.SavedAt, b.Extra.RetiredAt)), bytes.Compare(bare(a), bare(b)))
}

package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
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
	if err == nil {
		err = checkFormat(data)
	}
	if errors.Is(err, errNewer) {
		s.Close()
		return nil, fmt.Errorf("%s: %w", s.file(trunkName), err)
	}
	return s, nil
}

// Unite takes the leaves and tombstones of another memory that this one lacks,
// from its files alone: nothing derived is read. Of two states of a leaf the
// later counts, by when it was saved or retired; of two equally late ones, the
// one whose file comes later in byte order. So the union of memories is the
// same in whatever order it is made. What either state replaces, both do. The caller holds the growth lock.
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
	err = s.unite(&union{s: s, gone: gone, out: &united}, func(u *union) error {
		return other.leafFiles(func(name string) error { return u.file(other, name) })
	})
	if err != nil {
		return united, err
	}
	united.Doomed, err = s.HalfRemoved()
	return united, err
}

// UniteRecords is Unite with the leaf records that [Leaf.Record] makes of
// another memory's leaves. Records of other kinds go to pass. A line that is no
// record ends it with a *record.LineError, after what stands before it was
// taken.
func (s *Store) UniteRecords(in *record.Reader, pass func(*record.Record) error) (united United, err error) {
	gone, err := s.tombstones()
	if err != nil {
		return united, err
	}
	err = s.unite(&union{s: s, gone: gone, out: &united}, func(u *union) error { return u.records(in, pass) })
	return united, err
}

// unite stores what take takes, also what it took before it failed.
func (s *Store) unite(u *union, take func(*union) error) (err error) {
	if u.writer, err = s.NewWriter(); err != nil {
		return err
	}
	defer u.writer.Close()
	taken := take(u)
	if err := u.flush(); err != nil {
		return err
	}
	return errors.Join(taken, u.passOn())
}

// passOn lets what replaced leaves that were removed here replace what those
// did there.
func (u *union) passOn() error {
	u.held = slices.DeleteFunc(u.held, func(l *Leaf) bool { return len(l.Extra.Replaces) == 0 })
	if len(u.held) == 0 {
		return nil
	}
	unlock, err := u.s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	return u.writer.locked(func() error {
		for _, l := range u.held {
			if err := u.writer.passOn(l); err != nil {
				return err
			}
		}
		return nil
	})
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
	s      *Store
	gone   removals
	held   []*Leaf // not taken, since they were removed here
	writer *Writer
	batch  []foreign
	size   int
	out    *United
}

// A foreign leaf is one of another memory, and where it was read.
type foreign struct {
	*Leaf
	from string
}

func (u *union) skip(from string, why error) {
	u.out.Notes = append(u.out.Notes, fmt.Sprintf("%s: %v; left alone", from, why))
}

// file takes what is in a file among another memory's leaves.
func (u *union) file(other *Store, name string) error {
	from := other.file(name)
	if !isLeafFile(name) {
		if !leftover(name) {
			u.skip(from, errors.New("is no leaf"))
		}
		return nil
	}
	id := strings.TrimSuffix(path.Base(name), ".txt")
	l, err := other.Leaf(id)
	switch {
	case err != nil:
	case l.ID != id || l.Domain != terms.Domain(id):
		err = fmt.Errorf("its header names it %s; run ihmt-store rebuild there", l.ID)
	case l.Checksum != Checksum(l.Content):
		err = errors.New("its text does not have the checksum of its header; run ihmt-store rebuild there to accept it")
	}
	if err != nil {
		u.skip(from, err)
		return nil
	}
	return u.take(foreign{l, from})
}

// records takes the leaves of a stream of records.
func (u *union) records(in *record.Reader, pass func(*record.Record) error) error {
	for {
		r, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		from := fmt.Sprintf("standard input, line %d", in.Line())
		switch r.Kind() {
		case record.KindLeaf:
			l, err := leafOfRecord(r)
			if err != nil {
				u.skip(from, err)
				continue
			}
			err = u.take(foreign{l, from})
			if err != nil {
				return err
			}
		case record.KindChunk, record.KindDocument:
			u.skip(from, fmt.Errorf("is a %s and no leaf; ihmt-store put stores what is new", r.Kind()))
		default:
			if err := pass(r); err != nil {
				return err
			}
		}
	}
}

// leafOfRecord is the leaf that [Leaf.Record] made a record of.
func leafOfRecord(r *record.Record) (*Leaf, error) {
	var c record.Chunk
	var kept record.Leaf
	if err := r.Decode(&c); err != nil {
		return nil, err
	}
	if err := r.Decode(&kept); err != nil {
		return nil, err
	}
	other := unknownFields(r)
	delete(other, "retired_at")
	l := newLeaf(&c, other)
	l.ID, l.SavedAt, l.Checksum, l.Extra.RetiredAt = kept.LeafID, kept.SavedAt, kept.Checksum, r.Str("retired_at")
	switch err := CheckID(l.ID); {
	case err != nil:
		return nil, err
	case l.Domain != terms.Domain(l.ID):
		return nil, fmt.Errorf("the domain %q is not that of its id %s", l.Domain, l.ID)
	case l.Content == "":
		return nil, errors.New("it has no content; ihmt-store export prints leaves with it")
	case l.Checksum != Checksum(l.Content):
		return nil, errors.New("its content does not have its checksum")
	}
	return l, nil
}

// take adds a leaf to the batch, unless it was removed.
func (u *union) take(l foreign) error {
	if err := l.acceptable(); err != nil {
		u.skip(l.from, err)
		return nil
	}
	if u.gone.hold(l.ID, l.Leaf) {
		u.held = append(u.held, l.Leaf)
		return nil
	}
	if slices.ContainsFunc(u.batch, func(o foreign) bool { return o.ID == l.ID }) {
		if err := u.flush(); err != nil { // another state of it
			return err
		}
	}
	u.batch, u.size = append(u.batch, l), u.size+len(l.Content)
	if len(u.batch) < batchRecords && u.size < batchBytes {
		return nil
	}
	return u.flush()
}

// acceptable says why a leaf of another memory cannot be taken.
func (l *Leaf) acceptable() error {
	if l.Extra.Position < 0 {
		return fmt.Errorf("position %d is negative", l.Extra.Position)
	}
	if err := l.checkHeader(); err != nil {
		return err
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

func (u *union) store(batch []foreign) error {
	leaves := make([]*Leaf, len(batch))
	for i := range batch {
		leaves[i] = batch[i].Leaf
	}
	u.writer.trustFolders(leaves)
	var writes []*Leaf
	var lines []byte
	for i, l := range leaves {
		l.ParentID, l.Extra.GrandparentID = nil, nil
		ours, err := u.s.Leaf(l.ID)
		links := l.Extra.Replaces
		if err == nil {
			links = united(ours.Extra.Replaces, links)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil: // ours is damaged
		case ours.Extra.Source != l.Extra.Source || ours.Extra.Position != l.Extra.Position:
			u.skip(batch[i].from, errors.New("another text has its id here"))
			continue
		case later(ours, l) >= 0 && u.writer.indexed(ours) && len(links) == len(ours.Extra.Replaces):
			u.out.Unchanged++
			continue
		case later(ours, l) >= 0: // a writer was stopped before it journalled ours, or theirs replaces more
			l = ours
		}
		l.Extra.Replaces = links
		lines = u.writer.journal(lines, l)
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

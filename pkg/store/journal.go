package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/terms"
)

// What a journal line says of a leaf.
const (
	opStore  = "store"  // it was stored, or stored anew with another date
	opRetire = "retire" // a later version of its source does not have it
	opRemove = "remove" // its text is gone: in journals of earlier versions
	opGrown  = "grown"  // of no leaf: heads a part of which only the short lines were kept
)

// An Entry is one line of the journal. A stored leaf's line carries what
// ranking needs, so that it is found before the tree has grown over it.
type Entry struct {
	Op string
	terms.Leaf
	Checksum string
	Replaces record.IDs
	Known    bool   // its source has leaves in tables: see terms.Layout.Shared
	Again    bool   // a leaf of this id was stored before
	Terms    string // as terms.NewRun reads them

	// Of a short text that is no code, itself and its author, so that who
	// reads what it says need not open the leaf.
	Content string
	Author  string
}

// maxQuoted is the length in bytes of the longest text that the journal holds.
const maxQuoted = 2 << 10

// entryOf is the line of the journal that says that a leaf was stored.
func (s *Store) entryOf(l *Leaf) Entry {
	e := Entry{Op: opStore, Checksum: l.Checksum, Replaces: l.Extra.Replaces}
	e.Leaf, e.Terms = l.index(s.Analyzer)
	if len(l.Content) <= maxQuoted && l.DataType != record.TypeCode && utf8.ValidString(l.Content) {
		e.Content, e.Author = l.Content, l.Extra.Author
	}
	return e
}

type entryLine struct {
	Op        string     `json:"op"`
	ID        string     `json:"leaf_id,omitempty"`
	Timestamp string     `json:"timestamp,omitempty"`
	SavedAt   string     `json:"saved_at,omitempty"`
	Source    string     `json:"source,omitempty"`
	Position  int        `json:"position"`
	Length    int        `json:"length,omitempty"`
	Flags     string     `json:"flags,omitempty"`
	Checksum  string     `json:"checksum,omitempty"`
	Replaces  record.IDs `json:"replaces,omitempty"`
	Known     bool       `json:"known,omitempty"`
	Again     bool       `json:"again,omitempty"`
	Terms     string     `json:"terms,omitempty"`
	Author    string     `json:"author,omitempty"`
	Content   string     `json:"content,omitempty"`
}

// partSize is the size in bytes from which the journal goes on in a new part.
const partSize = 64 << 20

func partName(part int) string { return fmt.Sprintf("state/journal/%06d.jsonl", part) }

// append writes the entry as a line.
func (e *Entry) append(dst []byte) []byte {
	flags := ""
	for _, f := range []struct {
		set  bool
		mark string
	}{{e.Question, "q"}, {e.Temporal, "t"}} {
		if f.set {
			flags += f.mark
		}
	}
	line := record.New("", entryLine{Op: e.Op, ID: e.ID, Timestamp: e.Timestamp, SavedAt: e.SavedAt, Source: e.Source, Position: e.Position,
		Length: e.Length, Flags: flags, Checksum: e.Checksum, Replaces: e.Replaces, Known: e.Known, Again: e.Again, Terms: e.Terms,
		Author: e.Author, Content: e.Content})
	return append(line.Derive("journal").Append(dst), '\n')
}

// parseEntry reads a line; the entry does not refer to it.
func parseEntry(line []byte) (Entry, error) {
	var e Entry
	kind, wrong := "", error(nil)
	if record.TooDeep(line) || !gjson.ValidBytes(line) {
		return e, errors.New("not a JSON object")
	}
	gjson.ParseBytes(line).ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "kind":
			kind = v.String()
		case "op":
			e.Op = v.String()
		case "leaf_id":
			e.ID = v.String()
		case "timestamp":
			e.Timestamp = v.String()
		case "saved_at":
			e.SavedAt = v.String()
		case "source":
			e.Source = v.String()
		case "position":
			e.Position = int(v.Int())
		case "length":
			e.Length = int(v.Int())
		case "flags":
			e.Question, e.Temporal = strings.Contains(v.Str, "q"), strings.Contains(v.Str, "t")
		case "checksum":
			e.Checksum = v.String()
		case "replaces":
			wrong = json.Unmarshal([]byte(v.Raw), &e.Replaces)
		case "known":
			e.Known = v.Bool()
		case "again":
			e.Again = v.Bool()
		case "terms":
			e.Terms = v.String()
		case "author":
			e.Author = v.String()
		case "content":
			e.Content = v.String()
		}
		return true
	})
	switch {
	case wrong != nil:
		return e, wrong
	case kind != "journal":
		return e, fmt.Errorf("kind %q", kind)
	case !slices.Contains([]string{opStore, opRetire, opRemove, opGrown}, e.Op):
		return e, fmt.Errorf("op %q", e.Op)
	case e.Length < 0 || e.Position < 0:
		return e, errors.New("a negative number")
	case e.Op == opGrown:
		return e, nil
	}
	return e, CheckID(e.ID)
}

// readJournal calls do for each whole line from a position on, and returns
// the position after the last one. A torn last line is left for the next
// writer to cut. Parts before the first that exists count as read: a rebuild
// starts a new journal in a part of its own.
func (s *Store) readJournal(from Position, do func(Entry) error) (Position, error) {
	if from.Offset == 0 {
		part, err := s.inForce(from.Part)
		if err != nil {
			return from, err
		}
		from.Part = part
	}
	end, err := s.readParts(from, do)
	if err != nil && end.Offset == 0 {
		if _, missing := s.root.Stat(partName(end.Part)); errors.Is(missing, fs.ErrNotExist) {
			return end, nil
		}
	}
	return end, err
}

// readTail is readJournal from where a trunk says that the journal goes on. It
// fails with [fs.ErrNotExist] where a rebuild has deleted that part meanwhile.
func (s *Store) readTail(t *Trunk, do func(Entry) error) (Position, error) {
	if t.raw == nil {
		return s.readJournal(t.Journal, do)
	}
	return s.readParts(t.Journal, do)
}

// readParts reads from a part on for as long as the next one exists. With an
// error, it returns where the part begins that could not be read.
func (s *Store) readParts(from Position, do func(Entry) error) (Position, error) {
	for {
		end, err := s.readPart(from, do)
		if err != nil {
			return from, err
		}
		next := Position{Part: from.Part + 1}
		if _, err := s.root.Lstat(partName(next.Part)); err != nil {
			return end, nil
		}
		from = next
	}
}

// inForce returns a part, or in its stead the first one of the journal in force
// where it is none of it: a rebuild begins the journal anew, leaving out a
// part, and a power cut may bring back some of the old ones.
func (s *Store) inForce(part int) (int, error) {
	if part > 1 && s.leadsOn(part) {
		return part, nil
	}
	parts, err := s.journalParts()
	if err != nil || len(parts) == 0 {
		return part, err
	}
	if last := len(parts) - 1; parts[last]-parts[0] == last { // none is left out
		return max(part, parts[0]), nil
	}
	trunk, err := s.trunk(false)
	if err != nil {
		return part, err
	}
	first := trunk.Journal.Part
	for slices.Contains(parts, first-1) {
		first--
	}
	if part < first {
		return first, nil
	}
	return part, nil
}

func (s *Store) readPart(from Position, do func(Entry) error) (Position, error) {
	if info, err := s.root.Lstat(partName(from.Part)); err == nil && info.Mode().IsRegular() && info.Size() == from.Offset {
		return from, nil
	}
	f, err := s.open(partName(from.Part), os.O_RDONLY)
	if err != nil {
		return from, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return from, err
	}
	if !info.Mode().IsRegular() {
		return from, fmt.Errorf("%s is not a plain file; move it away and run ihmt-store rebuild", s.file(partName(from.Part)))
	}
	s.filesOpened++
	if length, shortened := grownLength(f); shortened && from.Offset > 0 {
		if from.Offset >= length {
			return from, nil
		}
		from.Offset = 0
	}
	size := info.Size() - from.Offset
	if size < 0 {
		return from, fmt.Errorf("%s is shorter than root.json says; run ihmt-store rebuild", s.file(partName(from.Part)))
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, from.Offset); err != nil && err != io.EOF {
		return from, err
	} else {
		data = data[:n]
	}
	s.bytesRead += int64(len(data))
	for {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return from, nil
		}
		if counts(line) {
			e, err := parseEntry(line)
			if err != nil && s.torn(line, from) {
				return from, nil
			}
			if err != nil {
				return from, fmt.Errorf("%s, byte %d: %w; run ihmt-store rebuild", s.file(partName(from.Part)), from.Offset, err)
			}
			if err := do(e); err != nil {
				return from, err
			}
		}
		from.Offset += int64(len(line)) + 1
		data = rest
	}
}

// torn tells whether a line is one of which a power cut left only parts: then
// there are NULs between them, and nothing behind the line was acknowledged,
// nor is it of what the tree holds, which was synced.
func (s *Store) torn(line []byte, at Position) bool {
	if _, err := s.root.Lstat(partName(at.Part + 1)); err == nil || bytes.IndexByte(line, 0) < 0 {
		return false
	}
	trunk, err := s.trunk(false)
	return err == nil && (at.Part > trunk.Journal.Part || at.Part == trunk.Journal.Part && at.Offset >= trunk.Journal.Offset)
}

// appendJournal writes lines at the end of the journal and makes them last.
// The caller holds the write lock and has read the journal up to end.
func (s *Store) appendJournal(end Position, lines []byte) (Position, error) {
	if end.Offset >= partSize {
		if err := s.SyncJournal(end); err != nil {
			return end, err
		}
		end = Position{Part: end.Part + 1}
		s.drop(end.Part + 1) // parts of a rebuild that was stopped
	}
	if err := s.extend(partName(end.Part), end.Offset, lines); err != nil {
		return end, err
	}
	return Position{end.Part, end.Offset + int64(len(lines))}, nil
}

// extend writes data at the end of a file, cutting off what a writer that was
// killed left there, and makes it last. The name of a new file lasts before
// anything is in it, so that a file with something in it has a lasting name.
func (s *Store) extend(name string, end int64, data []byte) error {
	f, err := s.extendable(name, end)
	if err == nil {
		defer f.Close()
		if err = f.WriteAt(data, end); err == nil {
			err = f.Sync()
		}
		if err != nil {
			f.Truncate(end)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file(name), cause(err))
	}
	return nil
}

func (s *Store) extendable(name string, end int64) (*disk.File, error) {
	if info, err := s.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a plain file")
	}
	f, err := disk.OpenFile(s.root, name, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Size() < end:
		err = errors.New("it is shorter than it was; run ihmt-store rebuild")
	case info.Size() > end:
		if err = f.Truncate(end); err == nil {
			err = f.Sync() // lest a power cut mix what was there with what comes
		}
	}
	if err == nil && end == 0 {
		err = disk.SyncNames(s.root, path.Dir(name))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Holds tells whether the journal reaches up to a position: one made anew, by a
// rebuild or after damage, does not hold the positions of the old one.
func (s *Store) Holds(p Position) bool {
	if p == (Position{Part: 1}) {
		return true
	}
	if part, err := s.inForce(p.Part); err != nil || part != p.Part {
		return false
	}
	if info, err := s.root.Lstat(partName(p.Part)); err != nil || info.Size() >= p.Offset {
		return err == nil
	}
	f, err := s.open(partName(p.Part), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	s.filesOpened++
	_, shortened := grownLength(f)
	return shortened
}

// goesOn is the part of the journal in which the trunk says that it goes on.
func (s *Store) goesOn() int {
	s.mu.Lock()
	part := s.journalPart
	s.mu.Unlock()
	if part == 0 {
		if t, err := s.trunk(false); err == nil {
			return t.Journal.Part
		}
		return 1
	}
	return part
}

// leadsOn tells whether no part is left out from one to where the trunk says
// that the journal goes on.
func (s *Store) leadsOn(part int) bool {
	for ; part < s.goesOn(); part++ {
		if _, err := s.root.Lstat(partName(part)); err != nil {
			return false
		}
	}
	return true
}

// EndsAt tells whether a position is the end of the journal, without opening
// it. It may say no where it is: behind the position stands a torn line, or
// nothing but the end of a part.
func (s *Store) EndsAt(p Position) bool {
	_, err := s.root.Lstat(partName(p.Part + 1))
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err := s.root.Lstat(partName(p.Part))
	if errors.Is(err, fs.ErrNotExist) && p.Offset == 0 { // a rebuild starts the journal in a part of its own
		parts, err := s.journalParts()
		return err == nil && (len(parts) == 0 || parts[len(parts)-1] < p.Part)
	}
	return err == nil && info.Size() == p.Offset
}

// SyncJournal makes what other processes wrote of a part of the journal last:
// one may have been killed between writing a line and syncing it. Who notes
// down a position of the journal calls it first, lest a power cut take the
// position away.
func (s *Store) SyncJournal(p Position) error {
	f, err := disk.OpenFile(s.root, partName(p.Part), os.O_WRONLY)
	if errors.Is(err, fs.ErrNotExist) && p.Offset == 0 {
		return nil
	}
	if err == nil {
		defer f.Close()
		err = f.Sync()
	}
	if err == nil && p.Offset == 0 { // where nothing is in it, its name may not last either
		err = disk.SyncNames(s.root, path.Dir(partName(p.Part)))
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file(partName(p.Part)), cause(err))
	}
	return nil
}

// erased is the first byte of a line that does not count any more.
const erased = '#'

// counts tells whether a line of the journal says something.
func counts(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 && line[0] != erased }

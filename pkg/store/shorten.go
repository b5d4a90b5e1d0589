package store

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/ihmt/ihmt/pkg/terms"
)

// Most of a line of the journal (terms, text) only counts until the tree has
// grown over it. So a growth that has grown over much begins a new part and
// writes the one before it anew, with short lines. A first line of its own
// says how long the part was: a position in it stands for its start or, from
// that length on, for its end.

// ShortenFrom is the size in bytes from which a part that the tree has grown
// over is shortened. Tests, which have small memories, lower it.
var ShortenFrom int64 = 256 << 10

// nextPart returns where the journal goes on once the tree has grown up to a
// position: in a new part, if there is enough to shorten and nothing stands
// behind the position. The caller holds the write lock.
func (s *Store) nextPart(grown Position) (Position, error) {
	info, err := s.root.Lstat(partName(grown.Part))
	if err != nil || grown.Offset < ShortenFrom || info.Size() != grown.Offset {
		return grown, nil
	}
	next := Position{Part: grown.Part + 1}
	s.drop(next.Part) // parts of a rebuild that was stopped
	return next, s.extend(partName(next.Part), 0, nil)
}

// shorten shortens the parts before one, from the last on, until it meets one
// that is short. The caller holds the growth lock. A part that cannot be
// shortened wastes room, nothing else.
func (s *Store) shorten(before int) {
	for part := before - 1; part > 0; part-- {
		if shortened, err := s.shortenPart(part); shortened || err != nil {
			break
		}
	}
	s.syncFolder("state/journal")
}

// shortenPart shortens a part and tells whether it was short already.
func (s *Store) shortenPart(part int) (already bool, err error) {
	f, err := s.open(partName(part), os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, already = grownLength(f); already {
		return true, nil
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	return false, s.replaceBy(partName(part), func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		head := Entry{Op: opGrown, Leaf: terms.Leaf{Length: int(info.Size())}}
		out.Write(head.append(nil))
		for in := bufio.NewReaderSize(f, 1<<20); ; {
			line, err := in.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err != nil {
				return out.Flush()
			}
			if !counts(line) {
				continue
			}
			e, err := parseEntry(line)
			if err != nil {
				return err
			}
			out.Write(e.short().append(nil))
		}
	})
}

// short is what a line says that counts once the tree has grown over it.
func (e *Entry) short() *Entry {
	return &Entry{Op: e.Op, Checksum: e.Checksum, Replaces: e.Replaces,
		Leaf: terms.Leaf{ID: e.ID, Timestamp: e.Timestamp, SavedAt: e.SavedAt, Source: e.Source, Position: e.Position}}
}

// grownLength returns how long a part was before it was shortened.
func grownLength(f io.ReaderAt) (length int64, shortened bool) {
	head := make([]byte, 128)
	n, _ := f.ReadAt(head, 0)
	line, _, whole := bytes.Cut(head[:n], []byte("\n"))
	if !whole {
		return 0, false
	}
	e, err := parseEntry(line)
	return int64(e.Length), err == nil && e.Op == opGrown
}

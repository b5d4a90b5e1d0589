package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/tidwall/gjson"
)

// Erase takes a leaf out of the journal and deletes its file, and leaves a
// tombstone. Tables and branches are up to the caller, who holds the growth
// lock and has put a trunk without the leaf into force. The tombstone comes
// first: whatever happens after it, the leaf does not come back.
func (s *Store) Erase(id string, commit func() error) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := s.bury(id); err != nil {
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
		if err := s.blankIn(part, id); err != nil {
			return err
		}
	}
	for _, derived := range []string{"state/facts.jsonl"} {
		if err := s.remove(derived); err != nil {
			return err
		}
	}
	if err := s.remove(LeafPath(id)); err != nil {
		return err
	}
	return s.syncFolder(path.Dir(LeafPath(id)))
}

// blankIn overwrites the lines of a leaf in a part of the journal, in place.
func (s *Store) blankIn(part int, id string) error {
	f, err := s.root.OpenFile(partName(part), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	offset := int64(0)
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte(id)) && gjson.GetBytes(line, "leaf_id").String() == id {
			body := bytes.TrimSuffix(line, []byte("\n"))
			if _, err := f.WriteAt(blank(body, id), offset); err != nil {
				return err
			}
		}
		offset += int64(len(line))
	}
	return f.Sync()
}

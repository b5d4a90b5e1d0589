package store

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/ihmt/ihmt/pkg/store/disk"
)

// Journal calls do for each whole line of the journal from a position on, and
// returns the position after the last one.
func (s *Store) Journal(from Position, do func(Entry) error) (Position, error) {
	if from.Part == 0 {
		from.Part = 1
	}
	return s.readJournal(from, do)
}

// Derived reads a file below state/ that another package derives from the
// leaves.
func (s *Store) Derived(name string) ([]byte, error) { return s.readFile("state/"+name, maxLeaf) }

// DerivedInfo describes such a file.
func (s *Store) DerivedInfo(name string) (fs.FileInfo, error) { return s.root.Lstat("state/" + name) }

// ReplaceDerived replaces such a file.
func (s *Store) ReplaceDerived(name string, data []byte) error {
	return s.writeFile("state/"+name, data)
}

// AppendDerived appends to such a file.
func (s *Store) AppendDerived(name string, data []byte) error {
	if err := s.mkdir("state"); err != nil {
		return err
	}
	f, err := disk.OpenFile(s.root, "state/"+name, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file("state/"+name), cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = f.WriteAt(data, info.Size())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file("state/"+name), cause(err))
	}
	return nil
}

// LockDerived keeps two writers of such a file apart.
func (s *Store) LockDerived(name string) (unlock func(), err error) { return s.lock(name) }

package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A power cut may leave of several lines that were written at once any sectors,
// with NULs between them. A reader stops there, verify says so, and the next
// writer cuts it off; in what the tree has grown over NULs are damage.
func TestWhatAPowerCutLeftOfLinesDoesNotCount(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := s.file(partName(1))
	save(t, s, "I live in Valencia.")
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	save(t, s, "The harbour is closed.")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	line := data[len(whole):]
	torn := append(bytes.Clone(whole), append(append(make([]byte, 40), line[40:]...), line...)...)
	if err := os.WriteFile(name, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() (n int, err error) {
		_, err = s.Journal(Position{}, func(Entry) error { n++; return nil })
		return n, err
	}
	if n, err := read(); n != 1 || err != nil {
		t.Errorf("read %d lines, %v", n, err)
	}
	problems, _, err := s.Verify()
	if err != nil || len(problems) != 2 || problems[0].File != partName(1) || !strings.Contains(problems[0].Wrong, "left in parts by a power cut") || !strings.Contains(problems[1].Wrong, "is not in the journal") {
		t.Errorf("verify says %v, %v", problems, err)
	}
	save(t, s, "The harbour is open again.")
	if n, err := read(); n != 2 || err != nil {
		t.Errorf("after the next save: read %d lines, %v", n, err)
	}
	if err := os.WriteFile(name, torn, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.commitTrunk(&Trunk{Format: Format, Analyzer: s.Analyzer.Name(), Journal: Position{1, int64(len(torn))}}); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "run ihmt-store rebuild") {
		t.Errorf("where the tree has grown over it: %v", err)
	}
}

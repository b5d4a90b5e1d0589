package store

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/store/disk"
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

// Wherever the erasing of a line is cut off, in whatever order its sectors
// reach the disk, the journal can be read and the other lines say what they did.
func TestHalfErasedLinesAreSkipped(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := []string{save(t, s, "I live in Valencia. "+strings.Repeat("The harbour is closed. ", 60)), save(t, s, "I work at Acme.")}
	name := s.file(partName(1))
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	states := [][]byte{before} // each synced before the next is begun
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
		err := make(op)
		if data, _ := os.ReadFile(name); op.Kind == disk.Sync && op.Name == partName(1) {
			states = append(states, data)
		}
		return err
	}
	err = s.blankIn(1, ids[:1])
	disk.Intercept = nil
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range len(states) - 1 {
		for range 100 {
			mixed := bytes.Clone(states[i])
			for at := range mixed {
				if from := at / 512 * 512; at == from && random.IntN(2) == 0 {
					copy(mixed[from:min(from+512, len(mixed))], states[i+1][from:])
				}
			}
			if err := os.WriteFile(name, mixed, 0o600); err != nil {
				t.Fatal(err)
			}
			var got []string
			if _, err := s.Journal(Position{}, func(e Entry) error { got = append(got, e.ID); return nil }); err != nil || len(got) == 0 || got[len(got)-1] != ids[1] || len(got) == 2 && got[0] != ids[0] {
				t.Fatalf("step %d: read %v, %v of %.200q", i, got, err, mixed)
			}
		}
	}
	if data, _ := os.ReadFile(name); len(states) < 2 || bytes.Contains(states[len(states)-1], []byte("Valencia")) {
		t.Errorf("the text is still there: %.200q", data)
	}
}

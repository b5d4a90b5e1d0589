package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
)

func TestTakingBackRestoresEveryFile(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	old := sample
	if _, err := s.writeLeaves([]*Leaf{&old}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.file(LeafPath(old.ID)))
	if err != nil {
		t.Fatal(err)
	}
	changed, added := old, old
	changed.Extra.RetiredAt = "2026-02-03T00:00:00Z"
	added.ID = leafID(old.Domain, "another", 0, old.Content, 10)
	writes, err := s.writeLeaves([]*Leaf{&changed, &added})
	if err != nil {
		t.Fatal(err)
	}
	s.takeBack(writes)
	if after, err := os.ReadFile(s.file(LeafPath(old.ID))); err != nil || string(after) != string(before) {
		t.Errorf("the leaf that was there is now %q, %v", after, err)
	}
	if _, err := os.Stat(s.file(LeafPath(added.ID))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the new leaf is still there: %v", err)
	}
}

// An earlier version of a source is retired when all of the next has come, and
// an empty one is a version too.
func TestOnlyWholeDocumentsRetire(t *testing.T) {
	for _, c := range []struct {
		name    string
		chunks  int // that come
		end     record.DocumentEnd
		retired int
	}{
		{"all came", 1, record.DocumentEnd{Chunks: 1}, 2},
		{"one was lost", 1, record.DocumentEnd{Chunks: 2}, 0},
		{"empty", 0, record.DocumentEnd{Checksum: Checksum("")}, 2},
		{"empty, so it seems", 0, record.DocumentEnd{}, 0},
		{"less than none", 0, record.DocumentEnd{Chunks: -1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			w, err := s.NewWriter()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			version := func(name string, chunks int, end record.DocumentEnd) []Item {
				var items []Item
				for i := range chunks {
					items = append(items, Item{Chunk: record.Chunk{Source: "s", Position: i, Domain: "d", Timestamp: "2026-02-03", Content: fmt.Sprint(name, i)}})
				}
				end.Source = "s"
				return append(items, Item{End: &end})
			}
			if _, err := w.Commit(version("old", 2, record.DocumentEnd{Chunks: 2})); err != nil {
				t.Fatal(err)
			}
			outcomes, err := w.Commit(version("new", c.chunks, c.end))
			if err != nil || outcomes[len(outcomes)-1].Retired != c.retired {
				t.Errorf("retired %d, want %d; %v", outcomes[len(outcomes)-1].Retired, c.retired, err)
			}
		})
	}
}

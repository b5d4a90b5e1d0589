package summarize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/store/disk"
)

// TestRemovingTakesEveryTrace removes a leaf in every state of the tree, also
// one that was stored anew on another day, and finds its words nowhere.
func TestRemovingTakesEveryTrace(t *testing.T) {
	for _, again := range []string{"never", "pending", "grown"} {
		t.Run(again, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ihmt_memory")
			s, err := store.Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var id string
			for n := range 20 {
				content := fmt.Sprintf("Note %d of the harbour.", n)
				if n == 3 {
					content = "The quincunx is a secret."
				}
				got := save(t, s, fmt.Sprint(n), "2026-02-03", content)
				if n == 3 {
					id = got
				}
			}
			grow(t, s)
			if again != "never" {
				save(t, s, "3", "2026-02-04", "The quincunx is a secret.")
			}
			if again == "grown" {
				grow(t, s)
			}
			for range 2 { // the second time as after an interruption
				if err := Remove(context.Background(), s, id); err != nil {
					t.Fatal(err)
				}
			}
			holdsNoneOf(t, dir, "quincunx")
			if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
				t.Error(problems, err)
			}
			if trunk, err := s.Trunk(); err != nil || trunk.Leaves != 19 || trunk.Domains[0].Leaves != 19 {
				t.Errorf("the trunk counts %d and %d leaves, want 19; %v", trunk.Leaves, trunk.Domains[0].Leaves, err)
			}
		})
	}
}

// TestTheNextGrowthFinishesARemoval stops a removal after each of its changes
// to the disk, as the death of its process does.
func TestTheNextGrowthFinishesARemoval(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "ihmt_memory")
	s, err := store.Create(whole)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for n := range 12 {
		if n == 10 {
			grow(t, s)
		}
		ids = append(ids, save(t, s, fmt.Sprint(n), "2026-02-03", fmt.Sprintf("Note %d of the quincunx%[1]d.", n)))
	}
	s.Close()
	defer func() { disk.Intercept = nil }()
	for last, finished := 0, false; !finished; last++ {
		dir := filepath.Join(t.TempDir(), "ihmt_memory")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		changes, buried := 0, false
		disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
			if changes++; changes > last {
				return errors.New("died")
			}
			buried = buried || op.To == "tombstones.jsonl"
			return make(op)
		}
		finished = Remove(context.Background(), s, ids[3], ids[11]) == nil // in the tree, and pending
		disk.Intercept = nil
		_, one := s.Leaf(ids[3])
		_, other := s.Leaf(ids[11])
		said := ""
		s.Notify = func(word string) { said += word }
		grow(t, s)
		if half := buried && (one == nil || other == nil); half != strings.Contains(said, "finished the removal of ") {
			t.Errorf("stopped after %d changes, half removed: %v, and was told %q", last, half, said)
		}
		if buried {
			holdsNoneOf(t, dir, "quincunx3", "quincunx11")
		}
		if problems, _, err := s.Verify(); err != nil || len(problems) > 0 && !strings.Contains(problems[0].Wrong, "was left by a writer") {
			t.Errorf("stopped after %d changes: %v, %v", last, problems, err)
		}
		s.Close()
	}
}

// What a writer that was stopped has left holds the text too.
func TestARemovalTakesWhatWritersLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ihmt_memory")
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var ids []string
	for n := range 9 {
		ids = append(ids, save(t, s, fmt.Sprint(n), "2026-02-03", fmt.Sprintf("Note %d of the quincunx%[1]d.", n)))
	}
	grow(t, s)
	for _, left := range []string{store.LeafPath(ids[3]) + "17", "layers/1/N1-d-0123456789.json17", "state/tables/000009-1.terms17", "state/journal/000001.jsonl17", "state/facts.jsonl17"} {
		if err := os.WriteFile(filepath.Join(dir, left), []byte("the quincunx3"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Remove(context.Background(), s, ids[3]); err != nil {
		t.Fatal(err)
	}
	holdsNoneOf(t, dir, "quincunx3")
}

// holdsNoneOf looks for words in all files of a memory.
func holdsNoneOf(t *testing.T, dir string, words ...string) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		for _, word := range words {
			if strings.Contains(strings.ToLower(string(data)), word) {
				t.Errorf("%s still has %s", name, word)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, s *store.Store, source, day, content string) string {
	t.Helper()
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out, err := w.Commit([]store.Item{{Chunk: record.Chunk{Source: source, Domain: "d", DataType: record.TypeGeneric, Timestamp: day, Content: content}}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].LeafID
}

func grow(t *testing.T, s *store.Store) {
	t.Helper()
	if _, err := Grow(context.Background(), s, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
}

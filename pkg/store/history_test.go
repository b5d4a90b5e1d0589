package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// A state is what is known of one leaf: its day and whether it is retired.
type state struct {
	day     string
	retired bool
}

// TestRandomHistories saves random versions of files, grows and rebuilds in
// between, and compares what a snapshot holds with a plain model: a file's
// last version is current with its last day, what else it ever held is
// retired with the day that it had.
func TestRandomHistories(t *testing.T) { randomHistories(t, 6) }

func randomHistories(t *testing.T, seeds uint64) {
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 1))
		s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		model := map[string]state{} // by source and text
		for step := range 30 {
			switch n := rng.IntN(10); {
			case n < 7:
				saveVersion(t, s, rng, model, step)
			case n < 9:
				if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: n == 8}); err != nil {
					t.Fatal(err)
				}
			default:
				if _, _, err := summarize.Rebuild(context.Background(), s, nil); err != nil {
					t.Fatal(err)
				}
			}
			if n := counted(t, s); n != len(model) {
				t.Fatalf("seed %d, step %d: the trunk and the tail count %d leaves, want %d", seed, step, n, len(model))
			}
			if got := held(t, s); !maps.Equal(got, model) {
				t.Fatalf("seed %d, step %d:\ngot  %v\nwant %v", seed, step, got, model)
			}
		}
		if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
			t.Fatalf("seed %d: %v, %v", seed, problems, err)
		}
	}
}

// saveVersion stores a version of one of three files: some of ten paragraphs,
// each always at its own position, on a day of its own or on the day before.
func saveVersion(t *testing.T, s *store.Store, rng *rand.Rand, model map[string]state, step int) {
	t.Helper()
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	source := fmt.Sprintf("file%d", rng.IntN(3))
	day := fmt.Sprintf("2026-01-%02d", 1+max(0, step-rng.IntN(2)))
	version := map[string]bool{}
	var items []store.Item
	for p := range 10 {
		if rng.IntN(2) == 0 {
			continue
		}
		c := record.Chunk{Source: source, Position: p, Domain: "d", Timestamp: day, Content: fmt.Sprintf("Paragraph %d of %s.", p, source)}
		if err := store.Complete(&c); err != nil {
			t.Fatal(err)
		}
		items = append(items, store.Item{Chunk: c})
		version[c.Content] = true
	}
	if len(items) == 0 {
		return
	}
	items = append(items, store.Item{End: &record.DocumentEnd{Source: source, Chunks: len(items)}})
	if _, err := w.Commit(items); err != nil {
		t.Fatal(err)
	}
	for p := range 10 {
		text := fmt.Sprintf("Paragraph %d of %s.", p, source)
		had, known := model[text]
		switch {
		case version[text]:
			model[text] = state{day, false}
		case known:
			model[text] = state{had.day, true}
		}
	}
}

// counted is how many leaves the domains of the trunk and the tail hold; a
// leaf of the tail that a table has too counts once.
func counted(t *testing.T, s *store.Store) int {
	t.Helper()
	trunk, err := s.Trunk()
	if err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	n := len(snap.Tail.Leaves)
	for _, d := range trunk.Domains {
		n += d.Leaves
	}
	for _, table := range snap.Tables {
		_, dead := table.Changes()
		n -= len(dead) - len(table.Info.Dead)
	}
	return n
}

// held is what a snapshot holds, by text.
func held(t *testing.T, s *store.Store) map[string]state {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	got := map[string]state{}
	for n := range 3 {
		for _, ref := range snap.BySource(fmt.Sprintf("file%d", n)) {
			l, err := s.Leaf(ref.ID)
			if err != nil {
				t.Fatal(err)
			}
			if _, twice := got[l.Content]; twice {
				t.Fatalf("%s is held twice", ref.ID)
			}
			if (l.Extra.RetiredAt != "") != ref.Retired || l.Timestamp != ref.Timestamp {
				t.Fatalf("%s: its file says retired %q on %s, the index %v on %s", ref.ID, l.Extra.RetiredAt, l.Timestamp, ref.Retired, ref.Timestamp)
			}
			got[l.Content] = state{ref.Timestamp, ref.Retired}
		}
	}
	return got
}

// A reader that has read the trunk and opened its tables sees the journal of a
// rebuild in the place of the one that the trunk goes on in: that is no memory
// with fewer leaves, nor with all of them twice.
func TestNoReaderMixesTwoJournals(t *testing.T) {
	for _, from := range []int64{1, 1 << 20} { // the journal goes on in a part of its own, or in the first
		shortenFrom(t, from)
		s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		saveNotes(t, s, 0, 20)
		grow(t, s)
		saveNotes(t, s, 20, 3)
		old := map[string][]byte{}
		for _, pattern := range []string{"root.json", "state/tables/*"} {
			names, err := filepath.Glob(filepath.Join(s.Dir(), pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if old[name], err = os.ReadFile(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
		if n := counted(t, s); n != 23 {
			t.Errorf("after the rebuild: %d leaves, want 23", n)
		}
		for name, data := range old {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if snap, err := s.Snapshot(); err == nil {
			t.Errorf("the old trunk is read with %d leaves pending", len(snap.Tail.Leaves))
			snap.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the error is %v, want one after which a reader reads anew", err)
		}
	}
}

// A memory that holds nothing is rebuilt as one.
func TestRebuildingNothing(t *testing.T) {
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 2 {
		if _, err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
		if n := counted(t, s); n != 0 {
			t.Errorf("%d leaves", n)
		}
	}
	saveNotes(t, s, 0, 2)
	if n := counted(t, s); n != 2 {
		t.Errorf("%d leaves, want 2", n)
	}
}

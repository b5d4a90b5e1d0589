package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// Once the tree has grown over enough of the journal, it holds no text, says
// the same to whoever reads it from anywhere, and goes on in a new part.
func TestTheJournalIsShortened(t *testing.T) {
	shortenFrom(t, 1)
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := saveNotes(t, s, 0, 20)
	var middle, end store.Position
	if end, err = s.Journal(store.Position{}, func(store.Entry) error { return nil }); err != nil {
		t.Fatal(err)
	}
	middle = store.Position{Part: 1, Offset: end.Offset / 2}
	grow(t, s)
	data, err := os.ReadFile(filepath.Join(s.Dir(), "state/journal/000001.jsonl"))
	if err != nil || strings.Contains(string(data), "quincunx") || int64(len(data)) > end.Offset*2/3 {
		t.Errorf("the part has %d bytes, had %d, and begins %.300s; %v", len(data), end.Offset, data, err)
	}
	more := saveNotes(t, s, 20, 3)
	all := append(ids, more...)
	for _, c := range []struct {
		what string
		from store.Position
		want []string
	}{
		{"the start", store.Position{}, all},
		{"the middle of what was shortened", middle, all},
		{"its end", end, more},
		{"the new part", store.Position{Part: 2}, more},
	} {
		var got []string
		_, err := s.Journal(c.from, func(e store.Entry) error {
			if e.Op == "store" {
				got = append(got, e.ID)
			}
			return nil
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("from %s: %v, want %v; %v", c.what, got, c.want, err)
		}
		if c.from.Part > 0 && !s.Holds(c.from) {
			t.Errorf("the journal does not hold %s", c.what)
		}
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if n := len(snap.Tail.Leaves); n != 3 {
		t.Errorf("%d leaves are pending, want 3", n)
	}
	problems, _, err := s.Verify()
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	grow(t, s)
	if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
	// As a reader sees it that has read the trunk before the growth.
	if err := os.Remove(filepath.Join(s.Dir(), "root.json")); err != nil {
		t.Fatal(err)
	}
	if snap, err := s.Snapshot(); err == nil {
		t.Errorf("%d leaves are read without their words", len(snap.Tail.Leaves))
	}
}

// Histories end the same when every growth shortens the journal.
func TestRandomHistoriesOfShortJournals(t *testing.T) {
	shortenFrom(t, 1)
	randomHistories(t, 2)
}

func shortenFrom(t *testing.T, size int64) {
	before := store.ShortenFrom
	store.ShortenFrom = size
	t.Cleanup(func() { store.ShortenFrom = before })
}

func grow(t *testing.T, s *store.Store) {
	t.Helper()
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{}); err != nil {
		t.Fatal(err)
	}
}

// saveNotes saves notes one by one, each of a source of its own, and returns
// their ids.
func saveNotes(t *testing.T, s *store.Store, from, n int) (ids []string) {
	t.Helper()
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := from; i < from+n; i++ {
		c := record.Chunk{Domain: "d", Timestamp: "2026-02-03", Content: fmt.Sprintf("Note %d of the quincunx: %s", i, strings.Repeat("harbour lights at night ", 12))}
		if err := store.Complete(&c); err != nil {
			t.Fatal(err)
		}
		out, err := w.Commit([]store.Item{{Chunk: c}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out[0].LeafID)
	}
	return ids
}

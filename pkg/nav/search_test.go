package nav

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

func saved(t *testing.T, texts ...string) *store.Store {
	t.Helper()
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var in strings.Builder
	for _, text := range texts {
		fmt.Fprintln(&in, record.New(record.KindChunk, record.Chunk{Source: text, Domain: "d", Timestamp: "2026-02-03", Content: text}))
	}
	if _, err := s.Put(record.NewReader(strings.NewReader(in.String())), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTheSameTextTwiceIsNoDoubt stores one text from a file and by itself: no
// clue could tell one from the other. A third that differs is a rival.
func TestTheSameTextTwiceIsNoDoubt(t *testing.T) {
	s := saved(t, "quince jam on rye bread", "\nquince jam on rye bread\n", "quince jam on rye bread\n")
	r, err := NewSearcher(s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if a := find(t, r, "quince"); a.Search.Ambiguous || a.Search.Margin != 1 || len(a.Results) != 3 {
		t.Errorf("%+v", a.Search)
	}
	r, err = NewSearcher(saved(t, "quince jam on rye bread", "quince jam on rye bread\n", "quince tree in the yard"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if a := find(t, r, "quince"); !a.Search.Ambiguous {
		t.Errorf("%+v", a.Search)
	}
}

func find(t *testing.T, r *Searcher, query string) *Answer {
	t.Helper()
	a, err := r.Search(record.Query{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestEachQueryCountsItsOwnEffort asks the same twice of one process: the
// second answer costs what the first did, not both.
func TestEachQueryCountsItsOwnEffort(t *testing.T) {
	r, err := NewSearcher(saved(t, "quince jam", "apple pie"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	find(t, r, "quince") // reads the facts of new leaves
	second, third := find(t, r, "quince"), find(t, r, "quince")
	if second.Search.FilesOpened != third.Search.FilesOpened || second.Search.FilesOpened == 0 {
		t.Errorf("%d files, then %d", second.Search.FilesOpened, third.Search.FilesOpened)
	}
}

// TestALeafRemovedMeanwhileIsNoError removes a leaf that a searcher's snapshot
// still names.
func TestALeafRemovedMeanwhileIsNoError(t *testing.T) {
	s := saved(t, "quince jam", "quince tree")
	r, err := NewSearcher(s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	id := find(t, r, "quince jam").Results[0].LeafID
	if err := s.Erase([]string{id}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, result := range find(t, r, "quince jam").Results {
		if result.LeafID == id {
			t.Error("a removed leaf was found")
		}
	}
}

package summarize

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
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
			if err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(filepath.Join(dir, name))
				if strings.Contains(strings.ToLower(string(data)), "quincunx") {
					t.Errorf("%s still has it", name)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
				t.Error(problems, err)
			}
			if trunk, err := s.Trunk(); err != nil || trunk.Leaves != 19 || trunk.Domains[0].Leaves != 19 {
				t.Errorf("the trunk counts %d and %d leaves, want 19; %v", trunk.Leaves, trunk.Domains[0].Leaves, err)
			}
		})
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

package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// A save changes the same on the disk whatever is stored, and growing over it
// writes no more than its own path: a table or two, a branch of each layer, the
// trunk.
func TestWritingDoesNotGrow(t *testing.T) {
	saves := map[int][]string{}
	for _, size := range []int{60, 1500} {
		s := filled(t, size, 20)
		grow(t, s)
		putNotes(t, s, []string{"The first save after a growth begins with nothing pending."})
		saves[size] = changes(t, func() { putNotes(t, s, []string{"The second save is as long as any."}) })
		large := largeTables(t, s)
		var tables, branches, synced int
		for _, op := range changes(t, func() { grow(t, s) }) {
			switch kind, name, _ := strings.Cut(op, " "); {
			case kind == disk.Rename && strings.HasPrefix(name, "state/tables/"):
				tables++
			case kind == disk.Rename && strings.HasPrefix(name, "layers/"):
				branches++
			case kind == disk.Sync || kind == disk.SyncFolder:
				synced++
			case kind == disk.Write && strings.HasPrefix(name, "layer_0/"):
			case kind == disk.Rename && name != "root.json":
				t.Errorf("of %d: growing rewrites %s", size, name)
			}
		}
		if now := largeTables(t, s); now != large {
			t.Errorf("of %d: growing after two saves changes the large tables from %s to %s", size, large, now)
		}
		if tables < 1 || tables > 2 || branches > 5 || synced > 12 {
			t.Errorf("of %d: growing after two saves writes %d tables and %d branches, and waits %d times for the disk", size, tables, branches, synced)
		}
	}
	if small, large := fmt.Sprint(saves[60]), fmt.Sprint(saves[1500]); small != large {
		t.Errorf("a save changes\n%s\namong few, and\n%s\namong many", small, large)
	}
	if n := strings.Count(fmt.Sprint(saves[60]), disk.Sync); n != 3 {
		t.Errorf("a save waits %d times for the disk, want 3: the leaf, its folder, the journal", n)
	}
}

// All that is derived of the leaves takes at most half as much room as they.
func TestDiskInUse(t *testing.T) {
	const block = 4096
	for _, words := range []int{10, 80} {
		s := filled(t, 1000, words)
		if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true}); err != nil {
			t.Fatal(err)
		}
		var all, leaves int64
		err := filepath.WalkDir(s.Dir(), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			size := (info.Size() + block - 1) / block * block
			all += size
			if strings.Contains(filepath.ToSlash(name), "/layer_0/") {
				leaves += size
			}
			return nil
		})
		ratio := float64(all) / float64(leaves)
		t.Logf("%d words: %.2f", words, ratio)
		if err != nil || ratio > 1.5 {
			t.Errorf("notes of %d words take %.2f times the blocks of their leaves, want at most 1.5; %v", words, ratio, err)
		}
	}
}

// largeTables names the tables in force but the fresh one.
func largeTables(t *testing.T, s *store.Store) string {
	t.Helper()
	trunk, err := s.Trunk()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range trunk.Tables {
		if !table.Fresh {
			names = append(names, table.Name)
		}
	}
	return fmt.Sprint(names)
}

// changes lists the changes to the disk that do makes, without what is random
// in names and times.
func changes(t *testing.T, do func()) []string {
	t.Helper()
	var mu sync.Mutex
	var list []string
	before := disk.Intercept
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
		name := op.Name
		if op.To != "" {
			name = op.To
		}
		if strings.HasPrefix(name, "layer_0/") {
			name = path.Dir(name) + "/LEAF"
			if op.Kind == disk.SyncFolder {
				name = op.Name
			}
		}
		if strings.HasPrefix(name, "state/journal/") {
			name = "state/journal/PART"
		}
		line := op.Kind + " " + strings.TrimRight(name, "0123456789")
		if op.Kind == disk.Write {
			line += fmt.Sprintf(" of %d bytes", len(op.Data))
		}
		mu.Lock()
		list = append(list, line)
		mu.Unlock()
		if before == nil {
			return make(op)
		}
		return before(op, make)
	}
	defer func() { disk.Intercept = before }()
	do()
	return list
}

// filled is a memory of notes of about so many words, in four domains.
func filled(t *testing.T, size, words int) *store.Store {
	t.Helper()
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	rng := rand.New(rand.NewPCG(1, uint64(words)))
	zipf := rand.NewZipf(rng, 1.1, 2, 9999)
	notes := make([]string, size)
	for i := range notes {
		text := make([]string, words/2+rng.IntN(words))
		for j := range text {
			text[j] = fmt.Sprintf("word%d", zipf.Uint64())
		}
		notes[i] = strings.Join(text, " ") + "."
	}
	putNotes(t, s, notes)
	return s
}

// putNotes stores texts, each of a source of its own, as ihmt-store does.
func putNotes(t *testing.T, s *store.Store, texts []string) {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for i, text := range texts {
		c := map[string]any{"kind": "chunk", "source": fmt.Sprint("note-", len(texts), "-", i), "domain": fmt.Sprint("domain.d", i*i%4), "timestamp": "2026-02-03", "content": text}
		if err := e.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Put(record.NewReader(&in), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

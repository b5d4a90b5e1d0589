package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Who waits for a lock is told who holds it.
func TestAWaitNamesTheHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ihmt_memory")
	first, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	release, err := first.lock("write")
	if err != nil {
		t.Fatal(err)
	}
	second.Notify = func(word string) {
		if want := fmt.Sprintf("(process %d)", os.Getpid()); !strings.Contains(word, want) || !strings.Contains(word, "write lock") {
			t.Errorf("told %q, want the holder, %s", word, want)
		}
		release()
		second.Notify = nil
	}
	release2, err := second.lock("write")
	if err != nil {
		t.Fatal(err)
	}
	release2()
	if second.Notify != nil {
		t.Error("nothing was told")
	}
}

// Nobody else may read a memory, whatever the umask is.
func TestOnlyTheOwnerMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such permissions")
	}
	defer setUmask(setUmask(0))
	dir := filepath.Join(t.TempDir(), "deep", "ihmt_memory")
	s, err := Init(dir, func(*Settings) {}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	save(t, s, "I live in Valencia.")
	if err := s.commitTrunk(&Trunk{Format: Format, Analyzer: s.Analyzer.Name(), Journal: Position{Part: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.AppendDerived("facts.jsonl", []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.bury(removals{"L-d-0000-0123456789": "2026-02-03T00:00:00.000000Z"}); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Dir(dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSymlinksAreNotFollowed plants symlinks that lead out of a memory in place
// of each of its files and folders: nothing outside changes.
func TestSymlinksAreNotFollowed(t *testing.T) {
	for _, name := range []string{"layer_0/d", "layer_0", "layers", "layers/1", "state", "state/journal", "state/tables", "state/journal/000001.jsonl", "state/facts.jsonl",
		"state/spine.tsv", "state/write.lock", "state/write.holder", "state/grow.lock", "state/facts.lock", "root.json", "tombstones.jsonl", "ihmt.config.json",
		"layer_0/d/LEAF.txt", "layers/1/N1-d-0123456789.json", "state/tables/000001-1.terms", "backup-1"} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			home := t.TempDir()
			dir, outside := filepath.Join(home, "ihmt_memory"), filepath.Join(home, "outside")
			s, err := Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			id := save(t, s, "I live in Valencia.")
			s.Close()
			name := strings.Replace(name, "LEAF", id, 1)
			planted, target := filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(outside, "precious")
			if err := os.MkdirAll(outside, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(target, []byte("precious\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.RemoveAll(planted), os.MkdirAll(filepath.Dir(planted), 0o700)); err != nil {
				t.Fatal(err)
			}
			leads := "../outside/precious"
			if strings.HasSuffix(name, ".lock") {
				leads = "../outside/new" // which opening it would make
			}
			if filepath.Ext(name) == "" || name == "layer_0/d" {
				leads = "../outside"
			}
			if err := os.Symlink(strings.Repeat("../", strings.Count(name, "/"))+leads, planted); err != nil {
				t.Skip(err)
			}
			if s, err := Create(dir); err == nil { // refused or not, it must not get out
				if w, err := s.NewWriter(); err == nil {
					w.Commit([]Item{{Chunk: record.Chunk{Source: "2", Domain: "d", DataType: record.TypeGeneric, Timestamp: "2026-02-03", Content: "another"}}})
					w.Close()
				}
				s.AppendDerived("facts.jsonl", []byte("x\n"))
				s.AppendSpine(0, []Edge{{"N2-d-0", "N3-d-0"}})
				s.WriteBranch(&record.Branch{NodeID: "N1-d-0123456789", Domain: "d", Layer: 1})
				s.WriteTable("000001-1.terms", nil, terms.Layout{})
				s.Stamp(id, "N1-d-0123456789", "")
				s.Erase([]string{id}, func() error { return nil })
				for _, lock := range []string{"grow", "facts"} {
					if unlock, err := s.lock(lock); err == nil {
						unlock()
					}
				}
				if name == "backup-1" {
					os.WriteFile(s.file(trunkName), []byte(`{"version": 1}`), 0o600)
				}
				s.bury(removals{"L-d-0000-0123456789": "2026-02-03T00:00:00.000000Z"})
				s.Rebuild()
				s.Close()
			}
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) != 1 {
				t.Errorf("outside there is now %v, %v", entries, err)
			}
			if data, err := os.ReadFile(target); err != nil || string(data) != "precious\n" {
				t.Errorf("what was outside is now %q, %v", data, err)
			}
		})
	}
}

func save(t *testing.T, s *Store, content string) (id string) {
	t.Helper()
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out, err := w.Commit([]Item{{Chunk: record.Chunk{Source: "1", Domain: "d", DataType: record.TypePersonal, Timestamp: "2026-02-03", Content: content}}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].LeafID
}

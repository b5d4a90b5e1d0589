package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// FuzzDamagedMemory overwrites a part of one of a memory's files. Whatever it
// reads then, nothing panics, and once it is rebuilt a memory that opens is
// whole but for files that were left alone.
func FuzzDamagedMemory(f *testing.F) {
	whole := filepath.Join(f.TempDir(), "ihmt_memory")
	files := fuzzable(f, whole)
	f.Add(uint8(0), uint16(10), []byte("x"))
	f.Add(uint8(3), uint16(0), []byte(`{"format":1,"journal":{"part":1,"offset":0},"tables":[{"name":"../x"}]}`))
	f.Add(uint8(5), uint16(40), []byte("\x00\xff\n"))
	f.Fuzz(func(t *testing.T, which uint8, from uint16, patch []byte) {
		dir := filepath.Join(t.TempDir(), "ihmt_memory")
		must(os.CopyFS(dir, os.DirFS(whole)))
		name := files[int(which)%len(files)]
		change(name, func(data []byte) []byte {
			at := int(from) % (len(data) + 1)
			return append(append(slices.Clone(data[:at]), patch...), data[min(at+len(patch), len(data)):]...)
		})(dir)
		s, err := store.Create(dir)
		if err != nil {
			return
		}
		defer s.Close()
		if searcher, err := nav.NewSearcher(s); err == nil {
			searcher.Search(record.Query{Query: "harbour Valencia", K: 20})
			searcher.Close()
		}
		ledger.Timeline(s)
		s.Verify()
		s.Stats()
		if w, err := s.NewWriter(); err == nil {
			w.Commit([]store.Item{{Chunk: record.Chunk{Source: "new", Domain: "d", DataType: record.TypeGeneric, Timestamp: "2026-02-03", Content: "new"}}})
			w.Close()
		}
		summarize.Grow(context.Background(), s, summarize.Options{Force: true})
		rebuilt, _, err := summarize.Rebuild(context.Background(), s, nil)
		if err != nil {
			return
		}
		problems, _, err := s.Verify()
		if err != nil || len(problems) > rebuilt.LeftAlone {
			t.Fatalf("%s: after a rebuild: %v, %v", name, problems, err)
		}
	})
}

// fuzzable makes a small memory and returns the names of its files, but for
// the locks.
func fuzzable(f *testing.F, dir string) (names []string) {
	s, err := store.Create(dir)
	must(err)
	defer s.Close()
	must(s.WriteSettings(s.Settings))
	w, err := s.NewWriter()
	must(err)
	defer w.Close()
	for n := range 6 {
		if n == 5 {
			_, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true})
			must(err)
		}
		out, err := w.Commit([]store.Item{{Chunk: record.Chunk{Source: string(rune('a' + n)), Domain: "d", DataType: record.TypePersonal, Timestamp: "2026-02-03", Content: "I live in Valencia, at the harbour."}}})
		must(err)
		if n == 4 {
			must(summarize.Remove(context.Background(), s, out[0].LeafID))
		}
	}
	_, err = ledger.Timeline(s)
	must(err)
	must(filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(name); err == nil && !d.IsDir() && ext != ".lock" && ext != ".holder" {
			rel, _ := filepath.Rel(dir, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

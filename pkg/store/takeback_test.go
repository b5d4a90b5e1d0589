package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store/disk"
)

// Whatever change to the disk fails, a save that reports an error leaves no
// file behind, and the same save succeeds once the disk is well.
func TestAFailedSaveLeavesNothing(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	save(t, s, "The harbour is closed.")
	files := func() (names []string) {
		fs.WalkDir(s.root.FS(), "layer_0", func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				names = append(names, path)
			}
			return err
		})
		return names
	}
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	usual := disk.Intercept
	defer func() { disk.Intercept = usual }()
	failures := 0
	for n := 1; ; n++ {
		before, seen := files(), 0
		disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
			if seen++; seen == n {
				return &fs.PathError{Op: op.Kind, Path: op.Name, Err: syscall.EIO}
			}
			return make(op)
		}
		c := record.Chunk{Domain: "d", Timestamp: "2026-02-03", Content: "Note " + strings.Repeat("x", n)}
		if err := Complete(&c); err != nil {
			t.Fatal(err)
		}
		_, err := w.Commit([]Item{{Chunk: c}})
		disk.Intercept = usual
		if seen < n {
			break
		}
		if err == nil { // what failed was of no account
			continue
		}
		failures++
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("change %d: %v", n, err)
		}
		if after := files(); !slices.Equal(after, before) {
			t.Errorf("change %d failed, and there are %d leaf files instead of %d", n, len(after), len(before))
		}
		if _, err := w.Commit([]Item{{Chunk: c}}); err != nil {
			t.Errorf("change %d failed, and the same save again: %v", n, err)
		}
	}
	if failures < 4 {
		t.Errorf("only %d changes of a save made it fail", failures)
	}
	if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store/disk"
)

// A failing is a way in which changes to the disk fail from one on.
type failing struct {
	name  string
	err   error
	lasts bool
	kinds []string // all, if there are none
	plain bool     // the file system has no second names
}

// Whatever change to the disk fails, a save that reports an error leaves the
// leaves as they were, also those of the version that it would have replaced,
// and the same save succeeds once the disk is well.
func TestAFailedSaveLeavesNothing(t *testing.T) {
	for _, f := range []failing{
		{"one change", syscall.EIO, false, nil, false},
		{"one change, without second names", syscall.EIO, false, nil, true},
		{"no room", syscall.ENOSPC, true, []string{disk.Create, disk.Write, disk.Mkdir}, false},
		{"too many open files", syscall.EMFILE, true, []string{disk.Create, disk.Open, disk.SyncFolder}, false},
	} {
		t.Run(f.name, func(t *testing.T) { f.leavesNothing(t) })
	}
}

func (f *failing) leavesNothing(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	usual := disk.Intercept
	defer func() { disk.Intercept = usual }()
	version := func(n int) []Item {
		return []Item{
			{Chunk: record.Chunk{Source: "1", Position: 0, Domain: "d", DataType: record.TypeCode, Timestamp: "2026-02-03", Content: fmt.Sprintf("First of %d.", n)}},
			{Chunk: record.Chunk{Source: "1", Position: 1, Domain: "d", DataType: record.TypeCode, Timestamp: "2026-02-03", Content: fmt.Sprintf("Second of %d.", n)}},
			{End: &record.DocumentEnd{Source: "1", Chunks: 2}},
		}
	}
	commit := func(n int) error {
		w, err := s.NewWriter()
		if err != nil {
			return err
		}
		defer w.Close()
		_, err = w.Commit(version(n))
		return err
	}
	if err := commit(0); err != nil {
		t.Fatal(err)
	}
	failures := 0
	for n := 1; ; n++ {
		before, seen := leafFiles(t, s), 0
		disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
			if f.plain && op.Kind == disk.Link {
				return &os.LinkError{Op: op.Kind, Old: op.Name, New: op.To, Err: syscall.EPERM}
			}
			if f.kinds == nil || slices.Contains(f.kinds, op.Kind) {
				if seen++; seen == n || f.lasts && seen > n {
					return &fs.PathError{Op: op.Kind, Path: op.Name, Err: f.err}
				}
			}
			return make(op)
		}
		err := commit(n)
		disk.Intercept = usual
		if seen < n {
			break
		}
		if err == nil { // what failed was of no account
			continue
		}
		failures++
		if !errors.Is(err, f.err) {
			t.Errorf("change %d: %v", n, err)
		}
		if after := leafFiles(t, s); !maps.Equal(after, before) {
			t.Errorf("change %d failed, and the leaf files are %q instead of %q", n, after, before)
		}
		if err := commit(n); err != nil {
			t.Errorf("change %d failed, and the same save again: %v", n, err)
		}
		if now := len(leafFiles(t, s)); now != len(before)+2 {
			t.Errorf("after change %d failed and the save was repeated there are %d leaf files, want %d", n, now, len(before)+2)
		}
	}
	if failures < 4 {
		t.Errorf("only %d changes of a save made it fail", failures)
	}
	problems, _, err := s.Verify()
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems { // what could not be deleted wastes room
		if !strings.Contains(p.Wrong, "was left by a writer") {
			t.Error(p)
		}
	}
}

func leafFiles(t *testing.T, s *Store) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := fs.WalkDir(s.root.FS(), "layer_0", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(s.root.FS(), name)
		files[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

package main

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// written is what something changed in a memory.
type written struct {
	files  int
	tables int // of the files
	bytes  int64
	fsyncs int // of files and folders
}

// written tells which files of a memory something wrote (those that are new,
// or larger, or have another time) and how often it waited for the disk, which
// only what runs in this process can be asked.
func (b *bench) written(name string, do func() error) (written, error) {
	type state struct {
		size int64
		time int64
	}
	list := func() (map[string]state, error) {
		all := map[string]state{}
		err := b.walk(name, func(path string, info fs.FileInfo) { all[path] = state{info.Size(), info.ModTime().UnixNano()} })
		return all, err
	}
	before, err := list()
	if err != nil {
		return written{}, err
	}
	fsyncs, err := counted(do)
	if err != nil {
		return written{}, err
	}
	after, err := list()
	w := written{fsyncs: fsyncs}
	for path, now := range after {
		was, there := before[path]
		if there && was == now {
			continue
		}
		w.files++
		w.bytes += now.size
		if strings.HasSuffix(path, ".terms") {
			w.tables++
		}
		if there && strings.Contains(path, "/journal/") { // only ever appended to
			w.bytes -= was.size
		}
	}
	return w, err
}

// counted counts the fsyncs of something that runs in this process.
func counted(do func() error) (int, error) {
	var n atomic.Int64
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
		if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
			n.Add(1)
		}
		return make(op)
	}
	defer func() { disk.Intercept = nil }()
	err := do()
	return int(n.Load()), err
}

// saveHere does in this process what ihmt-store does.
func (b *bench) saveHere(name string, chunk []byte) error {
	s, err := store.Create(b.folder(name))
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Put(record.NewReader(bytes.NewReader(chunk)), func([]*record.Record) error { return nil }, store.PutOptions{})
	return err
}

// growHere does in this process what ihmt-summarize does.
func (b *bench) growHere(name string) error {
	s, err := store.Open(b.folder(name))
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = summarize.Grow(b.ctx, s, summarize.Options{})
	return err
}

func (b *bench) folder(name string) string { return filepath.Join(b.memory(name), "ihmt_memory") }

func (b *bench) walk(name string, do func(path string, info fs.FileInfo)) error {
	return filepath.WalkDir(b.memory(name), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			do(filepath.ToSlash(path), info)
		}
		return err
	})
}

// block is the unit in which a usual file system gives room to a file.
const block = 4096

func (b *bench) measureDisk(name string, s *scaled) error {
	return b.walk(name, func(path string, info fs.FileInfo) {
		size := (info.Size() + block - 1) / block * block
		s.disk += size
		switch {
		case strings.Contains(path, "/layer_0/"):
			s.leaves += size
		case strings.HasSuffix(path, ".terms"):
			s.tableBytes += info.Size()
		}
	})
}

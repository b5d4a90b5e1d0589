package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ihmt/ihmt/pkg/store/disk"
)

// A recorder takes down every change that this process makes to the disk. It
// does not wait for the disk.
type recorder struct {
	mu   sync.Mutex
	ops  []disk.Op
	dies func(n int, op disk.Op) bool // tells whether the nth change is the last one; nil for never
	dead bool
}

var errDied = errors.New("the process is dead")

func (r *recorder) intercept(op disk.Op, make func(disk.Op) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return errDied
	}
	if op.Kind != disk.Sync && op.Kind != disk.SyncFolder {
		if err := make(op); err != nil {
			return err
		}
	}
	op.Data = bytes.Clone(op.Data)
	r.ops = append(r.ops, op)
	r.dead = r.dies != nil && r.dies(len(r.ops), op)
	return nil
}

func (r *recorder) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ops)
}

// A platter is what a folder is after some changes: what lasts, and what a
// power cut may still take away.
type platter struct {
	names   map[string]*inode // that last
	folders map[string]bool   // that last
	unsaved []naming          // not yet synced, in order
	now     map[string]*inode // as a running process sees it
}

// An inode is the content of a file.
type inode struct {
	data    []byte // that lasts
	unsaved []disk.Op
}

// A naming is a change to the names in a folder.
type naming struct {
	disk.Op
	file *inode
}

func newPlatter() *platter {
	return &platter{names: map[string]*inode{}, folders: map[string]bool{}, now: map[string]*inode{}}
}

// do makes a change.
func (p *platter) do(op disk.Op) {
	switch op.Kind {
	case disk.Create:
		p.now[op.Name] = &inode{}
		p.unsaved = append(p.unsaved, naming{op, p.now[op.Name]})
	case disk.Write, disk.Truncate:
		f := p.now[op.Name]
		f.unsaved = append(f.unsaved, op)
	case disk.Sync:
		f := p.now[op.Name]
		for _, op := range f.unsaved {
			f.data = written(f.data, op)
		}
		f.unsaved = nil
	case disk.Rename:
		p.unsaved = append(p.unsaved, naming{op, p.now[op.Name]})
		p.now[op.To] = p.now[op.Name]
		delete(p.now, op.Name)
	case disk.Link:
		p.unsaved = append(p.unsaved, naming{op, p.now[op.Name]})
		p.now[op.To] = p.now[op.Name]
	case disk.Remove:
		p.unsaved = append(p.unsaved, naming{op, nil})
		delete(p.now, op.Name)
	case disk.Mkdir:
		p.unsaved = append(p.unsaved, naming{op, nil})
	case disk.SyncFolder:
		p.unsaved = slices.DeleteFunc(p.unsaved, func(n naming) bool {
			if path.Dir(n.Name) != op.Name {
				return false
			}
			n.apply(p.names, p.folders)
			return true
		})
	}
}

func (n *naming) apply(names map[string]*inode, folders map[string]bool) {
	switch n.Kind {
	case disk.Create:
		names[n.Name] = n.file
	case disk.Rename:
		delete(names, n.Name)
		names[n.To] = n.file
	case disk.Link:
		names[n.To] = n.file
	case disk.Remove:
		delete(names, n.Name)
	case disk.Mkdir:
		folders[n.Name] = true
	}
}

// written is a content after a write or a truncation.
func written(data []byte, op disk.Op) []byte {
	end := int(op.Offset)
	if op.Kind == disk.Write {
		end += len(op.Data)
	}
	grown := make([]byte, max(end, len(data)))
	copy(grown, data)
	if op.Kind == disk.Truncate {
		return grown[:end]
	}
	copy(grown[op.Offset:], op.Data)
	return grown
}

// A cut says which changes that were not synced reach the disk all the same,
// whatever their order was.
type cut struct {
	name string
	keep func(disk.Op) bool
	tear func(disk.Op) []disk.Op // what reaches it of a write that is kept
}

func whole(op disk.Op) []disk.Op { return []disk.Op{op} }

func isNaming(op disk.Op) bool { return op.Kind != disk.Write && op.Kind != disk.Truncate }

// cuts are ways in which the power may go.
func cuts(random *rand.Rand, n int) []cut {
	all := []cut{
		{"all is kept", func(disk.Op) bool { return true }, whole},
		{"nothing is kept", func(disk.Op) bool { return false }, whole},
		{"names are kept, contents are not", isNaming, whole},
		{"contents are kept, names are not", func(op disk.Op) bool { return !isNaming(op) }, whole},
		{"only the trunk is kept", func(op disk.Op) bool { return op.To == "root.json" }, whole},
		{"all but the trunk is kept", func(op disk.Op) bool { return op.To != "root.json" }, whole},
	}
	for range n {
		all = append(all, cut{"some is kept", func(disk.Op) bool { return random.IntN(2) == 0 }, func(op disk.Op) []disk.Op {
			switch {
			case op.Kind != disk.Write || random.IntN(3) == 0:
				return whole(op)
			case random.IntN(2) == 0:
				op.Data = op.Data[:random.IntN(len(op.Data)+1)]
				return whole(op)
			}
			return slices.DeleteFunc(sectors(op), func(disk.Op) bool { return random.IntN(2) == 0 })
		}})
	}
	return all
}

// sectors are the parts of a write that reach the disk each on its own.
func sectors(op disk.Op) (parts []disk.Op) {
	const size = 512
	for len(op.Data) > 0 {
		part := op
		part.Data = op.Data[:min(len(op.Data), size-int(op.Offset%size))]
		op.Offset, op.Data = op.Offset+int64(len(part.Data)), op.Data[len(part.Data):]
		parts = append(parts, part)
	}
	return parts
}

// after is what is found on the disk after a power cut: the files by name.
// Files in folders whose own names did not last are gone.
func (p *platter) after(c cut) (files map[string][]byte, folders []string) {
	names, lasting := maps.Clone(p.names), maps.Clone(p.folders)
	for _, n := range p.unsaved {
		if c.keep(n.Op) {
			n.apply(names, lasting)
		}
	}
	reached := func(name string) bool {
		for ; name != "."; name = path.Dir(name) {
			if !lasting[name] {
				return false
			}
		}
		return true
	}
	files = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !reached(path.Dir(name)) {
			continue
		}
		data := names[name].data
		for _, op := range names[name].unsaved {
			if c.keep(op) {
				for _, part := range c.tear(op) {
					data = written(data, part)
				}
			}
		}
		files[name] = data
	}
	for _, name := range slices.Sorted(maps.Keys(lasting)) {
		if reached(name) {
			folders = append(folders, name)
		}
	}
	return files, folders
}

// lay writes files into a new folder.
func lay(dir string, files map[string][]byte, folders []string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range append([]string{"."}, folders...) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o700); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// mark tells states of a disk apart.
func mark(files map[string][]byte, folders []string) [32]byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	fmt.Fprint(h, folders)
	return [32]byte(h.Sum(nil))
}

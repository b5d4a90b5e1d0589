package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/ihmt/ihmt/pkg/store/disk"
)

// A sickness is a way in which a disk fails.
type sickness struct {
	err   error
	lasts bool                  // it goes on failing
	hits  func(op disk.Op) bool // which changes
}

var sicknesses = []sickness{
	{syscall.EIO, false, func(disk.Op) bool { return true }},
	{syscall.ENOSPC, true, func(op disk.Op) bool {
		return op.Kind == disk.Create || op.Kind == disk.Write || op.Kind == disk.Mkdir
	}},
	{syscall.EROFS, true, func(disk.Op) bool { return true }},
	{syscall.EMFILE, true, func(op disk.Op) bool {
		return op.Kind == disk.Create || op.Kind == disk.Open || op.Kind == disk.SyncFolder
	}},
}

// A patient fails the nth change to the disk, and those after it if it lasts.
type patient struct {
	sickness
	n    int
	mu   sync.Mutex
	seen int
	well bool
}

func (p *patient) intercept(op disk.Op, make func(disk.Op) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op.Kind == disk.Remove && p.err == syscall.ENOSPC && strings.HasSuffix(op.Name, ".txt") {
		p.well = true // there is room again
	}
	if p.hits(op) && !p.well {
		if p.seen++; p.seen == p.n || p.lasts && p.seen > p.n {
			if op.Kind == disk.Write {
				op.Data = op.Data[:len(op.Data)/2]
				make(op)
			}
			return &fs.PathError{Op: op.Kind, Path: op.Name, Err: p.err}
		}
	}
	if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
		return nil
	}
	return make(op)
}

// An act is something that is done to a memory while its disk fails.
type act struct {
	name string
	do   func(s *script) func() error
}

// diskErrors fails every so many of the changes that saving, growing, removing
// and rebuilding make. Each must say what failed, leave the memory as it was,
// and succeed once the disk is well.
func diskErrors(every int, seed uint64, say func(string)) error {
	home, err := os.MkdirTemp("", "ihmt-errors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	base := newScript(filepath.Join(home, "base"))
	if err := base.play(base.save(40), base.version(4), base.grow(true), base.save(30)); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 3))
	failed := 0
	for _, a := range []act{
		{"save", func(s *script) func() error { return s.save(5) }},
		{"version", func(s *script) func() error { return s.version(2) }},
		{"grow", func(s *script) func() error { return s.grow(true) }},
		{"remove", func(s *script) func() error { return s.remove(3) }},
		{"rebuild", func(s *script) func() error { return s.rebuild }},
	} {
		for _, sick := range sicknesses {
			for n := 1; ; n += every {
				s := newScript(filepath.Join(home, "ihmt_memory"))
				s.events, s.next = slices.Clone(base.events), base.next
				s.words = rand.New(rand.NewPCG(seed, 4))
				os.RemoveAll(s.dir)
				if err := os.CopyFS(s.dir, os.DirFS(base.dir)); err != nil {
					return err
				}
				p := &patient{sickness: sick, n: n}
				if err := s.suffer(a, p, random); err != nil {
					return keep(home, fmt.Errorf("%s, where change %d fails with %q: %w", a.name, n, sick.err, err))
				}
				if p.seen < n {
					break // there are no more
				}
				failed++
			}
		}
	}
	say(fmt.Sprintf("disk errors: %d, each told, none harmful", failed))
	return nil
}

// suffer acts while the disk fails, and again when it is well.
func (s *script) suffer(a act, p *patient, random *rand.Rand) error {
	before, err := truth(s.dir)
	if err != nil {
		return err
	}
	next, heard := s.next, len(s.events)
	err = s.under(p.intercept, a.do(s))
	hit := p.seen >= p.n
	switch {
	case hit && err == nil && len(s.events) > heard && s.events[heard].removing == "":
		// what failed was not needed for what was acknowledged
	case hit && err != nil && (!errors.Is(err, p.err) || !strings.Contains(err.Error(), s.dir)):
		return fmt.Errorf("the error does not tell: %w", err)
	}
	promised := s.promised(s.tape.len())
	removing := len(promised.doomed) > 0
	if err != nil && !removing {
		after, err := truth(s.dir)
		if err != nil {
			return err
		}
		if (a.name == "save" || a.name == "version") && p.err != syscall.EIO && p.err != syscall.EROFS && !maps.EqualFunc(before, after, bytes.Equal) {
			return errors.New("the memory is not as it was: " + differing(before, after))
		}
	}
	if err := promised.broken(s.dir, random, false); err != nil {
		return err
	}
	if err == nil && hit && len(s.events) > heard {
		return nil
	}
	s.next, s.words = next, rand.New(rand.NewPCG(1, 4))
	if err := s.under(func(op disk.Op, make func(disk.Op) error) error {
		if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
			return nil
		}
		return make(op)
	}, a.do(s)); err != nil && !removing {
		return fmt.Errorf("again, on a disk that is well: %w", err)
	}
	promised = s.promised(s.tape.len())
	return promised.broken(s.dir, random, false)
}

// under does something with the memory open and an interceptor in force.
func (s *script) under(i disk.Interceptor, do func() error) (err error) {
	disk.Intercept = i
	defer func() { disk.Intercept = nil }()
	return s.opened(do)
}

// truth is what a memory says, by file: what is derived from it, and who holds
// a lock, aside.
func truth(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".holder") || strings.HasSuffix(name, ".lock") {
			return err
		}
		files[name], err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return err
	})
	return files, err
}

func differing(a, b map[string][]byte) string {
	var names []string
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// An event is what a script did, and how many changes to the disk had been
// made by then.
type event struct {
	at       int
	heard    map[string]note // acknowledged
	removing string          // a leaf whose removal begins
	removed  string          // a leaf whose removal was acknowledged
}

// A script is a life of a memory in this process, recorded.
type script struct {
	dir    string
	tape   recorder
	events []event
	store  *store.Store
	words  *rand.Rand
	next   int
}

// play runs steps until one fails. Where the tape ends before, as a process
// does that is killed, that is no failure.
func (s *script) play(steps ...func() error) error {
	disk.Intercept = s.tape.intercept
	defer func() { disk.Intercept = nil }()
	err := s.opened(steps...)
	if s.tape.dead {
		return nil // whatever came of it
	}
	return err
}

func (s *script) opened(steps ...func() error) (err error) {
	if s.store, err = store.Create(s.dir); err != nil {
		return err
	}
	defer s.store.Close()
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// save stores so many notes in one commit.
func (s *script) save(n int) func() error {
	return func() error {
		var in []record.Chunk
		for range n {
			in = append(in, s.note(fmt.Sprintf("note-%d", s.next), 0))
		}
		return s.put(in, nil)
	}
}

// again stores the notes of the first step anew.
func (s *script) again(n int) func() error {
	return func() error {
		before := s.next
		s.next = 0
		defer func() { s.next = max(s.next, before) }()
		s.words = rand.New(rand.NewPCG(1, 1))
		return s.save(n)()
	}
}

// version stores a version of a file.
func (s *script) version(size int) func() error {
	return func() error {
		var in []record.Chunk
		for i := range size {
			in = append(in, s.note("/file", i))
		}
		return s.put(in, &record.DocumentEnd{Source: "/file", Chunks: size})
	}
}

func (s *script) note(source string, position int) record.Chunk {
	n := s.next
	s.next++
	content := fmt.Sprintf("zq%d %s.", n, words(s.words, 6))
	if n%5 == 0 {
		content += fmt.Sprintf(" I live in %s.", []string{"Valencia", "Lugo", "Bilbao"}[n%3])
	}
	return record.Chunk{Source: source, Position: position, Domain: []string{"sea", "sea", "sea", "land"}[n%4], DataType: record.TypePersonal, Timestamp: fmt.Sprintf("2026-%02d-%02d", 1+n%11, 1+n%28), Content: content}
}

func (s *script) put(in []record.Chunk, end *record.DocumentEnd) error {
	var lines []byte
	for _, c := range in {
		lines = append(record.New(record.KindChunk, c).Append(lines), '\n')
	}
	if end != nil {
		lines = append(record.New(record.KindDocumentEnd, *end).Append(lines), '\n')
	}
	_, err := s.store.Put(record.NewReader(bytes.NewReader(lines)), func(out []*record.Record) error {
		e := event{at: s.tape.len(), heard: map[string]note{}}
		for _, r := range out {
			if r.Kind() == record.KindLeaf {
				word, _, _ := strings.Cut(r.Str("content"), " ")
				e.heard[r.Str("leaf_id")] = note{word: word, checksum: r.Str("checksum"), retired: strings.HasPrefix(r.Str("source"), "/")}
			}
		}
		s.events = append(s.events, e)
		return nil
	}, store.PutOptions{})
	return err
}

func (s *script) grow(force bool) func() error {
	return func() error {
		_, err := summarize.Grow(context.Background(), s.store, summarize.Options{Force: force})
		return err
	}
}

func (s *script) rebuild() error {
	_, _, err := summarize.Rebuild(context.Background(), s.store, nil)
	return err
}

func (s *script) timeline() error {
	_, err := ledger.Timeline(s.store)
	return err
}

// remove removes one of the leaves that were acknowledged n saves ago.
func (s *script) remove(n int) func() error {
	return func() error {
		for i := len(s.events) - 1; i >= 0; i-- {
			for id, leaf := range s.events[i].heard {
				if n--; n == 0 && !leaf.retired {
					s.events = append(s.events, event{at: s.tape.len(), removing: id})
					err := summarize.Remove(context.Background(), s.store, id)
					if err == nil {
						s.events = append(s.events, event{at: s.tape.len(), removed: id})
					}
					return err
				}
			}
		}
		return nil
	}
}

// promised is what the memory owes after so many changes, and whether a
// removal is under way.
func (s *script) promised(changes int) (p *promise, removing bool) {
	p = newPromise()
	for _, e := range s.events {
		if e.at > changes {
			continue
		}
		for id, n := range e.heard {
			p.leaves[id] = n
			delete(p.doomed, id)
		}
		if e.removing != "" {
			p.doomed[e.removing] = true
			removing = true
		}
		if e.removed != "" {
			delete(p.leaves, e.removed)
			removing = false
		}
	}
	return p, removing
}

// A replay cuts the power over a recorded script and looks at what is left.
type replay struct {
	*script
	from, every int // the first change after which the power is cut, and then after every so many
	random      *rand.Rand
	states      int
}

// run replays every so many of the changes and cuts the power after each in
// several ways.
func (r *replay) run() error {
	home, err := os.MkdirTemp("", "ihmt-cut-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error { // what is checked need not last
		if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
			return nil
		}
		return make(op)
	}
	defer func() { disk.Intercept = nil }()
	p := newPlatter()
	seen := map[[32]byte]bool{}
	for n, op := range r.tape.ops {
		if filepath.IsAbs(op.Name) {
			continue // above the memory
		}
		p.do(op)
		if n+1 < r.from || !r.telling(n+1, op) {
			continue
		}
		promised, removing := r.promised(n + 1)
		for _, c := range cuts(r.random, 3) {
			files, folders := p.after(c)
			state := mark(files, append(folders, fmt.Sprint(len(promised.leaves))))
			if seen[state] {
				continue
			}
			seen[state] = true
			r.states++
			dir := filepath.Join(home, "ihmt_memory")
			if err := lay(dir, files, folders); err != nil {
				return err
			}
			if err := r.look(dir, promised, removing); err != nil {
				lay(dir, files, folders)
				return keep(home, fmt.Errorf("power cut after change %d of %d (%s %s), where %s: %w", n+1, len(r.tape.ops), op.Kind, op.Name, c.name, err))
			}
		}
	}
	return nil
}

// telling tells whether the power is cut after a change: after every so many,
// after the last, and, where another process came before, when something has
// just been acknowledged and when a trunk has come into force.
func (r *replay) telling(n int, op disk.Op) bool {
	return n%r.every == 0 || n == len(r.tape.ops) ||
		r.from > 1 && (op.To == "root.json" || slices.ContainsFunc(r.events, func(e event) bool { return e.at == n }))
}

// look holds a memory against what it promised: as it is, after the next save
// and growth, and after a rebuild.
func (r *replay) look(dir string, p *promise, removing bool) error {
	err := p.broken(dir, r.random, false)
	if _, missing := os.Stat(filepath.Join(dir, "layer_0")); missing != nil && len(p.leaves) == 0 {
		err = nil // the first save was never acknowledged
	}
	if err != nil && !removing {
		return err
	}
	if err == nil {
		if err := use(dir, false); err != nil {
			return fmt.Errorf("the next save and growth: %w", err)
		}
		if err := p.broken(dir, r.random, false); err != nil {
			return fmt.Errorf("after the next save and growth: %w", err)
		}
	}
	if err := use(dir, true); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if err := p.broken(dir, r.random, true); err != nil {
		return fmt.Errorf("after a rebuild: %w", err)
	}
	if n := leftovers(dir); n > 0 {
		return fmt.Errorf("after a rebuild %d temporary files are still there", n)
	}
	return nil
}

// use works on a memory as the next process would.
func use(dir string, rebuild bool) error {
	s, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if rebuild {
		_, _, err := summarize.Rebuild(context.Background(), s, nil)
		return err
	}
	line := record.New(record.KindChunk, record.Chunk{Source: "next", Timestamp: "2026-02-03", Domain: "sea", Content: "after the storm"}).Append(nil)
	if _, err := s.Put(record.NewReader(bytes.NewReader(line)), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		return err
	}
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true}); err != nil {
		return err
	}
	return timelineRight(s)
}

// timelineRight compares the timeline with one that is made of all leaves.
func timelineRight(s *store.Store) error {
	found, err := indexOf(s)
	if err != nil {
		return err
	}
	rules, err := ledger.Rules(s)
	if err != nil {
		return err
	}
	var sources []facts.Source
	err = s.Each(func(l *store.Leaf) error {
		if _, indexed := found[l.ID]; !indexed {
			return nil
		}
		if source, states := rules.Source(ledger.LeafOf(l)); states {
			sources = append(sources, source)
		}
		return nil
	})
	if err != nil {
		return err
	}
	timeline, err := ledger.Timeline(s)
	if err != nil {
		return err
	}
	got, want := fmt.Sprint(timeline.At("2026-12-31")), fmt.Sprint(facts.Build(sources).At("2026-12-31"))
	if got != want {
		return errors.New("the timeline says " + got + ", the leaves say " + want)
	}
	return nil
}

// powerCuts records the life of a memory and cuts the power after every so
// many of its changes; then lives in which a process is killed, another goes
// on, and the power is cut over that one.
func powerCuts(every int, seed uint64, say func(string)) error {
	home, err := os.MkdirTemp("", "ihmt-script-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	random := rand.New(rand.NewPCG(seed, 2))
	s := newScript(filepath.Join(home, "whole"))
	if err := s.play(s.save(1), s.save(1), s.save(30), s.timeline, s.grow(false), s.version(3), s.timeline, s.version(2), s.grow(true), s.save(60), s.grow(false), s.save(3), s.again(1), s.timeline,
		s.remove(2), s.remove(30), s.save(2), s.rebuild, s.save(5), s.timeline, s.grow(false)); err != nil {
		return err
	}
	r := &replay{script: s, from: 1, every: every, random: random}
	if err := r.run(); err != nil {
		return err
	}
	say(fmt.Sprintf("power cut over %d changes: %d states of the disk, no promise broken", len(s.tape.ops), r.states))
	states, lives := 0, 0
	for _, dies := range deaths(len(s.tape.ops), every, random) {
		life := newScript(filepath.Join(home, fmt.Sprint(lives)))
		n, err := life.interrupted(dies)
		if err != nil {
			return err
		}
		r := &replay{script: life, from: n, every: every, random: random}
		if err := r.run(); err != nil {
			return fmt.Errorf("killed after change %d (%s %s): %w", n, life.tape.ops[n-1].Kind, life.tape.ops[n-1].Name, err)
		}
		states += r.states
		lives++
	}
	say(fmt.Sprintf("power cut over the process that came after a killed one, %d times: %d states of the disk, no promise broken", lives, states))
	return nil
}

// interrupted plays until the process dies, and then what the next one does.
// It returns after how many changes that was.
func (s *script) interrupted(dies func(n int, op disk.Op) bool) (int, error) {
	s.tape.dies = dies
	if err := s.play(s.save(1), s.save(10), s.grow(true), s.version(2), s.version(1), s.timeline, s.grow(false)); err != nil {
		return 0, err
	}
	n := s.tape.len()
	s.tape.dies, s.tape.dead = nil, false
	steps := []func() error{s.again(1), s.timeline, s.grow(true), s.save(1)}
	if n%2 == 0 {
		steps = []func() error{s.grow(true), s.timeline, s.again(1)}
	}
	if err := s.play(steps...); err != nil {
		return n, fmt.Errorf("killed after change %d: the next process: %w", n, err)
	}
	return n, nil
}

// deaths are moments to die: those after which the most hangs on what was not
// synced, and some others.
func deaths(changes, every int, random *rand.Rand) []func(n int, op disk.Op) bool {
	var all []func(int, disk.Op) bool
	for _, at := range []struct {
		kind, start string
		which       int
	}{{disk.Mkdir, "layer_0/", 1}, {disk.Create, "state/journal/", 1}, {disk.Write, "state/journal/", 1}, {disk.Write, "state/journal/", 2}, {disk.Write, "state/journal/", 4}, {disk.Rename, "root.json", 1}} {
		seen := 0
		all = append(all, func(_ int, op disk.Op) bool {
			if op.Kind == at.kind && (strings.HasPrefix(op.Name, at.start) || op.To == at.start) {
				seen++
			}
			return seen == at.which
		})
	}
	for last := 1 + random.IntN(4*every); last < changes/4; last += 1 + random.IntN(4*every) {
		all = append(all, func(n int, _ disk.Op) bool { return n >= last })
	}
	return all
}

func newScript(dir string) *script {
	return &script{dir: dir, words: rand.New(rand.NewPCG(1, 1))}
}

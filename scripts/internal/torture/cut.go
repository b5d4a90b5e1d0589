package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

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
	if _, made := os.Stat(filepath.Join(s.dir, "ihmt.config.json")); made == nil {
		s.store, err = store.Create(s.dir)
	} else {
		s.store, err = store.Init(s.dir, func(settings *store.Settings) { settings.BranchFactor = 2 }, true) // for a deep tree over a few leaves
	}
	if err != nil {
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

// promised is what the memory owes after so many changes.
func (s *script) promised(changes int) *promise {
	p := newPromise()
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
		}
		if e.removed != "" {
			delete(p.leaves, e.removed)
		}
	}
	return p
}

// A replay cuts the power over recorded scripts and looks at what is left.
type replay struct {
	seed   uint64
	spare  chan string // folders to lay a state of the disk into
	states int

	mu   sync.Mutex
	seen map[[32]byte]bool // that were looked at, or have come of such
}

func newReplay(seed uint64) (*replay, error) {
	r := &replay{seed: seed, spare: make(chan string, runtime.GOMAXPROCS(0)), seen: map[[32]byte]bool{}}
	for range cap(r.spare) {
		home, err := os.MkdirTemp(quickDisk(), "ihmt-cut-")
		if err != nil {
			return nil, err
		}
		r.spare <- home
	}
	return r, nil
}

func (r *replay) close() {
	for range cap(r.spare) {
		os.RemoveAll(<-r.spare)
	}
}

// quickDisk is a folder that is kept in the machine's memory, where there is
// one: what is looked at need not last.
func quickDisk() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}

// news tells whether a state has not been seen before.
func (r *replay) news(state [32]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.seen[state]
	r.seen[state] = true
	return !known
}

// run replays a script and, from a change on, cuts the power after every so
// many of them, and whenever something was acknowledged or a trunk came into
// force, in several ways.
func (r *replay) run(s *script, from, every int) error {
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
		if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
			return nil
		}
		return make(op)
	}
	defer func() { disk.Intercept = nil }()
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(cap(r.spare))
	p := newPlatter()
	random := rand.New(rand.NewPCG(r.seed, uint64(len(s.tape.ops))))
	for n, op := range s.tape.ops {
		if filepath.IsAbs(op.Name) {
			continue // above the memory
		}
		p.do(op)
		telling := n+1 == len(s.tape.ops) || op.To == "root.json" || slices.ContainsFunc(s.events, func(e event) bool { return e.at == n+1 })
		if n+1 < from || (n+1-from)%every != 0 && !telling || ctx.Err() != nil {
			continue
		}
		promised := s.promised(n + 1)
		for _, c := range cuts(random, 3) {
			files, folders := p.after(c)
			if !r.news(mark(files, append(folders, fmt.Sprint(len(promised.leaves), len(promised.doomed))))) {
				continue
			}
			r.states++
			random := rand.New(rand.NewPCG(r.seed, uint64(r.states)))
			group.Go(func() error {
				home := <-r.spare
				defer func() { r.spare <- home }()
				l := &look{replay: r, promise: promised, random: random, dir: filepath.Join(home, "ihmt_memory"), files: files, folders: folders}
				if err := l.all(); err != nil {
					l.lay()
					return keep(home, fmt.Errorf("power cut after change %d of %d (%s %s), where %s: %w", n+1, len(s.tape.ops), op.Kind, op.Name, c.name, err))
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// A look holds what a power cut left against what was promised.
type look struct {
	*replay
	*promise
	random  *rand.Rand
	dir     string
	files   map[string][]byte
	folders []string
}

func (l *look) lay() error { return lay(l.dir, l.files, l.folders) }

// all looks at the memory as it is, after the next save and growth, and after
// a rebuild.
func (l *look) all() error {
	if err := l.lay(); err != nil {
		return err
	}
	_, begun := l.files["layer_0"]
	begun = begun || slices.Contains(l.folders, "layer_0")
	if begun || len(l.leaves) > 0 { // else the first save was never acknowledged
		if err := l.broken(l.dir, l.random, false); err != nil {
			return err
		}
	}
	saved, err := next(l.dir)
	if err != nil {
		return fmt.Errorf("the next save and growth: %w", err)
	}
	if err := l.once(saved, false); err != nil {
		return fmt.Errorf("after the next save and growth: %w", err)
	}
	if err := l.lay(); err != nil {
		return err
	}
	if err := rebuilt(l.dir); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if err := l.once("", true); err != nil {
		return fmt.Errorf("after a rebuild: %w", err)
	}
	if n := leftovers(l.dir); n > 0 {
		return fmt.Errorf("after a rebuild %d temporary files are still there", n)
	}
	return nil
}

// once looks at what a memory has become, unless one like it was looked at
// before: most of what a power cut takes makes no difference in the end.
func (l *look) once(saved string, whole bool) error {
	like, err := essence(l.dir, saved)
	if err != nil {
		return err
	}
	h := sha256.New()
	fmt.Fprintln(h, whole, slices.Sorted(maps.Keys(l.leaves)), slices.Sorted(maps.Keys(l.doomed)))
	h.Write(like)
	if !l.news([32]byte(h.Sum(nil))) {
		return nil
	}
	return l.broken(l.dir, l.random, whole)
}

// essence is a hash of all that a memory holds, but for how often its tree has
// grown and when the last leaf was saved.
func essence(dir, saved string) ([]byte, error) {
	files, err := truth(dir)
	if err != nil {
		return nil, err
	}
	var trunk store.Trunk
	if data, grown := files["root.json"]; grown {
		if err := json.Unmarshal(data, &trunk); err != nil {
			return nil, err
		}
	}
	h := sha256.New()
	for i := range trunk.Tables {
		name := "state/tables/" + trunk.Tables[i].Name
		files[fmt.Sprint("table ", i)] = files[name]
		delete(files, name)
		trunk.Tables[i].Name, trunk.Tables[i].Checksum = "", ""
	}
	fmt.Fprintln(h, trunk.Format, trunk.Analyzer, trunk.Journal.Offset, trunk.Tables, trunk.Leaves, trunk.Depth, trunk.Spine, trunk.Domains)
	delete(files, "root.json")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		if saved != "" {
			data = bytes.ReplaceAll(data, []byte(saved), []byte("saved"))
		}
		fmt.Fprintln(h, strings.TrimRight(name, "0123456789"), len(data))
		h.Write(data)
	}
	return h.Sum(nil), nil
}

// next saves a note and grows the tree, as the next process would, and returns
// when it was saved.
func next(dir string) (saved string, err error) {
	s, err := store.Create(dir)
	if err != nil {
		return "", err
	}
	defer s.Close()
	line := record.New(record.KindChunk, record.Chunk{Source: "next", Timestamp: "2026-02-03", Domain: "sea", Content: "after the storm"}).Append(nil)
	if _, err := s.Put(record.NewReader(bytes.NewReader(line)), func(out []*record.Record) error {
		for _, r := range out { // the last call has none
			saved = r.Str("saved_at")
		}
		return nil
	}, store.PutOptions{}); err != nil {
		return "", err
	}
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true}); err != nil {
		return "", err
	}
	return saved, timelineRight(s)
}

func rebuilt(dir string) error {
	s, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	_, _, err = summarize.Rebuild(context.Background(), s, nil)
	return err
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
	defer func(size int64) { store.ShortenFrom = size }(store.ShortenFrom)
	store.ShortenFrom = 2 << 10
	home, err := os.MkdirTemp("", "ihmt-script-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	r, err := newReplay(seed)
	if err != nil {
		return err
	}
	defer r.close()
	s := newScript(filepath.Join(home, "whole"))
	if err := s.play(s.save(1), s.save(1), s.save(6), s.timeline, s.grow(false), s.version(2), s.timeline, s.version(1), s.grow(true), s.save(10), s.grow(false), s.save(2), s.again(1), s.timeline,
		s.remove(2), s.remove(8), s.save(1), s.rebuild, s.save(3), s.timeline, s.grow(false)); err != nil {
		return err
	}
	if err := r.run(s, 1, every); err != nil {
		return err
	}
	say(fmt.Sprintf("power cut over %d changes: %d states of the disk, no promise broken", len(s.tape.ops), r.states))
	lives, states := 0, r.states
	for dies := range deaths(every, rand.New(rand.NewPCG(seed, 2))) {
		life := newScript(filepath.Join(home, fmt.Sprint(lives)))
		n, err := life.interrupted(dies)
		if err != nil {
			return err
		}
		if n == 0 {
			break // there are no more changes
		}
		if err := r.run(life, n, 4*every); err != nil {
			return fmt.Errorf("killed after change %d (%s %s): %w", n, life.tape.ops[n-1].Kind, life.tape.ops[n-1].Name, err)
		}
		lives++
	}
	say(fmt.Sprintf("power cut over the process that came after a killed one, %d times: %d states of the disk, no promise broken", lives, r.states-states))
	return nil
}

// interrupted plays until the process dies, and then what the next one does.
// It returns after how many changes that was, 0 where it lived to the end.
func (s *script) interrupted(dies func(n int, op disk.Op) bool) (int, error) {
	s.tape.dies = dies
	if err := s.play(s.save(1), s.save(5), s.grow(true), s.version(2), s.version(1), s.timeline, s.grow(false), s.remove(4)); err != nil || !s.tape.dead {
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
// synced, and then every so many changes, without an end.
func deaths(every int, random *rand.Rand) iter.Seq[func(n int, op disk.Op) bool] {
	return func(yield func(func(int, disk.Op) bool) bool) {
		for _, at := range []struct {
			kind, start string
			which       int
		}{{disk.Mkdir, "layer_0/", 1}, {disk.Create, "state/journal/", 1}, {disk.Create, "state/journal/", 2}, {disk.Write, "state/journal/", 1}, {disk.Write, "state/journal/", 2}, {disk.Write, "state/journal/", 4}, {disk.Rename, "root.json", 1}, {disk.Rename, "tombstones.jsonl", 1}} {
			seen := 0
			if !yield(func(_ int, op disk.Op) bool {
				if op.Kind == at.kind && (strings.HasPrefix(op.Name, at.start) || op.To == at.start) {
					seen++
				}
				return seen == at.which
			}) {
				return
			}
		}
		for last := 1 + random.IntN(every); yield(func(n int, _ disk.Op) bool { return n >= last }); last += every {
		}
	}
}

func newScript(dir string) *script {
	return &script{dir: dir, words: rand.New(rand.NewPCG(1, 1))}
}

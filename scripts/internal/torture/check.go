package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/text"
	"github.com/ihmt/ihmt/scripts/internal/oracle"
)

// A promise is what a memory has acknowledged, and so must keep.
type promise struct {
	leaves map[string]note // by id
	doomed map[string]bool // ids of leaves whose removal was begun: they may be gone
}

// A note is what was acknowledged of a leaf.
type note struct {
	word     string // that no other leaf has
	checksum string
	retired  bool // a later version of its source may have retired it
}

func newPromise() *promise { return &promise{leaves: map[string]note{}, doomed: map[string]bool{}} }

// An index is what a search can find: where each leaf stands in the tree.
type index map[string]oracle.Leaf

// broken holds a memory against what it promised and returns what it broke.
// Whole says that verify must find nothing wrong; else what a stopped writer
// leaves behind is no wrong.
func (p *promise) broken(dir string, random *rand.Rand, whole bool) error {
	s, err := store.Open(dir)
	if err != nil {
		return fmt.Errorf("it cannot be opened: %w", err)
	}
	defer s.Close()
	found, err := indexOf(s)
	if err != nil {
		return err
	}
	kept, err := leavesOf(s)
	if err != nil {
		return err
	}
	for id, n := range p.leaves {
		if err := p.check(kept[id], found, id, n); err != nil {
			return err
		}
	}
	problems, _, err := s.Verify()
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	for _, problem := range problems {
		if whole || !harmless(problem.Wrong) {
			return fmt.Errorf("verify: %s %s", problem.File, problem.Wrong)
		}
	}
	leaves, err := found.leaves(kept)
	if err != nil {
		return err
	}
	return searches(s, found, leaves, p, random)
}

// leavesOf returns the leaves that a memory has files of, by id.
func leavesOf(s *store.Store) (map[string]*store.Leaf, error) {
	kept := map[string]*store.Leaf{}
	return kept, s.Each(func(l *store.Leaf) error {
		kept[l.ID] = l
		return nil
	})
}

func (p *promise) check(l *store.Leaf, found index, id string, n note) error {
	at, indexed := found[id]
	switch {
	case p.doomed[id]:
		return nil
	case l == nil:
		return fmt.Errorf("leaf %s was lost", id)
	case l.Checksum != n.checksum || store.Checksum(l.Content) != n.checksum:
		return fmt.Errorf("leaf %s is not what was acknowledged", id)
	case !indexed:
		return fmt.Errorf("leaf %s was acknowledged and cannot be found", id)
	case at.Retired && !n.retired:
		return fmt.Errorf("leaf %s is retired", id)
	}
	return nil
}

// harmless tells what a writer leaves that was stopped: nothing of it counts.
func harmless(wrong string) bool {
	return slices.ContainsFunc([]string{"was left by a writer", "were left in parts by a power cut", "is not in the journal", "was removed, but its file is there"},
		func(s string) bool { return strings.Contains(wrong, s) })
}

// indexOf returns what the tables and the journal hold, each leaf once.
func indexOf(s *store.Store) (index, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("it cannot be searched: %w", err)
	}
	defer snap.Close()
	found := index{}
	add := func(l oracle.Leaf) error {
		if _, twice := found[l.ID]; twice {
			return fmt.Errorf("leaf %s is there twice", l.ID)
		}
		found[l.ID] = l
		return nil
	}
	for _, t := range snap.Tables {
		for ordinal := range t.Len() {
			if t.Dead(ordinal) {
				continue
			}
			l, err := t.Leaf(ordinal)
			if err != nil {
				return nil, err
			}
			row := t.Row(ordinal)
			l1 := t.Layer1(row.L1)
			l2 := t.Layer2(l1.Parent)
			if err := add(oracle.Leaf{ID: l.ID, Timestamp: l.Timestamp, SavedAt: l.SavedAt, Retired: t.Retired(ordinal, row), Parent: l1.ID, Grandparent: l2.ID}); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range snap.Tail.Leaves {
		if err := add(oracle.Leaf{ID: e.ID, Timestamp: e.Timestamp, SavedAt: e.SavedAt, Retired: e.Retired}); err != nil {
			return nil, err
		}
	}
	return found, snap.Err()
}

// leaves are what their files say, but for where they stand in the tree: that
// the files say only for people.
func (x index) leaves(kept map[string]*store.Leaf) ([]oracle.Leaf, error) {
	leaves := make([]oracle.Leaf, 0, len(x))
	for _, id := range slices.Sorted(maps.Keys(x)) {
		at, l := x[id], kept[id]
		if l == nil {
			return nil, fmt.Errorf("leaf %s can be found, and has no file", id)
		}
		at.Domain, at.Source, at.Position, at.Title, at.Author, at.Tags, at.Content = l.Domain, l.Extra.Source, l.Extra.Position, l.Extra.Title, l.Extra.Author, l.Tags, l.Content
		leaves = append(leaves, at)
	}
	return leaves, nil
}

// searches compares some searches with scoring every leaf, and looks for some
// leaves by their own words.
func searches(s *store.Store, found index, leaves []oracle.Leaf, p *promise, random *rand.Rand) error {
	judge := oracle.New(s.Analyzer, s.Settings.BranchFactor, leaves)
	searcher, err := nav.NewSearcher(s)
	if err != nil {
		return err
	}
	defer searcher.Close()
	for range 2 + len(leaves)/100 {
		q := record.Query{Query: words(random, 1+random.IntN(3)), K: 25}
		answer, err := searcher.Search(q)
		if err != nil {
			return fmt.Errorf("search %q: %w", q.Query, err)
		}
		want := judge.Search(q.Query, text.DMY)
		want = want[:min(len(want), q.K)]
		if !slices.EqualFunc(answer.Results, want, func(r record.Result, w oracle.Result) bool { return r.LeafID == w.ID && abs(r.Score-w.Score) < 1e-6 }) {
			return fmt.Errorf("search %q returns other leaves than scoring all of them does", q.Query)
		}
	}
	ids := slices.Sorted(maps.Keys(p.leaves))
	for range min(2+len(ids)/50, len(ids)) {
		id := ids[random.IntN(len(ids))]
		if p.doomed[id] || found[id].Retired {
			continue
		}
		answer, err := searcher.Search(record.Query{Query: p.leaves[id].word, K: 10})
		if err != nil {
			return err
		}
		hits := 0
		for _, r := range answer.Results {
			if r.LeafID == id {
				hits++
			}
		}
		if hits != 1 || answer.Results[0].LeafID != id {
			return fmt.Errorf("search %q finds %s %d times", p.leaves[id].word, id, hits)
		}
	}
	return nil
}

func abs(x float64) float64 { return max(x, -x) }

var vocabulary = strings.Fields("harbour lighthouse keeper storm ferry lantern granite pulley ledger orchard quince copper violin winter token refresh deploy cache index morning")

func words(random *rand.Rand, n int) string {
	chosen := make([]string, n)
	for i := range chosen {
		chosen[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	return strings.Join(chosen, " ")
}

// leftovers are the temporary files outside the leaves.
func leftovers(dir string) (n int) {
	for _, pattern := range []string{"root.json?*", "tombstones.jsonl?*", "state/*.jsonl?*", "state/tables/*.terms?*", "layers/*/*.json?*"} {
		names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		n += len(names)
	}
	return n
}

// memoryOf is the folder of the memory below a home.
func memoryOf(home string) string { return filepath.Join(home, "ihmt_memory") }

func keep(dir string, err error) error {
	kept := dir + "-broken"
	os.RemoveAll(kept)
	if os.CopyFS(kept, os.DirFS(dir)) == nil {
		err = fmt.Errorf("%w (the memory is in %s)", err, kept)
	}
	return err
}

package nav

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// A Saving says which of the leaves of a memory are asked for.
type Saving struct {
	Domain string // this one only, without those below it
	Loose  bool   // only those that no branch holds
	Skip   int    // how many of the newest to leave out
	K      int    // how many at most
}

// Saved returns leaves, saved last first. It opens those that it returns.
func Saved(s *store.Store, want Saving) ([]*store.Leaf, error) {
	return again(func() ([]*store.Leaf, error) { return readSaved(s, want) })
}

func readSaved(s *store.Store, want Saving) ([]*store.Leaf, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	held, err := heldBy(snap, want.Loose)
	if err != nil {
		return nil, err
	}
	var found []terms.Leaf
	err = everyLeaf(snap, func(span terms.Span) bool { return want.Domain == "" || span.Domain == want.Domain },
		func(l terms.Leaf, branch string) {
			if (want.Domain == "" || terms.Domain(l.ID) == want.Domain) && !(want.Loose && (branch != "" || held[l.ID])) {
				found = append(found, l)
			}
		})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b terms.Leaf) int {
		return cmp.Or(strings.Compare(b.SavedAt, a.SavedAt), strings.Compare(a.ID, b.ID))
	})
	found = found[min(want.Skip, len(found)):]
	var leaves []*store.Leaf
	for _, l := range found[:min(want.K, len(found))] {
		leaf, err := s.Leaf(l.ID)
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, leaf)
	}
	return leaves, nil
}

// SavedByDay counts the leaves by the day, in UTC, on which they were saved.
func SavedByDay(s *store.Store) (map[string]int, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	days := map[string]int{}
	err = everyLeaf(snap, func(terms.Span) bool { return true }, func(l terms.Leaf, _ string) {
		days[l.SavedAt[:min(len(l.SavedAt), len("2006-01-02"))]]++
	})
	return days, err
}

// heldBy returns the leaves that stand in a provisional branch.
func heldBy(snap *store.Snapshot, wanted bool) (map[string]bool, error) {
	if !wanted {
		return nil, nil
	}
	domains, err := snap.Domains()
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, d := range domains {
		for _, c := range d.Closed {
			for _, child := range c.Children {
				held[child] = true
			}
		}
	}
	return held, nil
}

// everyLeaf calls do with each leaf of a snapshot and its full branch of layer
// 1, which is empty where it has none.
func everyLeaf(snap *store.Snapshot, within func(terms.Span) bool, do func(l terms.Leaf, branch string)) error {
	for _, t := range snap.Tables {
		for _, span := range t.Spans() {
			if !within(span) {
				continue
			}
			for i := span.L1; i < span.L1End; i++ {
				twig := t.Layer1(i)
				for ordinal := twig.Start; ordinal < twig.End; ordinal++ {
					if t.Dead(ordinal) {
						continue
					}
					l, err := t.Leaf(ordinal)
					if err != nil {
						return err
					}
					do(l, twig.ID)
				}
			}
		}
	}
	for i := range snap.Tail.Leaves {
		do(snap.Tail.Leaves[i].Leaf, "")
	}
	return snap.Err()
}

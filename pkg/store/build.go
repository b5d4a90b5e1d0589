package store

import (
	"cmp"
	"slices"

	"github.com/ihmt/ihmt/pkg/terms"
)

// Boughs returns the branches of a table with their leaves, without its dead
// rows.
func (t *OpenTable) Boughs() []Bough {
	var boughs []Bough
	for _, span := range t.Spans() {
		for i := span.L2; i < span.L2End; i++ {
			if b := t.bough(i); len(b.Twigs) > 0 {
				b.Domain = span.Domain
				boughs = append(boughs, b)
			}
		}
	}
	return boughs
}

func (t *OpenTable) bough(i int) Bough {
	l2 := t.Layer2(i)
	bough := Bough{ID: l2.ID, Full: l2.ID != ""}
	for j := l2.Start; j < l2.End; j++ {
		l1 := t.Layer1(j)
		twig := Twig{ID: l1.ID, Full: l1.ID != ""}
		for ordinal := l1.Start; ordinal < l1.End; ordinal++ {
			if !t.dead[ordinal] {
				twig.Leaves = append(twig.Leaves, Member{Table: t, Ordinal: ordinal})
			}
		}
		if len(twig.Leaves) > 0 {
			bough.Twigs = append(bough.Twigs, twig)
		}
	}
	return bough
}

// BuildTable writes a table over boughs, which it puts in order of domain.
// Shared are the hashes of sources that may have leaves in other tables.
func (s *Store) BuildTable(snap *Snapshot, name string, boughs []Bough, shared map[uint32]bool) (Table, error) {
	slices.SortStableFunc(boughs, func(a, b Bough) int { return cmp.Compare(a.Domain, b.Domain) })
	l := layouter{snap: snap, inputs: map[*OpenTable]int{}, runs: map[int]int{}}
	l.layout.Shared = map[uint32]bool{}
	for _, b := range boughs {
		l.layout.L2 = append(l.layout.L2, terms.Group{ID: b.ID, Size: len(b.Twigs)})
		for _, t := range b.Twigs {
			l.layout.L1 = append(l.layout.L1, terms.Group{ID: t.ID, Size: len(t.Leaves)})
			for _, m := range t.Leaves {
				if err := l.add(m); err != nil {
					return Table{}, err
				}
				if hash := snap.SourceHash(m); shared[hash] {
					l.layout.Shared[hash] = true
				}
			}
		}
	}
	return s.WriteTable(name, l.list, l.layout)
}

// SourceHash is the hash of the source of a member.
func (snap *Snapshot) SourceHash(m Member) uint32 {
	if m.Table != nil {
		return m.Table.Row(m.Ordinal).Source
	}
	return terms.Hash(snap.Tail.Leaves[m.Ordinal].Source)
}

// runLeaves is how many leaves of the tail are indexed at a time.
const runLeaves = 16 << 10

// A layouter collects the inputs of a merge as its layout needs them.
type layouter struct {
	snap   *Snapshot
	inputs map[*OpenTable]int
	runs   map[int]int
	list   []terms.Input
	layout terms.Layout
}

func (l *layouter) add(m Member) error {
	if m.Table != nil {
		i, ok := l.inputs[m.Table]
		if !ok {
			i = len(l.list)
			l.inputs[m.Table] = i
			l.list = append(l.list, m.Table.Table)
		}
		retired := m.Table.Retired(m.Ordinal, m.Table.Row(m.Ordinal))
		l.layout.Leaves = append(l.layout.Leaves, terms.Entry{Input: i, Ordinal: m.Ordinal, Retired: retired})
		return nil
	}
	i, err := l.run(m.Ordinal / runLeaves)
	l.layout.Leaves = append(l.layout.Leaves, terms.Entry{Input: i, Ordinal: m.Ordinal % runLeaves, Retired: l.snap.Tail.Leaves[m.Ordinal].Retired})
	return err
}

// run returns the input that holds a run of the tail.
func (l *layouter) run(run int) (int, error) {
	if i, ok := l.runs[run]; ok {
		return i, nil
	}
	tail := l.snap.Tail.Leaves
	tail = tail[run*runLeaves : min(len(tail), (run+1)*runLeaves)]
	leaves := make([]terms.Leaf, len(tail))
	for i := range tail {
		leaves[i] = tail[i].Leaf
	}
	r, err := terms.NewRun(leaves, func(i int) string { return tail[i].Terms })
	if err != nil {
		return 0, err
	}
	l.runs[run] = len(l.list)
	l.list = append(l.list, r)
	return l.runs[run], nil
}

package store

import (
	"cmp"
	"slices"

	"github.com/ihmt/ihmt/pkg/terms"
)

// A Member is a leaf of a snapshot: a row of a table, or of the tail where
// Table is nil.
type Member struct {
	Table   *OpenTable
	Ordinal int
}

// A Twig is a layer-1 branch: a full one that has its id already, a full one
// that the next growth makes, or the provisional last one of its domain.
type Twig struct {
	ID     string
	Full   bool
	First  terms.Leaf // its first leaf, by which it is sorted
	Leaves []Member
}

// A Bough is a layer-2 branch over twigs: a full one, or the provisional last
// one of its domain.
type Bough struct {
	Domain string
	ID     string
	Full   bool
	Twigs  []Twig
}

// shape groups the leaves of a domain that have no full layer-2 branch as
// growing the tree would: every so many twigs, or leaves without one, in
// their order become a full branch. What remains of the leaves counts as a
// provisional twig, and what remains of the twigs, with that one, as a
// provisional bough.
func shape(domain string, branchFactor int, twigs []Twig, loose []Twig) []Bough {
	byFirst := func(a, b Twig) int {
		switch {
		case a.First.Before(&b.First):
			return -1
		case b.First.Before(&a.First):
			return 1
		}
		return 0
	}
	slices.SortFunc(loose, byFirst)
	var rest []Twig
	for group := range slices.Chunk(loose, branchFactor) {
		t := Twig{Full: len(group) == branchFactor, First: group[0].First}
		for _, leaf := range group {
			t.Leaves = append(t.Leaves, leaf.Leaves...)
		}
		if t.Full {
			twigs = append(twigs, t)
		} else {
			rest = append(rest, t)
		}
	}
	slices.SortFunc(twigs, byFirst)
	full := len(twigs) - len(twigs)%branchFactor
	var boughs []Bough
	for group := range slices.Chunk(twigs[:full], branchFactor) {
		boughs = append(boughs, Bough{Domain: domain, Full: true, Twigs: group})
	}
	if rest = append(slices.Clone(twigs[full:]), rest...); len(rest) > 0 {
		boughs = append(boughs, Bough{Domain: domain, Twigs: rest})
	}
	return boughs
}

// Fresh is the table that holds the leaves without a full layer-2 branch, nil
// where the tree has not grown yet.
func (snap *Snapshot) Fresh() *OpenTable {
	for _, t := range snap.Tables {
		if t.Info.Fresh {
			return t
		}
	}
	return nil
}

// Touched returns the domains that have leaves in the tail, sorted, with the
// indexes of those leaves.
func (snap *Snapshot) Touched() (domains []string, leaves map[string][]int) {
	leaves = map[string][]int{}
	for i := range snap.Tail.Leaves {
		domain := terms.Domain(snap.Tail.Leaves[i].ID)
		if leaves[domain] == nil {
			domains = append(domains, domain)
		}
		leaves[domain] = append(leaves[domain], i)
	}
	slices.Sort(domains)
	return domains, leaves
}

// Shape returns the boughs of a domain's leaves that have no full layer-2
// branch yet: rows of the fresh table and the given leaves of the tail.
func (snap *Snapshot) Shape(domain string, tail []int) ([]Bough, error) {
	twigs, loose, err := snap.freshTwigs(domain)
	if err != nil {
		return nil, err
	}
	for _, i := range tail {
		loose = append(loose, Twig{First: snap.Tail.Leaves[i].Leaf, Leaves: []Member{{nil, i}}})
	}
	return shape(domain, snap.store.Settings.BranchFactor, twigs, loose), nil
}

// freshTwigs returns the full twigs and the single leaves that the fresh
// table holds of a domain, without its dead rows.
func (snap *Snapshot) freshTwigs(domain string) (twigs, loose []Twig, err error) {
	fresh := snap.Fresh()
	if fresh == nil {
		return nil, nil, nil
	}
	span, ok := fresh.Span(domain)
	if !ok {
		return nil, nil, nil
	}
	for i := span.L1; i < span.L1End; i++ {
		b := fresh.Layer1(i)
		twig := Twig{ID: b.ID, Full: true}
		for ordinal := b.Start; ordinal < b.End; ordinal++ {
			if fresh.dead[ordinal] {
				continue
			}
			first := terms.Leaf{}
			if b.ID == "" || len(twig.Leaves) == 0 {
				if first, err = fresh.Leaf(ordinal); err != nil {
					return nil, nil, err
				}
			}
			member := Member{fresh, ordinal}
			if b.ID == "" {
				loose = append(loose, Twig{First: first, Leaves: []Member{member}})
				continue
			}
			if len(twig.Leaves) == 0 {
				twig.First = first
			}
			twig.Leaves = append(twig.Leaves, member)
		}
		if len(twig.Leaves) > 0 {
			twigs = append(twigs, twig)
		}
	}
	return twigs, loose, nil
}

// Span says where a domain stands in a table.
func (t *OpenTable) Span(domain string) (terms.Span, bool) {
	i, ok := slices.BinarySearchFunc(t.Spans(), domain, func(s terms.Span, d string) int { return cmp.Compare(s.Domain, d) })
	if !ok {
		return terms.Span{}, false
	}
	return t.Spans()[i], true
}

// Leaf returns what the index keeps of a member.
func (snap *Snapshot) Leaf(m Member) (terms.Leaf, error) {
	if m.Table == nil {
		return snap.Tail.Leaves[m.Ordinal].Leaf, nil
	}
	l, err := m.Table.Leaf(m.Ordinal)
	l.Retired = l.Retired || m.Table.retired[m.Ordinal]
	return l, err
}

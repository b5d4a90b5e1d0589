package nav

import (
	"strings"

	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// A view numbers the leaves of a snapshot from 0: those of its tables in
// order, then those of the tail. The branches of both layers are numbered the
// same way; those that the tail would form come last.
type view struct {
	snap     *store.Snapshot
	segments []segment
	leaves   int     // numbers given, dead rows too
	live     int     // leaves
	mean     float64 // length of a leaf

	layers [2]layer
	over   map[int32]int32 // layer-1 branch of fresh leaves that the tail regroups
	over2  map[int32]int32 // layer-2 branch of the branches that the tail forms
	tailL1 []int32         // layer-1 branch of the leaves of the tail

	shared  map[uint32]bool            // hashes of sources with leaves in several segments
	sources map[string]map[int][]int32 // of those: current leaves by position
	near    map[int32][]neighbour
}

// A row is what every match is scored by.
type row struct {
	length                      int32
	l1, l2                      int32 // its branches
	question, temporal, retired bool
	alone                       bool // no other leaf is of its source
}

// A segment is a table, or the tail where table is nil.
type segment struct {
	table *store.OpenTable
	base  int32 // number of its first leaf
	l1    int32 // number of its first branch of layer 1
	l2    int32
}

// A layer holds what is known of the branches of one height.
type layer struct {
	numbers int // given
	groups  int // that hold leaves
	mean    float64
	formed  map[int32]int64 // length of those that the tail forms
	less    map[int32]int64 // length of dead rows
}

func newView(snap *store.Snapshot) (*view, error) {
	v := &view{snap: snap, over: map[int32]int32{}, over2: map[int32]int32{}, shared: map[uint32]bool{},
		sources: map[string]map[int][]int32{}, near: map[int32][]neighbour{}}
	for i := range v.layers {
		v.layers[i].formed, v.layers[i].less = map[int32]int64{}, map[int32]int64{}
	}
	length := int64(0)
	for _, t := range snap.Tables {
		v.segments = append(v.segments, segment{t, int32(v.leaves), int32(v.layers[0].numbers), int32(v.layers[1].numbers)})
		v.leaves += t.Len()
		v.live += t.Len()
		length += t.Total
		v.layers[0].numbers += t.L1s
		v.layers[1].numbers += t.L2s
		for h := range t.Shared() {
			v.shared[h] = true
		}
	}
	v.layers[0].groups, v.layers[1].groups = v.layers[0].numbers, v.layers[1].numbers
	for _, s := range v.segments {
		length -= v.bury(s)
	}
	v.segments = append(v.segments, segment{nil, int32(v.leaves), 0, 0})
	for i := range snap.Tail.Leaves {
		e := &snap.Tail.Leaves[i]
		length += int64(e.Length)
		if e.Known {
			v.shared[terms.Hash(e.Source)] = true
		}
	}
	v.leaves += len(snap.Tail.Leaves)
	v.live += len(snap.Tail.Leaves)
	if err := v.regroup(); err != nil {
		return nil, err
	}
	if v.live > 0 {
		v.mean = float64(length) / float64(v.live)
	}
	for i := range v.layers {
		if n := v.layers[i].groups; n > 0 {
			v.layers[i].mean = float64(length) / float64(n)
		}
	}
	if len(snap.Tail.Leaves) == 0 && len(snap.Tables) == 1 {
		v.shared = nil
	}
	return v, nil
}

// bury takes the dead rows of a table out of the counts and returns their
// length. Dead rows of the fresh table leave the counts when it is regrouped.
func (v *view) bury(s segment) (length int64) {
	_, dead := s.table.Changes()
	left := map[int]int{}
	for _, ordinal := range dead {
		row := s.table.Row(ordinal)
		length += int64(row.Length)
		v.live--
		if s.table.Info.Fresh {
			continue
		}
		l2 := s.table.Parent(row.L1)
		v.layers[0].less[s.l1+int32(row.L1)] += int64(row.Length)
		v.layers[1].less[s.l2+int32(l2)] += int64(row.Length)
		if _, ok := left[row.L1]; !ok {
			b := s.table.Layer1(row.L1)
			left[row.L1] = b.End - b.Start
		}
		if left[row.L1]--; left[row.L1] == 0 {
			v.layers[0].groups--
			if v.emptied(s, l2) {
				v.layers[1].groups--
			}
		}
	}
	return length
}

// emptied tells whether every leaf of a layer-2 branch is dead.
func (v *view) emptied(s segment, l2 int) bool {
	b := s.table.Layer2(l2)
	for l1 := b.Start; l1 < b.End; l1++ {
		twig := s.table.Layer1(l1)
		for ordinal := twig.Start; ordinal < twig.End; ordinal++ {
			if !s.table.Dead(ordinal) {
				return false
			}
		}
	}
	return true
}

// regroup counts the leaves of the tail as the branches that they would form
// with those of the fresh table, in each domain that they belong to.
func (v *view) regroup() error {
	domains, tail := v.snap.Touched()
	v.tailL1 = make([]int32, len(v.snap.Tail.Leaves))
	fresh := v.snap.Fresh()
	var in segment
	for _, s := range v.segments {
		if s.table != nil && s.table == fresh {
			in = s
		}
	}
	for _, domain := range domains {
		if fresh != nil {
			if span, ok := fresh.Span(domain); ok {
				v.layers[0].groups -= span.L1End - span.L1
				v.layers[1].groups -= span.L2End - span.L2
			}
		}
		boughs, err := v.snap.Shape(domain, tail[domain])
		if err != nil {
			return err
		}
		for _, bough := range boughs {
			l2 := v.layers[1].form()
			for _, twig := range bough.Twigs {
				l1 := v.layers[0].form()
				v.over2[l1] = l2
				for _, m := range twig.Leaves {
					length := 0
					if m.Table == nil {
						v.tailL1[m.Ordinal] = l1
						length = v.snap.Tail.Leaves[m.Ordinal].Length
					} else {
						v.over[in.base+int32(m.Ordinal)] = l1
						length = m.Table.Row(m.Ordinal).Length
					}
					v.layers[0].formed[l1] += int64(length)
					v.layers[1].formed[l2] += int64(length)
				}
			}
		}
	}
	return nil
}

func (y *layer) form() int32 {
	y.numbers++
	y.groups++
	return int32(y.numbers - 1)
}

func (v *view) segment(leaf int32) segment {
	i := len(v.segments) - 1
	for v.segments[i].base > leaf {
		i--
	}
	return v.segments[i]
}

// row returns what a match is scored by.
func (v *view) row(leaf int32) row {
	s := v.segment(leaf)
	if s.table == nil {
		i := leaf - s.base
		e := &v.snap.Tail.Leaves[i]
		return row{length: int32(e.Length), l1: v.tailL1[i], l2: v.over2[v.tailL1[i]], question: e.Question, temporal: e.Temporal, retired: e.Retired,
			alone: len(v.snap.Tail.BySource(e.Source)) == 1 && !v.shared[terms.Hash(e.Source)]}
	}
	ordinal := int(leaf - s.base)
	kept := s.table.Row(ordinal)
	r := row{length: int32(kept.Length), question: kept.Question, temporal: kept.Temporal,
		retired: s.table.Retired(ordinal, kept), alone: kept.Alone && !v.shared[kept.Source]}
	if l1, ok := v.over[leaf]; ok {
		r.l1, r.l2 = l1, v.over2[l1]
	} else {
		r.l1, r.l2 = s.l1+int32(kept.L1), s.l2+int32(s.table.Parent(kept.L1))
	}
	return r
}

// day is the calendar day of a leaf as YYYYMMDD, 0 for none.
func (v *view) day(leaf int32) int {
	s := v.segment(leaf)
	if s.table == nil {
		return v.snap.Tail.Leaves[leaf-s.base].Day()
	}
	return s.table.Detail(int(leaf - s.base)).Day
}

// place returns the hash of a leaf's source and its position there.
func (v *view) place(leaf int32) (source uint32, position int) {
	s := v.segment(leaf)
	if s.table == nil {
		e := &v.snap.Tail.Leaves[leaf-s.base]
		return terms.Hash(e.Source), e.Position
	}
	ordinal := int(leaf - s.base)
	return s.table.Row(ordinal).Source, s.table.Detail(ordinal).Position
}

// leaf returns everything that the index keeps of a leaf.
func (v *view) leaf(n int32) (terms.Leaf, error) {
	s := v.segment(n)
	return v.snap.Leaf(store.Member{Table: s.table, Ordinal: int(n - s.base)})
}

// dead tells whether a number is that of a leaf that was stored anew.
func (v *view) dead(leaf int32) bool {
	s := v.segment(leaf)
	return s.table != nil && s.table.Dead(int(leaf-s.base))
}

// length returns the length of all leaves of a branch; which is 0 for layer 1.
func (v *view) length(which int, group int32) int64 {
	if n, ok := v.layers[which].formed[group]; ok {
		return n
	}
	s := v.holder(which, group)
	if which == 0 {
		return s.table.Length1(int(group-s.l1)) - v.layers[0].less[group]
	}
	return s.table.Length2(int(group-s.l2)) - v.layers[1].less[group]
}

// holder returns the segment of the table that a branch stands in.
func (v *view) holder(which int, group int32) segment {
	i := len(v.segments) - 2
	for ; i > 0; i-- {
		if which == 0 && v.segments[i].l1 <= group || which == 1 && v.segments[i].l2 <= group {
			break
		}
	}
	return v.segments[i]
}

// postings appends the leaves that have a term, in ascending order.
func (v *view) postings(dst []terms.Posting, term string) []terms.Posting {
	for _, s := range v.segments {
		from := len(dst)
		if s.table == nil {
			dst = v.snap.Tail.Postings(dst, term)
		} else {
			dst = s.table.Postings(dst, term)
			if _, dead := s.table.Changes(); len(dead) > 0 {
				kept := dst[:from]
				for _, p := range dst[from:] {
					if !s.table.Dead(int(p.Ordinal)) {
						kept = append(kept, p)
					}
				}
				dst = kept
			}
		}
		for i := from; i < len(dst); i++ {
			dst[i].Ordinal += s.base
		}
	}
	return dst
}

// terms calls do for each distinct term with a prefix.
func (v *view) terms(prefix string, do func(term string)) {
	seen := map[string]bool{}
	once := func(term string, _ int) bool {
		if !seen[term] {
			seen[term] = true
			do(term)
		}
		return true
	}
	for _, s := range v.segments {
		if s.table != nil {
			s.table.Terms(prefix, once)
		}
	}
	for i := range v.snap.Tail.Leaves {
		for entry := range strings.FieldsSeq(v.snap.Tail.Leaves[i].Terms) {
			if strings.HasPrefix(entry, prefix) {
				if term, _, err := terms.SplitWeight(entry); err == nil {
					once(term, 1)
				}
			}
		}
	}
}

// A neighbour is a current leaf of the same source, one or two positions away.
type neighbour struct {
	leaf     int32
	distance int32 // its position less the other's
	length   int32
	question bool
}

// neighbours returns those of a leaf; a retired leaf has none.
func (v *view) neighbours(leaf int32, r row) []neighbour {
	if r.retired || r.alone {
		return nil
	}
	near, ok := v.near[leaf]
	if !ok {
		near = v.findNeighbours(leaf)
		v.near[leaf] = near
	}
	return near
}

func (v *view) findNeighbours(leaf int32) []neighbour {
	var near []neighbour
	source, position := v.place(leaf)
	add := func(n int32, at int) {
		if d := at - position; d != 0 && d >= -2 && d <= 2 && !v.dead(n) {
			if r := v.row(n); !r.retired {
				near = append(near, neighbour{n, int32(d), r.length, r.question})
			}
		}
	}
	s := v.segment(leaf)
	switch {
	case v.shared[source]:
		kept, err := v.leaf(leaf)
		if err != nil {
			return nil
		}
		at := v.source(kept.Source)
		for _, d := range []int{-1, -2, 1, 2} {
			for _, n := range at[position+d] {
				add(n, position+d)
			}
		}
	case s.table == nil:
		for _, i := range v.snap.Tail.BySource(v.snap.Tail.Leaves[leaf-s.base].Source) {
			add(s.base+int32(i), v.snap.Tail.Leaves[i].Position)
		}
	default:
		around(s, int(leaf-s.base), add)
	}
	return near
}

// around offers the leaves that stand next to one in its table's order by
// source and position, as far as they may be neighbours, with their positions.
func around(s segment, ordinal int, offer func(leaf int32, position int)) {
	at := s.table.Detail(ordinal)
	next := func(rank int) (int, terms.Detail, bool) {
		n := s.table.BySource(rank)
		if n < 0 {
			return 0, terms.Detail{}, false
		}
		return n, s.table.Detail(n), true
	}
	for n, rank := ordinal, at.Rank-1; !s.table.Row(n).First; rank-- {
		other, d, ok := next(rank)
		if !ok || d.Position < at.Position-2 {
			break
		}
		offer(s.base+int32(other), d.Position)
		n = other
	}
	for rank := at.Rank + 1; ; rank++ {
		other, d, ok := next(rank)
		if !ok || d.Position > at.Position+2 || s.table.Row(other).First {
			break
		}
		offer(s.base+int32(other), d.Position)
	}
}

// source returns the current leaves of a source in all segments by position.
func (v *view) source(source string) map[int][]int32 {
	if at, ok := v.sources[source]; ok {
		return at
	}
	at := map[int][]int32{}
	for _, ref := range v.snap.BySource(source) {
		for _, s := range v.segments {
			if s.table == ref.Table && !ref.Retired {
				at[ref.Position] = append(at[ref.Position], s.base+int32(ref.Index))
			}
		}
	}
	v.sources[source] = at
	return at
}

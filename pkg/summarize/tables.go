package summarize

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// runLeaves is how many leaves of the tail are indexed at a time.
const runLeaves = 16 << 10

// write makes the tables and the spine that the new tree needs and returns
// the trunk that names them.
//
// The leaves without a full layer-2 branch go into a new fresh table. Those
// that got one go into a table of their own, merged with the older ones that
// are not at least twice as large, so that the sizes of the tables form a
// geometric series and a leaf is rewritten a logarithmic number of times.
func (g *growth) write() (*store.Trunk, error) {
	after := &store.Trunk{Format: store.Format, Analyzer: g.s.Analyzer.Name(), Journal: g.snap.End, Removed: g.before.Removed}
	for layer := 1; layer <= g.depth(); layer++ {
		if err := g.s.SyncLayer(layer); err != nil {
			return nil, err
		}
	}
	if err := g.tables(after); err != nil {
		return nil, err
	}
	var err error
	if after.Spine, err = g.s.AppendSpine(g.before.Spine, g.edges); err != nil {
		return nil, err
	}
	for _, d := range g.domains {
		after.Domains = append(after.Domains, d.Domain)
		for _, t := range d.Top {
			after.Depth = max(after.Depth, t.Layer)
		}
		for _, c := range d.Closed {
			after.Depth = max(after.Depth, c.Layer)
		}
	}
	g.expire(after)
	return after, nil
}

// depth is the highest layer that a branch was made in.
func (g *growth) depth() int {
	depth := 0
	for _, b := range g.made {
		depth = max(depth, b.Layer)
	}
	return depth
}

// A bough is a layer-2 branch on its way into a table.
type bough struct {
	domain string
	id     string
	twigs  []store.Twig
}

func (g *growth) tables(after *store.Trunk) error {
	fresh, full, err := g.boughs()
	if err != nil {
		return err
	}
	shared := g.sharedSources(fresh, full)
	name := func(n int) string { return fmt.Sprintf("%06d-%d.terms", g.before.Generation+1, n) }
	kept, merged := g.choose(leavesOf(full))
	if len(full)+len(merged) > 0 {
		for _, t := range slices.Backward(merged) {
			full = append(tableBoughs(t), full...)
		}
		table, err := g.table(name(1), full, shared)
		if err != nil {
			return err
		}
		kept = append(kept, table)
	}
	slices.SortStableFunc(kept, func(a, b store.Table) int { return cmp.Compare(b.Leaves, a.Leaves) })
	after.Tables = kept
	if len(fresh) > 0 {
		table, err := g.table(name(2), fresh, shared)
		if err != nil {
			return err
		}
		table.Fresh = true
		after.Tables = append(after.Tables, table)
	}
	for _, t := range after.Tables {
		after.Leaves += t.Leaves - len(t.Dead)
	}
	return nil
}

// boughs returns those that go into the fresh table and the full new ones.
func (g *growth) boughs() (fresh, full []bough, err error) {
	for _, d := range g.domains {
		boughs := d.boughs
		if !d.touched {
			if boughs, err = g.snap.Shape(d.Name, nil); err != nil {
				return nil, nil, err
			}
		}
		for i, b := range boughs {
			if b.Full {
				full = append(full, bough{d.Name, d.ids[i], b.Twigs})
			} else {
				fresh = append(fresh, bough{d.Name, "", b.Twigs})
			}
		}
	}
	return fresh, full, nil
}

// tableBoughs returns the branches of a table, without its dead rows.
func tableBoughs(t *store.OpenTable) []bough {
	var boughs []bough
	for _, span := range t.Spans() {
		for i := span.L2; i < span.L2End; i++ {
			b := t.Layer2(i)
			out := bough{domain: span.Domain, id: b.ID}
			for j := b.Start; j < b.End; j++ {
				l1 := t.Layer1(j)
				twig := store.Twig{ID: l1.ID, Full: true}
				for ordinal := l1.Start; ordinal < l1.End; ordinal++ {
					if !t.Dead(ordinal) {
						twig.Leaves = append(twig.Leaves, store.Member{Table: t, Ordinal: ordinal})
					}
				}
				if len(twig.Leaves) > 0 {
					out.twigs = append(out.twigs, twig)
				}
			}
			if len(out.twigs) > 0 {
				boughs = append(boughs, out)
			}
		}
	}
	return boughs
}

func leavesOf(boughs []bough) int {
	n := 0
	for _, b := range boughs {
		for _, t := range b.twigs {
			n += len(t.Leaves)
		}
	}
	return n
}

// choose says which of the older tables stay, with their changes noted, and
// which are merged with n new leaves.
func (g *growth) choose(n int) (kept []store.Table, merged []*store.OpenTable) {
	size := n
	for _, t := range slices.Backward(g.snap.Tables) {
		if t.Info.Fresh {
			continue
		}
		info := t.Info
		info.Retired, info.Dead = t.Changes()
		changes := len(info.Retired) + len(info.Dead)
		if (n > 0 && info.Leaves < 2*size) || changes > max(64, info.Leaves/8) {
			merged = append(merged, t)
			size += info.Leaves
			continue
		}
		kept = append(kept, info)
	}
	slices.Reverse(kept)
	slices.Reverse(merged)
	return kept, merged
}

// table writes one table over boughs, which are put in order of domain.
func (g *growth) table(name string, boughs []bough, shared map[uint32]bool) (store.Table, error) {
	slices.SortStableFunc(boughs, func(a, b bough) int { return cmp.Compare(a.domain, b.domain) })
	l := layouter{snap: g.snap, inputs: map[*store.OpenTable]int{}, runs: map[int]int{}}
	l.layout.Shared = map[uint32]bool{}
	for _, b := range boughs {
		l.layout.L2 = append(l.layout.L2, terms.Group{ID: b.id, Size: len(b.twigs)})
		for _, t := range b.twigs {
			l.layout.L1 = append(l.layout.L1, terms.Group{ID: t.ID, Size: len(t.Leaves)})
			for _, m := range t.Leaves {
				if err := l.add(m); err != nil {
					return store.Table{}, err
				}
				if hash := sourceOf(g.snap, m); shared[hash] {
					l.layout.Shared[hash] = true
				}
			}
		}
	}
	return g.s.WriteTable(name, l.list, l.layout)
}

// A layouter collects the inputs of a merge as its layout needs them.
type layouter struct {
	snap   *store.Snapshot
	inputs map[*store.OpenTable]int
	runs   map[int]int
	list   []terms.Input
	layout terms.Layout
}

func (l *layouter) add(m store.Member) error {
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
	run := m.Ordinal / runLeaves
	i, ok := l.runs[run]
	if !ok {
		var err error
		if i, err = l.run(run); err != nil {
			return err
		}
	}
	l.layout.Leaves = append(l.layout.Leaves, terms.Entry{Input: i, Ordinal: m.Ordinal % runLeaves, Retired: l.snap.Tail.Leaves[m.Ordinal].Retired})
	return nil
}

func (l *layouter) run(run int) (int, error) {
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

// sharedSources returns the hashes of the sources that may have leaves in
// several tables: those that were known before, and those that the line
// between the fresh table and the others now parts.
func (g *growth) sharedSources(fresh, full []bough) map[uint32]bool {
	shared := map[uint32]bool{}
	for _, t := range g.snap.Tables {
		maps.Copy(shared, t.Shared())
	}
	for _, e := range g.snap.Tail.Leaves {
		if e.Known {
			shared[terms.Hash(e.Source)] = true
		}
	}
	inFresh := map[uint32]bool{}
	each(fresh, func(m store.Member) { inFresh[sourceOf(g.snap, m)] = true })
	each(full, func(m store.Member) {
		if hash := sourceOf(g.snap, m); inFresh[hash] {
			shared[hash] = true
		}
	})
	return shared
}

func each(boughs []bough, do func(store.Member)) {
	for _, b := range boughs {
		for _, t := range b.twigs {
			for _, m := range t.Leaves {
				do(m)
			}
		}
	}
}

func sourceOf(snap *store.Snapshot, m store.Member) uint32 {
	if m.Table != nil {
		return m.Table.Row(m.Ordinal).Source
	}
	return terms.Hash(snap.Tail.Leaves[m.Ordinal].Source)
}

// expire lists the files that nothing names any more. They are deleted by the
// next growth, so that readers of the old trunk can finish.
func (g *growth) expire(after *store.Trunk) {
	inForce := map[string]bool{}
	for _, t := range after.Tables {
		inForce[t.Name] = true
	}
	for _, t := range g.before.Tables {
		if !inForce[t.Name] {
			after.Expired = append(after.Expired, "state/tables/"+t.Name)
		}
	}
	for _, d := range after.Domains {
		for _, c := range d.Closed {
			inForce[c.ID] = true
		}
	}
	for _, d := range g.before.Domains {
		for _, c := range d.Closed {
			if name, err := store.BranchPath(c.ID); err == nil && !inForce[c.ID] {
				after.Expired = append(after.Expired, name)
			}
		}
	}
	g.before.Expired = slices.DeleteFunc(g.before.Expired, func(name string) bool {
		return inForce[strings.TrimSuffix(path.Base(name), ".json")] // closed again meanwhile
	})
}

// stamp tells the leaves under which full branches they stand, and takes
// leaves that were stored anew out of their old branches. Nothing depends on
// it: a search never reads it.
func (g *growth) stamp() {
	for _, d := range g.domains {
		for i, b := range d.boughs {
			for _, t := range b.Twigs {
				if !b.Full && !g.fresh[t.ID] {
					continue
				}
				l2 := ""
				if b.Full {
					l2 = d.ids[i]
				}
				for _, m := range t.Leaves {
					if leaf, err := g.snap.Leaf(m); err == nil {
						g.s.Stamp(leaf.ID, t.ID, l2)
					}
				}
			}
		}
	}
	for _, t := range g.snap.Tables {
		_, dead := t.Changes()
		for _, ordinal := range dead {
			if slices.Contains(t.Info.Dead, ordinal) {
				continue
			}
			if id := t.Layer1(t.Row(ordinal).L1).ID; id != "" {
				if leaf, err := t.Leaf(ordinal); err == nil {
					g.s.DropChild(id, leaf.ID)
				}
			}
		}
	}
}

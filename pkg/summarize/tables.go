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

// write makes the tables and the spine that the new tree needs and returns
// the trunk that names them.
//
// The leaves without a full layer-2 branch go into a new fresh table. Those
// that got one go into a table of their own, merged with the older ones that
// are not at least twice as large, so that the sizes of the tables form a
// geometric series and a leaf is rewritten a logarithmic number of times.
func (g *growth) write() (*store.Trunk, error) {
	after := &store.Trunk{Format: store.Format, Analyzer: g.s.Analyzer.Name(), Journal: g.snap.End}
	if err := g.syncLayers(); err != nil {
		return nil, err
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

// syncLayers makes the names of the branches that were made last.
func (g *growth) syncLayers() error {
	depth := 0
	for _, b := range g.made {
		depth = max(depth, b.Layer)
	}
	for layer := 1; layer <= depth; layer++ {
		if err := g.s.SyncLayer(layer); err != nil {
			return err
		}
	}
	return nil
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
			full = append(t.Boughs(), full...)
		}
		table, err := g.s.BuildTable(g.snap, name(1), full, shared)
		if err != nil {
			return err
		}
		kept = append(kept, table)
	}
	slices.SortStableFunc(kept, func(a, b store.Table) int { return cmp.Compare(b.Leaves, a.Leaves) })
	after.Tables = kept
	if len(fresh) > 0 {
		table, err := g.s.BuildTable(g.snap, name(2), fresh, shared)
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
func (g *growth) boughs() (fresh, full []store.Bough, err error) {
	for _, d := range g.domains {
		boughs := d.boughs
		if !d.touched {
			if boughs, err = g.snap.Shape(d.Name, nil); err != nil {
				return nil, nil, err
			}
		}
		for i, b := range boughs {
			if b.Full {
				b.ID = d.ids[i]
				full = append(full, b)
			} else {
				fresh = append(fresh, b)
			}
		}
	}
	return fresh, full, nil
}

func leavesOf(boughs []store.Bough) int {
	n := 0
	for _, b := range boughs {
		for _, t := range b.Twigs {
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

// sharedSources returns the hashes of the sources that may have leaves in
// several tables: those that were known before, and those that the line
// between the fresh table and the others now parts.
func (g *growth) sharedSources(fresh, full []store.Bough) map[uint32]bool {
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
	each(fresh, func(m store.Member) { inFresh[g.snap.SourceHash(m)] = true })
	each(full, func(m store.Member) {
		if hash := g.snap.SourceHash(m); inFresh[hash] {
			shared[hash] = true
		}
	})
	return shared
}

func each(boughs []store.Bough, do func(store.Member)) {
	for _, b := range boughs {
		for _, t := range b.Twigs {
			for _, m := range t.Leaves {
				do(m)
			}
		}
	}
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

// stamp tells the leaves under which full branches they stand. Nothing depends
// on it: a search never reads it.
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
}

package summarize

import (
	"context"
	"slices"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Rebuild makes everything that is derived anew from the leaves and the
// tombstones: the same leaves give the same tree, whatever happened before.
func Rebuild(ctx context.Context, s *store.Store, b Backend) (store.Rebuilt, Grown, error) {
	rebuilt, err := rebuildJournal(s)
	if err != nil {
		return rebuilt, Grown{}, err
	}
	grown, err := Grow(ctx, s, Options{Backend: b})
	return rebuilt, grown, err
}

func rebuildJournal(s *store.Store) (store.Rebuilt, error) {
	unlock, err := s.LockGrowth()
	if err != nil {
		return store.Rebuilt{}, err
	}
	defer unlock()
	return s.Rebuild()
}

// Remove takes a leaf's text out of the memory: its file, its journal line,
// the tables, and what the branches above it say. A tombstone stays.
func Remove(ctx context.Context, s *store.Store, id string) error {
	unlock, err := s.LockGrowth()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.Leaf(id); err != nil {
		return err
	}
	trunk, err := s.Trunk()
	if err != nil {
		return err
	}
	snap, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	g := &growth{ctx: ctx, s: s, snap: snap, before: trunk, opt: Options{Backend: heuristic{}}, made: map[string]*record.Branch{}}
	return s.Erase(id, func() error { return g.without(id) })
}

// without puts a trunk into force whose tables and branches do not hold a
// leaf.
func (g *growth) without(id string) error {
	after := *g.before
	after.Tables = slices.Clone(g.before.Tables)
	after.Domains = slices.Clone(g.before.Domains)
	after.Expired = nil
	after.Removed++
	for i, t := range g.snap.Tables {
		boughs, above, found := withoutLeaf(t, id)
		if !found {
			continue
		}
		info := store.Table{}
		var err error
		if len(boughs) > 0 {
			if info, err = g.s.BuildTable(g.snap, t.Info.Name[:6]+"-"+id[len(id)-10:]+".terms", boughs, t.Shared()); err != nil {
				return err
			}
		}
		info.Fresh = t.Info.Fresh
		after.Tables[i] = info
		after.Leaves--
		after.Expired = append(after.Expired, "state/tables/"+t.Info.Name)
		if err := g.resummarize(&after, terms.Domain(id), id, above); err != nil {
			return err
		}
	}
	after.Tables = slices.DeleteFunc(after.Tables, func(t store.Table) bool { return t.Leaves == 0 })
	if err := g.s.CommitGrowth(g.before, &after); err != nil {
		return err
	}
	for _, name := range after.Expired {
		g.s.Discard(name) // the text must be gone now, not at the next growth
	}
	return nil
}

// withoutLeaf returns the boughs of a table without a leaf, and the branches
// that it stood under, from layer 1 up.
func withoutLeaf(t *store.OpenTable, id string) (boughs []store.Bough, above []string, found bool) {
	for _, b := range t.Boughs() {
		twigs := b.Twigs[:0]
		for _, twig := range b.Twigs {
			twig.Leaves = slices.DeleteFunc(twig.Leaves, func(m store.Member) bool {
				l, err := t.Leaf(m.Ordinal)
				if err != nil || l.ID != id {
					return false
				}
				found, above = true, []string{twig.ID, b.ID}
				return true
			})
			if len(twig.Leaves) > 0 {
				twigs = append(twigs, twig)
			}
		}
		if b.Twigs = twigs; len(twigs) > 0 {
			boughs = append(boughs, b)
		}
	}
	return boughs, above, found
}

// resummarize writes the branches above a removed leaf anew, from the bottom
// up, under their old ids, and what the trunk says of the domain.
func (g *growth) resummarize(after *store.Trunk, domain, leaf string, above []string) error {
	parents, err := g.s.Spine(g.before)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(after.Domains, func(d store.Domain) bool { return d.Name == domain })
	if at < 0 {
		return nil
	}
	d := &domainGrowth{Domain: after.Domains[at]}
	for _, c := range d.Closed {
		for _, child := range c.Children {
			parents[child] = c.ID
		}
	}
	chain := []string{}
	next := ""
	for _, id := range above {
		if id != "" {
			chain, next = append(chain, id), id
		}
	}
	if next == "" {
		next = leaf
	}
	for id := parents[next]; id != "" && len(chain) < 64; id = parents[id] {
		chain = append(chain, id)
	}
	removed := leaf
	for _, id := range chain {
		empty, err := g.again(id, removed)
		if err != nil {
			return err
		}
		if removed = ""; empty {
			removed = id
		}
	}
	d.Domain.Leaves--
	if d.boughs, err = g.snap.Shape(domain, nil); err != nil {
		return err
	}
	d.boughs = dropLeaf(g.snap, d.boughs, leaf)
	if d.Domain.Leaves > 0 {
		if err := g.describe(d); err != nil {
			return err
		}
		after.Domains[at] = d.Domain
		return nil
	}
	after.Domains = slices.Delete(after.Domains, at, at+1)
	return nil
}

func dropLeaf(snap *store.Snapshot, boughs []store.Bough, id string) []store.Bough {
	for b := range boughs {
		for t := range boughs[b].Twigs {
			twig := &boughs[b].Twigs[t]
			twig.Leaves = slices.DeleteFunc(twig.Leaves, func(m store.Member) bool {
				l, err := snap.Leaf(m)
				return err == nil && l.ID == id
			})
		}
	}
	return boughs
}

// again writes a branch from what its children say now, without one that is
// gone, and tells whether it has none left.
func (g *growth) again(id, gone string) (empty bool, err error) {
	b, err := g.s.Branch(id)
	if err != nil {
		return false, err
	}
	b.Children = slices.DeleteFunc(b.Children, func(c record.Child) bool { return c.NodeID == gone })
	nodes := make([]Node, len(b.Children))
	for i, c := range b.Children {
		if g.made[c.NodeID] != nil || c.NodeID[0] == 'N' {
			if nodes[i], err = g.node(c.NodeID); err != nil {
				return false, err
			}
			continue
		}
		leaf, err := g.s.Leaf(c.NodeID)
		if err != nil {
			return false, err
		}
		nodes[i] = Node{Child: c, Text: leaf.Content}
	}
	summary := Summary{}
	if len(nodes) > 0 {
		if summary, err = g.opt.Backend.Summarize(g.ctx, b.Domain, b.Layer, nodes); err != nil {
			return false, err
		}
	}
	contrast := Contrast(b.Domain, nodes)
	for i, n := range nodes {
		b.Children[i] = n.Child
		b.Children[i].Excerpt = excerpt(n.Text)
		if i < len(contrast) {
			b.Children[i].Keywords = contrast[i]
		}
	}
	b.Title, b.Summary, b.Keywords = summary.Title, summary.Summary, summary.Keywords
	g.made[id] = b
	return len(nodes) == 0, g.s.WriteBranch(b)
}

package summarize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Remove takes the texts of leaves out of the memory: their files, their
// journal lines, the tables, and what the branches above them say. Tombstones
// stay.
func Remove(ctx context.Context, s *store.Store, ids ...string) error {
	unlock, err := s.LockGrowth()
	if err != nil {
		return err
	}
	defer unlock()
	gone := map[string]bool{}
	for _, id := range ids {
		if _, err := s.Leaf(id); err != nil {
			return err
		}
		gone[id] = true
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
	return s.Erase(ids, func() error { return g.without(gone) })
}

// without puts a trunk into force whose tables and branches do not hold some
// leaves.
func (g *growth) without(gone map[string]bool) error {
	after := *g.before
	after.Tables = slices.Clone(g.before.Tables)
	after.Domains = slices.Clone(g.before.Domains)
	after.Expired = nil
	after.Removed += len(gone)
	above := map[string][]string{} // of each leaf, from layer 1 up
	for i, t := range g.snap.Tables {
		found := len(above)
		boughs := withoutLeaves(t, gone, above)
		if len(above) == found {
			continue
		}
		info := store.Table{}
		if len(boughs) > 0 {
			var err error
			if info, err = g.s.BuildTable(g.snap, fmt.Sprintf("%06d-%d.terms", g.before.Generation+1, i+1), boughs, t.Shared()); err != nil {
				return err
			}
		}
		info.Fresh = t.Info.Fresh
		after.Tables[i] = info
		after.Leaves -= len(above) - found
		after.Expired = append(after.Expired, "state/tables/"+t.Info.Name)
	}
	after.Tables = slices.DeleteFunc(after.Tables, func(t store.Table) bool { return t.Leaves == 0 })
	for _, domain := range domainsOf(above) {
		if err := g.resummarize(&after, domain, gone, above); err != nil {
			return fmt.Errorf("domain %s: %w", domain, err)
		}
	}
	if err := g.snap.Err(); err != nil {
		return err // what was read wrong must not come into force
	}
	if err := g.syncLayers(); err != nil {
		return err
	}
	if err := g.s.CommitGrowth(g.before, &after); err != nil {
		return err
	}
	return g.s.Discard(after.Expired...) // the text must be gone now, not at the next growth
}

// withoutLeaves returns the boughs of a table without some leaves, and notes
// the branches that those stood under.
func withoutLeaves(t *store.OpenTable, gone map[string]bool, above map[string][]string) []store.Bough {
	var boughs []store.Bough
	for _, b := range t.Boughs() {
		twigs := b.Twigs[:0]
		for _, twig := range b.Twigs {
			twig.Leaves = slices.DeleteFunc(twig.Leaves, func(m store.Member) bool {
				l, err := t.Leaf(m.Ordinal)
				if err != nil || !gone[l.ID] {
					return false
				}
				above[l.ID] = []string{twig.ID, b.ID}
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
	return boughs
}

func domainsOf(above map[string][]string) []string {
	var domains []string
	for id := range above {
		if d := terms.Domain(id); !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	slices.Sort(domains)
	return domains
}

// resummarize writes the branches above removed leaves of a domain anew, from
// the bottom up, under their old ids, and what the trunk says of the domain.
func (g *growth) resummarize(after *store.Trunk, domain string, gone map[string]bool, above map[string][]string) error {
	at := slices.IndexFunc(after.Domains, func(d store.Domain) bool { return d.Name == domain })
	if at < 0 {
		return nil
	}
	d := &domainGrowth{Domain: after.Domains[at]}
	spine, err := g.s.Spine(g.before)
	if err != nil {
		return err
	}
	parent := func(id string) string { return cmp.Or(spine.Parent(id), d.Over(id)) }
	empty := map[string]bool{} // branches that have no child left
	for _, id := range g.chains(domain, above, parent) {
		if empty[id], err = g.again(id, func(child string) bool { return gone[child] || empty[child] }); err != nil {
			return err
		}
	}
	d.Top = slices.DeleteFunc(slices.Clone(d.Top), func(t store.Top) bool { return empty[t.ID] })
	d.Closed = slices.DeleteFunc(slices.Clone(d.Closed), func(c store.Closed) bool { return empty[c.ID] })
	for id := range above {
		if terms.Domain(id) == domain {
			d.Domain.Leaves--
		}
	}
	if d.Domain.Leaves <= 0 {
		after.Domains = slices.Delete(after.Domains, at, at+1)
		return nil
	}
	if d.boughs, err = g.snap.Shape(domain, nil); err != nil {
		return err
	}
	dropLeaves(g.snap, d.boughs, gone)
	if err := g.describe(d); err != nil {
		return err
	}
	after.Domains[at] = d.Domain
	return nil
}

// chains lists the branches above removed leaves of a domain, each once and
// after all that stand below it.
func (g *growth) chains(domain string, above map[string][]string, parent func(string) string) []string {
	height := map[string]int{}
	for leaf, low := range above {
		if terms.Domain(leaf) != domain {
			continue
		}
		n, last := 0, leaf
		climb := func(id string) {
			n++
			height[id], last = max(height[id], n), id
		}
		for _, id := range low {
			if id != "" {
				climb(id)
			}
		}
		for id := parent(last); id != "" && n < 64; id = parent(id) {
			climb(id)
		}
	}
	chain := slices.Collect(maps.Keys(height))
	slices.SortFunc(chain, func(a, b string) int { return cmp.Or(cmp.Compare(height[a], height[b]), cmp.Compare(a, b)) })
	return chain
}

func dropLeaves(snap *store.Snapshot, boughs []store.Bough, gone map[string]bool) {
	for b := range boughs {
		for t := range boughs[b].Twigs {
			twig := &boughs[b].Twigs[t]
			twig.Leaves = slices.DeleteFunc(twig.Leaves, func(m store.Member) bool {
				l, err := snap.Leaf(m)
				return err == nil && gone[l.ID]
			})
		}
	}
}

// again writes a branch from what its children say now, without those that
// are gone, and tells whether it has none left.
func (g *growth) again(id string, gone func(child string) bool) (empty bool, err error) {
	b, err := g.s.Branch(id)
	if err != nil {
		return false, err
	}
	b.Children = slices.DeleteFunc(b.Children, func(c record.Child) bool { return gone(c.NodeID) })
	nodes := make([]Node, len(b.Children))
	for i, c := range b.Children {
		if strings.HasPrefix(c.NodeID, "N") {
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

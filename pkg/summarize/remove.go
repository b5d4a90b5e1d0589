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
	"github.com/ihmt/ihmt/pkg/text"
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
// stay. What they replaced stays superseded by what replaced them; of what
// nothing else replaces, and so holds again, Store.Notify is told.
func Remove(ctx context.Context, s *store.Store, ids ...string) error {
	unlock, err := s.LockGrowth()
	if err != nil {
		return err
	}
	defer unlock()
	return remove(ctx, s, ids)
}

// Import takes the union of a memory with another, whose files are only read,
// and grows the tree. Leaves that the other removed go.
func Import(ctx context.Context, s, other *store.Store, b Backend) (store.United, error) {
	united, err := unite(ctx, s, other)
	if err != nil {
		return united, err
	}
	_, err = Grow(ctx, s, Options{Backend: b})
	return united, err
}

// ImportRecords is Import with the leaf records of another memory; see
// [store.Store.UniteRecords].
func ImportRecords(ctx context.Context, s *store.Store, in *record.Reader, pass func(*record.Record) error, b Backend) (store.United, error) {
	united, err := s.UniteRecords(in, pass)
	if err != nil {
		return united, err
	}
	_, err = Grow(ctx, s, Options{Backend: b})
	return united, err
}

func unite(ctx context.Context, s, other *store.Store) (store.United, error) {
	unlock, err := s.LockGrowth()
	if err != nil {
		return store.United{}, err
	}
	defer unlock()
	united, err := s.Unite(other)
	if err != nil || len(united.Doomed) == 0 {
		return united, err
	}
	return united, remove(ctx, s, united.Doomed)
}

func finishRemoval(ctx context.Context, s *store.Store) error {
	ids, err := s.HalfRemoved()
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := remove(ctx, s, ids); err != nil {
		return err
	}
	if s.Notify != nil {
		s.Notify("finished the removal of " + text.Counted(len(ids), "leaf", "leaves") + ": " + strings.Join(ids, " "))
	}
	return nil
}

// remove is Remove where the caller holds the growth lock.
func remove(ctx context.Context, s *store.Store, ids []string) error {
	gone := map[string]bool{}
	for _, id := range ids {
		if removed, err := s.Removed(id); err != nil {
			return err
		} else if !removed {
			if _, err := s.Leaf(id); err != nil {
				return err
			}
		}
		gone[id] = true
	}
	freed, err := s.PassOn(ids)
	if err != nil {
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
	if err := s.Erase(ids, func() error { return g.without(gone) }); err != nil {
		return err
	}
	for _, id := range freed {
		if s.Notify != nil {
			s.Notify(id + " holds again: only what was removed replaced it")
		}
	}
	return nil
}

// without puts a trunk into force whose tables and branches do not hold some
// leaves.
func (g *growth) without(gone map[string]bool) error {
	after := *g.before
	after.Tables = slices.Clone(g.before.Tables)
	after.Domains = slices.Clone(g.before.Domains)
	after.Expired = nil
	var rows []row
	for i, t := range g.snap.Tables {
		boughs, found := withoutLeaves(t, gone)
		if len(found) == 0 {
			continue
		}
		rows = append(rows, found...)
		info := store.Table{}
		if len(boughs) > 0 {
			var err error
			if info, err = g.s.BuildTable(g.snap, fmt.Sprintf("%06d-%d.terms", g.before.Generation+1, i+1), boughs, t.Shared()); err != nil {
				return err
			}
		}
		info.Fresh = t.Info.Fresh
		after.Tables[i] = info
		after.Leaves -= counted(found)
		after.Expired = append(after.Expired, "state/tables/"+t.Info.Name)
	}
	after.Tables = slices.DeleteFunc(after.Tables, func(t store.Table) bool { return t.Leaves == 0 })
	for domain, rows := range byDomain(rows) {
		if err := g.resummarize(&after, domain, gone, rows); err != nil {
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

// A row is one of a table that is of a leaf to be removed.
type row struct {
	leaf    string
	above   []string // its branches of layers 1 and 2, "" for a provisional one
	counted bool     // the trunk counts it: false where the leaf was stored anew before the tree grew last
}

func counted(rows []row) int {
	n := 0
	for _, r := range rows {
		if r.counted {
			n++
		}
	}
	return n
}

// withoutLeaves returns the boughs of a table without some leaves, and the
// rows that it had of those, dead ones too: they hold the text as well.
func withoutLeaves(t *store.OpenTable, gone map[string]bool) (boughs []store.Bough, rows []row) {
	for _, b := range t.Boughs() {
		twigs := b.Twigs[:0]
		for _, twig := range b.Twigs {
			twig.Leaves = slices.DeleteFunc(twig.Leaves, func(m store.Member) bool {
				l, err := t.Leaf(m.Ordinal)
				if err != nil || !gone[l.ID] {
					return false
				}
				rows = append(rows, row{l.ID, []string{twig.ID, b.ID}, true})
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
	_, dead := t.Changes()
	for _, ordinal := range dead {
		if r, err := rowOf(t, ordinal); err == nil && gone[r.leaf] {
			rows = append(rows, r)
		}
	}
	return boughs, rows
}

// rowOf returns a dead row of a table.
func rowOf(t *store.OpenTable, ordinal int) (row, error) {
	l, err := t.Leaf(ordinal)
	l1 := t.Layer1(t.Row(ordinal).L1)
	return row{l.ID, []string{l1.ID, t.Layer2(l1.Parent).ID}, !slices.Contains(t.Info.Dead, ordinal)}, err
}

func byDomain(rows []row) map[string][]row {
	domains := map[string][]row{}
	for _, r := range rows {
		d := terms.Domain(r.leaf)
		domains[d] = append(domains[d], r)
	}
	return domains
}

// resummarize writes the branches above removed leaves of a domain anew, from
// the bottom up, under their old ids, and what the trunk says of the domain.
func (g *growth) resummarize(after *store.Trunk, domain string, gone map[string]bool, rows []row) error {
	at := slices.IndexFunc(after.Domains, func(d store.Domain) bool { return d.Name == domain })
	if at < 0 {
		return nil
	}
	d := &domainGrowth{Domain: after.Domains[at]}
	if err := g.leave(&d.Domain, rows); err != nil {
		return err
	}
	d.Domain.Leaves -= counted(rows)
	if d.Domain.Leaves <= 0 {
		after.Domains = slices.Delete(after.Domains, at, at+1)
		return nil
	}
	var err error
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

// leave writes the branches above rows anew without the leaves of those, and
// takes branches that have no child left out of a domain.
func (g *growth) leave(d *store.Domain, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	spine, err := g.s.Spine(g.before)
	if err != nil {
		return err
	}
	gone := map[string]bool{} // leaves, and branches that have no child left
	for _, r := range rows {
		gone[r.leaf] = true
	}
	for _, id := range chains(rows, func(id string) string { return cmp.Or(spine.Parent(id), d.Over(id)) }) {
		if gone[id], err = g.again(id, func(child string) bool { return gone[child] }); err != nil {
			return err
		}
	}
	d.Top = slices.DeleteFunc(slices.Clone(d.Top), func(t store.Top) bool { return gone[t.ID] })
	d.Closed = slices.DeleteFunc(slices.Clone(d.Closed), func(c store.Closed) bool { return gone[c.ID] })
	return nil
}

// chains lists the branches above rows, each once and after all that stand
// below it.
func chains(rows []row, parent func(string) string) []string {
	height := map[string]int{}
	for _, r := range rows {
		n, last := 0, r.leaf
		climb := func(id string) {
			n++
			height[id], last = max(height[id], n), id
		}
		for _, id := range r.above {
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

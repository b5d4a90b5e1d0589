package summarize

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Options say how to grow the tree.
type Options struct {
	Force   bool    // close partial groups too, as provisional branches
	Backend Backend // writes the summaries; nil is the heuristic
}

// Grown says what a growth did.
type Grown struct {
	Leaves      int // new in the tree
	Branches    int // full ones made
	Provisional int // provisional ones made
	Tables      int // in force
	Depth       int // layers of branches
	Changed     bool
}

// Grow brings the tree up to the end of the journal: in each domain that has
// new leaves, every branch_factor nodes without a parent become a branch, layer
// by layer. Interrupted anywhere it leaves the memory as it was, and it can be
// run again; where there is nothing to do it changes nothing. A removal that
// was interrupted is finished first.
func Grow(ctx context.Context, s *store.Store, opt Options) (Grown, error) {
	unlock, err := s.LockGrowth()
	if err != nil {
		return Grown{}, err
	}
	defer unlock()
	if err := finishRemoval(ctx, s); err != nil {
		return Grown{}, err
	}
	trunk, err := s.Trunk()
	if err != nil {
		return Grown{}, err
	}
	snap, err := s.Snapshot()
	if err != nil {
		return Grown{}, err
	}
	defer snap.Close()
	g := &growth{ctx: ctx, s: s, snap: snap, before: trunk, opt: opt, made: map[string]*record.Branch{}, fresh: map[string]bool{}}
	if g.opt.Backend == nil {
		g.opt.Backend = heuristic{}
	}
	if err := g.plan(); err != nil {
		return Grown{}, err
	}
	if !g.changes() {
		return Grown{Tables: len(trunk.Tables), Depth: trunk.Depth}, nil
	}
	after, err := g.write()
	if err == nil {
		err = snap.Err() // what was read wrong must not come into force
	}
	if err != nil {
		return Grown{}, err
	}
	if err := s.CommitGrowth(trunk, after); err != nil {
		return Grown{}, err
	}
	g.stamp()
	g.result.Tables, g.result.Depth, g.result.Changed, g.result.Leaves = len(after.Tables), after.Depth, true, len(snap.Tail.Leaves)
	return g.result, nil
}

// A growth is one run of Grow.
type growth struct {
	ctx    context.Context
	s      *store.Store
	snap   *store.Snapshot
	before *store.Trunk
	opt    Options

	domains []domainGrowth
	made    map[string]*record.Branch // branches written or read, by id
	fresh   map[string]bool           // full layer-1 branches that are new
	edges   []store.Edge
	result  Grown
}

// A domainGrowth is what becomes of one domain.
type domainGrowth struct {
	store.Domain
	touched bool
	boughs  []store.Bough // of leaves that had no full layer-2 branch
	ids     []string      // of the full boughs
}

// plan makes the branches of every domain that grows.
func (g *growth) plan() error {
	known := map[string]store.Domain{}
	for _, d := range g.before.Domains {
		known[d.Name] = d
	}
	_, tail := g.snap.Touched()
	names := slices.Collect(maps.Keys(tail))
	for name := range known {
		if tail[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		d := domainGrowth{Domain: known[name], touched: tail[name] != nil}
		d.Name = name
		if d.touched || (g.opt.Force && !d.Single()) {
			if err := g.grow(&d, tail[name]); err != nil {
				return fmt.Errorf("domain %s: %w", name, err)
			}
		}
		g.domains = append(g.domains, d)
	}
	return nil
}

// changes tells whether there is anything to commit.
func (g *growth) changes() bool {
	return g.result.Branches+g.result.Provisional > 0 || g.snap.End != g.before.Journal
}

// grow makes the branches of one domain, from its new leaves up.
func (g *growth) grow(d *domainGrowth, tail []int) error {
	var err error
	if d.boughs, err = g.snap.Shape(d.Name, tail); err != nil {
		return err
	}
	d.touched = true
	dead, err := g.deadOf(d.Name)
	if err != nil {
		return err
	}
	d.Domain.Leaves += len(tail) - len(dead)
	if err := g.leave(&d.Domain, dead); err != nil {
		return err
	}
	if err := g.countDays(d, tail); err != nil {
		return err
	}
	if err := g.twigs(d); err != nil {
		return err
	}
	levels := g.levels(d)
	if err := g.climb(d, levels); err != nil {
		return err
	}
	return g.describe(d)
}

// deadOf returns the rows of a domain that the tail stores anew.
func (g *growth) deadOf(domain string) (rows []row, err error) {
	for _, t := range g.snap.Tables {
		span, ok := t.Span(domain)
		if !ok {
			continue
		}
		for _, ordinal := range t.NewlyDead() {
			if ordinal < span.Leaf || ordinal >= span.LeafEnd {
				continue
			}
			dead, err := rowOf(t, ordinal)
			if err != nil {
				return nil, err
			}
			rows = append(rows, dead)
		}
	}
	return rows, nil
}

func (g *growth) countDays(d *domainGrowth, tail []int) error {
	for _, i := range tail {
		day := g.snap.Tail.Leaves[i].Timestamp[:10]
		if d.First == "" || day < d.First {
			d.First = day
		}
		d.Last = max(d.Last, day)
	}
	return nil
}

// twigs makes the full layer-1 branches that are new, and gives the full
// layer-2 branches their ids.
func (g *growth) twigs(d *domainGrowth) error {
	var fresh []*store.Twig
	for b := range d.boughs {
		for t := range d.boughs[b].Twigs {
			if twig := &d.boughs[b].Twigs[t]; twig.Full && twig.ID == "" {
				fresh = append(fresh, twig)
			}
		}
	}
	branches := make([]*record.Branch, len(fresh))
	group, ctx := errgroup.WithContext(g.ctx)
	group.SetLimit(16)
	for i, twig := range fresh {
		group.Go(func() (err error) {
			branches[i], err = g.overLeaves(ctx, d.Name, twig.Leaves)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, twig := range fresh {
		twig.ID = branches[i].NodeID
		g.made[twig.ID] = branches[i]
		g.fresh[twig.ID] = true
	}
	g.result.Branches += len(fresh)
	return nil
}

// overLeaves writes the branch over some leaves.
func (g *growth) overLeaves(ctx context.Context, domain string, members []store.Member) (*record.Branch, error) {
	nodes := make([]Node, len(members))
	for i, m := range members {
		kept, err := g.snap.Leaf(m)
		if err != nil {
			return nil, err
		}
		leaf, err := g.s.Leaf(kept.ID)
		if err != nil {
			return nil, err
		}
		nodes[i] = Node{Child: record.Child{NodeID: leaf.ID, Title: leaf.Extra.Title, Tags: leaf.Tags, Timestamp: leaf.Timestamp}, Text: leaf.Content}
	}
	return g.branch(ctx, domain, 1, nodes)
}

// branch asks the back end for a summary and writes the branch.
func (g *growth) branch(ctx context.Context, domain string, layer int, nodes []Node) (*record.Branch, error) {
	summary, err := g.opt.Backend.Summarize(ctx, domain, layer, nodes)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(nodes))
	children := make([]record.Child, len(nodes))
	contrast := Contrast(domain, nodes)
	for i, n := range nodes {
		ids[i], children[i] = n.NodeID, n.Child
		children[i].Excerpt = excerpt(n.Text)
		if i < len(contrast) && len(children[i].Keywords) == 0 {
			children[i].Keywords = contrast[i]
		}
	}
	b := &record.Branch{NodeID: store.BranchID(layer, domain, ids), Layer: layer, Domain: domain,
		Title: summary.Title, Summary: summary.Summary, Keywords: summary.Keywords, Children: children}
	return b, g.s.WriteBranch(b)
}

// excerpt is the start of a text as one line.
func excerpt(text string) string {
	const width = 160
	line := strings.Join(strings.Fields(text[:min(len(text), 4*width)]), " ")
	count := 0
	for i := range line {
		if count++; count > width {
			return line[:i] + "…"
		}
	}
	return strings.ToValidUTF8(line, "")
}

// A level holds the full branches of one layer that have no full parent.
type level []store.Top

// levels returns a domain's branches without a full parent by layer, the new
// ones included; index 0 is layer 1.
func (g *growth) levels(d *domainGrowth) []level {
	levels := make([]level, 1, 8)
	for _, b := range d.boughs {
		if b.Full {
			continue // its twigs get their parent in climb
		}
		for _, t := range b.Twigs {
			if t.Full {
				levels[0] = append(levels[0], store.Top{ID: t.ID, Layer: 1, First: sortKey(&t.First), Leaves: len(t.Leaves)})
			}
		}
	}
	for _, top := range d.Top {
		if top.Layer < 2 {
			continue
		}
		for len(levels) < top.Layer {
			levels = append(levels, nil)
		}
		levels[top.Layer-1] = append(levels[top.Layer-1], top)
	}
	return levels
}

func sortKey(l *terms.Leaf) string { return l.Timestamp + " " + l.ID }

// climb makes the full layer-2 branches, then groups layer by layer, and with
// force closes what remains.
func (g *growth) climb(d *domainGrowth, levels []level) error {
	d.ids = make([]string, len(d.boughs))
	for i, bough := range d.boughs {
		if !bough.Full {
			continue
		}
		var group level
		for _, t := range bough.Twigs {
			group = append(group, store.Top{ID: t.ID, Layer: 1, First: sortKey(&t.First), Leaves: len(t.Leaves)})
		}
		top, err := g.over(d.Name, 2, group)
		if err != nil {
			return err
		}
		d.ids[i] = top.ID
		if len(levels) < 2 {
			levels = append(levels, nil)
		}
		levels[1] = append(levels[1], top)
	}
	factor := g.s.Settings.BranchFactor
	for i := 1; i < len(levels); i++ {
		slices.SortFunc(levels[i], func(a, b store.Top) int { return cmp.Compare(a.First, b.First) })
		full := len(levels[i]) - len(levels[i])%factor
		for group := range slices.Chunk(levels[i][:full], factor) {
			top, err := g.over(d.Name, i+2, group)
			if err != nil {
				return err
			}
			for _, child := range group {
				g.edges = append(g.edges, store.Edge{Child: child.ID, Parent: top.ID})
			}
			if len(levels) < i+2 {
				levels = append(levels, nil)
			}
			levels[i+1] = append(levels[i+1], top)
		}
		levels[i] = slices.Clone(levels[i][full:])
	}
	d.Top = nil
	for i := len(levels) - 1; i >= 0; i-- {
		d.Top = append(d.Top, levels[i]...)
	}
	d.Closed = nil
	if g.opt.Force {
		return g.close(d, levels)
	}
	return nil
}

// over makes a full branch over branches.
func (g *growth) over(domain string, layer int, group level) (store.Top, error) {
	b, err := g.overBranches(domain, layer, group)
	if err != nil {
		return store.Top{}, err
	}
	g.result.Branches++
	leaves := 0
	for _, child := range group {
		leaves += child.Leaves
	}
	return store.Top{ID: b.NodeID, Layer: layer, First: group[0].First, Leaves: leaves}, nil
}

func (g *growth) overBranches(domain string, layer int, group level) (*record.Branch, error) {
	nodes := make([]Node, len(group))
	for i, child := range group {
		node, err := g.node(child.ID)
		if err != nil {
			return nil, err
		}
		nodes[i] = node
	}
	b, err := g.branch(g.ctx, domain, layer, nodes)
	if err == nil {
		g.made[b.NodeID] = b
	}
	return b, err
}

// node returns a branch as a child to summarise.
func (g *growth) node(id string) (Node, error) {
	b := g.made[id]
	if b == nil {
		var err error
		if b, err = g.s.Branch(id); err != nil {
			return Node{}, err
		}
		g.made[id] = b
	}
	n := Node{Child: record.Child{NodeID: b.NodeID, Title: b.Title, Keywords: b.Keywords}, Text: b.Summary}
	if len(b.Children) > 0 {
		n.Timestamp = b.Children[0].Timestamp
	}
	return n, nil
}

// close puts provisional branches over what has no parent, layer by layer,
// until one branch holds the domain.
func (g *growth) close(d *domainGrowth, levels []level) error {
	var carry level // the provisional branch of the layer below
	if n := len(d.boughs); n > 0 && !d.boughs[n-1].Full {
		twigs := d.boughs[n-1].Twigs
		if last := twigs[len(twigs)-1]; !last.Full {
			b, err := g.overLeaves(g.ctx, d.Name, last.Leaves)
			if err != nil {
				return err
			}
			g.made[b.NodeID] = b
			carry = level{{ID: b.NodeID, Layer: 1, First: sortKey(&last.First), Leaves: len(last.Leaves)}}
			g.closed(d, b)
		}
	}
	for i := range levels {
		group := append(slices.Clone(levels[i]), carry...)
		above := slices.ContainsFunc(levels[i+1:], func(l level) bool { return len(l) > 0 })
		if len(group) < 2 {
			if carry = group; above {
				continue
			}
			break
		}
		b, err := g.overBranches(d.Name, i+2, group)
		if err != nil {
			return err
		}
		g.closed(d, b)
		carry = level{{ID: b.NodeID, Layer: i + 2, First: group[0].First}}
		for _, child := range group {
			carry[0].Leaves += child.Leaves
		}
	}
	return nil
}

func (g *growth) closed(d *domainGrowth, b *record.Branch) {
	c := store.Closed{ID: b.NodeID, Layer: b.Layer}
	for _, child := range b.Children {
		c.Children = append(c.Children, child.NodeID)
	}
	d.Closed = append(d.Closed, c)
	g.result.Provisional++
}

// describe writes what the trunk says of a domain, from its top branches or,
// where there are none yet, from its leaves.
func (g *growth) describe(d *domainGrowth) error {
	var nodes []Node
	for _, id := range d.Roots() {
		node, err := g.node(id)
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
	}
	d.Loose = 0
	if n := len(d.boughs); n > 0 && !d.boughs[n-1].Full {
		twigs := d.boughs[n-1].Twigs
		if last := twigs[len(twigs)-1]; !last.Full {
			d.Loose = len(last.Leaves)
			for _, m := range last.Leaves {
				if len(nodes) >= 8 {
					break
				}
				kept, err := g.snap.Leaf(m)
				if err != nil {
					return err
				}
				leaf, err := g.s.Leaf(kept.ID)
				if err != nil {
					return err
				}
				nodes = append(nodes, Node{Child: record.Child{NodeID: leaf.ID, Title: leaf.Extra.Title, Timestamp: leaf.Timestamp}, Text: leaf.Content})
			}
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	summary, err := heuristic{}.Summarize(g.ctx, d.Name, len(d.Top)+1, nodes)
	d.Summary, d.Keywords = summary.Summary, summary.Keywords
	return err
}

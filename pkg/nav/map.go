package nav

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

// A Plot is what the map says of one domain or branch: how much is below it,
// and of when. Days are YYYY-MM-DD, empty where nothing below has one.
type Plot struct {
	NodeID string `json:"node_id"` // empty for a domain
	Layer  int    `json:"layer"`   // 0 for a domain
	Domain string `json:"domain"`
	Parent string `json:"parent,omitempty"` // the branch above
	Leaves int    `json:"leaves"`
	Loose  int    `json:"loose,omitempty"` // of a domain: leaves that no branch holds
	First  string `json:"first,omitempty"`
	Last   string `json:"last,omitempty"`

	first, last int
}

func (p *Plot) add(q Plot) {
	p.Leaves += q.Leaves
	if q.first != 0 && (p.first == 0 || q.first < p.first) {
		p.first = q.first
	}
	p.last = max(p.last, q.last)
}

// Map returns every domain with all branches below it, each above those that
// it holds. It reads the tables and opens neither branch nor leaf, so that a
// picture of a large memory is cheap. An empty domain stands for all.
func Map(s *store.Store, domain string) ([]Plot, error) {
	return again(func() ([]Plot, error) { return readMap(s, domain) })
}

func readMap(s *store.Store, domain string) ([]Plot, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	domains, err := snap.Domains()
	if err != nil {
		return nil, err
	}
	spine, err := s.Spine(snap.Trunk)
	if err != nil {
		return nil, err
	}
	c := &charter{above: map[string]string{}, plots: map[string]*Plot{}}
	for line := range strings.Lines(string(spine)) {
		if child, parent, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			c.above[child] = parent
		}
	}
	for _, d := range domains {
		for _, closed := range d.Closed {
			for _, child := range closed.Children {
				c.above[child] = closed.ID
			}
		}
	}
	within := func(name string) bool { return domain == "" || name == domain || strings.HasPrefix(name, domain+".") }
	for _, t := range snap.Tables {
		for _, span := range t.Spans() {
			if within(span.Domain) {
				if err := c.table(t, span); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, e := range snap.Tail.Leaves {
		if name := terms.Domain(e.ID); within(name) {
			c.count(name, "", Plot{Leaves: 1, first: e.Day(), last: e.Day()})
		}
	}
	return c.sorted(), snap.Err()
}

// A charter collects plots, by the id of their branch or the name of their
// domain.
type charter struct {
	above map[string]string // the branch over a node
	plots map[string]*Plot
}

// table counts the leaves that a domain has in a table.
func (c *charter) table(t *store.OpenTable, span terms.Span) error {
	for i := span.L1; i < span.L1End; i++ {
		twig := t.Layer1(i)
		bough := t.Layer2(twig.Parent)
		if twig.ID != "" && bough.ID != "" {
			c.above[twig.ID] = bough.ID
		}
		sum := Plot{}
		for ordinal := twig.Start; ordinal < twig.End; ordinal++ {
			if t.Dead(ordinal) {
				continue
			}
			day := t.Detail(ordinal).Day
			leaf := Plot{Leaves: 1, first: day, last: day}
			if twig.ID != "" {
				sum.add(leaf)
				continue
			}
			kept, err := t.Leaf(ordinal)
			if err != nil {
				return err
			}
			c.count(span.Domain, c.above[kept.ID], leaf)
		}
		if sum.Leaves > 0 {
			c.count(span.Domain, twig.ID, sum)
		}
	}
	return nil
}

// count adds leaves to a branch, all that stand over it, and their domain.
func (c *charter) count(domain, branch string, p Plot) {
	d := c.plot(domain, Plot{Domain: domain})
	d.add(p)
	if branch == "" {
		d.Loose += p.Leaves
	}
	for range 64 {
		if branch == "" {
			break
		}
		over := c.above[branch]
		c.plot(branch, Plot{NodeID: branch, Layer: layerOf(branch), Domain: domain, Parent: over}).add(p)
		branch = over
	}
}

func (c *charter) plot(key string, otherwise Plot) *Plot {
	p := c.plots[key]
	if p == nil {
		p = &otherwise
		c.plots[key] = p
	}
	return p
}

// sorted returns the plots by domain, the higher ones first, then by date.
func (c *charter) sorted() []Plot {
	all := make([]Plot, 0, len(c.plots))
	for _, p := range c.plots {
		p.First, p.Last = isoDay(p.first), isoDay(p.last)
		all = append(all, *p)
	}
	height := func(p Plot) int { // a domain is above all of its branches
		if p.NodeID == "" {
			return 1 << 20
		}
		return p.Layer
	}
	slices.SortFunc(all, func(a, b Plot) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), cmp.Compare(height(b), height(a)), cmp.Compare(a.first, b.first), strings.Compare(a.NodeID, b.NodeID))
	})
	return all
}

// layerOf reads the layer that a branch's id starts with.
func layerOf(id string) (layer int) {
	fmt.Sscanf(id, "N%d-", &layer)
	return layer
}

func isoDay(day int) string {
	if day == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", day/10000, day/100%100, day%100)
}

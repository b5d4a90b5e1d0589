package nav

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// Tree returns the tree as branch records, from the domains down, each with
// its depth below the trunk; levels is how many of them below the domains.
func Tree(s *store.Store, domain string, levels int) ([]*record.Record, error) {
	return again(func() ([]*record.Record, error) { return readTree(s, domain, levels) })
}

// again reads once more, a few times at most, when something is gone that the
// trunk named: the tree has grown, or a leaf was removed, while it was read.
func again[T any](read func() (T, error)) (T, error) {
	for attempt := 0; ; attempt++ {
		if found, err := read(); !errors.Is(err, fs.ErrNotExist) || attempt == 3 {
			return found, err
		}
	}
}

func readTree(s *store.Store, domain string, levels int) ([]*record.Record, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	domains, err := snap.Domains()
	if err != nil {
		return nil, err
	}
	pending := map[string]int{}
	for i := range snap.Tail.Leaves {
		pending[terms.Domain(snap.Tail.Leaves[i].ID)]++
	}
	for name := range pending {
		if !hasDomain(domains, name) {
			domains = append(domains, store.Domain{Name: name})
		}
	}
	var tree []*record.Record
	for _, d := range domains {
		if domain != "" && d.Name != domain && !strings.HasPrefix(d.Name, domain+".") {
			continue
		}
		r := record.New(record.KindBranch, record.Branch{Domain: d.Name, Title: text.Counted(d.Leaves+pending[d.Name], "memory", "memories"), Summary: d.Summary, Keywords: d.Keywords, Children: []record.Child{}})
		r.Set("depth", 0)
		r.Set("leaves", d.Leaves+pending[d.Name])
		r.Set("pending", pending[d.Name])
		tree = append(tree, r)
		for _, id := range d.Roots() {
			if tree, err = appendBranches(tree, s, id, 1, levels); err != nil {
				return nil, err
			}
		}
	}
	return tree, nil
}

func hasDomain(domains []store.Domain, name string) bool {
	for _, d := range domains {
		if d.Name == name {
			return true
		}
	}
	return false
}

// appendBranches adds a branch and those below it, as many levels as asked for.
func appendBranches(tree []*record.Record, s *store.Store, id string, depth, levels int) ([]*record.Record, error) {
	if depth > levels {
		return tree, nil
	}
	b, err := s.Branch(id)
	if err != nil {
		return nil, err
	}
	r := record.New(record.KindBranch, b)
	r.Set("depth", depth)
	tree = append(tree, r)
	for _, c := range b.Children {
		if strings.HasPrefix(c.NodeID, "N") {
			if tree, err = appendBranches(tree, s, c.NodeID, depth+1, levels); err != nil {
				return nil, err
			}
		}
	}
	return tree, nil
}

// Path returns what a leaf or branch stands under, from the trunk down, as
// branch records.
func Path(s *store.Store, id string) ([]*record.Record, error) {
	return again(func() ([]*record.Record, error) { return readPath(s, id) })
}

func readPath(s *store.Store, id string) ([]*record.Record, error) {
	r, err := NewSearcher(s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	chain, err := r.chain(id)
	if err != nil {
		return nil, err
	}
	var out []*record.Record
	for i, at := range chain {
		if strings.HasPrefix(at, "N") {
			b, err := s.Branch(at)
			if err != nil {
				return nil, err
			}
			b.Children = nil
			rec := record.New(record.KindBranch, b)
			rec.Set("depth", i)
			out = append(out, rec)
		}
	}
	return out, nil
}

// chain returns the branches above a leaf or branch, from the top down.
func (r *Searcher) chain(id string) ([]string, error) {
	parent, err := r.parents(terms.Domain(id))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(id, "N") {
		if _, err := r.store.Branch(id); err != nil {
			return nil, err
		}
		if strings.HasPrefix(id, "N1-") {
			return r.above(id, parent), nil
		}
		return climb(id, parent), nil
	}
	l, err := r.read(id)
	if err != nil {
		return nil, err
	}
	for _, ref := range r.snap.BySource(l.Extra.Source) {
		if ref.ID == id {
			return r.path(r.number(ref), parent), nil
		}
	}
	return nil, fmt.Errorf("leaf %s is not in the index; run ihmt-store verify: %w", id, fs.ErrNotExist)
}

// above finds a layer-1 branch in the tables.
func (r *Searcher) above(id string, parent func(string) string) []string {
	for _, t := range r.snap.Tables {
		for i := range t.L1s {
			if b := t.Layer1(i); b.ID == id {
				up := []string{id}
				if l2 := t.Layer2(b.Parent).ID; l2 != "" {
					return append(climb(l2, parent), up...)
				}
				return append(climb(id, parent), up[1:]...)
			}
		}
	}
	return climb(id, parent)
}

// climb returns a branch and what stands above it, from the top down.
func climb(id string, parent func(string) string) []string {
	up := []string{id}
	for id = parent(id); id != "" && len(up) < 64; id = parent(id) {
		up = append([]string{id}, up...)
	}
	return up
}

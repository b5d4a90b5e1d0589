package nav

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// put saves n leaves of random domains and dates.
func put(t *testing.T, s *store.Store, rng *rand.Rand, from, n int) {
	t.Helper()
	var in strings.Builder
	for i := from; i < from+n; i++ {
		fmt.Fprintln(&in, record.New(record.KindChunk, record.Chunk{Source: fmt.Sprintf("s%d", i), Domain: []string{"a", "a.b", "c"}[rng.IntN(3)],
			Timestamp: fmt.Sprintf("20%02d-%02d-%02d", rng.IntN(30), 1+rng.IntN(12), 1+rng.IntN(28)), Content: fmt.Sprintf("note number %d", i)}))
	}
	if _, err := s.Put(record.NewReader(strings.NewReader(in.String())), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func grow(t *testing.T, s *store.Store, force bool) {
	t.Helper()
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: force}); err != nil {
		t.Fatal(err)
	}
}

// oracle makes the map from the branch files and the leaves themselves.
func oracle(t *testing.T, s *store.Store) map[string]Plot {
	t.Helper()
	all := map[string]Plot{}
	held := map[string]bool{}
	var below func(id, parent string) []string
	below = func(id, parent string) (days []string) {
		if strings.HasPrefix(id, "L") {
			held[id] = true
			l, err := s.Leaf(id)
			if err != nil {
				t.Fatal(err)
			}
			return []string{l.Timestamp}
		}
		b, err := s.Branch(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.Children {
			days = append(days, below(c.NodeID, id)...)
		}
		all[id] = Plot{NodeID: id, Layer: b.Layer, Domain: b.Domain, Parent: parent, Leaves: len(days), First: slices.Min(days), Last: slices.Max(days)}
		return days
	}
	trunk, err := s.Trunk()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range trunk.Domains {
		for _, id := range d.Roots() {
			below(id, "")
		}
	}
	if err := s.Each(func(l *store.Leaf) error {
		d, ok := all[l.Domain]
		if !ok {
			d = Plot{Domain: l.Domain, First: l.Timestamp, Last: l.Timestamp}
		}
		d.Leaves++
		if !held[l.ID] {
			d.Loose++
		}
		d.First, d.Last = min(d.First, l.Timestamp), max(d.Last, l.Timestamp)
		all[l.Domain] = d
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheMapAgreesWithTheTree compares the map, which opens no branch, with a
// walk through all of them, as a memory grows.
func TestTheMapAgreesWithTheTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := saved(t, "a first note")
	for round := range 4 {
		put(t, s, rng, 1000*round, 120)
		for _, step := range []func(){func() {}, func() { grow(t, s, false) }, func() { grow(t, s, true) }, func() { put(t, s, rng, 1000*round+500, 5) }} {
			step()
			plots, err := Map(s, "")
			if err != nil {
				t.Fatal(err)
			}
			want := oracle(t, s)
			above := map[string]bool{"": true}
			for _, p := range plots {
				key := cmp.Or(p.NodeID, p.Domain)
				p.first, p.last = 0, 0
				if p != want[key] {
					t.Fatalf("round %d: %+v, want %+v", round, p, want[key])
				}
				if !above[p.Parent] {
					t.Errorf("%s comes before its parent %s", key, p.Parent)
				}
				above[p.NodeID] = true
			}
			if len(plots) != len(want) {
				t.Fatalf("round %d: %d plots, want %d", round, len(plots), len(want))
			}
		}
	}
	within, err := Map(s, "a")
	if err != nil {
		t.Fatal(err)
	}
	if len(within) == 0 || slices.ContainsFunc(within, func(p Plot) bool { return p.Domain != "a" && p.Domain != "a.b" }) {
		t.Errorf("of domain a: %+v", within)
	}
	if files, _ := s.Opened(); files == 0 {
		t.Error("nothing counted")
	}
	page.Compare(t, "Branches of the map", Plot{})
}

// TestTheLatestComeFirst compares the leaves saved last with all leaves in
// order.
func TestTheLatestComeFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := saved(t, "a first note")
	put(t, s, rng, 0, 60)
	grow(t, s, true)
	put(t, s, rng, 100, 7)
	var all []*store.Leaf
	if err := s.Each(func(l *store.Leaf) error { all = append(all, l); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *store.Leaf) int {
		return cmp.Or(strings.Compare(b.SavedAt, a.SavedAt), strings.Compare(a.ID, b.ID))
	})
	held := oracle(t, s)
	for _, want := range []Saving{{K: 5}, {K: 1000}, {K: 10, Skip: 60}, {K: 3, Skip: 1000}, {K: 100, Domain: "a"}, {K: 100, Domain: "a", Loose: true}, {K: 100, Loose: true}} {
		got, err := Saved(s, want)
		if err != nil {
			t.Fatal(err)
		}
		var ids, expected []string
		for _, l := range got {
			ids = append(ids, l.ID)
		}
		loose := 0
		for _, l := range all {
			if want.Domain == "" || l.Domain == want.Domain {
				expected = append(expected, l.ID)
			}
		}
		if want.Loose {
			for name, p := range held {
				if p.NodeID == "" && (want.Domain == "" || name == want.Domain) {
					loose += p.Loose
				}
			}
			if len(ids) != loose {
				t.Errorf("%+v: %d leaves, want %d", want, len(ids), loose)
			}
			continue
		}
		expected = expected[min(want.Skip, len(expected)):]
		if expected = expected[:min(want.K, len(expected))]; !slices.Equal(ids, expected) {
			t.Errorf("%+v: %v, want %v", want, ids, expected)
		}
	}
	days, err := SavedByDay(s)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range days {
		total += n
	}
	if total != len(all) || days[all[0].SavedAt[:10]] == 0 {
		t.Errorf("by day: %v, want %d in all", days, len(all))
	}
}

// TestAnExplanationSaysWhere asks for words in every place that can have one.
func TestAnExplanationSaysWhere(t *testing.T) {
	s := saved(t)
	var in strings.Builder
	for i, c := range []record.Chunk{
		{Title: "Quinces", Content: "Boil them slowly.", Tags: []string{"jam"}},
		{Title: "The jars", Content: "Boiled ones keep longer."},
	} {
		c.Source, c.Position, c.Domain, c.Timestamp = "recipe", i, "kitchen", "2026-02-03"
		fmt.Fprintln(&in, record.New(record.KindChunk, c))
	}
	if _, err := s.Put(record.NewReader(strings.NewReader(in.String())), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := NewSearcher(s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a, err := r.Search(record.Query{Query: "quince jam boiling zeppelin", Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	where := func(result int) string {
		var said []string
		for _, m := range a.Results[result].Matches {
			said = append(said, m.Word+": "+strings.Join(m.In, " "))
		}
		return strings.Join(said, ", ")
	}
	if got, want := where(0), "quince: title, jam: tags, boiling: text, zeppelin: "; got != want {
		t.Errorf("first: %q, want %q", got, want)
	}
	if got, want := where(1), "quince: neighbour, jam: neighbour, boiling: text, zeppelin: "; got != want {
		t.Errorf("second: %q, want %q", got, want)
	}
	sum := 0.0
	for _, m := range a.Results[0].Matches {
		sum += m.Weight
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("the words weigh %g in all", sum)
	}
	if plain := find(t, r, "quince"); plain.Results[0].Matches != nil {
		t.Error("explained without being asked")
	}
}

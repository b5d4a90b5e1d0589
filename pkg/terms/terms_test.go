package terms

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A corpus is a plain picture of what a table should hold.
type corpus struct {
	leaves []Leaf
	terms  []map[string]int
}

func randomCorpus(rng *rand.Rand, n int, prefix string) corpus {
	var c corpus
	for i := range n {
		domain := fmt.Sprintf("d%d", rng.IntN(3))
		l := Leaf{ID: fmt.Sprintf("L-%s-%04d-%s%08x", domain, i, prefix, i), Timestamp: fmt.Sprintf("2024-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28)),
			SavedAt: "2026-01-01T00:00:00.000000Z", Source: fmt.Sprintf("src/%d\tb", rng.IntN(n/2+1)), Position: rng.IntN(20), Length: rng.IntN(50),
			Question: rng.IntN(2) == 0, Temporal: rng.IntN(2) == 0}
		terms := map[string]int{Exact("source:", l.Source): 1}
		for range rng.IntN(12) {
			terms[fmt.Sprintf("w%d", rng.IntN(40))] = 1 + rng.IntN(4)
		}
		c.leaves = append(c.leaves, l)
		c.terms = append(c.terms, terms)
	}
	return c
}

func (c corpus) run(t *testing.T) *Run {
	r, err := NewRun(c.leaves, func(i int) string { return JoinWeights(c.terms[i]) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// layoutOf orders some leaves of corpora by domain and groups them by size.
func layoutOf(rng *rand.Rand, corpora []corpus) (Layout, corpus) {
	var entries []Entry
	for in, c := range corpora {
		for i := range c.leaves {
			if rng.IntN(10) > 0 {
				entries = append(entries, Entry{Input: in, Ordinal: i, Retired: rng.IntN(5) == 0})
			}
		}
	}
	at := func(e Entry) *Leaf { return &corpora[e.Input].leaves[e.Ordinal] }
	slices.SortFunc(entries, func(a, b Entry) int {
		if d := strings.Compare(Domain(at(a).ID), Domain(at(b).ID)); d != 0 {
			return d
		}
		if at(a).Before(at(b)) {
			return -1
		}
		return 1
	})
	layout := Layout{Leaves: entries, Shared: map[uint32]bool{7: true}}
	var want corpus
	for i := 0; i < len(entries); {
		n := 1
		for i+n < len(entries) && n < 3 && Domain(at(entries[i+n]).ID) == Domain(at(entries[i]).ID) {
			n++
		}
		layout.L1 = append(layout.L1, Group{ID: fmt.Sprintf("N1-%s-%d", Domain(at(entries[i]).ID), i), Size: n})
		layout.L2 = append(layout.L2, Group{Size: 1})
		i += n
	}
	for _, e := range entries {
		l := *at(e)
		l.Retired = e.Retired
		want.leaves = append(want.leaves, l)
		want.terms = append(want.terms, corpora[e.Input].terms[e.Ordinal])
	}
	return layout, want
}

func writeTable(t *testing.T, inputs []Input, layout Layout) *Table {
	var b bytes.Buffer
	if err := Merge(&b, "test", inputs, layout); err != nil {
		t.Fatal(err)
	}
	table, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestTableHoldsWhatWasPutIn merges runs into tables, tables into a table, and
// compares everything that can be read with the corpora.
func TestTableHoldsWhatWasPutIn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var corpora []corpus
		var inputs []Input
		for k := range 1 + rng.IntN(3) {
			c := randomCorpus(rng, 1+rng.IntN(120), fmt.Sprint(k))
			layout, want := layoutOf(rng, []corpus{c})
			if len(want.leaves) == 0 {
				continue
			}
			corpora, inputs = append(corpora, want), append(inputs, writeTable(t, []Input{c.run(t)}, layout))
		}
		layout, want := layoutOf(rng, corpora)
		if len(want.leaves) > 0 {
			compare(t, writeTable(t, inputs, layout), want, layout)
		}
	}
}

func compare(t *testing.T, table *Table, want corpus, layout Layout) {
	t.Helper()
	index := map[string][]Posting{}
	total := int64(0)
	for i, l := range want.leaves {
		got, err := table.Leaf(i)
		if err != nil || got != l {
			t.Fatalf("leaf %d: got %+v, %v\nwant %+v", i, got, err, l)
		}
		if row := table.Row(i); row.Length != l.Length || row.Source != Hash(l.Source) || row.Retired != l.Retired || row.Question != l.Question || row.Temporal != l.Temporal {
			t.Fatalf("row %d: %+v of %+v", i, row, l)
		}
		if d := table.Detail(i); d.Day != l.Day() || d.Position != l.Position {
			t.Fatalf("detail %d: %+v of %+v", i, d, l)
		}
		total += int64(l.Length)
		for term, n := range want.terms[i] {
			index[term] = append(index[term], Posting{int32(i), int32(n)})
		}
	}
	if table.Total != total {
		t.Errorf("total length %d, want %d", table.Total, total)
	}
	for term, postings := range index {
		if got := table.Postings(nil, term); !slices.Equal(got, postings) {
			t.Fatalf("%q: got %v, want %v", term, got, postings)
		}
	}
	for _, term := range []string{"", "w", "w999", "zzz", "source:nowhere"} {
		if got := table.Postings(nil, term); index[term] == nil && len(got) > 0 {
			t.Errorf("%q: got %v", term, got)
		}
	}
	var all []string
	table.Terms("", func(term string, n int) bool {
		all = append(all, term)
		if n != len(index[term]) {
			t.Errorf("%q has %d leaves, want %d", term, n, len(index[term]))
		}
		return true
	})
	if !slices.Equal(all, slices.Sorted(maps.Keys(index))) {
		t.Errorf("terms %q", all)
	}
	compareOrder(t, table, want)
	leaf := 0
	for i, g := range layout.L1 {
		b := table.Layer1(i)
		if b.ID != g.ID || b.Start != leaf || b.End != leaf+g.Size || b.Parent != i {
			t.Fatalf("branch %d: %+v of %+v", i, b, g)
		}
		leaf = b.End
	}
	if !table.Shared()[7] || table.Err() != nil {
		t.Error(table.Shared(), table.Err())
	}
}

// compareOrder checks the order by source and position, and what rows say of
// the place of their leaf in it.
func compareOrder(t *testing.T, table *Table, want corpus) {
	t.Helper()
	count := map[string]int{}
	for _, l := range want.leaves {
		count[l.Source]++
	}
	last := Leaf{}
	for rank := range want.leaves {
		i := table.BySource(rank)
		l, row := want.leaves[i], table.Row(i)
		if rank > 0 && (l.Source < last.Source || l.Source == last.Source && l.Position < last.Position) {
			t.Fatalf("rank %d out of order", rank)
		}
		if table.Detail(i).Rank != rank || row.Alone != (count[l.Source] == 1) || row.First != (rank == 0 || l.Source != last.Source) {
			t.Fatalf("rank %d: %+v", rank, row)
		}
		last = l
	}
}

func TestWeightsSurviveTheirList(t *testing.T) {
	terms := map[string]int{"a": 1, "b": 12, "source:x:1": 1, "tag:a%20b": 3}
	for entry := range strings.FieldsSeq(JoinWeights(terms)) {
		term, n, err := SplitWeight(entry)
		if err != nil || terms[term] != int(n) {
			t.Errorf("%q: %q %d %v", entry, term, n, err)
		}
	}
}

func TestDomainOfAnId(t *testing.T) {
	for id, want := range map[string]string{"L-a.b-c-0003-0123456789": "a.b-c", "N12-a-b-0123456789": "a-b", "L-x": "", "": "", "N1": ""} {
		if got := Domain(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

// FuzzOpen reads whatever claims to be a table; it may fail, not panic.
func FuzzOpen(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := randomCorpus(rng, 20, "f")
	layout, _ := layoutOf(rng, []corpus{c})
	run, _ := NewRun(c.leaves, func(i int) string { return JoinWeights(c.terms[i]) })
	var b bytes.Buffer
	if err := Merge(&b, "test", []Input{run}, layout); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, term := range []string{"w1", "source:src/1%09b", ""} {
			table.Postings(nil, term)
		}
		table.Terms("w", func(string, int) bool { return true })
		for i := range min(table.Len(), 50) {
			table.Leaf(i)
			table.BySource(i)
		}
		for i := range min(table.L1s, 50) {
			table.Layer1(i)
			table.Parent(i)
			table.Length1(i)
		}
		for i := range min(table.L2s, 50) {
			table.Layer2(i)
		}
		var out bytes.Buffer
		Merge(&out, "test", []Input{table}, Layout{})
	})
}

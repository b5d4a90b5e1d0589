package nav_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// A save is one leaf of a history. Each has a day of its own, so that the
// order in which they arrive makes no difference.
type save struct {
	name      string // a word that no other has
	day       string
	attribute string
	value     string
	ends      bool
	replaces  int // index of another, -1 for none
}

func (s save) text() string {
	verb := map[string]map[bool]string{"location": {false: "I live in", true: "I no longer live in"}, "employer": {false: "I work at", true: "I no longer work at"}}
	return fmt.Sprintf("%s %s. Reference %s.", verb[s.attribute][s.ends], s.value, s.name)
}

func randomSaves(rng *rand.Rand) []save {
	days := rng.Perm(28)
	saves := make([]save, 3+rng.IntN(8))
	for i := range saves {
		s := save{name: fmt.Sprintf("zq%dx", i), day: fmt.Sprintf("2024-01-%02d", days[i]+1), attribute: "location",
			value: []string{"Madrid", "Valencia", "Lugo"}[rng.IntN(3)], ends: rng.IntN(5) == 0, replaces: -1}
		if rng.IntN(2) == 0 {
			s.attribute, s.value = "employer", []string{"Acme", "Globex", "Nimbus Labs"}[rng.IntN(3)]
		}
		if rng.IntN(12) == 0 {
			s.day = fmt.Sprintf("2999-01-%02d", days[i]+1)
		}
		if i > 0 && rng.IntN(3) == 0 {
			if old := rng.IntN(i); saves[old].day <= s.day {
				s.replaces = old
			}
		}
		saves[i] = s
	}
	return saves
}

// arrival is a random order in which what is replaced comes before what
// replaces it.
func arrival(rng *rand.Rand, saves []save) []int {
	var order []int
	for _, i := range rng.Perm(len(saves)) {
		for chain := []int{i}; len(chain) > 0; {
			last := chain[len(chain)-1]
			if before := saves[last].replaces; before >= 0 && !slices.Contains(order, before) {
				chain = append(chain, before)
				continue
			}
			if !slices.Contains(order, last) {
				order = append(order, last)
			}
			chain = chain[:len(chain)-1]
		}
	}
	return order
}

// replay says by going through the days what held at the end of one, and which
// saves a reader must be warned of: those that were replaced by then, and those
// whose value was true and is no more.
func replay(saves []save, gone map[int]bool, end string) (held map[string]string, warned map[int]bool) {
	byDay := map[string]int{}
	var days []string
	for i, s := range saves {
		if !gone[i] && s.day <= end {
			byDay[s.day] = i
			days = append(days, s.day)
		}
	}
	slices.Sort(days)
	held, warned = map[string]string{}, map[int]bool{}
	superseded := map[int]bool{}
	for _, day := range days {
		now := byDay[day]
		s := saves[now]
		for i, old := range saves {
			if gone[i] || superseded[i] || old.day >= day || newestOf(saves, gone, i, day) != now {
				continue
			}
			superseded[i] = true
			if !old.ends && held[old.attribute] == old.value {
				delete(held, old.attribute)
			}
		}
		switch {
		case !s.ends:
			held[s.attribute] = s.value
		case held[s.attribute] == s.value:
			delete(held, s.attribute)
		}
	}
	for i, s := range saves {
		if !gone[i] {
			warned[i] = superseded[i] || s.day <= end && !s.ends && held[s.attribute] != s.value
		}
	}
	return held, warned
}

// newestOf is the save of the last day, no later than one, among those linked
// to a save by replacements. One that is gone still links what replaced it
// with each other and with what it replaced.
func newestOf(saves []save, gone map[int]bool, of int, until string) int {
	newest, seen := of, map[int]bool{of: true}
	for open := []int{of}; len(open) > 0; open = open[1:] {
		for i, s := range saves {
			linked := s.replaces == open[0] || saves[open[0]].replaces == i
			if !linked || seen[i] || s.day > until {
				continue
			}
			seen[i] = true
			open = append(open, i)
			if !gone[i] && s.day > saves[newest].day {
				newest = i
			}
		}
	}
	return newest
}

// A history is a memory into which saves go one after the other.
type history struct {
	*store.Store
	t     *testing.T
	saves []save
	ids   map[int]string
}

func newHistory(t *testing.T, saves []save) *history {
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &history{s, t, saves, map[int]string{}}
}

func (h *history) save(i int) {
	s := h.saves[i]
	chunk := record.Chunk{Source: s.name, DataType: record.TypePersonal, Domain: "personal", Timestamp: s.day, Content: s.text()}
	if s.replaces >= 0 {
		chunk.Replaces = record.IDs{h.ids[s.replaces]}
	}
	line := record.New(record.KindChunk, chunk).String() + "\n"
	_, err := h.Put(record.NewReader(strings.NewReader(line)), func(leaves []*record.Record) error {
		for _, l := range leaves {
			h.ids[i] = l.Str("leaf_id")
		}
		return nil
	}, store.PutOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) timeline() *facts.Timeline {
	timeline, err := ledger.Timeline(h.Store)
	if err != nil {
		h.t.Fatal(err)
	}
	return timeline
}

// check compares what the memory says now and of some days with the replay.
func (h *history) check(gone map[int]bool, what string) {
	h.t.Helper()
	const today = "2026-06-01"
	for _, day := range []string{"2024-01-05", "2024-01-14", "2024-01-23", today, "2999-12-31"} {
		want, _ := replay(h.saves, gone, day)
		got := map[string]string{}
		for _, f := range h.timeline().At(day) {
			got[f.Attribute] = f.Value
		}
		if !reflect.DeepEqual(got, want) {
			h.t.Fatalf("%s: %s: got %v, want %v\n%+v gone %v", what, day, got, want, h.saves, gone)
		}
	}
	_, warned := replay(h.saves, gone, today)
	search, err := nav.NewSearcher(h.Store)
	if err != nil {
		h.t.Fatal(err)
	}
	defer search.Close()
	for i, s := range h.saves {
		answer, err := search.Search(record.Query{Query: s.name, K: 20})
		if err != nil {
			h.t.Fatal(err)
		}
		at := slices.IndexFunc(answer.Results, func(r record.Result) bool { return r.LeafID == h.ids[i] })
		if gone[i] {
			if at >= 0 {
				h.t.Fatalf("%s: %s was removed and found", what, s.name)
			}
			continue
		}
		if at < 0 || (len(answer.Results[at].Notices) > 0) != warned[i] {
			h.t.Fatalf("%s: %s: want warned %v\n%+v\n%+v gone %v", what, s.name, warned[i], answer.Results, h.saves, gone)
		}
		if by := newestOf(h.saves, gone, i, today); by != i && s.day <= today && (at == 0 || answer.Results[at-1].LeafID != h.ids[by]) {
			h.t.Fatalf("%s: %s does not stand under %s\n%+v", what, s.name, h.saves[by].name, answer.Results)
		}
	}
}

// TestHistories plays random histories: saves, repetitions, ends, replacements
// and removals, in random order of arrival, read in between or not, grown or
// not.
func TestHistories(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for round := range 12 {
		saves := randomSaves(rng)
		gone := map[int]bool{}
		for i := range saves {
			if rng.IntN(6) == 0 {
				gone[i] = true
			}
		}
		var first *facts.Timeline
		for range 2 {
			h := newHistory(t, saves)
			for _, i := range arrival(rng, saves) {
				h.save(i)
				if rng.IntN(3) == 0 {
					h.timeline()
				}
				if rng.IntN(8) == 0 {
					if _, err := summarize.Grow(context.Background(), h.Store, summarize.Options{Force: true}); err != nil {
						t.Fatal(err)
					}
				}
			}
			h.check(nil, fmt.Sprintf("round %d", round))
			for i := range gone {
				if err := summarize.Remove(context.Background(), h.Store, h.ids[i]); err != nil {
					t.Fatal(err)
				}
			}
			h.check(gone, fmt.Sprintf("round %d, removed", round))
			if first == nil {
				first = h.timeline()
			} else if got := h.timeline(); !reflect.DeepEqual(got.History("", "", "2026-06-01"), first.History("", "", "2026-06-01")) {
				t.Fatalf("round %d: another order of arrival gives %+v, not %+v", round, got, first)
			}
			before := h.timeline()
			if _, err := h.Rebuild(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(h.timeline(), before) {
				t.Fatalf("round %d: rebuilt it says otherwise", round)
			}
			h.check(gone, fmt.Sprintf("round %d, rebuilt", round))
		}
	}
}

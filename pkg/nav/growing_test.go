package nav_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// growing is a memory of small branches that takes notes, one commit after the
// other, and grows after each.
type growing struct {
	*testing.T
	dir   string
	store *store.Store
	ids   []string     // of the notes
	saved atomic.Int64 // how many of them are acknowledged
}

func newGrowing(t *testing.T) *growing {
	before := store.ShortenFrom
	store.ShortenFrom = 1
	t.Cleanup(func() { store.ShortenFrom = before })
	g := &growing{T: t, dir: filepath.Join(t.TempDir(), "ihmt_memory"), ids: make([]string, 1000)}
	s, err := store.Init(g.dir, func(settings *store.Settings) { settings.BranchFactor = 2 }, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	g.store = s
	return g
}

func (g *growing) save(w *store.Writer) {
	n := g.saved.Load()
	c := record.Chunk{Source: fmt.Sprint("note ", n), Domain: fmt.Sprint("harbour.pier", n%3), DataType: record.TypePersonal, Timestamp: day(n),
		Content: fmt.Sprintf("Lantern zq%dx hangs at the pier. I live in %s.", n, town(n))}
	if err := store.Complete(&c); err != nil {
		g.Fatal(err)
	}
	outcomes, err := w.Commit([]store.Item{{Chunk: c}})
	if err != nil {
		g.Fatal(err)
	}
	g.ids[n] = outcomes[0].LeafID
	g.saved.Add(1)
}

// day is that of a note: each has its own.
func day(n int64) string {
	return time.Date(2024, 1, 1+int(n), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// town is where one lives by a note: each says another.
func town(n int64) string {
	return "Port" + string([]byte{'a' + byte(n/26), 'a' + byte(n%26)})
}

func (g *growing) grow(force bool) {
	if _, err := summarize.Grow(context.Background(), g.store, summarize.Options{Force: force}); err != nil {
		g.Fatal(err)
	}
}

func (g *growing) rebuild() {
	if _, _, err := summarize.Rebuild(context.Background(), g.store, nil); err != nil {
		g.Fatal(err)
	}
}

func (g *growing) saveAndGrow(n int) {
	w, err := g.store.NewWriter()
	if err != nil {
		g.Fatal(err)
	}
	defer w.Close()
	for i := range n {
		g.save(w)
		g.grow(i%2 == 0)
	}
}

// look reads the memory in every way, and says what fails or is counted wrong.
func (g *growing) look(s *store.Store) error {
	n := g.saved.Load()
	last := n - 1
	counts := func(leaves int64) error {
		if most := g.saved.Load() + 1; leaves < n || leaves > most { // one may be stored and not acknowledged yet
			return fmt.Errorf("%d leaves, want %d to %d", leaves, n, most)
		}
		return nil
	}
	r, err := nav.NewSearcher(s)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer r.Close()
	a, err := r.Search(record.Query{Query: fmt.Sprintf("zq%dx", last)})
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if len(a.Results) == 0 || a.Results[0].LeafID != g.ids[last] {
		return fmt.Errorf("search: note %d is not the first of %d results", last, len(a.Results))
	}
	timeline, err := ledger.Timeline(s)
	if err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	if held := timeline.At(day(last)); len(held) != 1 || held[0].Value != town(last) {
		return fmt.Errorf("timeline: on the day of note %d it says %+v", last, held)
	}
	if _, err := nav.Path(s, g.ids[last]); err != nil {
		return fmt.Errorf("path: %w", err)
	}
	tree, err := nav.Tree(s, "", 9)
	inTree := int64(0)
	for _, r := range tree {
		inTree += r.Get("leaves").Int()
	}
	if err = cmp.Or(err, counts(inTree)); err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	plots, err := nav.Map(s, "")
	onMap := int64(0)
	for _, p := range plots {
		if p.NodeID == "" {
			onMap += int64(p.Leaves)
		}
	}
	if err = cmp.Or(err, counts(onMap)); err != nil {
		return fmt.Errorf("map: %w", err)
	}
	stats, err := s.Stats()
	if err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	inDomains := 0
	for _, leaves := range stats["domains"].(map[string]int) {
		inDomains += leaves
	}
	if inDomains != stats["leaves"].(int) {
		return fmt.Errorf("stats: %d leaves, %d in domains", stats["leaves"], inDomains)
	}
	if err := counts(int64(inDomains)); err != nil {
		return fmt.Errorf("stats: %w", err)
	}
	return nil
}

// What is acknowledged is found and counted, once, by who reads while the tree
// grows and is rebuilt.
func TestReadersOfAGrowingTree(t *testing.T) {
	g := newGrowing(t)
	g.saveAndGrow(20)
	var done atomic.Bool
	var readers sync.WaitGroup
	looks := atomic.Int64{}
	for range 3 {
		s, err := store.Open(g.dir)
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			defer s.Close()
			for !done.Load() {
				if err := g.look(s); err != nil {
					t.Error(err)
					return
				}
				looks.Add(1)
			}
		})
	}
	for range 5 {
		g.saveAndGrow(6)
		g.rebuild()
	}
	done.Store(true)
	readers.Wait()
	t.Logf("%d looks", looks.Load())
}

// Who reads on from an old trunk gets the same answers, however often the tree
// grows.
func TestAnOldSearcherAnswersAsBefore(t *testing.T) {
	g := newGrowing(t)
	g.saveAndGrow(30)
	r, err := nav.NewSearcher(g.store)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	answers := func() (all []record.Result) {
		for _, q := range []string{"zq3x", "zq29x", "which lantern hangs at the pier?"} {
			a, err := r.Search(record.Query{Query: q, K: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range a.Results {
				r.Notices = nil // they say what is known now
				all = append(all, r)
			}
		}
		return all
	}
	before := answers()
	g.saveAndGrow(30)
	if after := answers(); !reflect.DeepEqual(before, after) {
		t.Errorf("%d results before, and %d others after", len(before), len(after))
	}
}

// A growth leaves everything that the trunk before it names, for who has read
// that trunk and nothing else yet.
func TestAGrowthLeavesWhatTheTrunkBeforeItNames(t *testing.T) {
	g := newGrowing(t)
	w, err := g.store.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i := range 60 {
		trunk, err := g.store.Trunk()
		if err != nil {
			t.Fatal(err)
		}
		g.save(w)
		g.grow(i%2 == 0)
		for _, table := range trunk.Tables {
			if _, err := os.Stat(filepath.Join(g.dir, "state", "tables", table.Name)); err != nil {
				t.Error(err)
			}
		}
		for _, d := range trunk.Domains {
			for _, id := range d.Roots() {
				if _, err := g.store.Branch(id); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

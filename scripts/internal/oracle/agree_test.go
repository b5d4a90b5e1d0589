package oracle_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
	"github.com/ihmt/ihmt/pkg/text"
	"github.com/ihmt/ihmt/scripts/internal/oracle"
)

// A history is a memory that has things happen to it at random.
type history struct {
	*testing.T
	*rand.Rand
	store    *store.Store
	dir      string
	versions map[string][]string // leaf ids of the last version of each file
	retired  map[string]bool
	removed  map[string]bool
	all      []string
}

// TestSearchAgreesWithTheOracle lets random memories grow, change and shrink,
// and compares what search finds with scoring every leaf.
func TestSearchAgreesWithTheOracle(t *testing.T) {
	for seed := range uint64(4) {
		h := &history{T: t, Rand: rand.New(rand.NewPCG(seed, 7)), dir: filepath.Join(t.TempDir(), "ihmt_memory"),
			versions: map[string][]string{}, retired: map[string]bool{}, removed: map[string]bool{}}
		s, err := store.Init(h.dir, func(settings *store.Settings) { settings.BranchFactor = []int{8, 3, 8, 2}[seed] }, false)
		if err != nil {
			t.Fatal(err)
		}
		h.store = s
		h.save(30)
		for step := range 12 {
			what := h.happen()
			if !h.agrees() {
				t.Fatalf("seed %d, step %d: after it %s", seed, step, what)
			}
		}
		s.Close()
	}
}

// happen does something to the memory and says what.
func (h *history) happen() string {
	switch h.IntN(7) {
	case 0, 1:
		h.save(1 + h.IntN(40))
		return "saved notes"
	case 2:
		h.replaceFile()
		return "took a file's new version"
	case 3, 4:
		h.grow(false)
		return "grew"
	case 5:
		h.grow(true)
		return "was forced to grow"
	}
	h.remove()
	return "lost a leaf"
}

var vocabulary = strings.Fields("river boat harbour harbours storm 港口 风暴很大 migración migraciones refreshToken refresh token v1.2.3 1.2 Straße yesterday lighthouse keeper keepers the of what")

var people = []string{"", "", "Ana López", "Ana Ruiz", "Bo"}

// sentence is a few words that may ask, say when, or repeat.
func (h *history) sentence() string {
	var b strings.Builder
	for range 1 + h.IntN(12) {
		b.WriteString(vocabulary[h.IntN(len(vocabulary))] + " ")
	}
	b.WriteString([]string{"", ".", "?"}[h.IntN(3)])
	return b.String()
}

func (h *history) chunk(source string, position int) record.Chunk {
	return record.Chunk{Source: source, Position: position, Domain: []string{"sea", "land", "sea.deep"}[h.IntN(3)],
		Author: people[h.IntN(len(people))], Timestamp: fmt.Sprintf("2025-%02d-%02d", 1+h.IntN(12), 1+h.IntN(28)),
		Tags: []string{"type:personal", vocabulary[h.IntN(len(vocabulary))]}[:h.IntN(3)], Content: h.sentence()}
}

// save saves notes, some of them turns of talks whose positions are shared,
// missing and out of order.
func (h *history) save(n int) {
	var in []*record.Record
	for range n {
		source, position := fmt.Sprintf("note-%d", h.Uint32()), 0
		if h.IntN(2) == 0 {
			source, position = fmt.Sprintf("talk-%d", h.IntN(4)), h.IntN(30)
		}
		in = append(in, record.New(record.KindChunk, h.chunk(source, position)))
	}
	h.put(in)
}

// replaceFile saves a new version of a file; what is gone from it is retired.
func (h *history) replaceFile() {
	source := fmt.Sprintf("/file-%d", h.IntN(3))
	var in []*record.Record
	var whole strings.Builder
	n := 1 + h.IntN(5)
	for i := range n {
		c := h.chunk(source, i)
		whole.WriteString(c.Content)
		in = append(in, record.New(record.KindChunk, c))
	}
	in = append(in, record.New(record.KindDocumentEnd, record.DocumentEnd{Source: source, Chunks: n, Checksum: store.Checksum(whole.String())}))
	now := h.put(in)
	for _, id := range h.versions[source] {
		h.retired[id] = true
	}
	for _, id := range now {
		delete(h.retired, id)
	}
	h.versions[source] = now
}

// put stores records and returns the ids of the leaves.
func (h *history) put(in []*record.Record) []string {
	var lines []byte
	for _, r := range in {
		lines = append(r.Append(lines), '\n')
	}
	var ids []string
	_, err := h.store.Put(record.NewReader(bytes.NewReader(lines)), func(out []*record.Record) error {
		for _, r := range out {
			if r.Kind() == record.KindLeaf {
				ids = append(ids, r.Str("leaf_id"))
			}
		}
		return nil
	}, store.PutOptions{})
	if err != nil {
		h.Fatal(err)
	}
	h.all = append(h.all, ids...)
	return ids
}

func (h *history) grow(force bool) {
	backend, err := summarize.New(summarize.Settings{Backend: summarize.Heuristic})
	if err != nil {
		h.Fatal(err)
	}
	if _, err := summarize.Grow(context.Background(), h.store, summarize.Options{Force: force, Backend: backend}); err != nil {
		h.Fatal(err)
	}
}

func (h *history) remove() {
	id := h.all[h.IntN(len(h.all))]
	if h.removed[id] {
		return
	}
	h.removed[id] = true
	if err := summarize.Remove(context.Background(), h.store, id); err != nil {
		h.Fatal(err)
	}
}

// agrees compares searches of the memory with the oracle's.
func (h *history) agrees() bool {
	leaves, err := oracle.Read(h.dir)
	if err != nil {
		h.Fatal(err)
	}
	for i := range leaves {
		leaves[i].Retired = h.retired[leaves[i].ID]
	}
	judge := oracle.New(h.store.Analyzer, h.store.Settings.BranchFactor, leaves)
	searcher, err := nav.NewSearcher(h.store)
	if err != nil {
		h.Fatal(err)
	}
	defer searcher.Close()
	for range 12 {
		q := record.Query{Query: h.question(), K: 30}
		var clues []string
		if h.IntN(4) == 0 {
			q.Clue = vocabulary[h.IntN(len(vocabulary))]
			clues = []string{q.Clue}
		}
		answer, err := searcher.Search(q)
		if err != nil {
			h.Fatal(err)
		}
		want := judge.Search(q.Query, text.DMY, clues...)
		want = want[:min(len(want), q.K)]
		same := slices.EqualFunc(answer.Results, want, func(g record.Result, w oracle.Result) bool {
			return g.LeafID == w.ID && math.Abs(g.Score-w.Score) < 1e-8 && math.Abs(g.Coverage-w.Coverage) < 1e-8
		})
		if !same {
			h.Errorf("%q, clue %q, %d leaves:", q.Query, q.Clue, len(leaves))
			for i := range max(len(answer.Results), len(want)) {
				line := ""
				if i < len(answer.Results) {
					line += fmt.Sprintf("%s %.9f %.9f", answer.Results[i].LeafID, answer.Results[i].Score, answer.Results[i].Coverage)
				}
				if i < len(want) {
					line += fmt.Sprintf("   want %s %.9f %.9f", want[i].ID, want[i].Score, want[i].Coverage)
				}
				h.Log(line)
			}
			return false
		}
	}
	return true
}

func (h *history) question() string {
	q := ""
	for range 1 + h.IntN(4) {
		q += vocabulary[h.IntN(len(vocabulary))] + " "
	}
	switch h.IntN(8) {
	case 6:
		q += "last year"
	case 7:
		q += fmt.Sprintf("%d days ago", 1+h.IntN(999))
	case 0:
		q += fmt.Sprintf("2025-%02d-%02d", 1+h.IntN(12), 1+h.IntN(28))
	case 1:
		q = "when did Ruiz " + q
	case 2:
		q += "in March 2025"
	case 3:
		q += "Ana"
	case 4:
		q = "March 2025"
	}
	return q
}

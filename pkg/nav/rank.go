package nav

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/terms"
)

// A found is a leaf that answers, with its scores.
type found struct {
	leaf     int32
	score    float64
	coverage float64
	kept     *terms.Leaf // read when needed
	status   string
	fact     string // names what it is a version of
	answers  bool   // it states what the query asks of the user
	asOf     string // the day in the past, asked about, on which it was true
	notices  []string
}

// A ranking is a heap of the best leaves so far, the worst of them first.
type ranking struct {
	view *view
	list []found
	err  error
}

func (h *ranking) Len() int           { return len(h.list) }
func (h *ranking) Less(i, j int) bool { return h.before(&h.list[j], &h.list[i]) }
func (h *ranking) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *ranking) Push(x any)         { h.list = append(h.list, x.(found)) }
func (h *ranking) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}

// before is the order of results: score, then saved last, then id.
func (h *ranking) before(a, b *found) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	ka, kb := h.read(a), h.read(b)
	return cmp.Or(-strings.Compare(ka.SavedAt, kb.SavedAt), strings.Compare(ka.ID, kb.ID)) < 0
}

func (h *ranking) read(f *found) *terms.Leaf {
	if f.kept == nil {
		kept, err := h.view.leaf(f.leaf)
		if err != nil && h.err == nil {
			h.err = err
		}
		f.kept = &kept
	}
	return f.kept
}

// best returns the n best leaves that match any of the scorers and are
// allowed, in order.
func (r *Searcher) best(scorers []*scorer, allow func(*match) bool, n int) ([]found, error) {
	h := &ranking{view: r.view}
	wanted := 0.0
	for _, s := range scorers {
		wanted += s.wanted
	}
	offer := func(leaf int32, all []*match) {
		f := found{leaf: leaf, score: rounded(combined(scorers, all))}
		if wanted > 0 {
			for _, m := range all {
				f.coverage += m.covered
			}
			f.coverage = rounded(f.coverage / wanted)
		}
		if h.Len() < n {
			heap.Push(h, f)
		} else if h.before(&f, &h.list[0]) {
			h.list[0] = f
			heap.Fix(h, 0)
		}
	}
	all := make([]*match, len(scorers))
	for i, s := range scorers {
		for j := range s.matches {
			m := &s.matches[j]
			if allow(m) && r.together(all, scorers, i, m) {
				offer(m.leaf, all)
			}
		}
	}
	slices.SortFunc(h.list, func(a, b found) int {
		if h.before(&a, &b) {
			return -1
		}
		return 1
	})
	for i := range h.list {
		h.read(&h.list[i])
	}
	return h.list, h.err
}

// together fills in what all scorers have of the leaf that scorer i matches
// with m; false means that an earlier scorer matches it too.
func (r *Searcher) together(all []*match, scorers []*scorer, i int, m *match) bool {
	for j, s := range scorers {
		if all[j] = m; j == i {
			continue
		}
		other := s.at(m.leaf)
		if other != nil && j < i {
			return false
		}
		if all[j] = other; other == nil {
			all[j] = &match{leaf: m.leaf, row: m.row, absent: true}
		}
	}
	return true
}

// combined is a leaf's score for a query and its clues: where it matches both
// it is worth both times BothMatch, else times OneMatches.
func combined(scorers []*scorer, all []*match) float64 {
	score := scorers[0].settled(all[0])
	for i, clue := range scorers[1:] {
		factor := OneMatches
		if !all[0].absent && !all[i+1].absent {
			factor = BothMatch
		}
		score = (score + clue.settled(all[i+1])) * factor
	}
	return score
}

package nav

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// The constants of docs/SEARCH.md, where the formula stands.
const (
	saturation   = 0.9 // k1
	lengthWeight = 0.4 // b
	branchWeight = 0.4

	authorBonus    = 0.45
	dayBonus       = 0.4
	monthBonus     = 0.1
	whenBonus      = 0.35
	questionMalus  = 0.1
	halfLent       = 0.5 // what a lent word counts for coverage
	answerKernel   = 1.0 // from the leaf before, where it asks
	previousKernel = 0.5
	secondKernel   = 0.3 // from the second before, and from the next
	afterKernel    = 0.15
)

// A scorer scores the leaves of a view for one query or clue.
type scorer struct {
	*view
	query   text.Query
	dates   []text.DateRange
	wanted  float64  // idf of all words
	missing []string // words that no leaf has
	words   int      // that are not optional

	matches []match      // by leaf, ascending
	touched []int32      // indexes of the matches of the word at hand
	above   [2][]float64 // scores of the branches
	branch  [2][]float32 // frequencies of the word at hand, whole numbers
	sum     float64      // idf of the words that some leaf has
}

// A match is a leaf that has words of the query, its own or lent, or that the
// query asks for by author or date.
type match struct {
	row
	leaf    int32
	absent  bool    // it stands for a leaf that does not match
	own     bool    // it has the word at hand itself
	author  bool    // it is of the one author that the query names
	tf      float64 // of the word at hand, own and lent
	score   float64 // of the words, in the leaf and its neighbours
	covered float64 // idf of the words that it holds
}

// A hit is a leaf that has a word, and how often.
type hit struct {
	leaf int32
	tf   float32 // a whole number
}

// newScorer finds the leaves that match a query and what they hold of it.
func (v *view) newScorer(a *text.Analyzer, query string, order text.DateOrder, today text.Date) *scorer {
	s := &scorer{view: v, query: a.Query(query), dates: text.FindDatesFrom(query, order, today)}
	for i := range s.above {
		s.above[i], s.branch[i] = make([]float64, v.layers[i].numbers), make([]float32, v.layers[i].numbers)
	}
	found := make([][]hit, len(s.query.Words))
	var m merger
	for i, w := range s.query.Words {
		found[i] = s.hits(w, &m)
		if !w.Optional {
			s.words++
		}
	}
	author, asked := s.author()
	days := s.days()
	s.match(found, author, days)
	for i, w := range s.query.Words {
		s.word(w, found[i])
	}
	for i, w := range s.query.Words {
		if asked[w.Folded] {
			s.coverAuthor(w, found[i], author)
		}
	}
	for _, leaves := range days {
		weight := idf(s.live, len(leaves))
		s.wanted += weight
		for _, leaf := range leaves {
			s.at(leaf).covered += weight
		}
	}
	return s
}

// match lists what matches: the leaves with a word, their neighbours, and
// those of the author and the dates.
func (s *scorer) match(found [][]hit, author []terms.Posting, days [][]int32) {
	size := len(author)
	for _, hits := range found {
		size += len(hits)
	}
	leaves := make([]int32, 0, size)
	for _, hits := range found {
		for _, h := range hits {
			leaves = append(leaves, h.leaf)
		}
	}
	leaves = sorted(leaves)
	s.matches = make([]match, 0, len(leaves)+len(author))
	s.addMatches(leaves)
	var near []int32
	for i := range s.matches {
		for _, n := range s.neighbours(s.matches[i].leaf, s.matches[i].row) {
			near = append(near, n.leaf)
		}
	}
	for _, p := range author {
		near = append(near, p.Ordinal)
	}
	for _, list := range days {
		near = append(near, list...)
	}
	s.addMatches(sorted(near))
	for _, p := range author {
		s.at(p.Ordinal).author = true
	}
}

// addMatches adds those of some ascending leaves that are not among the
// matches.
func (s *scorer) addMatches(leaves []int32) {
	had := len(s.matches)
	for _, leaf := range leaves {
		if _, ok := slices.BinarySearchFunc(s.matches[:had], leaf, byLeaf); !ok {
			s.matches = append(s.matches, match{leaf: leaf, row: s.row(leaf)})
		}
	}
	if had > 0 && len(s.matches) > had {
		slices.SortFunc(s.matches, func(a, b match) int { return cmp.Compare(a.leaf, b.leaf) })
	}
}

func byLeaf(m match, leaf int32) int { return cmp.Compare(m.leaf, leaf) }

// sorted returns leaves in ascending order, each once.
func sorted(leaves []int32) []int32 {
	slices.Sort(leaves)
	return slices.Compact(leaves)
}

// at returns a leaf's match, nil where it has none.
func (s *scorer) at(leaf int32) *match {
	if i, ok := slices.BinarySearchFunc(s.matches, leaf, byLeaf); ok {
		return &s.matches[i]
	}
	return nil
}

// settled is the whole score of a leaf, which m is the match of.
func (s *scorer) settled(m *match) float64 {
	score := 0.0
	if s.sum > 0 {
		score = (m.score + s.above[0][m.l1] + s.above[1][m.l2]) / s.sum
	}
	if m.author {
		score += authorBonus
	}
	if len(s.dates) > 0 {
		if day, ok := date(s.day(m.leaf)); ok {
			for _, d := range s.dates {
				score += nearness(d.Date, day)
			}
		}
	}
	if s.query.When && m.temporal {
		score += whenBonus
	}
	if m.question {
		score -= questionMalus
	}
	return score
}

// A merger finds the leaves that have a word. Its buffers serve one word after
// the other.
type merger struct {
	postings []terms.Posting
	leaves   []wordHit
	merged   []wordHit
}

// A wordHit is a leaf that has a word: as typed, in the group of forms at
// hand, and in the best of the groups before.
type wordHit struct {
	leaf               int32
	exact, group, best int32
}

// hits returns the leaves that have a word, in ascending order.
func (s *scorer) hits(w text.Word, m *merger) []hit {
	m.leaves = m.leaves[:0]
	m.add(s.view, w.Folded, func(h *wordHit, n int32) { h.exact += n })
	for _, forms := range w.Forms {
		for _, term := range forms {
			m.add(s.view, term, func(h *wordHit, n int32) { h.group += n })
		}
		for i := range m.leaves {
			h := &m.leaves[i]
			h.best, h.group = max(h.best, h.group), 0
		}
	}
	out := make([]hit, len(m.leaves))
	for i, h := range m.leaves {
		out[i] = hit{h.leaf, float32(h.exact + h.best)}
	}
	return out
}

// add merges the postings of a term into the leaves.
func (m *merger) add(v *view, term string, count func(h *wordHit, n int32)) {
	m.postings = v.postings(m.postings[:0], term)
	if len(m.postings) == 0 {
		return
	}
	m.merged = slices.Grow(m.merged[:0], len(m.leaves)+len(m.postings))
	rest := m.leaves
	for _, p := range m.postings {
		for len(rest) > 0 && rest[0].leaf < p.Ordinal {
			m.merged, rest = append(m.merged, rest[0]), rest[1:]
		}
		h := wordHit{leaf: p.Ordinal}
		if len(rest) > 0 && rest[0].leaf == p.Ordinal {
			h, rest = rest[0], rest[1:]
		}
		count(&h, p.Weight)
		m.merged = append(m.merged, h)
	}
	m.merged = append(m.merged, rest...)
	m.leaves, m.merged = m.merged, m.leaves
}

// word adds what one word, found in some leaves, is worth.
func (s *scorer) word(w text.Word, hits []hit) {
	if len(hits) == 0 {
		if w.Optional {
			return
		}
		s.missing = append(s.missing, w.Text)
	}
	weight := w.Weight * idf(s.live, len(hits))
	s.sum += weight
	s.wanted += weight
	s.touched = slices.Grow(s.touched, len(hits))
	s.lend(hits)
	for _, i := range s.touched {
		m := &s.matches[i]
		m.score += weight * saturated(m.tf, s.smoothed(m)/s.mean)
		if m.own {
			m.covered += weight
		} else {
			m.covered += weight * halfLent
		}
	}
	s.untouch()
	s.branches(w.Weight, hits)
}

// lend gives the frequencies of hits to their leaves and to the leaves'
// neighbours.
func (s *scorer) lend(hits []hit) {
	i := 0
	for _, h := range hits {
		for s.matches[i].leaf < h.leaf {
			i++
		}
		m := &s.matches[i]
		s.touch(i, float64(h.tf))
		m.own = true
		for _, n := range s.neighbours(m.leaf, m.row) {
			if j, ok := slices.BinarySearchFunc(s.matches, n.leaf, byLeaf); ok {
				s.touch(j, float64(h.tf)*kernel(-n.distance, m.question))
			}
		}
	}
}

func (s *scorer) touch(index int, tf float64) {
	if s.matches[index].tf == 0 {
		s.touched = append(s.touched, int32(index))
	}
	s.matches[index].tf += tf
}

func (s *scorer) untouch() {
	for _, i := range s.touched {
		s.matches[i].tf, s.matches[i].own = 0, false
	}
	s.touched = s.touched[:0]
}

// kernel is the weight with which a leaf at a distance from another one lends
// it its terms.
func kernel(distance int32, question bool) float64 {
	switch {
	case distance == -1 && question:
		return answerKernel
	case distance == -1:
		return previousKernel
	case distance == 2:
		return afterKernel
	}
	return secondKernel
}

// smoothed is the mean length of a leaf and its neighbours, weighted by the
// kernel.
func (s *scorer) smoothed(m *match) float64 {
	sum, weights := float64(m.length), 1.0
	for _, n := range s.neighbours(m.leaf, m.row) {
		k := kernel(n.distance, n.question)
		sum += k * float64(n.length)
		weights += k
	}
	return sum / weights
}

// branches adds what a word is worth to the branches that have it.
func (s *scorer) branches(weight float64, hits []hit) {
	var with [2][]int32
	i := 0
	for _, h := range hits {
		for s.matches[i].leaf < h.leaf {
			i++
		}
		for layer, group := range [2]int32{s.matches[i].l1, s.matches[i].l2} {
			if s.branch[layer][group] == 0 {
				with[layer] = append(with[layer], group)
			}
			s.branch[layer][group] += h.tf
		}
	}
	for layer, groups := range with {
		value := weight * branchWeight * idf(s.layers[layer].groups, len(groups))
		for _, group := range groups {
			s.above[layer][group] += value * saturated(float64(s.branch[layer][group]), float64(s.length(layer, group))/s.layers[layer].mean)
			s.branch[layer][group] = 0
		}
	}
}

// author returns the leaves of the one author that the query names, and the
// words that name them.
func (s *scorer) author() (leaves []terms.Posting, asked map[string]bool) {
	term := ""
	asked = map[string]bool{}
	for _, w := range s.query.Words {
		var named []string
		s.terms(terms.Exact("author:", w.Folded+" "), func(t string) { named = append(named, t) })
		if len(named) != 1 {
			continue
		}
		_, name, _ := strings.Cut(named[0], "%20")
		if _, other, _ := strings.Cut(term, "%20"); term != "" && other != name {
			return nil, nil
		}
		term = named[0]
		asked[w.Folded] = true
	}
	if term == "" {
		return nil, nil
	}
	return s.postings(nil, term), asked
}

// coverAuthor counts a word of an author's name as held by their leaves.
func (s *scorer) coverAuthor(w text.Word, hits []hit, leaves []terms.Posting) {
	if len(hits) == 0 && w.Optional {
		return
	}
	weight := w.Weight * idf(s.live, len(hits))
	s.lend(hits)
	for _, p := range leaves {
		switch m := s.at(p.Ordinal); {
		case m.own:
		case m.tf > 0:
			m.covered += weight * (1 - halfLent)
		default:
			m.covered += weight
		}
	}
	s.untouch()
}

// days returns the leaves of each date of the query that makes matches: days,
// and months and years too where the query has no words.
func (s *scorer) days() [][]int32 {
	var days [][]int32
	for _, d := range s.dates {
		if d.Day == 0 && s.words > 0 {
			continue
		}
		leaves := []int32{}
		for leaf := range int32(s.leaves) {
			if day, ok := date(s.day(leaf)); ok && in(d.Date, day) && !s.dead(leaf) {
				leaves = append(leaves, leaf)
			}
		}
		days = append(days, leaves)
	}
	return days
}

func in(d, day text.Date) bool { return day.Compare(d.First()) >= 0 && day.Compare(d.Last()) <= 0 }

// nearness is the bonus for a leaf's day near a date named.
func nearness(d, day text.Date) float64 {
	bonus := 0.0
	if d.Day != 0 {
		switch days := int(day.Time().Sub(d.Time()) / (24 * time.Hour)); {
		case days == 0:
			bonus = dayBonus
		case days >= 1 && days <= 7:
			bonus = dayBonus * 0.5
		case days >= 8 && days <= 14, days == -1:
			bonus = dayBonus * 0.25
		}
		d.Day = 0
	}
	if in(d, day) {
		bonus += monthBonus
	}
	return bonus
}

func idf(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// saturated is BM25's share of a frequency; length is relative to the mean.
func saturated(tf, length float64) float64 {
	return (saturation + 1) * tf / (tf + saturation*(1-lengthWeight+lengthWeight*length))
}

// date is the calendar day that YYYYMMDD names.
func date(d int) (text.Date, bool) {
	if d == 0 {
		return text.Date{}, false
	}
	return text.Date{Year: d / 10000, Month: time.Month(d / 100 % 100), Day: d % 100}, true
}

// rounded keeps nine decimals, so that the order of a sum cannot show.
func rounded(x float64) float64 { return math.Round(x*1e9) / 1e9 }

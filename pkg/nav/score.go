package nav

import (
	"math"
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

	matches []match
	slot    []int32      // 1 + the index of a leaf's match, 0 where it has none
	touched []int32      // indexes of the matches of the word at hand
	above   [2][]float64 // scores of the branches
	branch  [2][]float64 // frequencies of the word at hand
	sum     float64      // idf of the words that some leaf has
}

// A match is a leaf that has words of the query, its own or lent, or that the
// query asks for by author or date.
type match struct {
	leaf    int32
	score   float64 // of the words, in the leaf and its neighbours
	covered float64 // idf of the words that it holds
	length  float64 // smoothed; 0 until it is needed
	row     row
	author  bool // it is of the one author that the query names

	tf  float64 // of the word at hand, own and lent
	own bool
}

// newScorer finds the leaves that match a query and what they hold of it.
func (v *view) newScorer(a *text.Analyzer, query string, order text.DateOrder) *scorer {
	s := &scorer{view: v, query: a.Query(query), dates: text.FindDates(query, order), slot: make([]int32, v.leaves)}
	for i := range s.above {
		s.above[i], s.branch[i] = make([]float64, v.layers[i].numbers), make([]float64, v.layers[i].numbers)
	}
	found := make([][]hit, len(s.query.Words))
	total := 0
	for i, w := range s.query.Words {
		found[i] = s.hits(w)
		total += len(found[i])
	}
	s.matches = make([]match, 0, min(total, v.leaves))
	for i, w := range s.query.Words {
		if !w.Optional {
			s.words++
		}
		s.word(w, found[i])
	}
	s.findAuthor()
	for _, d := range s.dates {
		if d.Day != 0 || s.words == 0 {
			s.within(d.Date)
		}
	}
	return s
}

// match returns the index of a leaf's match, which it makes where there is
// none.
func (s *scorer) match(leaf int32) int32 {
	if s.slot[leaf] == 0 {
		s.matches = append(s.matches, match{leaf: leaf, row: s.row(leaf)})
		s.slot[leaf] = int32(len(s.matches))
	}
	return s.slot[leaf] - 1
}

// of returns a leaf's match; ok is false where it has none.
func (s *scorer) of(leaf int32) (m match, ok bool) {
	if s.slot[leaf] == 0 {
		return match{leaf: leaf, row: s.row(leaf)}, false
	}
	return s.matches[s.slot[leaf]-1], true
}

// settled is the whole score of a leaf.
func (s *scorer) settled(leaf int32) float64 {
	m, _ := s.of(leaf)
	score := 0.0
	if s.sum > 0 {
		score = (m.score + s.above[0][m.row.l1] + s.above[1][m.row.l2]) / s.sum
	}
	if m.author {
		score += authorBonus
	}
	if len(s.dates) > 0 {
		if day, ok := date(s.day(leaf)); ok {
			for _, d := range s.dates {
				score += nearness(d.Date, day)
			}
		}
	}
	if s.query.When && m.row.temporal {
		score += whenBonus
	}
	if m.row.question {
		score -= questionMalus
	}
	return score
}

// A hit is a leaf that has a word, and how often.
type hit struct {
	leaf int32
	tf   float64
}

// hits returns the leaves that have a word, in ascending order.
func (s *scorer) hits(w text.Word) []hit {
	lists := [][]terms.Posting{s.postings(nil, w.Folded)}
	group := []int{-1}
	for i, forms := range w.Forms {
		for _, term := range forms {
			if list := s.postings(nil, term); len(list) > 0 {
				lists, group = append(lists, list), append(group, i)
			}
		}
	}
	size := 0
	for _, list := range lists {
		size = max(size, len(list))
	}
	out := make([]hit, 0, size+size/4)
	sums := make([]float64, len(w.Forms))
	for {
		next := int32(math.MaxInt32)
		for _, list := range lists {
			if len(list) > 0 {
				next = min(next, list[0].Ordinal)
			}
		}
		if next == math.MaxInt32 {
			return out
		}
		exact, best := 0.0, 0.0
		clear(sums)
		for i, list := range lists {
			if len(list) == 0 || list[0].Ordinal != next {
				continue
			}
			if group[i] < 0 {
				exact = float64(list[0].Weight)
			} else {
				sums[group[i]] += float64(list[0].Weight)
				best = max(best, sums[group[i]])
			}
			lists[i] = list[1:]
		}
		out = append(out, hit{next, exact + best})
	}
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
	for _, h := range hits {
		s.lend(h)
	}
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

// lend gives a hit's frequency to its leaf and to the leaf's neighbours.
func (s *scorer) lend(h hit) {
	m := &s.matches[s.touch(h.leaf, h.tf)]
	m.own = true
	r := m.row
	for _, n := range s.neighbours(h.leaf, r) {
		s.touch(n.leaf, h.tf*kernel(-n.distance, r.question))
	}
}

func (s *scorer) touch(leaf int32, tf float64) (index int32) {
	i := s.match(leaf)
	if s.matches[i].tf == 0 {
		s.touched = append(s.touched, i)
	}
	s.matches[i].tf += tf
	return i
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
	if m.length > 0 {
		return m.length
	}
	sum, weights := float64(m.row.length), 1.0
	for _, n := range s.neighbours(m.leaf, m.row) {
		k := kernel(n.distance, n.question)
		sum += k * float64(n.length)
		weights += k
	}
	m.length = sum / weights
	return m.length
}

// branches adds what a word is worth to the branches that have it.
func (s *scorer) branches(weight float64, hits []hit) {
	var with [2][]int32
	for _, h := range hits {
		r := &s.matches[s.match(h.leaf)].row
		for i, group := range [2]int32{r.l1, r.l2} {
			if s.branch[i][group] == 0 {
				with[i] = append(with[i], group)
			}
			s.branch[i][group] += h.tf
		}
	}
	for i, groups := range with {
		value := weight * branchWeight * idf(s.layers[i].groups, len(groups))
		for _, group := range groups {
			s.above[i][group] += value * saturated(s.branch[i][group], float64(s.length(i, group))/s.layers[i].mean)
			s.branch[i][group] = 0
		}
	}
}

// findAuthor finds the one author that the query names, whose leaves match
// and hold the words of the name.
func (s *scorer) findAuthor() {
	term := ""
	var asked []text.Word
	for _, w := range s.query.Words {
		var named []string
		s.terms(terms.Exact("author:", w.Folded+" "), func(t string) { named = append(named, t) })
		if len(named) != 1 {
			continue
		}
		_, name, _ := strings.Cut(named[0], "%20")
		if _, other, _ := strings.Cut(term, "%20"); term != "" && other != name {
			return
		}
		term = named[0]
		asked = append(asked, w)
	}
	if term == "" {
		return
	}
	leaves := s.postings(nil, term)
	for _, p := range leaves {
		s.matches[s.match(p.Ordinal)].author = true
	}
	for _, w := range asked {
		s.coverAuthor(w, leaves)
	}
}

// coverAuthor counts a word of an author's name as held by their leaves.
func (s *scorer) coverAuthor(w text.Word, leaves []terms.Posting) {
	hits := s.hits(w)
	if len(hits) == 0 && w.Optional {
		return
	}
	weight := w.Weight * idf(s.live, len(hits))
	for _, h := range hits {
		s.lend(h)
	}
	for _, p := range leaves {
		switch m := &s.matches[s.match(p.Ordinal)]; {
		case m.own:
		case m.tf > 0:
			m.covered += weight * (1 - halfLent)
		default:
			m.covered += weight
		}
	}
	s.untouch()
}

// within finds the leaves of a date, which match and hold it.
func (s *scorer) within(d text.Date) {
	var leaves []int32
	for leaf := range int32(s.leaves) {
		if day, ok := date(s.day(leaf)); ok && in(d, day) && !s.dead(leaf) {
			leaves = append(leaves, leaf)
		}
	}
	weight := idf(s.live, len(leaves))
	s.wanted += weight
	for _, leaf := range leaves {
		s.matches[s.match(leaf)].covered += weight
	}
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

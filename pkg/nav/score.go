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

// A scorer scores the leaves of a view for one query or clue. Its slices are
// indexed by leaf, or by branch.
type scorer struct {
	*view
	query   text.Query
	dates   []text.DateRange
	author  map[int32]bool // leaves of the one author that the query names
	score   []float64      // of the words, in the leaf and its neighbours
	covered []float64      // idf of the words that the leaf holds
	matches []bool
	wanted  float64  // idf of all words
	missing []string // words that no leaf has
	words   int      // that are not optional

	tf      []float64 // of the word at hand, own and lent
	own     []bool
	touched []int32
	lengths map[int32]float64 // smoothed
	above   [2][]float64      // scores of the branches
	branch  [2][]float64      // frequencies of the word at hand
	sum     float64
}

// newScorer finds the leaves that match a query and what they hold of it.
func (v *view) newScorer(a *text.Analyzer, query string, order text.DateOrder) *scorer {
	s := &scorer{view: v, query: a.Query(query), dates: text.FindDates(query, order), lengths: map[int32]float64{},
		score: make([]float64, v.leaves), covered: make([]float64, v.leaves), matches: make([]bool, v.leaves),
		tf: make([]float64, v.leaves), own: make([]bool, v.leaves), author: map[int32]bool{}}
	for i := range s.above {
		s.above[i], s.branch[i] = make([]float64, v.layers[i].numbers), make([]float64, v.layers[i].numbers)
	}
	for _, w := range s.query.Words {
		if !w.Optional {
			s.words++
		}
		s.word(w)
	}
	s.findAuthor()
	for _, d := range s.dates {
		if d.Day != 0 || s.words == 0 {
			s.within(d.Date)
		}
	}
	return s
}

// settled is the whole score of a leaf.
func (s *scorer) settled(leaf int32) float64 {
	score, row := 0.0, s.row(leaf)
	if s.sum > 0 {
		score = (s.score[leaf] + s.above[0][row.l1] + s.above[1][row.l2]) / s.sum
	}
	if s.author[leaf] {
		score += authorBonus
	}
	if day, ok := date(row.day); ok {
		for _, d := range s.dates {
			score += nearness(d.Date, day)
		}
	}
	if s.query.When && row.temporal {
		score += whenBonus
	}
	if row.question {
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
	var out []hit
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

// word adds what one word is worth.
func (s *scorer) word(w text.Word) {
	hits := s.hits(w)
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
	for _, leaf := range s.touched {
		s.matches[leaf] = true
		s.score[leaf] += weight * saturated(s.tf[leaf], s.smoothed(leaf)/s.mean)
		if s.own[leaf] {
			s.covered[leaf] += weight
		} else {
			s.covered[leaf] += weight * halfLent
		}
	}
	s.untouch()
	s.branches(w.Weight, hits)
}

// lend gives a hit's frequency to its leaf and to the leaf's neighbours.
func (s *scorer) lend(h hit) {
	s.touch(h.leaf, h.tf)
	s.own[h.leaf] = true
	for _, n := range s.neighbours(h.leaf) {
		s.touch(n.leaf, h.tf*kernel(-n.distance, s.row(h.leaf).question))
	}
}

func (s *scorer) untouch() {
	for _, leaf := range s.touched {
		s.tf[leaf], s.own[leaf] = 0, false
	}
	s.touched = s.touched[:0]
}

func (s *scorer) touch(leaf int32, tf float64) {
	if s.tf[leaf] == 0 {
		s.touched = append(s.touched, leaf)
	}
	s.tf[leaf] += tf
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
func (s *scorer) smoothed(leaf int32) float64 {
	sum, weights := float64(s.row(leaf).length), 1.0
	near := s.neighbours(leaf)
	if len(near) == 0 {
		return sum
	}
	if length, ok := s.lengths[leaf]; ok {
		return length
	}
	for _, n := range near {
		other := s.row(n.leaf)
		k := kernel(n.distance, other.question)
		sum += k * float64(other.length)
		weights += k
	}
	s.lengths[leaf] = sum / weights
	return sum / weights
}

// branches adds what a word is worth to the branches that have it.
func (s *scorer) branches(weight float64, hits []hit) {
	var with [2][]int32
	for _, h := range hits {
		r := s.row(h.leaf)
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
		s.author[p.Ordinal] = true
		s.matches[p.Ordinal] = true
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
		switch leaf := p.Ordinal; {
		case s.own[leaf]:
		case s.tf[leaf] > 0:
			s.covered[leaf] += weight * (1 - halfLent)
		default:
			s.covered[leaf] += weight
		}
	}
	s.untouch()
}

// within finds the leaves of a date, which match and hold it.
func (s *scorer) within(d text.Date) {
	var leaves []int32
	for leaf := range int32(s.leaves) {
		if day, ok := date(s.row(leaf).day); ok && in(d, day) && !s.dead(leaf) {
			leaves = append(leaves, leaf)
		}
	}
	weight := idf(s.live, len(leaves))
	s.wanted += weight
	for _, leaf := range leaves {
		s.matches[leaf] = true
		s.covered[leaf] += weight
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
func date(day int32) (text.Date, bool) {
	if day == 0 {
		return text.Date{}, false
	}
	d := int(day)
	return text.Date{Year: d / 10000, Month: time.Month(d / 100 % 100), Day: d % 100}, true
}

// rounded keeps nine decimals, so that the order of a sum cannot show.
func rounded(x float64) float64 { return math.Round(x*1e9) / 1e9 }

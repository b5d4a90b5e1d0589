package oracle

import (
	"math"
	"slices"
	"time"

	"github.com/ihmt/ihmt/pkg/text"
)

// A scored is what one leaf is worth to one query.
type scored struct {
	score           float64
	matches         bool
	covered, wanted float64 // idf of the words that it has, of all
}

// score scores every leaf for the words of one query or clue.
func (m *Memory) score(query string, order text.DateOrder) []scored {
	q := m.analyzer.Query(query)
	all := make([]scored, len(m.leaves))
	author, asked := m.authorNamed(q.Words)
	sum := 0.0 // W(q)
	required := false
	for _, word := range q.Words {
		required = required || !word.Optional
		df := 0
		for _, l := range m.leaves {
			if frequency(word, l) > 0 {
				df++
			}
		}
		if df == 0 && word.Optional {
			continue
		}
		weight := word.Weight * idf(len(m.leaves), df)
		sum += weight
		branches := [2]map[string]float64{m.layers[0].scores(word, m.leaves, 0), m.layers[1].scores(word, m.leaves, 1)}
		for i, l := range m.leaves {
			s := &all[i]
			s.wanted += weight
			tf, length := smoothed(word, l)
			switch {
			case frequency(word, l) > 0 || slices.Contains(asked, word.Folded) && l.name == author:
				s.covered += weight
			case tf > 0:
				s.covered += weight / 2
			}
			if tf > 0 {
				s.matches = true
				s.score += weight * saturated(tf, length/m.mean)
			}
			s.score += word.Weight * 0.4 * branches[0][l.groups[0]]
			s.score += word.Weight * 0.4 * branches[1][l.groups[1]]
		}
	}
	dates := text.FindDatesFrom(query, order, text.Today(time.Now()))
	for i, l := range m.leaves {
		s := &all[i]
		if sum > 0 {
			s.score /= sum
		}
		if author != "" && l.name == author {
			s.score += 0.45
			s.matches = true
		}
		for _, d := range dates {
			s.score += dateBonus(d.Date, l)
			if d.Day == 0 && required {
				continue
			}
			weight := idf(len(m.leaves), m.dated(d.Date))
			s.wanted += weight
			if within(d.Date, l) {
				s.covered += weight
				s.matches = true
			}
		}
		if q.When && l.Temporal {
			s.score += 0.35
		}
		if l.Question {
			s.score -= 0.1
		}
	}
	return all
}

// authorNamed is the one author that the query names, "" where there is none
// or more than one, and the words that name them.
func (m *Memory) authorNamed(words []text.Word) (author string, by []string) {
	for _, w := range words {
		names := m.authors[w.Folded]
		if len(names) != 1 {
			continue
		}
		for name := range names {
			if author != "" && author != name {
				return "", nil
			}
			author = name
		}
		by = append(by, w.Folded)
	}
	return author, by
}

// frequency is tf(w,i).
func frequency(w text.Word, l *leaf) float64 {
	best := 0
	for _, group := range w.Forms {
		n := 0
		for _, term := range group {
			n += l.Terms[term]
		}
		best = max(best, n)
	}
	return float64(l.Terms[w.Folded] + best)
}

// smoothed are tf'(w,i) and len'(i).
func smoothed(w text.Word, l *leaf) (tf, length float64) {
	tf, length = frequency(w, l), float64(l.Length)
	weights := 1.0
	for _, n := range l.neighbours {
		tf += n.weight * frequency(w, n.leaf)
		length += n.weight * float64(n.Length)
		weights += n.weight
	}
	return tf, length / weights
}

func idf(n, df int) float64 {
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// saturated is BM25's share of a frequency, with the length relative to the
// mean.
func saturated(tf, length float64) float64 {
	return 1.9 * tf / (tf + 0.9*(0.6+0.4*length))
}

// scores are the scores of a layer's groups that have a word.
func (y layer) scores(w text.Word, leaves []*leaf, which int) map[string]float64 {
	tf := map[string]float64{}
	for _, l := range leaves {
		if f := frequency(w, l); f > 0 {
			tf[l.groups[which]] += f
		}
	}
	weight := idf(len(y.length), len(tf))
	for group, f := range tf {
		tf[group] = weight * saturated(f, y.length[group]/y.mean)
	}
	return tf
}

// dateBonus is 0.4·d + 0.1·m.
func dateBonus(d text.Date, l *leaf) float64 {
	if !l.dated {
		return 0
	}
	bonus := 0.0
	if d.Day != 0 {
		switch days := int(l.day.Time().Sub(d.Time()).Hours() / 24); {
		case days == 0:
			bonus = 0.4
		case days >= 1 && days <= 7:
			bonus = 0.4 * 0.5
		case days >= 8 && days <= 14, days == -1:
			bonus = 0.4 * 0.25
		}
		d.Day = 0 // for the month
	}
	if within(d, l) {
		bonus += 0.1
	}
	return bonus
}

// within tells whether a leaf's day lies in a day, month or year.
func within(d text.Date, l *leaf) bool {
	return l.dated && l.day.Compare(d.First()) >= 0 && l.day.Compare(d.Last()) <= 0
}

// dated is the number of leaves whose day lies in a date.
func (m *Memory) dated(d text.Date) int {
	n := 0
	for _, l := range m.leaves {
		if within(d, l) {
			n++
		}
	}
	return n
}

// Package oracle ranks the leaves of a memory by scoring every one of them as
// docs/SEARCH.md says, and nothing else: no tables, no walk, no state but the
// leaf files. It shares the analysis of text with the tools and no code with
// their search, so that what they agree on is right. It is slow.
package oracle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

// A Memory is a set of leaves to be searched.
type Memory struct {
	analyzer *text.Analyzer
	factor   int
	leaves   []*leaf
	authors  map[string]map[string]bool // names that have a word
	layers   [2]layer
	mean     float64 // length of a leaf
}

type leaf struct {
	Leaf
	text.Profile
	name       string // the author's, folded
	day        text.Date
	dated      bool
	neighbours []neighbour
	groups     [2]string
}

// A neighbour lends its terms.
type neighbour struct {
	*leaf
	weight float64
}

// A layer is the branches of one height.
type layer struct {
	length map[string]float64 // by group
	mean   float64
}

// A Result is a leaf that answers a query.
type Result struct {
	ID       string
	Score    float64
	Coverage float64
}

// New prepares leaves for searching, of a memory whose full branches have
// factor children.
func New(analyzer *text.Analyzer, factor int, leaves []Leaf) *Memory {
	m := &Memory{analyzer: analyzer, factor: factor, authors: map[string]map[string]bool{}}
	for _, l := range leaves {
		p := analyzer.Profile(text.Fields{Title: l.Title, Content: l.Content, Author: l.Author, Tags: l.Tags})
		day, dated := text.ParseDate(l.Timestamp)
		m.leaves = append(m.leaves, &leaf{Leaf: l, Profile: p, name: strings.Join(p.Author, " "), day: day, dated: dated})
	}
	slices.SortFunc(m.leaves, inTreeOrder)
	for _, l := range m.leaves {
		m.mean += float64(l.Length) / float64(len(m.leaves))
		for _, word := range l.Profile.Author {
			if m.authors[word] == nil {
				m.authors[word] = map[string]bool{}
			}
			m.authors[word][l.name] = true
		}
	}
	m.meetNeighbours()
	m.group()
	return m
}

func inTreeOrder(a, b *leaf) int {
	return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Timestamp, b.Timestamp),
		strings.Compare(a.Source, b.Source), cmp.Compare(a.Position, b.Position), strings.Compare(a.ID, b.ID))
}

func (m *Memory) meetNeighbours() {
	type place struct {
		source   string
		position int
	}
	at := map[place][]*leaf{}
	for _, l := range m.leaves {
		if !l.Retired {
			p := place{l.Source, l.Position}
			at[p] = append(at[p], l)
		}
	}
	for _, l := range m.leaves {
		if l.Retired {
			continue
		}
		for _, offset := range []int{-1, -2, 1, 2} {
			near := at[place{l.Source, l.Position + offset}]
			slices.SortFunc(near, func(a, b *leaf) int { return strings.Compare(a.ID, b.ID) })
			for _, n := range near {
				l.neighbours = append(l.neighbours, neighbour{n, lends(n, offset)})
			}
		}
	}
}

// lends is the weight with which the terms of a leaf, offset places away,
// count.
func lends(l *leaf, offset int) float64 {
	switch {
	case offset == -1 && l.Question:
		return 1
	case offset == -1:
		return 0.5
	case offset == 2:
		return 0.15
	}
	return 0.3
}

// group finds the groups of both layers.
func (m *Memory) group() {
	domains := map[string][]*leaf{} // in tree order
	for _, l := range m.leaves {
		domains[l.Domain] = append(domains[l.Domain], l)
	}
	for domain, leaves := range domains {
		pending := 0
		for _, l := range leaves {
			l.groups[0] = l.Parent
			if l.Parent == "" {
				l.groups[0] = fmt.Sprintf("%s pending %d", domain, pending/m.factor)
				pending++
			}
		}
		provisional := "" // the layer-1 group that is not full
		if pending%m.factor > 0 {
			provisional = fmt.Sprintf("%s pending %d", domain, pending/m.factor)
		}
		var orphans []string // full layer-1 groups, in the order of their first leaves
		for _, l := range leaves {
			if l.Grandparent == "" && l.groups[0] != provisional && !slices.Contains(orphans, l.groups[0]) {
				orphans = append(orphans, l.groups[0])
			}
		}
		for _, l := range leaves {
			l.groups[1] = l.Grandparent
			if l.Grandparent == "" {
				i := slices.Index(orphans, l.groups[0])
				if i < 0 {
					i = len(orphans)
				}
				l.groups[1] = fmt.Sprintf("%s pending %d", domain, min(i/m.factor, len(orphans)/m.factor))
			}
		}
	}
	for i := range m.layers {
		lengths := map[string]float64{}
		sum := 0.0
		for _, l := range m.leaves {
			lengths[l.groups[i]] += float64(l.Length)
			sum += float64(l.Length)
		}
		m.layers[i] = layer{lengths, sum / float64(len(lengths))}
	}
}

// Search ranks the leaves for a query, with the clues given to it so far.
func (m *Memory) Search(query string, order text.DateOrder, clues ...string) []Result {
	total := m.score(query, order)
	matchesAny := make([]bool, len(total))
	for i := range total {
		matchesAny[i] = total[i].matches
	}
	for _, clue := range clues {
		for i, c := range m.score(clue, order) {
			t := &total[i]
			factor := 0.7
			if t.matches && c.matches {
				factor = 1.6
			}
			t.score = (t.score + c.score) * factor
			t.covered += c.covered
			t.wanted += c.wanted
			matchesAny[i] = matchesAny[i] || c.matches
		}
	}
	type ranked struct {
		Result
		savedAt string
	}
	phrases := m.analyzer.Query(query).Phrases
	for _, clue := range clues {
		phrases = append(phrases, m.analyzer.Query(clue).Phrases...)
	}
	var found []ranked
	for i, l := range m.leaves {
		if t := total[i]; matchesAny[i] && !l.Retired && m.holds(l, phrases) {
			coverage := 0.0
			if t.wanted > 0 {
				coverage = t.covered / t.wanted
			}
			found = append(found, ranked{Result{l.ID, rounded(t.score), rounded(coverage)}, l.SavedAt})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.savedAt, a.savedAt), strings.Compare(a.ID, b.ID))
	})
	results := make([]Result, len(found))
	for i, f := range found {
		results[i] = f.Result
	}
	return results
}

// holds tells whether a leaf has every phrase.
func (m *Memory) holds(l *leaf, phrases [][]string) bool {
	for _, p := range phrases {
		if !m.analyzer.HasPhrase(l.Content, p) && !m.analyzer.HasPhrase(l.Title, p) {
			return false
		}
	}
	return true
}

// rounded keeps nine decimals, so that the order of a sum cannot show.
func rounded(x float64) float64 { return math.Round(x*1e9) / 1e9 }

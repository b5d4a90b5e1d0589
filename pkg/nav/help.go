package nav

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"

	"github.com/ihmt/ihmt/pkg/terms"
)

// help says, of a query that found nothing, which words no leaf has, which
// spellings near them exist, and which domains hold part of the query.
func (r *Searcher) help(a *Answer, scorers []*scorer) {
	domains := map[string]bool{}
	for _, s := range scorers {
		for _, word := range s.missing {
			if !slices.Contains(a.Search.Missing, word) {
				a.Search.Missing = append(a.Search.Missing, word)
			}
		}
		for _, m := range s.matches {
			if kept, err := r.view.leaf(m.leaf); err == nil {
				domains[terms.Domain(kept.ID)] = true
			}
		}
	}
	for d := range domains {
		a.Search.Domains = append(a.Search.Domains, d)
	}
	slices.Sort(a.Search.Domains)
	a.Search.Close = r.near(a.Search.Missing[:min(len(a.Search.Missing), maxSpelled)])
}

const (
	maxSpelled = 8 // words for which near spellings are sought
	maxNear    = 3 // spellings suggested for a word
)

// A spelling is a word for which near ones are sought.
type spelling struct {
	word   string
	folded string
	length int // in characters
	limit  int // letters that may differ
	found  []nearSpelling
}

type nearSpelling struct {
	term     string
	distance int
}

// near returns, for each of some words, the words of the memory that differ
// from it in a letter or, where it is long, two.
func (r *Searcher) near(words []string) map[string][]string {
	var sought []*spelling
	for _, word := range words {
		if s, ok := r.spelling(word); ok {
			sought = append(sought, s)
		}
	}
	if len(sought) == 0 {
		return nil
	}
	r.view.terms("", func(term string) {
		if strings.ContainsAny(term, ":~") {
			return
		}
		n := utf8.RuneCountInString(term)
		for _, s := range sought {
			if n < s.length-s.limit || n > s.length+s.limit {
				continue
			}
			if d := levenshtein.Distance(s.folded, term, nil); d > 0 && d <= s.limit {
				s.found = append(s.found, nearSpelling{term, d})
			}
		}
	})
	var near map[string][]string
	for _, s := range sought {
		slices.SortFunc(s.found, func(a, b nearSpelling) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.term, b.term))
		})
		for _, c := range s.found[:min(len(s.found), maxNear)] {
			if near == nil {
				near = map[string][]string{}
			}
			near[s.word] = append(near[s.word], c.term)
		}
	}
	return near
}

// spelling prepares the search for spellings near a word; ok is false for one
// that is too short or too long to be a misspelling of another.
func (r *Searcher) spelling(word string) (_ *spelling, ok bool) {
	q := r.store.Analyzer.Query(word)
	if len(q.Words) == 0 {
		return nil, false
	}
	s := &spelling{word: word, folded: q.Words[0].Folded, limit: 1}
	s.length = utf8.RuneCountInString(s.folded)
	if s.length >= 6 {
		s.limit = 2
	}
	return s, s.length >= 3 && s.length <= 40
}

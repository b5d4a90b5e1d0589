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
			if slices.Contains(a.Search.Missing, word) {
				continue
			}
			a.Search.Missing = append(a.Search.Missing, word)
			if near := r.near(word); len(near) > 0 {
				if a.Search.Close == nil {
					a.Search.Close = map[string][]string{}
				}
				a.Search.Close[word] = near
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
}

// maxNear is how many spellings are suggested for a word.
const maxNear = 3

// near returns the words of the memory that differ from one in a letter or,
// where it is long, two.
func (r *Searcher) near(word string) []string {
	q := r.store.Analyzer.Query(word)
	if len(q.Words) == 0 {
		return nil
	}
	folded := q.Words[0].Folded
	length := utf8.RuneCountInString(folded)
	if length < 3 || length > 40 {
		return nil
	}
	limit := 1
	if length >= 6 {
		limit = 2
	}
	type candidate struct {
		term     string
		distance int
	}
	var found []candidate
	r.view.terms("", func(term string) {
		if strings.ContainsAny(term, ":~") {
			return
		}
		if n := utf8.RuneCountInString(term); n < length-limit || n > length+limit {
			return
		}
		if d := levenshtein.Distance(folded, term, nil); d > 0 && d <= limit {
			found = append(found, candidate{term, d})
		}
	})
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.term, b.term))
	})
	var near []string
	for _, c := range found[:min(len(found), maxNear)] {
		near = append(near, c.term)
	}
	return near
}

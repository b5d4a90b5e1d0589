package nav

import (
	"slices"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// Places where a leaf can have a word.
const (
	inTitle     = "title"
	inTags      = "tags"
	inText      = "text"
	inNeighbour = "neighbour" // not itself: a leaf beside it in the same source lends it
)

// explain says of each result which words of the query it has, and where.
// Scoring knows postings only, so the leaves, which are open already, are
// analysed again.
func (r *Searcher) explain(a *Answer, s *scorer, best []found) error {
	hits := make([][]hit, len(s.query.Words))
	var m merger
	for i, w := range s.query.Words {
		hits[i] = s.hits(w, &m)
	}
	for i := range a.Results {
		l, err := r.read(a.Results[i].LeafID)
		if err != nil {
			return err
		}
		places := []struct {
			name  string
			terms map[string]int
		}{
			{inTitle, r.store.Analyzer.Profile(text.Fields{Title: l.Extra.Title}).Terms},
			{inTags, r.store.Analyzer.Profile(text.Fields{Tags: l.Tags}).Terms},
			{inText, r.store.Analyzer.Profile(text.Fields{Content: l.Content}).Terms},
		}
		for j, w := range s.query.Words {
			if w.Optional {
				continue
			}
			found := record.Match{Word: w.Text, Weight: rounded(w.Weight * idf(s.live, len(hits[j])) / s.wanted), In: []string{}}
			for _, p := range places {
				if hasWord(p.terms, w) {
					found.In = append(found.In, p.name)
				}
			}
			if len(found.In) == 0 && s.lent(best[i].leaf, hits[j]) {
				found.In = append(found.In, inNeighbour)
			}
			a.Results[i].Matches = append(a.Results[i].Matches, found)
		}
	}
	return nil
}

func hasWord(terms map[string]int, w text.Word) bool {
	has := func(term string) bool { return terms[term] > 0 }
	return has(w.Folded) || slices.ContainsFunc(w.Forms, func(forms []string) bool { return slices.ContainsFunc(forms, has) })
}

// lent tells whether a neighbour of a leaf is among the hits.
func (s *scorer) lent(leaf int32, hits []hit) bool {
	return slices.ContainsFunc(s.neighbours(leaf, s.row(leaf)), func(n neighbour) bool {
		_, ok := slices.BinarySearchFunc(hits, n.leaf, func(h hit, leaf int32) int { return int(h.leaf) - int(leaf) })
		return ok
	})
}

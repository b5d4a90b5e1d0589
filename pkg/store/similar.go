package store

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// Leaves are similar where at least this share of the words of the longer one
// stands in both, the leading date aside. At most so many are named.
const (
	similarShare = 0.6
	maxSimilar   = 3
)

// What looking for similar leaves may cost, whatever the memory holds.
const (
	similarBatch = 8        // chunks in one commit; where there are more, none is looked for
	similarBytes = 64 << 10 // of a text that is compared
	maxProbes    = 10       // words looked up
	maxPostings  = 1000     // leaves of a word that still tells texts apart
	maxWeighed   = 24       // leaves whose length is looked up
	maxCompared  = 5        // leaves opened
)

// tellSimilar adds to the outcomes of new leaves which others say nearly the
// same. What cannot be read is not similar: the leaves are stored already.
func (w *Writer) tellSimilar(prepared []planned, outcomes []Outcome) {
	for i, p := range prepared {
		if p.leaf != nil && outcomes[i].Status != StatusUnchanged && len(p.leaf.Content) <= similarBytes {
			outcomes[i].Similar = w.similar(p.leaf, p.entry.Length)
		}
	}
}

// similar returns the current leaves that are similar to a new one, the most
// similar first. The candidates are those that share its rarest words.
func (w *Writer) similar(l *Leaf, length int) []record.Similar {
	words := w.s.words(l.Content)
	var found []record.Similar
	for _, ref := range w.candidates(l, length) {
		other, err := w.s.Leaf(ref.ID)
		if err != nil {
			continue
		}
		if share := shareOf(words, w.s.words(other.Content)); share >= similarShare && !w.superseded(&ref) {
			found = append(found, record.Similar{LeafID: ref.ID, Timestamp: ref.Timestamp, Share: math.Round(share*100) / 100})
		}
	}
	slices.SortStableFunc(found, func(a, b record.Similar) int { return cmp.Compare(b.Share, a.Share) })
	return found[:min(len(found), maxSimilar)]
}

// words are the distinct words of a text.
func (s *Store) words(content string) map[string]bool {
	if lead, ok := text.LeadingDate(content, text.DMY); ok {
		content = content[lead.Length:]
	}
	words := map[string]bool{}
	for term := range s.Analyzer.Profile(text.Fields{Content: content}).Terms {
		if !strings.HasPrefix(term, "~") {
			words[term] = true
		}
	}
	return words
}

func shareOf(a, b map[string]bool) float64 {
	common := 0
	for word := range a {
		if b[word] {
			common++
		}
	}
	return float64(common) / float64(max(len(a), len(b), 1))
}

// A candidate is a leaf that may be similar to a new one.
type candidate struct {
	table  *OpenTable // nil: in the tail
	index  int
	weight float64 // of the words in common
}

// candidates returns the current leaves that share most of the rare words of
// a new one and are about as long, without those of its own place in its
// source and those that it replaces.
func (w *Writer) candidates(l *Leaf, length int) []Ref {
	probes := w.probes(l.Content)
	var all []candidate
	for _, t := range append(slices.Clone(w.snap.Tables), nil) {
		all = append(all, w.sharing(t, probes)...)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.index, a.index))
	})
	all = all[:min(len(all), maxWeighed)]
	all = slices.DeleteFunc(all, func(c candidate) bool {
		other := w.lengthOf(c)
		return min(other, length)*2 < max(other, length)
	})
	var refs []Ref
	for _, c := range all {
		ref, ok := w.refOf(c)
		if !ok || ref.ID == l.ID || slices.Contains(l.Extra.Replaces, ref.ID) || ref.Source == l.Extra.Source && ref.Position == l.Extra.Position {
			continue
		}
		if refs = append(refs, ref); len(refs) == maxCompared {
			break
		}
	}
	return refs
}

// probes are words of a text that are worth looking up: the longest that are
// no stop words.
func (w *Writer) probes(content string) []string {
	words := map[string]bool{}
	for _, word := range w.s.Analyzer.Query(content).Words {
		words[word.Folded] = true
	}
	probes := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return probes[:min(len(probes), maxProbes)]
}

// sharing returns what in a table, or where it is nil in the tail, has some of
// the words. A word weighs less the more leaves have it.
func (w *Writer) sharing(t *OpenTable, probes []string) []candidate {
	var postings []terms.Posting
	weights := map[int32]float64{}
	for _, word := range probes {
		if t != nil {
			postings = t.Postings(postings[:0], word)
		} else {
			postings = w.snap.Tail.Postings(postings[:0], word)
		}
		if len(postings) > maxPostings {
			continue
		}
		for _, p := range postings {
			weights[p.Ordinal] += 1 / math.Log2(2+float64(len(postings)))
		}
	}
	found := make([]candidate, 0, len(weights))
	for ordinal, weight := range weights {
		found = append(found, candidate{table: t, index: int(ordinal), weight: weight})
	}
	return found
}

func (w *Writer) lengthOf(c candidate) int {
	if c.table == nil {
		return w.snap.Tail.Leaves[c.index].Length
	}
	return c.table.Row(c.index).Length
}

// refOf returns the leaf of a candidate, false where it is not current.
func (w *Writer) refOf(c candidate) (Ref, bool) {
	if c.table == nil {
		e := &w.snap.Tail.Leaves[c.index]
		return Ref{Leaf: e.Leaf, Index: c.index}, !e.Retired
	}
	leaf, err := c.table.Leaf(c.index)
	current := err == nil && !c.table.Dead(c.index) && !c.table.Retired(c.index, c.table.Row(c.index))
	return Ref{Leaf: leaf, Table: c.table, Index: c.index}, current
}

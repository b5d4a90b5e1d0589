package text

import (
	"slices"
	"strings"
)

// A Word is one word of a query.
type Word struct {
	// Text is the word as typed, for messages.
	Text string
	// Folded is the word as an index term.
	Folded string
	// Forms are groups of index terms. A leaf's frequency of the word is the
	// largest, over the groups, of the sum of the frequencies of the group's
	// terms.
	Forms [][]string
	// Weight scales the word's idf: 1, less for a single character of a
	// script without spaces.
	Weight float64
	// Optional: the word adds to the others and is not missed where no leaf
	// has it (the whole of an identifier beside its parts).
	Optional bool
}

// A Query is a question as scoring sees it.
type Query struct {
	// Words without stop words and without repetition, in order; the stop
	// words too where there is nothing else.
	Words []Word
	// Phrases that stood in quotation marks, to be tried with
	// [Analyzer.HasPhrase]. Their words are among Words.
	Phrases [][]string
	// When: it asks for a time.
	When bool
	// Name: it asks for a person, a place or one of several things.
	Name bool
}

// singleWeight is the weight of a character of a script without spaces beside
// the pairs that it is part of.
const singleWeight = 0.25

// maxQueryWords bounds what a query can cost; a longer one is cut.
const maxQueryWords = 256

// Query analyses a question.
func (a *Analyzer) Query(q string) Query {
	var all, telling []Word
	known := map[string]bool{}
	eachWord(q, func(start, end int) {
		for _, w := range a.queryWords(q[start:end]) {
			if known[w.Folded] || len(all) >= maxQueryWords {
				continue
			}
			known[w.Folded] = true
			all = append(all, w)
			if !a.isStop(w.Folded) {
				telling = append(telling, w)
			}
		}
	})
	if !slices.ContainsFunc(telling, func(w Word) bool { return !w.Optional }) {
		telling = all
	}
	return Query{Words: telling, Phrases: a.phrases(q)}
}

// queryWords are the words that one word of a query is looked up as.
func (a *Analyzer) queryWords(word string) []Word {
	parts := pieces(word)
	if parts[0].kind == numberPiece && isNumeric(word) {
		parts = parts[:1]
	}
	stop := stopRunes(parts)
	var out []Word
	for i, p := range parts {
		w := Word{Text: p.text, Folded: bounded(fold(p.text)), Forms: a.forms(p), Weight: 1}
		switch p.kind {
		case wholePiece:
			w.Text, w.Optional = word, true
		case charPiece:
			if len(parts) > 1 {
				w.Weight, w.Optional = singleWeight, true
			}
		case pairPiece:
			if stop[i] == inside {
				continue
			}
			w.Optional = stop[i] == touching
		}
		out = append(out, w)
	}
	return out
}

// phrases are the words of each part of a query in quotation marks.
func (a *Analyzer) phrases(q string) [][]string {
	var out [][]string
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}, {"「", "」"}} {
		rest := q
		for {
			_, after, ok := strings.Cut(rest, marks[0])
			if !ok {
				break
			}
			inner, next, ok := strings.Cut(after, marks[1])
			if !ok {
				break
			}
			rest = next
			if words := a.sequence(inner); len(words) > 1 && len(words) <= maxQueryWords {
				out = append(out, words)
			}
		}
	}
	return out
}

// HasPhrase tells whether the words of a phrase of a [Query] stand one after
// the other in a text.
func (a *Analyzer) HasPhrase(s string, phrase []string) bool {
	words := a.sequence(s)
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// sequence are the folded words of a text in order, identifiers in parts,
// scripts without spaces by character.
func (a *Analyzer) sequence(s string) []string {
	var out []string
	eachWord(s, func(start, end int) {
		for i, p := range pieces(s[start:end]) {
			if p.kind == wordPiece || p.kind == charPiece || p.kind == numberPiece && (i == 0 || !isNumeric(s[start:end])) {
				out = append(out, bounded(fold(p.text)))
			}
		}
	})
	return out
}

// How a pair of characters stands to the stop words of its run.
type stopKind int

const (
	outside stopKind = iota
	touching
	inside
)

// stopRunes tells of every piece of a run of characters how it stands to the
// stop words in it.
func stopRunes(parts []piece) []stopKind {
	var chars []string
	for _, p := range parts {
		if p.kind == charPiece {
			chars = append(chars, p.text)
		}
	}
	covered := coveredByStop(chars)
	kinds := make([]stopKind, len(parts))
	at := -1
	for i, p := range parts {
		switch p.kind {
		case charPiece:
			at++
		case pairPiece:
			switch {
			case covered[at] && covered[at+1]:
				kinds[i] = inside
			case covered[at] || covered[at+1]:
				kinds[i] = touching
			}
		}
	}
	return kinds
}

func coveredByStop(chars []string) []bool {
	covered := make([]bool, len(chars))
	for i := 0; i < len(chars); {
		n := 0
		for _, stop := range spacelessStop {
			if m := prefixCount(chars[i:], stop); m > n {
				n = m
			}
		}
		for j := range n {
			covered[i+j] = true
		}
		i += max(n, 1)
	}
	return covered
}

// prefixCount is how many of chars make up prefix, 0 where they do not begin
// with it.
func prefixCount(chars []string, prefix string) int {
	for n, c := range chars {
		if prefix == "" {
			return n
		}
		var ok bool
		if prefix, ok = strings.CutPrefix(prefix, c); !ok {
			return 0
		}
	}
	if prefix == "" {
		return len(chars)
	}
	return 0
}

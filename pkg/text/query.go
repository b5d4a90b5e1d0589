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
	// Forms are groups of index terms: the word's stems and the words that
	// have them. A leaf's frequency of the word is its frequency of Folded
	// plus the largest, over the groups, of the sum of its frequencies of the
	// group's terms.
	Forms [][]string
	// Weight scales the word's idf: 1, less for a single character beside the
	// pairs that it is part of.
	Weight float64
	// Optional: the word counts where some leaf has it and is not missed
	// where none has: the whole of an identifier beside its parts, the parts
	// of a date, a pair of characters that touches a stop word.
	Optional bool

	stop  bool
	typed int  // which word of the query, as typed, it is or is part of
	pair  bool // of characters
}

// A Query is a question as scoring sees it.
type Query struct {
	// Words in order, without repetition and without stop words; stop words
	// are kept where there is nothing else.
	Words []Word
	// Phrases that stood in quotation marks, to be tried with
	// [Analyzer.HasPhrase]. Their words are among Words. There are none where
	// the query says more than what it quotes: a question that names a book
	// need not be answered in its words.
	Phrases [][]string
	// When: it asks for a time.
	When bool
	// Size is how many words it has for whoever typed it: an identifier is
	// one, and so are two neighbouring pairs of characters. What is optional
	// does not count.
	Size int
}

// charWeight is the weight of a character of a script without spaces beside
// the pairs that it is part of.
const charWeight = 0.25

// maxQueryWords and maxQuery, in bytes, bound what a query can cost; what
// follows is ignored.
const (
	maxQueryWords = 256
	maxQuery      = 1 << 14
)

// Query analyses a question.
func (a *Analyzer) Query(q string) Query {
	a.mu.Lock()
	defer a.mu.Unlock()
	q = q[:min(len(q), maxQuery)]
	var words []Word
	known := map[string]bool{}
	when := cueFinder{set: cues()[asksWhen]}
	dates := FindDatesFrom(q, DMY, Date{2000, 1, 1}) // where they stand
	typed := 0
	eachWord(q, func(start, end int) {
		typed++
		when.word(a.folded(q[start:end]))
		for _, w := range a.queryWords(q[start:end]) {
			if !known[w.Folded] && len(words) < maxQueryWords {
				known[w.Folded] = true
				w.typed = typed
				w.Optional = w.Optional || insideDate(dates, start)
				words = append(words, w)
			}
		}
	})
	words = telling(words)
	query := Query{Words: words, When: when.stands(q), Size: size(words)}
	if phrases, rest := phrases(q); !a.tells(rest) {
		query.Phrases = phrases
	}
	return query
}

// telling are the words that are no stop words, or all where there is none.
func telling(words []Word) []Word {
	isStop := func(w Word) bool { return w.stop }
	if !slices.ContainsFunc(words, func(w Word) bool { return !w.stop }) {
		return words
	}
	return slices.DeleteFunc(words, isStop)
}

// size is the Size of a query.
func size(words []Word) int {
	n, pairs, last := 0, 0, 0
	for _, w := range words {
		switch {
		case w.Optional:
			continue
		case w.typed != last:
			n, pairs, last = n+1, 0, w.typed
		case w.pair && pairs%2 == 0:
			n++
		}
		if w.pair {
			pairs++
		}
	}
	return n
}

func insideDate(dates []DateRange, at int) bool {
	return slices.ContainsFunc(dates, func(d DateRange) bool { return d.Start <= at && at < d.End })
}

// queryWords are the words that one word of a query is looked up as.
func (a *Analyzer) queryWords(word string) []Word {
	parts := pieces(word)
	chars := stopChars(parts)
	var out []Word
	at := -1 // the character
	for _, p := range parts {
		folded := fold(p.text)
		w := Word{Text: p.text, Folded: bounded(folded), Forms: a.forms(p), Weight: 1}
		switch p.kind {
		case shorterPiece:
			continue
		case wordPiece:
			w.stop = a.isStop(folded)
		case wholePiece:
			w.Text, w.Optional = word, true
		case charPiece:
			at++
			w.stop = chars[at]
			if len(parts) > 1 {
				w.Weight, w.Optional = charWeight, true
			}
		case pairPiece:
			w.pair = true
			w.stop = chars[at] && chars[at+1]
			w.Optional = chars[at] || chars[at+1]
		}
		out = append(out, w)
	}
	return out
}

// phrases are the words of each part of a query in quotation marks, and what
// is left of the query without those parts.
func phrases(q string) (phrases [][]string, rest string) {
	rest = q
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"«", "»"}, {"「", "」"}} {
		q, rest = rest, ""
		for {
			before, after, _ := strings.Cut(q, marks[0])
			inner, next, closed := strings.Cut(after, marks[1])
			if !closed {
				rest += q
				break
			}
			if words := sequence(inner); len(words) > 1 && len(words) <= maxQueryWords {
				phrases = append(phrases, words)
				inner = ""
			}
			rest += before + " " + inner + " "
			q = next
		}
	}
	return phrases, rest
}

// tells tells whether a text has a word that is no stop word.
func (a *Analyzer) tells(s string) bool {
	found := false
	eachWord(s, func(start, end int) {
		found = found || slices.ContainsFunc(a.queryWords(s[start:end]), func(w Word) bool { return !w.stop && !w.Optional })
	})
	return found
}

// HasPhrase tells whether the words of a phrase of a [Query] stand one after
// the other in a text.
func (a *Analyzer) HasPhrase(s string, phrase []string) bool {
	words := sequence(s)
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// sequence are the folded words of a text in order, identifiers in parts,
// scripts without spaces by character.
func sequence(s string) []string {
	var out []string
	eachWord(s, func(start, end int) {
		for _, p := range pieces(s[start:end]) {
			if p.kind == wordPiece || p.kind == charPiece || p.kind == numberPiece {
				out = append(out, bounded(fold(p.text)))
			}
		}
	})
	return out
}

// stopChars tells which characters of a run belong to stop words.
func stopChars(parts []piece) []bool {
	var chars []string
	for _, p := range parts {
		if p.kind == charPiece {
			chars = append(chars, p.text)
		}
	}
	covered := make([]bool, len(chars))
	for i := 0; i < len(chars); {
		n := 0
		for _, stop := range spacelessStop() {
			n = max(n, prefixCount(chars[i:], stop))
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

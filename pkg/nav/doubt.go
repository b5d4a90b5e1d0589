package nav

import "fmt"

// Default settings of [Doubt].
const (
	ConfidenceThreshold = 0.45
	AmbiguityMargin     = 0.18
)

// A clue is a second group of words: a leaf that matches the query and the
// clue is worth its scores for both times BothMatch, any other times
// OneMatches.
const (
	BothMatch  = 1.6
	OneMatches = 0.7
)

// A Candidate is a result as far as doubt is concerned.
type Candidate struct {
	Domain   string
	Source   string
	Position int
	Score    float64
	Coverage float64 // idf-weighted share of the query that the leaf holds, 0..1
	Checksum string  // of the content without the blanks around it; "" where unknown
	Fact     string  // names the fact that it is a version of; "" where none
}

// A Doubt holds what decides whether a query is answered or asked back.
type Doubt struct {
	Threshold float64 // of confidence, below it is asked back
	Margin    float64 // within it of the best score a candidate is a rival
}

// A Verdict says how far the first candidate answers the query.
type Verdict struct {
	Confidence float64 // 0.6·coverage + 0.4·margin
	Coverage   float64 // of the first candidate
	Margin     float64 // (first − best rival) / first, 0..1; 1 without a rival
	Ambiguous  bool
	Reason     string // for people, where ambiguous
	Options    []int  // the candidates to choose from, where ambiguous: at most four
}

// maxOptions is how many candidates are offered to choose from.
const maxOptions = 4

// Judge decides on ranked candidates, best first; some more than are shown
// should be given. Words is the size of the query and its clues
// ([text.Query]).
//
// It is asked back when confidence is below the threshold: too little of the
// query is in the best answer. And it is asked back when a rival, holding no
// less of the query than the first, stands within the margin, and the query
// has at most two words or the rival is of another domain. A single word
// decides so little that its margin counts double: leaves that share it
// differ in length and surroundings only.
//
// The same text again, versions of one fact and neighbours in one source are
// no rivals.
func (d Doubt) Judge(words int, candidates []Candidate) Verdict {
	if len(candidates) == 0 {
		return Verdict{}
	}
	first := candidates[0]
	v := Verdict{Coverage: first.Coverage, Margin: 1}
	close := []int{0}
	apart := false // a close rival is of another domain
	for i, c := range candidates[1:] {
		if first.sameAnswer(c) {
			continue
		}
		v.Margin = min(v.Margin, marginTo(first.Score, c.Score))
		if d.near(words, first, c) {
			close = append(close, i+1)
			apart = apart || c.Domain != first.Domain
		}
	}
	v.Confidence = 0.6*v.Coverage + 0.4*v.Margin
	switch {
	case len(close) > 1 && (words <= 2 || apart):
		v.Ambiguous = true
		v.Reason = fmt.Sprintf("%d memories fit equally well", len(close))
		v.Options = close[:min(len(close), maxOptions)]
	case v.Confidence < d.Threshold:
		v.Ambiguous = true
		v.Reason = "no memory holds enough of the question"
		for i := range min(len(candidates), maxOptions) {
			v.Options = append(v.Options, i)
		}
	}
	return v
}

// near tells whether a candidate is so close to the first that it is a rival,
// unless it answers the same.
func (d Doubt) near(words int, first, c Candidate) bool {
	reach := d.Margin
	if words == 1 {
		reach *= 2
	}
	return marginTo(first.Score, c.Score) < reach && c.Coverage >= first.Coverage-coverageSlack
}

// coverageSlack is how much less of the query a rival may hold: a word that is
// lent by a neighbour, not a word that is missing.
const coverageSlack = 0.05

// sameAnswer tells whether two candidates answer the same.
func (c Candidate) sameAnswer(o Candidate) bool {
	switch {
	case c.Checksum != "" && c.Checksum == o.Checksum:
		return true
	case c.Fact != "" && c.Fact == o.Fact:
		return true
	}
	apart := c.Position - o.Position
	return c.Source != "" && c.Source == o.Source && apart >= -2 && apart <= 2
}

// marginTo is the distance of a score from the best, relative to it, 0..1.
func marginTo(best, score float64) float64 {
	if best <= 0 {
		return 0
	}
	return min(1, max(0, (best-score)/best))
}

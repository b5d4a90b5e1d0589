package nav

import (
	"slices"
	"testing"
)

var usual = Doubt{Threshold: ConfidenceThreshold, Margin: AmbiguityMargin}

func TestDoubt(t *testing.T) {
	at := func(domain, source string, position int, score, coverage float64) Candidate {
		return Candidate{Domain: domain, Source: source, Position: position, Score: score, Coverage: coverage}
	}
	for _, c := range []struct {
		name       string
		words      int
		candidates []Candidate
		ambiguous  bool
		options    []int
	}{
		{"nothing", 1, nil, false, nil},
		{"one leaf with all of it", 2, []Candidate{at("a", "s", 0, 1, 1)}, false, nil},
		{"one leaf with little of it", 3, []Candidate{at("a", "s", 0, 1, 0.05)}, true, []int{0}},
		{"a word shared by two", 1, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.7, 1)}, true, []int{0, 1}},
		{"a word that one leaf is about", 1, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.6, 1)}, false, nil},
		{"two words shared by two", 2, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.9, 1)}, true, []int{0, 1}},
		{"two words, at a distance", 2, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.8, 1)}, false, nil},
		{"the second has one of two words", 2, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.9, 0.5)}, false, nil},
		{"many words, one domain", 4, []Candidate{at("a", "s", 0, 1, 1), at("a", "t", 0, 0.99, 1)}, false, nil},
		{"many words, two domains", 4, []Candidate{at("a", "s", 0, 1, 1), at("b", "t", 0, 0.99, 1)}, true, []int{0, 1}},
		{"neighbours in one source", 1, []Candidate{at("a", "s", 3, 1, 1), at("a", "s", 5, 1, 1)}, false, nil},
		{"far apart in one source", 1, []Candidate{at("a", "s", 3, 1, 1), at("a", "s", 9, 1, 1)}, true, []int{0, 1}},
		{"at most four to choose from", 1, slices.Repeat([]Candidate{at("a", "", 0, 1, 1)}, 6), true, []int{0, 1, 2, 3}},
		{"no score to compare", 2, []Candidate{at("a", "s", 0, -0.1, 0), at("a", "t", 0, -0.1, 0)}, true, []int{0, 1}},
	} {
		v := usual.Judge(c.words, c.candidates)
		if v.Ambiguous != c.ambiguous || !slices.Equal(v.Options, c.options) || v.Ambiguous != (v.Reason != "") {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

func TestTheSameAnswerIsNoRival(t *testing.T) {
	for name, twin := range map[string]Candidate{
		"the same text":         {Domain: "b", Score: 1, Coverage: 1, Checksum: "sha256:1"},
		"a version of the fact": {Domain: "b", Score: 1, Coverage: 1, Fact: "user/location"},
	} {
		first := Candidate{Domain: "a", Score: 1, Coverage: 1, Checksum: "sha256:1", Fact: "user/location"}
		if v := usual.Judge(1, []Candidate{first, twin}); v.Ambiguous || v.Margin != 1 || v.Confidence != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

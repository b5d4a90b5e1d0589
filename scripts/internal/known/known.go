// Package known makes up questions for known notes: by which words somebody
// who remembers a note might ask for it. Whoever searches must find that note.
package known

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// A Sought note and the question that it is sought by.
type Sought struct {
	Query string
	Note  int // index of its text
	Style string
}

// Styles are the ways to ask for a note by its words: three of middle
// frequency among its own, four at random, or a question around its three
// rarest.
var Styles = []string{"middle", "random", "question"}

// wrappings stand around the words of a question; %s is where they go.
var wrappings = []string{"what did we decide about %s?", "where did I write about %s", "do you remember anything about %s?", "what was it with %s again?"}

// Seek makes up at most per questions of every style for the first texts,
// among so many of them. Words that more than ten texts hold together, as the
// notes that a program wrote do, seek none.
func Seek(texts []string, among, per int) []Sought {
	words := make([][]string, len(texts))
	holders := map[string][]int{}
	for i, t := range texts {
		words[i] = Askable(t)
		for _, w := range words[i] {
			holders[w] = append(holders[w], i)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []Sought
	for _, style := range Styles {
		for n, tries := 0, 0; n < per && tries < 1000*per; tries++ {
			i := random.IntN(among)
			if len(words[i]) < 6 {
				continue
			}
			by := choose(style, words[i], holders, random)
			if holdAll(by, holders) > 10 {
				continue
			}
			n++
			query := strings.Join(by, " ")
			if style == "question" {
				query = fmt.Sprintf(wrappings[random.IntN(len(wrappings))], query)
			}
			all = append(all, Sought{query, i, style})
		}
	}
	return all
}

// choose chooses the words to seek a note by.
func choose(style string, words []string, holders map[string][]int, random *rand.Rand) []string {
	words = slices.Clone(words)
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	if style == "random" {
		return words[:4]
	}
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(holders[a]), len(holders[b])) })
	if style == "middle" {
		middle := len(words) / 2
		return words[middle-1 : middle+2]
	}
	return words[:3]
}

// holdAll is the number of texts that hold all words.
func holdAll(words []string, holders map[string][]int) int {
	n := 0
	for _, i := range holders[words[0]] {
		all := true
		for _, w := range words[1:] {
			_, has := slices.BinarySearch(holders[w], i)
			all = all && has
		}
		if all {
			n++
		}
	}
	return n
}

// common are words that nobody asks by.
var common = strings.Fields("the and for with from this that when not are now use into all was but has have can its our which only more than also will been some them then there should")

// Askable are the distinct words of a text that one might ask by.
func Askable(s string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) >= 3 && len(w) <= 30 && !slices.Contains(common, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// A Score counts how often the sought note came first, and among the first
// ten, and how often it came first and was doubted all the same.
type Score struct{ Asked, First, Ten, Doubted int }

// Count adds the rank of a sought note, from 0, or -1 where it was not found.
func (s *Score) Count(rank int, doubted bool) {
	s.Asked++
	if rank >= 0 && rank < 10 {
		s.Ten++
	}
	if rank == 0 {
		s.First++
		if doubted {
			s.Doubted++
		}
	}
}

// Shares are the shares of the questions whose note came first and among the
// first ten, and of those right at once the share that was doubted.
func (s *Score) Shares() (first, ten, doubted float64) {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return share(s.First, s.Asked), share(s.Ten, s.Asked), share(s.Doubted, s.First)
}

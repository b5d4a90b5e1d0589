package main

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/ihmt/ihmt/pkg/record"
)

func init() {
	measurements["notes"] = measurement{"[--oracle] FILE   known notes found again by some of their words", notes}
}

type note struct{ Domain, Timestamp, Text string }

func readNotes(file string) ([]record.Chunk, error) {
	all, err := readJSON[note](file)
	chunks := make([]record.Chunk, len(all))
	for i, n := range all {
		chunks[i] = record.Chunk{Source: fmt.Sprintf("note-%06d", i), Domain: n.Domain, Timestamp: n.Timestamp, DataType: record.TypeGeneric, Content: n.Text}
	}
	return chunks, err
}

// A sought note and the question that it is sought by.
type sought struct {
	question
	note  int
	style string
}

// styles are the ways to ask for a note by its words.
var styles = []string{"middle", "random", "question"}

// wrappings stand around the words of a question; %s is where they go.
var wrappings = []string{"what did we decide about %s?", "where did I write about %s", "do you remember anything about %s?", "what was it with %s again?"}

// seekNotes makes up per questions of every style. Words that more than ten
// notes hold together, as the notes that a program wrote do, seek none.
func seekNotes(chunks []record.Chunk, per int) []sought {
	words := make([][]string, len(chunks))
	holders := map[string][]int{}
	for i, c := range chunks {
		words[i] = askable(c.Content)
		for _, w := range words[i] {
			holders[w] = append(holders[w], i)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []sought
	for _, style := range styles {
		for n := 0; n < per; {
			i := random.IntN(len(chunks))
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
			all = append(all, sought{question{Query: query}, i, style})
		}
	}
	return all
}

// choose chooses the words to seek a note by: three of middle frequency among
// its own, four at random, or for a question its three rarest.
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

// holdAll is the number of notes that hold all words.
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

// askable are the distinct words of a note that one might ask by.
func askable(s string) []string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) >= 3 && len(w) <= 30 && !slices.Contains(common, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

func notes(args []string) error {
	file, byOracle, err := parseArgs(args)
	if err != nil {
		return err
	}
	chunks, err := readNotes(file)
	if err != nil {
		return err
	}
	seek := seekNotes(chunks, 300)
	m, err := newMemory(chunks, byOracle)
	if err != nil {
		return err
	}
	defer m.close()
	questions := make([]question, len(seek))
	for i, s := range seek {
		questions[i] = s.question
	}
	answers, err := m.ask(questions, 10)
	if err != nil {
		return err
	}
	first, ten, doubted, asked := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i, s := range seek {
		rank := slices.IndexFunc(answers[i].Hits, func(h hit) bool { return chunks[h.Chunk].Content == chunks[s.note].Content })
		for _, style := range []string{s.style, "all"} {
			asked[style]++
			if rank >= 0 {
				ten[style]++
			}
			if rank == 0 {
				first[style]++
				if answers[i].Ambiguous {
					doubted[style]++
				}
			}
		}
	}
	fmt.Printf("%d notes, %d queries\n%-10s %7s %7s %22s\n", len(chunks), len(seek), "style", "hit@1", "hit@10", "right but asked back")
	for _, style := range append(slices.Clone(styles), "all") {
		fmt.Printf("%-10s %7.3f %7.3f %22.3f\n", style, share(first[style], asked[style]), share(ten[style], asked[style]), share(doubted[style], first[style]))
	}
	switch {
	case share(first["all"], asked["all"]) < 0.78:
		return fmt.Errorf("hit@1 is below 0.78")
	case share(ten["all"], asked["all"]) < 0.94:
		return fmt.Errorf("hit@10 is below 0.94")
	case share(doubted["all"], first["all"]) > 0.10:
		return fmt.Errorf("more than 0.10 of the right answers were asked back")
	}
	return nil
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

func keys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

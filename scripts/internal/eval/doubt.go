package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/scripts/internal/known"
)

func init() {
	measurements["doubt"] = measurement{"[--oracle] FILE   words that unrelated notes share equally are asked back", doubt}
}

// doubt asks for single words that two to six notes hold once each, notes of
// which no two are alike.
func doubt(args []string) error {
	file, byOracle, err := parseArgs(args)
	if err != nil {
		return err
	}
	chunks, err := readNotes(file)
	if err != nil {
		return err
	}
	holders := map[string][]int{}
	for i, c := range chunks {
		for _, w := range known.Askable(c.Content) {
			holders[w] = append(holders[w], i)
		}
	}
	var words []string
	for _, w := range slices.Sorted(keys(holders)) {
		in := holders[w]
		shared := len(w) >= 4 && len(in) >= 2 && len(in) <= 6
		texts := map[string]bool{}
		for _, i := range in {
			low := strings.ToLower(chunks[i].Content)
			shared = shared && strings.Count(low, w) == 1
			texts[low] = true
		}
		if shared && len(texts) == len(in) {
			words = append(words, w)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:min(200, len(words))]
	questions := make([]question, len(words))
	for i, w := range words {
		questions[i].Query = w
	}
	m, err := newMemory(chunks, byOracle)
	if err != nil {
		return err
	}
	defer m.close()
	answers, err := m.ask(questions, 10)
	if err != nil {
		return err
	}
	doubted := 0
	for i, a := range answers {
		if a.Ambiguous {
			doubted++
			continue
		}
		fmt.Printf("answered: %q", words[i])
		for _, h := range a.Hits[:min(2, len(a.Hits))] {
			fmt.Printf("  %.3f %.60q", h.Score, chunks[h.Chunk].Content)
		}
		fmt.Println()
	}
	fmt.Printf("%d of %d shared words asked back\n", doubted, len(words))
	if share(doubted, len(words)) < 0.95 {
		return fmt.Errorf("fewer than 0.95 of the shared words were asked back")
	}
	return nil
}

package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/scripts/internal/known"
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

// seekNotes makes up per questions of every style.
func seekNotes(chunks []record.Chunk, per int) []known.Sought {
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Content
	}
	return known.Seek(texts, len(texts), per)
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
		questions[i].Query = s.Query
	}
	answers, err := m.ask(questions, 10)
	if err != nil {
		return err
	}
	scores := map[string]*known.Score{"all": {}}
	for i, s := range seek {
		rank := slices.IndexFunc(answers[i].Hits, func(h hit) bool { return chunks[h.Chunk].Content == chunks[s.Note].Content })
		if scores[s.Style] == nil {
			scores[s.Style] = &known.Score{}
		}
		scores[s.Style].Count(rank, answers[i].Ambiguous)
		scores["all"].Count(rank, answers[i].Ambiguous)
	}
	fmt.Printf("%d notes, %d queries\n%-10s %7s %7s %22s\n", len(chunks), len(seek), "style", "hit@1", "hit@10", "right but asked back")
	for _, style := range append(slices.Clone(known.Styles), "all") {
		first, ten, doubted := scores[style].Shares()
		fmt.Printf("%-10s %7.3f %7.3f %22.3f\n", style, first, ten, doubted)
	}
	switch first, ten, doubted := scores["all"].Shares(); {
	case first < 0.78:
		return fmt.Errorf("hit@1 is below 0.78")
	case ten < 0.94:
		return fmt.Errorf("hit@10 is below 0.94")
	case doubted > 0.10:
		return fmt.Errorf("more than 0.10 of the right answers were asked back")
	}
	return nil
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

func keys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

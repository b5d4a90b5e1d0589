package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

func init() {
	measurements["locomo"] = measurement{"[--oracle] FILE   evidence among the first results, on long conversations", locomo}
}

type conversation struct {
	Conversation string
	Turns        []struct{ ID, Session, Date, Speaker, Text string }
	QA           []struct {
		Question string
		Evidence []string
		Category int
	}
}

// locomoTargets are the least shares of questions with evidence in the first
// 1, 5, 10 and 20 results.
var locomoTargets = map[int]float64{1: 0.50, 5: 0.79, 10: 0.86, 20: 0}

func locomo(args []string) error {
	file, byOracle, err := parseArgs(args)
	if err != nil {
		return err
	}
	conversations, err := readJSON[conversation](file)
	if err != nil {
		return err
	}
	found := map[int]int{} // by how many results are looked at
	byCategory := map[int][2]int{}
	asked := 0
	for _, c := range conversations {
		ranks, err := evidenceRanks(c, byOracle)
		if err != nil {
			return err
		}
		for i, rank := range ranks {
			asked++
			count := byCategory[c.QA[i].Category]
			count[1]++
			for k := range locomoTargets {
				if rank < k {
					found[k]++
				}
			}
			if rank < 10 {
				count[0]++
			}
			byCategory[c.QA[i].Category] = count
		}
	}
	fmt.Printf("%d conversations, %d questions\n", len(conversations), asked)
	var missed error
	for _, k := range []int{1, 5, 10, 20} {
		share := float64(found[k]) / float64(asked)
		fmt.Printf("evidence@%-3d %.3f\n", k, share)
		if share < locomoTargets[k] {
			missed = fmt.Errorf("evidence@%d is %.3f, below %.2f", k, share, locomoTargets[k])
		}
	}
	for _, category := range slices.Sorted(keys(byCategory)) {
		c := byCategory[category]
		fmt.Printf("category %d: %d of %d in the first 10\n", category, c[0], c[1])
	}
	return missed
}

// evidenceRanks are the ranks, from 0, of the first evidence for each question.
func evidenceRanks(c conversation, byOracle bool) ([]int, error) {
	chunks := make([]record.Chunk, len(c.Turns))
	position := map[string]int{}
	for i, t := range c.Turns {
		date, err := time.Parse("3:04 pm on 2 January, 2006", t.Date)
		if err != nil {
			return nil, err
		}
		source := c.Conversation + "/" + t.Session
		chunks[i] = record.Chunk{Source: source, Position: position[source], Domain: "personal.chat", DataType: record.TypePersonal,
			Author: t.Speaker, Timestamp: date.Format("2006-01-02"), Content: t.Text}
		position[source]++
	}
	m, err := newMemory(chunks, byOracle)
	if err != nil {
		return nil, err
	}
	defer m.close()
	questions := make([]question, len(c.QA))
	for i, q := range c.QA {
		questions[i].Query = q.Question
	}
	answers, err := m.ask(questions, 20)
	ranks := make([]int, len(answers))
	for i, a := range answers {
		ranks[i] = slices.IndexFunc(a.Hits, func(h hit) bool { return slices.Contains(c.QA[i].Evidence, c.Turns[h.Chunk].ID) })
		if ranks[i] < 0 {
			ranks[i] = len(chunks)
		}
	}
	return ranks, err
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/text"
	"github.com/ihmt/ihmt/scripts/internal/known"
	"github.com/ihmt/ihmt/scripts/internal/oracle"
)

func init() {
	measurements["exact"] = measurement{"FILE [QUERIES]   searches equal to scoring every leaf, in every state of the tree", exact}
}

// exactResults is how many results are compared.
const exactResults = 25

// An exactness run holds a memory and the questions asked of it in each state.
type exactness struct {
	*stored
	questions []question
	before    [][]string // leaf ids of the state before
	wrong     int
}

func exact(args []string) error {
	asked := 90
	if len(args) == 2 {
		if _, err := fmt.Sscan(args[1], &asked); err != nil {
			return fmt.Errorf("how many queries is %q?", args[1])
		}
		args = args[:1]
	}
	file, _, err := parseArgs(args)
	if err != nil {
		return err
	}
	chunks, err := readNotes(file)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(3, 4))
	converse(chunks, random)
	random.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	early, late, last := chunks[:len(chunks)/2], chunks[len(chunks)/2:len(chunks)*9/10], chunks[len(chunks)*9/10:]
	m, err := newStored(nil)
	if err != nil {
		return err
	}
	defer m.close()
	x := &exactness{stored: m, questions: exactQuestions(chunks, asked, random)}
	for _, step := range []struct {
		state string
		do    func() error
		same  bool // as the state before
	}{
		{"all pending", func() error { return x.put(early) }, false},
		{"grown", func() error { return x.grow() }, true},
		{"half grown, late arrivals pending", func() error { return x.put(late) }, false},
		{"grown again", func() error { return x.grow() }, true},
		{"forced", func() error { return x.grow("--force") }, true},
		{"arrivals after the forced flush", func() error { return x.put(last) }, false},
		{"grown after the forced flush", func() error { return x.grow() }, true},
		{"some removed", func() error { return x.remove(random, 16) }, false},
		{"grown after removal", func() error { return x.grow() }, true},
		{"rebuilt", x.rebuild, false},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.state, err)
		}
		if err := x.compare(step.state, step.same); err != nil {
			return fmt.Errorf("%s: %w", step.state, err)
		}
	}
	if x.wrong > 0 {
		return fmt.Errorf("%d searches differ", x.wrong)
	}
	return nil
}

// converse makes a third of the notes turns of conversations between a few
// people, with some turns at the same position, so that neighbours and authors
// matter.
func converse(chunks []record.Chunk, random *rand.Rand) {
	people := []string{"Ana López", "Ben", "Chen Wei", "Dora"}
	for i := range chunks {
		if i/12%3 != 0 {
			continue
		}
		c := &chunks[i]
		c.Source, c.Position, c.Author = fmt.Sprintf("talk-%04d", i/12), i%12-random.IntN(8)/7, people[random.IntN(len(people))]
		c.Position = max(c.Position, 0)
		if random.IntN(4) == 0 {
			c.Content += "?"
		}
	}
}

// exactQuestions are words of the notes, some with dates, names, clues and
// quotation marks.
func exactQuestions(chunks []record.Chunk, n int, random *rand.Rand) []question {
	var questions []question
	for i, s := range seekNotes(chunks, (n+2)/3) {
		q := question{Query: s.Query}
		switch i % 7 {
		case 1:
			q.Query += " " + chunks[random.IntN(len(chunks))].Timestamp[:10]
		case 2:
			q.Query = "when did Dora " + q.Query
		case 3:
			q.Clue = known.Askable(chunks[s.Note].Content)[0]
		case 4:
			q.Query += " lópez"
		case 5:
			q.Query, _, _ = strings.Cut(q.Query, " ")
		case 6:
			words := strings.Fields(chunks[s.Note].Content)
			q.Query = strconv.Quote(words[0] + " " + words[1])
		}
		questions = append(questions, q)
	}
	return questions
}

func (x *exactness) grow(flags ...string) error {
	_, err := pipe(nil, "ihmt-summarize", append([]string{"--path", x.dir, "--json"}, flags...)...)
	return err
}

func (x *exactness) rebuild() error {
	_, err := pipe(nil, "ihmt-store", "rebuild", "--path", x.dir, "--json")
	return err
}

// remove removes leaves that answer the questions, and others.
func (x *exactness) remove(random *rand.Rand, n int) error {
	var ids []string
	for i := range x.before {
		if len(x.before[i]) > 0 && len(ids) < n/2 && !slices.Contains(ids, x.before[i][0]) {
			ids = append(ids, x.before[i][0])
		}
	}
	all := slices.Sorted(keys(x.chunks))
	for len(ids) < n {
		if id := all[random.IntN(len(all))]; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if _, err := pipe(nil, "ihmt-store", "rm", id, "--yes", "--path", x.dir, "--json"); err != nil {
			return err
		}
	}
	return nil
}

// compare asks every question of the tools and of the oracle.
func (x *exactness) compare(state string, same bool) error {
	leaves, err := oracle.Read(filepath.Join(x.dir, "ihmt_memory"))
	if err != nil {
		return err
	}
	analyzer, err := text.NewAnalyzer([]string{"en", "es"})
	if err != nil {
		return err
	}
	judge := oracle.New(analyzer, store.DefaultSettings().BranchFactor, leaves)
	answers, err := x.results(x.questions, exactResults)
	if err != nil {
		return err
	}
	differ, changed := 0, 0
	for i, q := range x.questions {
		var clues []string
		if q.Clue != "" {
			clues = []string{q.Clue}
		}
		want := judge.Search(q.Query, text.DMY, clues...)
		want = want[:min(len(want), exactResults)]
		if complaint := difference(answers[i], want); complaint != "" {
			if differ++; differ <= 3 {
				fmt.Printf("  %q (clue %q): %s\n", q.Query, q.Clue, complaint)
			}
		}
		if same && x.before != nil && !slices.Equal(ids(answers[i]), x.before[i]) {
			changed++
		}
	}
	x.before = x.before[:0]
	for _, a := range answers {
		x.before = append(x.before, ids(a))
	}
	fmt.Printf("%-34s %6d leaves, %d searches: %d equal to the oracle's", state, len(leaves), len(x.questions), len(x.questions)-differ)
	if same {
		fmt.Printf(", %d as before growing", len(x.questions)-changed)
	}
	fmt.Println()
	x.wrong += differ + changed
	return nil
}

// results are the records that answer each question.
func (s *stored) results(questions []question, k int) ([][]oracle.Result, error) {
	queries := make([]record.Query, len(questions))
	for i, q := range questions {
		queries[i] = record.Query{ID: fmt.Sprint(i), Query: q.Query, Clue: q.Clue, K: k}
	}
	out, err := pipe(jsonLines(record.KindQuery, queries), "ihmt-nav", "search", "-", "--path", s.dir, "--json")
	if err != nil {
		return nil, err
	}
	results := make([][]oracle.Result, len(questions))
	err = eachRecord(out, func(r *record.Record) error {
		var i int
		if _, err := fmt.Sscan(r.Str("id"), &i); err != nil || i >= len(results) {
			return fmt.Errorf("answer to no question: %s", r)
		}
		switch r.Kind() {
		case record.KindSearch:
			if !r.Get("exact").Bool() {
				return fmt.Errorf("a search that calls itself inexact: %s", r)
			}
		case record.KindResult:
			results[i] = append(results[i], oracle.Result{ID: r.Str("leaf_id"), Score: r.Get("score").Float(), Coverage: r.Get("coverage").Float()})
		}
		return nil
	})
	return results, err
}

func ids(results []oracle.Result) []string {
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = r.ID
	}
	return out
}

// difference says where results are not the wanted ones, "" where they are.
func difference(got, want []oracle.Result) string {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.ID != w.ID || math.Abs(g.Score-w.Score) > 1e-6 || math.Abs(g.Coverage-w.Coverage) > 1e-6 {
			return fmt.Sprintf("result %d is %s (score %.9f, coverage %.9f), want %s (%.9f, %.9f)", i+1, g.ID, g.Score, g.Coverage, w.ID, w.Score, w.Coverage)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d results, want %d", len(got), len(want))
	}
	return ""
}

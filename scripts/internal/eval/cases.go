package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
)

func init() {
	measurements["cases"] = measurement{"[--oracle] FILE   small memories, each with a query and what must come back", cases}
}

// A searchCase is a small memory, a query, and what must come back.
type searchCase struct {
	ID, Kind, Query, Expect string
	Notes                   []string
	Clue                    string
	ExpectAny               []int `json:"expect_any"`
	Outdated                []int
	Suggest, Debatable      string
}

func cases(args []string) error {
	file, byOracle, err := parseArgs(args)
	if err != nil {
		return err
	}
	all, err := readJSON[searchCase](file)
	if err != nil {
		return err
	}
	passed, asked := map[string]int{}, map[string]int{}
	var failures []string
	missed := 0
	for _, c := range all {
		complaint, err := c.try(byOracle)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
		asked[c.Kind]++
		if complaint == "" {
			passed[c.Kind]++
			continue
		}
		excuse := ""
		switch {
		case c.Debatable != "":
			excuse = " (debatable: " + c.Debatable + ")"
		case c.Kind == "synonym":
			excuse = " (a stretch goal)"
		default:
			missed++
		}
		failures = append(failures, fmt.Sprintf("%s %s %q: %s%s", c.ID, c.Kind, c.Query, complaint, excuse))
	}
	for _, kind := range slices.Sorted(keys(asked)) {
		fmt.Printf("%-14s %3d of %d\n", kind, passed[kind], asked[kind])
	}
	fmt.Println(strings.Join(failures, "\n"))
	if missed > 0 {
		return fmt.Errorf("%d of %d cases failed without an excuse", missed, len(all))
	}
	return nil
}

// try saves a case's notes, asks, and returns what is wrong with the answer,
// "" where nothing is.
func (c searchCase) try(byOracle bool) (complaint string, err error) {
	documents := make([]record.Document, len(c.Notes))
	for i, n := range c.Notes {
		documents[i] = record.Document{Source: fmt.Sprintf("note-%02d", i), Text: n}
	}
	out, err := pipe(jsonLines(record.KindDocument, documents), "ihmt-chunk", "--json")
	if err != nil {
		return "", err
	}
	var chunks []record.Chunk
	var note []int // of each chunk
	err = eachRecord(out, func(r *record.Record) error {
		if r.Kind() != record.KindChunk {
			return nil
		}
		var chunk record.Chunk
		if err := r.Decode(&chunk); err != nil {
			return err
		}
		chunks = append(chunks, chunk)
		note = append(note, slices.IndexFunc(documents, func(d record.Document) bool { return d.Source == chunk.Source }))
		return nil
	})
	if err != nil {
		return "", err
	}
	m, err := newMemory(chunks, byOracle)
	if err != nil {
		return "", err
	}
	defer m.close()
	answers, err := m.ask([]question{{c.Query, c.Clue}}, 10)
	if err != nil {
		return "", err
	}
	for i := range answers[0].Hits {
		answers[0].Hits[i].Chunk = note[answers[0].Hits[i].Chunk]
	}
	return c.judge(answers[0], byOracle), nil
}

func (c searchCase) judge(a answer, byOracle bool) string {
	first := "nothing came"
	if len(a.Hits) > 0 {
		first = fmt.Sprintf("first came %q", c.Notes[a.Hits[0].Chunk])
	}
	for _, h := range a.Hits {
		if !byOracle && slices.Contains(c.Outdated, h.Chunk) && h.Notices == 0 {
			return fmt.Sprintf("outdated without a notice: %q", c.Notes[h.Chunk])
		}
	}
	switch c.Expect {
	case "none":
		if len(a.Hits) > 0 {
			return first
		}
		if offered := fmt.Sprint(a.Close); c.Suggest != "" && !byOracle && !strings.Contains(offered, c.Suggest) {
			return fmt.Sprintf("%s is not among the spellings offered: %s", c.Suggest, offered)
		}
	case "ambiguous":
		if !a.Ambiguous {
			return "not asked back; " + first
		}
	default:
		if a.Ambiguous {
			return "asked back; " + first
		}
		if len(a.Hits) == 0 || !slices.Contains(c.ExpectAny, a.Hits[0].Chunk) {
			return first
		}
	}
	return ""
}

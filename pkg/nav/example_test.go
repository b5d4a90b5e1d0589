package nav_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

func ExampleSearcher_Search() {
	dir, err := os.MkdirTemp("", "nav")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Create(filepath.Join(dir, "ihmt_memory"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, err = s.Put(record.NewReader(strings.NewReader(`{"kind":"chunk","timestamp":"2024-02-03","content":"Climbed the north wall with Luis Ortega."}
{"kind":"chunk","timestamp":"2025-03-28","content":"A carpenter called Luis Ferrer hung the doors."}
`)), func([]*record.Record) error { return nil }, store.PutOptions{})
	if err != nil {
		log.Fatal(err)
	}
	searcher, err := nav.NewSearcher(s)
	if err != nil {
		log.Fatal(err)
	}
	defer searcher.Close()
	for _, q := range []record.Query{{Query: "Luis"}, {Query: "Luis", Clue: "wall"}, {Query: "zeppelin"}} {
		a, err := searcher.Search(q)
		switch {
		case err != nil:
			log.Fatal(err)
		case a.Search.Ambiguous:
			fmt.Println("which one?", a.Clue.Reason)
		case len(a.Results) == 0:
			fmt.Println("no memory has", a.Search.Missing)
		default:
			fmt.Println(a.Results[0].Timestamp, a.Results[0].Excerpt)
		}
	}
	// Output:
	// which one? 2 memories fit equally well
	// 2024-02-03 Climbed the north wall with Luis Ortega.
	// no memory has [zeppelin]
}

// A rival as good as the first, in another domain: that is doubt.
func ExampleDoubt_Judge() {
	doubt := nav.Doubt{Threshold: 0.45, Margin: 0.18}
	v := doubt.Judge(3, []nav.Candidate{
		{Domain: "software.go", Source: "a", Score: 1.2, Coverage: 0.9},
		{Domain: "personal", Source: "b", Score: 1.1, Coverage: 0.9},
	})
	fmt.Println(v.Ambiguous, v.Reason)
	// Output: true 2 memories fit equally well
}

// Whom nobody can tell apart stays in doubt: the same clue twice ends it.
func ExampleAsk() {
	doubtful := func(q record.Query) (*nav.Answer, error) {
		fmt.Println(q.Query, q.Clues)
		return &nav.Answer{Search: record.Search{Ambiguous: true, Clues: q.Clues}, Clue: &record.Clue{}}, nil
	}
	answer, _ := nav.Ask(doubtful, record.Query{Query: "Luis"}, 3, func(*record.Clue) (string, error) { return "rope", nil })
	fmt.Println(answer.Search.Ambiguous)
	// Output:
	// Luis []
	// Luis [rope]
	// true
}

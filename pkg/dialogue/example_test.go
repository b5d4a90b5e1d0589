package dialogue_test

import (
	"fmt"

	"github.com/ihmt/ihmt/pkg/dialogue"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
)

// Whom nobody can tell apart stays in doubt: the same clue twice ends it.
func ExampleAsk() {
	doubtful := func(q record.Query) (*nav.Answer, error) {
		fmt.Println(q.Query, q.Clues)
		return &nav.Answer{Search: record.Search{Ambiguous: true, Clues: q.Clues}, Clue: &record.Clue{}}, nil
	}
	answer, _ := dialogue.Ask(doubtful, record.Query{Query: "Luis"}, 3, func(*record.Clue) (string, error) { return "rope", nil })
	fmt.Println(answer.Search.Ambiguous)
	// Output:
	// Luis []
	// Luis [rope]
	// true
}

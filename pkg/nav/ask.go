package nav

import (
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
)

// A Provider is shown what competes for a query and returns words that tell
// the right one from the others, or "" where it knows none.
type Provider func(*record.Clue) (string, error)

// Ask searches and, while the answer is ambiguous, searches again with what
// the provider says, up to so many times. No clue, or one that was given
// before, ends it: more of the same decides nothing. The answer is that of the
// last search as it is, so a doubt that remains is still told.
func Ask(search func(record.Query) (*Answer, error), q record.Query, rounds int, provide Provider) (*Answer, error) {
	for ; ; rounds-- {
		answer, err := search(q)
		if err != nil || !answer.Search.Ambiguous || rounds <= 0 {
			return answer, err
		}
		clue, err := provide(answer.Clue)
		if err != nil {
			return nil, err
		}
		clue = strings.TrimSpace(clue)
		if clue == "" || slices.ContainsFunc(answer.Search.Clues, func(given string) bool { return strings.EqualFold(given, clue) }) {
			return answer, nil
		}
		q.Clues = append(slices.Clone(q.Clues), clue)
	}
}

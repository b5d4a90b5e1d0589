package nav

import (
	"errors"
	"slices"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
)

// searching is in doubt until so many clues are given.
func searching(until int) func(record.Query) (*Answer, error) {
	return func(q record.Query) (*Answer, error) {
		clues := q.Clues
		if q.Clue != "" {
			clues = append([]string{q.Clue}, clues...)
		}
		a := &Answer{Search: record.Search{Query: q.Query, Clues: clues, Ambiguous: len(clues) < until}}
		if a.Search.Ambiguous {
			a.Clue = &record.Clue{Query: q.Query}
		}
		return a, nil
	}
}

func TestAsk(t *testing.T) {
	for _, c := range []struct {
		name      string
		until     int
		rounds    int
		first     string   // in the query already
		says      []string // by the provider, in turn
		clues     []string // given in the last search
		ambiguous bool
	}{
		{"no doubt", 0, 3, "", nil, nil, false},
		{"one clue", 1, 3, "", []string{" rope "}, []string{"rope"}, false},
		{"two clues", 2, 3, "", []string{"rope", "2024"}, []string{"rope", "2024"}, false},
		{"rounds end", 9, 2, "", []string{"a", "b", "c"}, []string{"a", "b"}, true},
		{"nobody to ask", 1, 0, "", nil, nil, true},
		{"no clue", 2, 3, "", []string{"a", ""}, []string{"a"}, true},
		{"the same clue", 9, 9, "", []string{"a", "A"}, []string{"a"}, true},
		{"the clue of the query", 9, 9, "a", []string{"A"}, []string{"a"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			a, err := Ask(searching(c.until), record.Query{Query: "Luis", Clue: c.first}, c.rounds, func(clue *record.Clue) (string, error) {
				if clue == nil || clue.Query != "Luis" {
					t.Fatalf("asked with %v", clue)
				}
				asked++
				return c.says[asked-1], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.Search.Clues, c.clues) || a.Search.Ambiguous != c.ambiguous || (a.Clue != nil) != c.ambiguous {
				t.Errorf("clues %q, ambiguous %v; want %q, %v", a.Search.Clues, a.Search.Ambiguous, c.clues, c.ambiguous)
			}
		})
	}
}

func TestAskFails(t *testing.T) {
	gone := errors.New("gone")
	if _, err := Ask(searching(1), record.Query{}, 3, func(*record.Clue) (string, error) { return "", gone }); !errors.Is(err, gone) {
		t.Errorf("the provider's error became %v", err)
	}
	failing := func(record.Query) (*Answer, error) { return nil, gone }
	if _, err := Ask(failing, record.Query{}, 3, nil); !errors.Is(err, gone) {
		t.Errorf("the search's error became %v", err)
	}
}

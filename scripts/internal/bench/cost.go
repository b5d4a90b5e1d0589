package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ihmt/ihmt/pkg/text"
)

// cost is what reading costs a model, in tokens as text.Tokens estimates them.
type cost struct {
	paste   int         // all notes
	printed map[int]int // the median answer of "ihmt search --text", by number of results
	answer  int         // the median answer of the tool search_memory
	session int         // what the server's instructions and tools take of every session
}

// printedResults are the numbers of results that are printed.
var printedResults = []int{1, 5, 10}

func (b *bench) measureCost(name string, s *scaled) error {
	b.say("%d notes: counting tokens", s.notes)
	s.cost = cost{printed: map[int]int{}}
	for _, t := range b.texts[:s.notes] {
		s.cost.paste += text.Tokens(t)
	}
	asked := queries(b.texts[:s.notes], b.runs, b.seed)
	for _, k := range printedResults {
		var tokens []int
		for _, words := range asked {
			argv := []string{b.tool("ihmt"), "search", "--path", b.memory(name), "--text", "-k", strconv.Itoa(k)}
			out, err := pipe(b.ctx, nil, true, command{append(argv, words...), []int{1, 3}})
			if err != nil {
				return err
			}
			tokens = append(tokens, text.Tokens(string(out)))
		}
		s.cost.printed[k] = middle(tokens)
	}
	return b.askAsAgent(name, asked, &s.cost)
}

// askAsAgent starts the server for agents and asks it as one does.
func (b *bench) askAsAgent(name string, asked [][]string, c *cost) error {
	cmd := exec.CommandContext(b.ctx, b.tool("ihmt"), "mcp")
	cmd.Env = append(os.Environ(), "IHMT_HOME="+b.memory(name))
	session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	tools, err := session.ListTools(b.ctx, nil)
	if err != nil {
		return err
	}
	listed, err := json.Marshal(tools.Tools)
	if err != nil {
		return err
	}
	c.session = text.Tokens(session.InitializeResult().Instructions + string(listed))
	var tokens []int
	for _, words := range asked {
		answer, err := session.CallTool(b.ctx, &sdk.CallToolParams{Name: "search_memory", Arguments: map[string]any{"query": strings.Join(words, " ")}})
		if err != nil {
			return err
		}
		n := 0
		for _, part := range answer.Content {
			t, ok := part.(*sdk.TextContent)
			if !ok || answer.IsError {
				return errors.New("search_memory answers with something else than text")
			}
			n += text.Tokens(t.Text)
		}
		tokens = append(tokens, n)
	}
	c.answer = middle(tokens)
	return nil
}

// middle is the median.
func middle(numbers []int) int {
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

// Package summarize grows the tree: every so many nodes of a domain become a
// branch that says what lies below it.
//
// What a branch says comes from a [Backend]. The heuristic one needs nothing
// but the text; the others ask a model or a program, and [WithFallback] puts
// the heuristic behind them, so that no failure outside can stop a tree from
// growing. Summaries are for people and models that read the tree: search
// does not depend on them.
package summarize

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

// A Node is a child to summarise. Text is the content of a leaf, the summary
// of a branch.
type Node struct {
	record.Child
	Text string
}

// A Summary is what a branch says of its children: one line each of title and
// summary, without control codes, and keywords without repetition.
type Summary struct {
	Title    string
	Summary  string
	Keywords []string
}

// A Backend writes summaries. Layer is that of the branch, 1 over leaves.
// Implementations may be called from several goroutines.
type Backend interface {
	Name() string
	Summarize(ctx context.Context, domain string, layer int, nodes []Node) (Summary, error)
}

// The names of the back ends.
const (
	Heuristic = "heuristic"
	Anthropic = "anthropic"
	OpenAI    = "openai"
	Command   = "command"
)

// Settings choose a back end. Keys are not among them: they come from the
// environment, ANTHROPIC_API_KEY and OPENAI_API_KEY (which a local endpoint
// may do without).
type Settings struct {
	Backend string        // "" is heuristic
	Model   string        // "" is the back end's default; openai has none
	BaseURL string        // of the API, up to and with its version; "" is the public one
	Command string        // of the command back end, a shell command line
	Timeout time.Duration // for one branch; 0 is a minute
}

// New returns the back end that the settings name. It fails where they lack
// something that no reply could make up for: an unknown name, no command. A
// missing key is an error of the first Summarize, so that [WithFallback] can
// answer it.
func New(s Settings) (Backend, error) {
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	switch s.Backend {
	case "", Heuristic:
		return heuristic{}, nil
	}
	return nil, fmt.Errorf("unknown summarizer back end %q: use %s", s.Backend,
		strings.Join([]string{Heuristic, Anthropic, OpenAI, Command}, ", "))
}

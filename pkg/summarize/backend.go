// Package summarize grows the tree: every so many nodes of a domain become a
// branch that says what lies below it.
//
// What a branch says comes from a [Backend]. The heuristic one needs nothing
// but the text; the others ask a program or, through the program ihmt-model, a
// model. [WithFallback] puts the heuristic behind them, so that no failure
// outside can stop a tree from growing. Summaries are for people and models
// that read the tree: search does not depend on them.
//
// This package never opens a connection. What talks to models is pkg
// summarize/model, which only ihmt-model links: its client library would
// triple the time that every other tool takes to start.
package summarize

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// A Node is a child to summarise. Text is the content of a leaf, the summary
// of a branch.
type Node struct {
	record.Child
	Text string `json:"text"`
}

// A Summary is what a branch says of its children: one line each of title and
// summary, without control codes, and keywords without repetition.
type Summary struct {
	Title    string   `json:"title"`
	Summary  string   `json:"summary"`
	Keywords []string `json:"keywords"`
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
	Model   string        // "" is the back end's own choice; openai needs one
	BaseURL string        // of the API; "" is the public one
	Command string        // for the command back end: a command line for the shell
	Timeout time.Duration // for one branch; 0 is a minute
}

// SettingsOf are those that a memory chooses.
func SettingsOf(s store.Settings) Settings {
	return Settings{Backend: s.SummarizerBackend, Model: s.SummarizerModel, BaseURL: s.SummarizerURL, Command: s.SummarizerCommand}
}

// New returns the back end that the settings name. It fails where they name
// none, or lack what it cannot do without. What may be mended later, a missing
// key or a server that is down, is an error of Summarize.
func New(s Settings) (Backend, error) {
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	switch s.Backend {
	case "", Heuristic:
		return heuristic{}, nil
	case Command:
		if s.Command == "" {
			return nil, errors.New("the command back end needs a command: give --backend-cmd CMD")
		}
		return &command{name: Command, argv: shell(s.Command), timeout: s.Timeout}, nil
	case OpenAI:
		if s.Model == "" {
			return nil, errors.New("the openai back end needs the name of a model: set summarizer_model")
		}
		return modelCommand(s), nil
	case Anthropic:
		return modelCommand(s), nil
	}
	return nil, fmt.Errorf("unknown summarizer back end %q: it is one of %s, %s, %s, %s", s.Backend, Heuristic, Anthropic, OpenAI, Command)
}

// A Failure is an error of a back end. Its kind groups failures that have one
// cause, so that a user hears of it once.
type Failure struct {
	Kind FailureKind
	Err  error
}

// FailureKind says what went wrong.
type FailureKind string

// The kinds of failure.
const (
	NoKey      FailureKind = "no key"
	NotStarted FailureKind = "not started"
	TimedOut   FailureKind = "timed out"
	Failed     FailureKind = "failed"
	Unusable   FailureKind = "unusable reply"
)

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// patience is how many failures in a row end the asking.
const patience = 3

// WithFallback returns b with the heuristic behind it: where b fails for a
// branch, the heuristic summarises that branch. Note is told the first failure
// of each kind. After three failures in a row b is asked no more, so that a
// dead server costs a run three timeouts and not one for each branch; note is
// told that too. The only errors left are those of a context that has ended.
func WithFallback(b Backend, note func(error)) Backend {
	if _, ok := b.(heuristic); ok {
		return b
	}
	return &fallback{Backend: b, note: note, told: map[FailureKind]bool{}}
}

type fallback struct {
	Backend
	mu    sync.Mutex
	note  func(error)
	told  map[FailureKind]bool
	inRow int
}

func (f *fallback) Summarize(ctx context.Context, domain string, layer int, nodes []Node) (Summary, error) {
	if f.asks() {
		s, err := f.Backend.Summarize(ctx, domain, layer, nodes)
		if ctx.Err() != nil {
			return Summary{}, ctx.Err()
		}
		f.record(err)
		if err == nil {
			return s, nil
		}
	}
	return heuristic{}.Summarize(ctx, domain, layer, nodes)
}

func (f *fallback) asks() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inRow < patience
}

func (f *fallback) record(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.inRow = 0
		return
	}
	f.inRow++
	kind := Failed
	var failure *Failure
	if errors.As(err, &failure) {
		kind = failure.Kind
	}
	if !f.told[kind] {
		f.told[kind] = true
		f.note(fmt.Errorf("%s: %w", f.Name(), err))
	}
	if f.inRow == patience {
		f.note(fmt.Errorf("%s: %d failures in a row, so it is asked no more in this run", f.Name(), patience))
	}
}

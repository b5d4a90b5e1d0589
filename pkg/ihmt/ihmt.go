// Package ihmt is a memory for Go programs: save texts, find them, be asked
// back in doubt, and know what was true when.
//
// It calls the packages that the command line tools call, in the same order,
// on the same folder, so that programs and tools may share a memory and use
// it at the same time.
//
//	saved, err := m.Save("2026-02-03: I live in Valencia now.")
//	answer, err := m.Search("where do I live", ihmt.Options{})
//
// A [Memory] holds no files open: each call opens the folder, sees what others
// have done to it until then, and may run beside other calls. What is saved is
// found at once; [Memory.Grow], now and then, keeps searches fast and writes
// the summaries for people who look around.
package ihmt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/chunk"
	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
	"github.com/ihmt/ihmt/pkg/text"
)

// ErrNoMemory is in the errors of calls on a folder that holds no memory.
var ErrNoMemory = store.ErrNoMemory

// A Memory is a folder of texts. It may be used by several goroutines at once.
type Memory struct {
	Notify func(string) // told of a wait for another process, and of a failing model; may be nil

	dir string
}

// Open returns the memory in a folder, which is the one that the tools get
// with --path. Without a memory in it the error is [ErrNoMemory].
func Open(folder string) (*Memory, error) { return opened(folder, store.Open) }

// Create is Open, but makes the memory where there is none. A folder
// ihmt_memory that holds something else is refused.
func Create(folder string) (*Memory, error) { return opened(folder, store.Create) }

func opened(folder string, open func(string) (*store.Store, error)) (*Memory, error) {
	dir, err := filepath.Abs(filepath.Join(folder, "ihmt_memory"))
	if err != nil {
		return nil, err
	}
	s, err := open(dir)
	if err != nil {
		return nil, err
	}
	return &Memory{dir: dir}, s.Close()
}

// with opens the memory for the time of do.
func (m *Memory) with(do func(*store.Store) error) error {
	s, err := store.Open(m.dir)
	if err != nil {
		return err
	}
	defer s.Close()
	s.Notify = m.Notify
	return do(s)
}

// A Saved is a chunk of a text, and the leaf that keeps it. Its Status is one
// of "stored", "unchanged" and "replaced", as docs/FORMAT.md says.
type Saved struct {
	record.Chunk
	record.Leaf
}

// Save keeps plain texts and returns their leaves in order: one each, or more
// of a long text. Type, domain and date are detected. It returns when all of
// them are on the disk; with an error none is kept. The same text of the same
// day is unchanged.
func (m *Memory) Save(texts ...string) ([]Saved, error) {
	documents := make([]record.Document, len(texts))
	for i, t := range texts {
		documents[i].Text = t
	}
	return m.SaveDocuments(documents...)
}

// SaveDocuments is Save for texts of which more is known; what a document
// leaves empty is detected. A document with a source retires the leaves of
// earlier versions of the source.
func (m *Memory) SaveDocuments(documents ...record.Document) (saved []Saved, err error) {
	err = m.with(func(s *store.Store) error {
		order, err := text.ParseDateOrder(s.Settings.DateOrder)
		if err != nil {
			return err
		}
		split := chunk.Options{TargetTokens: s.Settings.TargetTokens, MaxTokens: s.Settings.MaxTokens, CodeMode: s.Settings.CodeChunkMode, DateOrder: order}
		var items []store.Item
		for i, doc := range documents {
			if err := check(doc); err != nil {
				return fmt.Errorf("document %d: %w", i+1, err)
			}
			if err := detect.Complete(&doc, detect.Options{DateOrder: order}); err != nil {
				return fmt.Errorf("document %d: %w", i+1, err)
			}
			chunks := chunk.Split(doc, split)
			for _, c := range chunks {
				items = append(items, store.Item{Chunk: c})
			}
			end := chunk.End(doc, len(chunks))
			items = append(items, store.Item{End: &end})
		}
		saved, err = commit(s, items)
		return err
	})
	return saved, err
}

func check(doc record.Document) error {
	switch {
	case !utf8.ValidString(doc.Text):
		return errors.New("the text is not valid UTF-8")
	case doc.Source == "" && strings.TrimSpace(doc.Text) == "":
		return errors.New("the text is empty")
	}
	return nil
}

// SaveChunks keeps texts that are not to be split, each as one leaf. A chunk
// needs Content; what else it leaves empty is filled in, but not detected.
// With Replaces it supersedes the leaves of those ids.
func (m *Memory) SaveChunks(chunks ...record.Chunk) (saved []Saved, err error) {
	err = m.with(func(s *store.Store) error {
		items := make([]store.Item, len(chunks))
		for i, c := range chunks {
			if !utf8.ValidString(c.Content) {
				return fmt.Errorf("chunk %d: the content is not valid UTF-8", i+1)
			}
			items[i].Chunk = c
		}
		saved, err = commit(s, items)
		return err
	})
	return saved, err
}

// commit stores all items in one step, or none.
func commit(s *store.Store, items []store.Item) ([]Saved, error) {
	for i := range items {
		if items[i].End == nil {
			if err := store.Complete(&items[i].Chunk); err != nil {
				return nil, fmt.Errorf("chunk %d: %w", i+1, err)
			}
		}
	}
	w, err := s.NewWriter()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	outcomes, err := w.Commit(items)
	if err != nil {
		return nil, err
	}
	var saved []Saved
	for i, o := range outcomes {
		if items[i].End == nil {
			saved = append(saved, Saved{items[i].Chunk, o.Leaf})
		}
	}
	return saved, nil
}

// Options narrow a search and say how much it returns.
type Options struct {
	K     int      // at most so many results; 0 is 5
	Full  bool     // whole contents instead of excerpts
	Clues []string // words that say which of several memories is meant
	record.Filters
}

func (o *Options) query(words string) record.Query {
	return record.Query{Query: words, K: o.K, Full: o.Full, Clues: o.Clues, Filters: o.Filters}
}

// An Answer is what a search found, best first. Where several memories fit,
// Search.Ambiguous is set and Clue tells what they are.
type Answer = nav.Answer

// Search finds the leaves that hold the words of a query.
func (m *Memory) Search(query string, opt Options) (*Answer, error) { return m.Ask(query, opt, nil) }

// A Provider is shown the memories that compete for a query and returns words
// that tell the right one from the others, or "" where it knows none.
type Provider = nav.Provider

// Ask is Search, but asks the provider for a clue while the answer is
// ambiguous and searches again, up to the memory's max_clue_rounds times. A
// clue that was given before ends it. Where doubt remains the answer is
// ambiguous still: that none of several memories is known to be the right one
// is for the caller to deal with.
func (m *Memory) Ask(query string, opt Options, provide Provider) (answer *Answer, err error) {
	err = m.with(func(s *store.Store) error {
		searcher, err := nav.NewSearcher(s)
		if err != nil {
			return err
		}
		defer searcher.Close()
		rounds := 0
		if provide != nil {
			rounds = s.Settings.MaxClueRounds
		}
		answer, err = nav.Ask(searcher.Search, opt.query(query), rounds, provide)
		return err
	})
	return answer, err
}

// RecordFact keeps a leaf that says that an attribute of a subject ("user", or
// a name) has a value from a day on; "" is today.
func (m *Memory) RecordFact(subject, attribute, value, day string) (Saved, error) {
	c, err := facts.Chunk(subject, attribute, value, day)
	if err != nil {
		return Saved{}, err
	}
	saved, err := m.SaveChunks(c)
	if err != nil {
		return Saved{}, err
	}
	return saved[0], nil
}

// StateAt returns the facts that held at the end of a day, by what is known
// now, in order of subject and attribute; "" is today.
func (m *Memory) StateAt(day string) (held []record.Fact, err error) {
	if day == "" {
		day = facts.Today(time.Now())
	} else if day, err = facts.ParseDay(day); err != nil {
		return nil, err
	}
	err = m.with(func(s *store.Store) error {
		timeline, err := ledger.Timeline(s)
		if err == nil {
			held = timeline.At(day)
		}
		return err
	})
	return held, err
}

// Timeline returns the values that an attribute of a subject had, oldest
// first; "" for either means any.
func (m *Memory) Timeline(subject, attribute string) (values []record.Fact, err error) {
	err = m.with(func(s *store.Store) error {
		timeline, err := ledger.Timeline(s)
		if err == nil {
			values = timeline.History(subject, attribute, facts.Today(time.Now()))
		}
		return err
	})
	return values, err
}

// Grow gives new leaves their branches, as ihmt-summarize does, with the back
// end of the memory's settings; force closes groups that are not full. It may
// be called at any time, and interrupted.
func (m *Memory) Grow(ctx context.Context, force bool) error {
	return m.with(func(s *store.Store) error {
		backend, err := summarize.New(summarize.SettingsOf(s.Settings))
		if err != nil {
			return err
		}
		backend = summarize.WithFallback(backend, func(err error) {
			if m.Notify != nil {
				m.Notify(err.Error() + "; the heuristic wrote the summary instead")
			}
		})
		if _, err := summarize.Grow(ctx, s, summarize.Options{Force: force, Backend: backend}); err != nil {
			return err
		}
		_, err = ledger.Read(s, nil) // so that no search has to read what is new
		return err
	})
}

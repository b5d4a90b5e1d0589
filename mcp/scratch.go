package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ihmt/ihmt/pkg/digest"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/secret"
	"github.com/ihmt/ihmt/pkg/text"
)

// A scratch is the memory of one session: an ordinary one in a temporary
// folder, which is locked for as long as the session lives. Where a server
// was killed the lock is free, and the next to need a scratch removes the
// folder.
type scratch struct {
	dir  string
	lock *flock.Flock
}

const (
	scratchPrefix = "ihmt-scratch-"
	scratchLock   = "lock"
	// youth is how old a folder without a lock must be to count as left
	// behind: its owner may be about to take the lock.
	youth = time.Minute
)

func newScratch() (*scratch, error) {
	sweep(os.TempDir())
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, fmt.Errorf("no folder for notes: %w", err)
	}
	s := &scratch{dir, flock.New(filepath.Join(dir, scratchLock), flock.SetPermissions(0o600))}
	if ok, err := s.lock.TryLock(); err != nil || !ok {
		os.RemoveAll(dir)
		return nil, errors.Join(fmt.Errorf("cannot lock %s", dir), err)
	}
	return s, nil
}

func (s *scratch) remove() {
	s.lock.Unlock()
	os.RemoveAll(s.dir)
}

// sweep removes the scratch memories of servers that are gone. Folders that
// others can enter are not ours.
func sweep(temp string) {
	left, _ := filepath.Glob(filepath.Join(temp, scratchPrefix+"*"))
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' || time.Since(info.ModTime()) < youth {
			continue
		}
		if lock, err := os.Lstat(filepath.Join(dir, scratchLock)); err == nil && lock.Mode().IsRegular() {
			lock := flock.New(filepath.Join(dir, scratchLock))
			if ok, err := lock.TryLock(); err != nil || !ok {
				continue
			}
			lock.Unlock()
		}
		os.RemoveAll(dir)
	}
}

// scratchDir returns the folder of the session's notes, and makes it.
func (c *call) scratchDir() (string, error) {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if c.session.ended {
		return "", errors.New("the session has ended")
	}
	if c.session.scratch == nil {
		fresh, err := newScratch()
		if err != nil {
			return "", err
		}
		c.session.scratch = fresh
	}
	return c.session.scratch.dir, nil
}

type noteArgs struct {
	Text string `json:"text" jsonschema:"What to keep"`
}

func note(c *call, in noteArgs) (answer, error) {
	if strings.TrimSpace(in.Text) == "" {
		return answer{}, errors.New("text is empty: say what to keep")
	}
	if found := secret.Find(in.Text); len(found) > 0 {
		return answer{}, fmt.Errorf("not kept: the text holds %s; leave it out and note the rest", secret.Names(found))
	}
	leaves, err := c.keepNote(record.Document{Text: in.Text})
	if err != nil {
		return answer{}, err
	}
	return answer{"Noted for this session; recall finds it.", map[string]any{"leaves": leaves}}, nil
}

// keepNote stores a document in the session's notes and counts its leaves.
func (c *call) keepNote(doc record.Document) (leaves int, err error) {
	dir, err := c.scratchDir()
	if err != nil {
		return 0, err
	}
	doc.DataType, doc.Domain = record.TypeGeneric, "notes"
	err = c.each(feed(record.KindDocument, doc, pipeline.Tool("ihmt-chunk", "-", "--path="+dir), pipeline.Tool("ihmt-store", "--path="+dir)),
		func(r *record.Record) {
			if r.Kind() == record.KindLeaf {
				leaves++
			}
		})
	return leaves, err
}

type recallArgs struct {
	Query string `json:"query" jsonschema:"Words of the note"`
	Clue  string `json:"clue,omitempty" jsonschema:"Words that tell it from others"`
}

func recall(c *call, in recallArgs) (answer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return answer{}, errEmptyQuery
	}
	c.session.mu.Lock()
	notes := c.session.scratch
	c.session.mu.Unlock()
	if notes == nil {
		return answer{"Nothing noted yet in this session.", found{Nothing: true}}, nil
	}
	q := record.Query{Query: in.Query, Clue: in.Clue, K: 4}
	return c.search(notes.dir, q, false, defaultSearchTokens)
}

type digestArgs struct {
	Text      string `json:"text" jsonschema:"The whole output"`
	Label     string `json:"label" jsonschema:"What printed it, e.g. the command"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"Of the digest"`
}

func describeDigest(property func(string) *jsonschema.Schema) {
	tokens(property("max_tokens"), digest.MaxTokens)
}

// labelled is a digest with what printed the output in front, in place of the
// tool that the digest names where that is the same.
func labelled(label, digest string) string {
	if tool, rest, ok := strings.Cut(digest, ", "); ok && strings.Contains(strings.ToLower(label), tool) {
		digest = rest
	}
	if label == "" {
		return digest
	}
	return label + ", " + digest
}

// digestOutput keeps an output as a note and returns what matters of it.
func digestOutput(c *call, in digestArgs) (answer, error) {
	if strings.TrimSpace(in.Text) == "" {
		return answer{}, errors.New("text is empty: hand over what the command printed")
	}
	whole := secret.Mask(in.Text)
	var b strings.Builder
	p := pipeline.New(pipeline.Tool("ihmt", "digest", fmt.Sprintf("--max-tokens=%d", in.MaxTokens)))
	p.Input = whole
	c.log(p)
	if err := p.Run(c.ctx, &b); err != nil {
		return answer{}, err
	}
	if _, err := c.keepNote(record.Document{Text: in.Label + "\n\n" + whole}); err != nil {
		return answer{}, err
	}
	return answer{labelled(line(in.Label, 80), b.String()) + "\nThe whole is kept for this session; recall finds lines of it.", map[string]any{
		"label": in.Label, "tokens": text.Tokens(in.Text), "digest": b.String()}}, nil
}

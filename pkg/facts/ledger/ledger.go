// Package ledger keeps the timeline of a memory: what its leaves state, read
// once and kept in state/facts.jsonl.
//
// The file holds one line for each leaf that states something, and marks that
// say up to where in the journal the leaves have been read. Lines after the
// last mark do not count; a line for a leaf that has one already takes its
// place. Whoever reads the ledger first reads the leaves that were journalled
// since, so a fact holds from the moment that its leaf is acknowledged. The
// file is derived: without it, or with one made by other rules, everything is
// read anew from the leaves.
package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
)

const fileName = "facts.jsonl"

// A mark is a line of the file that closes what stands before it.
type mark struct {
	Kind    string         `json:"kind"` // "mark"
	Rules   string         `json:"rules"`
	Journal store.Position `json:"journal"`
	Leaves  int            `json:"leaves"` // with a line of their own
}

// A Ledger is what the leaves of a memory state, as of one reading.
type Ledger struct {
	memory  *store.Store
	own     string       // rules of the memory's own
	version string       // of all rules in force
	rules   *facts.Rules // read when a leaf must be
	mark    mark
	sources map[string]facts.Source
	known   map[string]*facts.Source // leaves that the caller has read; nil where they state nothing
	file    fs.FileInfo              // as it was read, nil where there was none
	lines   int                      // in it
	torn    bool                     // it must be written anew: damaged, or something was removed
	added   bytes.Buffer
}

// Rules returns the rules of a memory: the bundled ones and its own.
func Rules(s *store.Store) (*facts.Rules, error) {
	text, err := ownRules(s.Settings.Rules)
	if err != nil {
		return nil, err
	}
	return facts.With("ihmt.config.json", text)
}

// ownRules takes the setting "rules": a text, or a list of its lines.
func ownRules(setting json.RawMessage) (string, error) {
	if len(setting) == 0 || string(setting) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(setting, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(setting, &lines); err != nil {
		return "", errors.New("ihmt.config.json: rules is neither a text nor a list of lines; see docs/FACTS.md")
	}
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// Timeline returns the timeline of a memory, all acknowledged leaves read.
func Timeline(s *store.Store) (*facts.Timeline, error) {
	l, err := Read(s, nil)
	if err != nil {
		return nil, err
	}
	return l.Timeline(), nil
}

// Timeline is what the ledger says, in order.
func (l *Ledger) Timeline() *facts.Timeline {
	sources := make([]facts.Source, 0, len(l.sources))
	for _, s := range l.sources {
		sources = append(sources, s)
	}
	return facts.Build(sources)
}

// Read returns the ledger of a memory and writes down what it read of the
// journal. Leaves in known, by id, need not be opened; nil stands for one
// that states nothing.
func Read(s *store.Store, known map[string]*facts.Source) (*Ledger, error) {
	own, err := ownRules(s.Settings.Rules)
	if err != nil {
		return nil, err
	}
	l := &Ledger{memory: s, own: own, version: facts.Version(own), known: known}
	if err := l.load(); err != nil {
		return nil, err
	}
	if s.EndsAt(l.mark.Journal) {
		return l, nil
	}
	unlock, err := s.LockDerived("facts")
	if err != nil { // a memory that may only be read, a disk that is full
		return l, l.advance()
	}
	defer unlock()
	if err := l.reload(); err != nil {
		return nil, err
	}
	before := l.mark.Journal
	if err := l.advance(); err != nil {
		return nil, err
	}
	if l.mark.Journal != before {
		l.save() // where it fails, the next to read the ledger reads the same leaves again
	}
	return l, nil
}

// reload is load, where somebody else has written the file since.
func (l *Ledger) reload() error {
	if now, err := l.memory.DerivedInfo(fileName); errors.Is(err, fs.ErrNotExist) && l.file == nil ||
		err == nil && l.file != nil && os.SameFile(now, l.file) && now.Size() == l.file.Size() && now.ModTime().Equal(l.file.ModTime()) {
		return nil
	}
	return l.load()
}

// load reads the file up to its last mark.
func (l *Ledger) load() error {
	l.reset()
	l.file, _ = l.memory.DerivedInfo(fileName)
	data, err := l.memory.Derived(fileName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var pending []facts.Source
	read, marked := 0, 0 // bytes
	for line := range bytes.Lines(data) {
		read += len(line)
		var m mark
		if bytes.HasPrefix(line, []byte(`{"kind":"mark"`)) {
			if json.Unmarshal(line, &m) != nil || m.Rules != l.version {
				break
			}
			for _, s := range pending {
				l.put(s)
			}
			l.lines += len(pending) + 1
			l.mark, pending, marked = m, pending[:0], read
			continue
		}
		var s facts.Source
		if json.Unmarshal(line, &s) != nil || s.LeafID == "" {
			break // torn or damaged: from here on it is read anew
		}
		pending = append(pending, s)
	}
	l.torn = marked < len(data)
	if !l.memory.Holds(l.mark.Journal) || l.mark.Leaves != len(l.sources) {
		l.reset()
		l.torn = true
	}
	return nil
}

func (l *Ledger) reset() {
	l.mark = mark{Kind: "mark", Rules: l.version, Journal: store.Position{Part: 1}}
	l.sources, l.lines = map[string]facts.Source{}, 0
}

func (l *Ledger) put(s facts.Source) {
	if len(s.Statements) == 0 && s.Patient == "" && len(s.Replaces) == 0 {
		delete(l.sources, s.LeafID)
		return
	}
	l.sources[s.LeafID] = s
}

// advance reads the leaves journalled since the mark.
func (l *Ledger) advance() error {
	end, err := l.memory.Journal(l.mark.Journal, func(e store.Entry) error {
		if e.Op == "remove" {
			l.torn = l.torn || l.sources[e.ID].LeafID != ""
			delete(l.sources, e.ID)
			return nil
		}
		if e.Op != "store" {
			return nil
		}
		return l.read(&e)
	})
	if err != nil {
		return err
	}
	l.mark.Journal, l.mark.Leaves = end, len(l.sources)
	return nil
}

// save writes down what advance read.
func (l *Ledger) save() error {
	if err := l.memory.SyncJournal(l.mark.Journal); err != nil {
		return err
	}
	if l.torn || l.lines > 4*len(l.sources)+64 {
		return l.rewrite()
	}
	l.line(l.mark)
	return l.memory.AppendDerived(fileName, l.added.Bytes())
}

// read reads the leaf that a line of the journal says was stored.
func (l *Ledger) read(e *store.Entry) error {
	source, ok := l.known[e.ID]
	if !ok {
		if err := l.needRules(); err != nil {
			return err
		}
		leaf, err := l.leaf(e)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("%w; run ihmt-store verify", err)
		}
		if s, states := l.rules.Source(leaf); states {
			source = &s
		}
	}
	if source == nil {
		if _, had := l.sources[e.ID]; !had {
			return nil
		}
		source = &facts.Source{LeafID: e.ID} // it stated something before
	}
	l.put(*source)
	l.line(source)
	return nil
}

func (l *Ledger) needRules() (err error) {
	if l.rules == nil {
		l.rules, err = facts.With("ihmt.config.json", l.own)
	}
	return err
}

// leaf returns the leaf of a line of the journal. Where the line has its text,
// or it is code, which states nothing, no file is opened.
func (l *Ledger) leaf(e *store.Entry) (facts.Leaf, error) {
	has := func(prefix, value string) bool { return store.Weight(e.Terms, terms.Exact(prefix, value)) > 0 }
	code := has("type:", record.TypeCode)
	if e.Content == "" && !code {
		leaf, err := l.memory.Leaf(e.ID)
		if err != nil {
			return facts.Leaf{}, err
		}
		return LeafOf(leaf), nil
	}
	leaf := facts.Leaf{ID: e.ID, Timestamp: e.Timestamp, SavedAt: e.SavedAt, Source: e.Source, Position: e.Position,
		Author: e.Author, Replaces: e.Replaces, Text: e.Content}
	if code {
		leaf.Type = record.TypeCode
	}
	if has("tag:", facts.FactTag) {
		leaf.Tags = []string{facts.FactTag}
	}
	return leaf, nil
}

func (l *Ledger) line(v any) {
	e := json.NewEncoder(&l.added)
	e.SetEscapeHTML(false)
	e.Encode(v) // strings and numbers always encode
}

// rewrite replaces the file by one without what no longer counts.
func (l *Ledger) rewrite() error {
	l.added.Reset()
	ids := make([]string, 0, len(l.sources))
	for id := range l.sources {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		l.line(l.sources[id])
	}
	l.line(l.mark)
	return l.memory.ReplaceDerived(fileName, l.added.Bytes())
}

// LeafOf is a stored leaf as package facts sees it.
func LeafOf(l *store.Leaf) facts.Leaf {
	return facts.Leaf{ID: l.ID, Timestamp: l.Timestamp, SavedAt: l.SavedAt, Source: l.Extra.Source, Position: l.Extra.Position,
		Type: l.DataType, Tags: l.Tags, Author: l.Extra.Author, Replaces: l.Extra.Replaces, Text: l.Content}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/scripts/internal/known"
)

// Ways to search for known notes.
const (
	byMemory = "ihmt"
	byOR     = "FTS5, any word"
	byAND    = "FTS5, all words"
)

// soughtNotes is how many notes are sought in each style.
const soughtNotes = 100

// measureFound seeks known notes by their words, in the memory and in the
// SQLite table.
func (b *bench) measureFound(name string, s *scaled) error {
	b.say("%d notes: looking for known ones", s.notes)
	texts := b.texts[:s.notes]
	sought := known.Seek(texts, min(b.real, s.notes), soughtNotes)
	s.found = map[string]map[string]*known.Score{}
	for way, find := range map[string]func(string, []known.Sought) ([]ranking, error){
		byMemory: b.rankedByMemory,
		byOR: func(_ string, sought []known.Sought) ([]ranking, error) {
			return b.rankedByFTS5(s.notes, sought, " OR ")
		},
		byAND: func(_ string, sought []known.Sought) ([]ranking, error) {
			return b.rankedByFTS5(s.notes, sought, " AND ")
		},
	} {
		rankings, err := find(name, sought)
		if err != nil {
			return err
		}
		s.found[way] = map[string]*known.Score{"all": {}}
		for i, note := range sought {
			if s.found[way][note.Style] == nil {
				s.found[way][note.Style] = &known.Score{}
			}
			rank := slices.IndexFunc(rankings[i].notes, func(found int) bool { return texts[found] == texts[note.Note] })
			s.found[way][note.Style].Count(rank, rankings[i].doubted)
			s.found[way]["all"].Count(rank, rankings[i].doubted)
		}
	}
	return nil
}

// A ranking is what a search found: indexes of texts, best first.
type ranking struct {
	notes   []int
	doubted bool
}

func (b *bench) rankedByMemory(name string, sought []known.Sought) ([]ranking, error) {
	var in []byte
	for i, s := range sought {
		in = append(record.New(record.KindQuery, record.Query{ID: strconv.Itoa(i), Query: s.Query, K: 10}).Append(in), '\n')
	}
	out, err := pipe(b.ctx, bytes.NewReader(in), true, command{argv: []string{b.tool("ihmt-nav"), "search", "-", "--path", b.memory(name), "--json"}, fine: []int{1}})
	if err != nil {
		return nil, err
	}
	rankings := make([]ranking, len(sought))
	for line := range bytes.Lines(out) {
		var r struct {
			Kind, ID, Source string
			Ambiguous        bool
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		if r.Kind != record.KindSearch && r.Kind != record.KindResult {
			continue
		}
		i, err := strconv.Atoi(r.ID)
		if err != nil || i >= len(rankings) {
			return nil, fmt.Errorf("ihmt-nav answered no question: %s", line)
		}
		rankings[i].doubted = rankings[i].doubted || r.Ambiguous
		if n, err := strconv.Atoi(strings.TrimPrefix(r.Source, "note-")); err == nil && r.Kind == record.KindResult {
			rankings[i].notes = append(rankings[i].notes, n)
		}
	}
	return rankings, nil
}

// rankedByFTS5 asks SQLite, with the words of the question joined by OR or AND.
func (b *bench) rankedByFTS5(n int, sought []known.Sought, join string) ([]ranking, error) {
	var sql strings.Builder
	for i, s := range sought {
		words := strings.FieldsFunc(s.Query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
		fmt.Fprintf(&sql, "SELECT %d, rowid FROM notes WHERE notes MATCH '\"%s\"' ORDER BY rank LIMIT 10;\n", i, strings.Join(words, `"`+join+`"`))
	}
	out, err := pipe(b.ctx, strings.NewReader(sql.String()), true, command{argv: []string{"sqlite3", "-readonly", b.database(n)}})
	if err != nil {
		return nil, err
	}
	rankings := make([]ranking, len(sought))
	for line := range bytes.Lines(out) {
		var i, row int
		if _, err := fmt.Sscanf(string(line), "%d|%d", &i, &row); err != nil {
			return nil, fmt.Errorf("sqlite3 says %q: %w", line, err)
		}
		rankings[i].notes = append(rankings[i].notes, row-1)
	}
	return rankings, nil
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/text"
	"github.com/ihmt/ihmt/scripts/internal/oracle"
)

// A question is a query and the clue given with it.
type question struct{ Query, Clue string }

// An answer is what came back: which of the chunks put in, best first.
type answer struct {
	Hits      []hit
	Ambiguous bool
	Close     map[string][]string // spellings offered
}

type hit struct {
	Chunk   int // index of what was put in
	Score   float64
	Notices int
}

// A memory answers questions about chunks.
type memory interface {
	ask(questions []question, k int) ([]answer, error)
	close() error
}

// newMemory stores chunks through the built binaries, or, where oracle is
// asked for, ranks them by the formula alone.
func newMemory(chunks []record.Chunk, byOracle bool) (memory, error) {
	if byOracle {
		return newRanked(chunks)
	}
	return newStored(chunks)
}

// A stored memory lives in a folder and is asked through ihmt-nav.
type stored struct {
	dir    string
	chunks map[string]int // by leaf id
}

// bin is the folder of the built binaries.
func bin(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(filepath.Dir(self)), name)
}

// pipe runs a built binary; an exit code of at most 1 is no failure.
func pipe(input []byte, name string, args ...string) ([]byte, error) {
	var out, complaint bytes.Buffer
	cmd := exec.Command(bin(name), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &complaint
	err := cmd.Run()
	if err != nil && cmd.ProcessState != nil && (cmd.ProcessState.ExitCode() == 1 || cmd.ProcessState.ExitCode() == 3) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return out.Bytes(), err
}

// jsonLines writes records of one kind.
func jsonLines[T any](kind string, values []T) []byte {
	var b []byte
	for _, v := range values {
		b = append(record.New(kind, v).Append(b), '\n')
	}
	return b
}

func newStored(chunks []record.Chunk) (*stored, error) {
	dir, err := os.MkdirTemp("", "ihmt-eval-")
	if err != nil {
		return nil, err
	}
	s := &stored{dir: dir, chunks: map[string]int{}}
	if err := s.put(chunks); err != nil {
		return nil, err
	}
	_, err = pipe(nil, "ihmt-summarize", "--path", dir, "--json")
	return s, err
}

// put stores more chunks; they are numbered on from those before.
func (s *stored) put(chunks []record.Chunk) error {
	out, err := pipe(jsonLines(record.KindChunk, chunks), "ihmt-store", "put", "--path", s.dir, "--json")
	if err != nil {
		return err
	}
	before := len(s.chunks)
	return s.number(out, before)
}

// number gives the leaves that a tool printed the numbers of the chunks that
// they are, in order.
func (s *stored) number(out []byte, next int) error {
	return eachRecord(out, func(r *record.Record) error {
		if r.Kind() == record.KindLeaf {
			id := r.Str("leaf_id")
			if _, ok := s.chunks[id]; !ok {
				s.chunks[id] = next
			}
			next++
		}
		return nil
	})
}

func eachRecord(lines []byte, do func(*record.Record) error) error {
	in := bufio.NewScanner(bytes.NewReader(lines))
	in.Buffer(nil, 1<<28)
	for in.Scan() {
		r, err := record.Parse(in.Bytes())
		if err != nil {
			return err
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return in.Err()
}

func (s *stored) ask(questions []question, k int) ([]answer, error) {
	queries := make([]record.Query, len(questions))
	for i, q := range questions {
		queries[i] = record.Query{ID: fmt.Sprint(i), Query: q.Query, Clue: q.Clue, K: k}
	}
	out, err := pipe(jsonLines(record.KindQuery, queries), "ihmt-nav", "search", "-", "--path", s.dir, "--json")
	if err != nil {
		return nil, err
	}
	answers := make([]answer, len(questions))
	err = eachRecord(out, func(r *record.Record) error {
		var i int
		if _, err := fmt.Sscan(r.Str("id"), &i); err != nil || i >= len(answers) {
			return fmt.Errorf("answer to no question: %s", r)
		}
		a := &answers[i]
		switch r.Kind() {
		case record.KindSearch:
			a.Ambiguous = r.Get("ambiguous").Bool()
			if r.Has("close") {
				return json.Unmarshal([]byte(r.Get("close").Raw), &a.Close)
			}
		case record.KindResult:
			chunk, ok := s.chunks[r.Str("leaf_id")]
			if !ok {
				return fmt.Errorf("result that was never stored: %s", r)
			}
			a.Hits = append(a.Hits, hit{chunk, r.Get("score").Float(), len(r.Get("notices").Array())})
		}
		return nil
	})
	return answers, err
}

func (s *stored) close() error { return os.RemoveAll(s.dir) }

// A ranked memory is the oracle, with no file behind it.
type ranked struct {
	*oracle.Memory
	chunks   []record.Chunk
	analyzer *text.Analyzer
}

func newRanked(chunks []record.Chunk) (*ranked, error) {
	a, err := text.NewAnalyzer([]string{"en", "es"})
	if err != nil {
		return nil, err
	}
	leaves := make([]oracle.Leaf, len(chunks))
	for i, c := range chunks {
		leaves[i] = oracle.Leaf{ID: fmt.Sprintf("%08d", i), Domain: c.Domain, Timestamp: c.Timestamp, Source: c.Source, Title: c.Title,
			Author: c.Author, Content: c.Content, Tags: c.Tags, Position: c.Position}
	}
	return &ranked{oracle.New(a, store.DefaultSettings().BranchFactor, leaves), chunks, a}, nil
}

func (m *ranked) ask(questions []question, k int) ([]answer, error) {
	answers := make([]answer, len(questions))
	for i, q := range questions {
		var clues []string
		if q.Clue != "" {
			clues = []string{q.Clue}
		}
		var candidates []nav.Candidate
		for _, r := range m.Search(q.Query, text.DMY, clues...) {
			var n int
			fmt.Sscan(strings.TrimLeft(r.ID, "0")+" ", &n)
			c := m.chunks[n]
			candidates = append(candidates, nav.Candidate{Domain: c.Domain, Source: c.Source, Position: c.Position, Score: r.Score, Coverage: r.Coverage, Checksum: c.Content})
			if len(answers[i].Hits) < k {
				answers[i].Hits = append(answers[i].Hits, hit{Chunk: n, Score: r.Score})
			}
		}
		doubt := nav.Doubt{Threshold: nav.ConfidenceThreshold, Margin: nav.AmbiguityMargin}
		answers[i].Ambiguous = doubt.Judge(m.analyzer.Query(q.Query).Size+m.analyzer.Query(q.Clue).Size, candidates).Ambiguous
	}
	return answers, nil
}

func (m *ranked) close() error { return nil }

// readJSON reads a file of JSON lines.
func readJSON[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []T
	for d := json.NewDecoder(f); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// parseArgs takes the arguments of a measurement: a file, and --oracle.
func parseArgs(args []string) (file string, byOracle bool, err error) {
	for _, a := range args {
		switch {
		case a == "--oracle":
			byOracle = true
		case strings.HasPrefix(a, "-") || file != "":
			return "", false, fmt.Errorf("unexpected argument %q", a)
		default:
			file = a
		}
	}
	if file == "" {
		return "", false, fmt.Errorf("which FILE?")
	}
	return file, byOracle, nil
}

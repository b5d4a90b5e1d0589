package project

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

// An Answer is what a query found: results, or a clue where the query fits
// several symbols.
type Answer struct {
	Search  Search
	Results []Result
	Clue    *Clue
}

// A Search is the header of an answer.
type Search struct {
	Query      string   `json:"query"`
	Clue       string   `json:"clue,omitempty"`
	Results    int      `json:"results"`
	Confidence float64  `json:"confidence"` // 0..1
	Ambiguous  bool     `json:"ambiguous"`
	Files      int      `json:"files"`             // in the index
	Symbols    int      `json:"symbols"`           // in the index
	Changed    int      `json:"changed,omitempty"` // files read anew for this query
	Missing    []string `json:"missing,omitempty"` // words that stand nowhere
	Unnamed    string   `json:"unnamed,omitempty"` // the name asked for, where no symbol has it: the results are the nearest
}

// A Place says where a symbol stands.
type Place struct {
	File      string `json:"file"`       // slashed, relative to the tree
	FirstLine int    `json:"first_line"` // from 1
	LastLine  int    `json:"last_line"`  // inclusive
	Kind      string `json:"symbol_kind"`
	Title     string `json:"title,omitempty"`
}

// A Result is a symbol of an answer with its code.
type Result struct {
	Rank int `json:"rank"`
	Place
	Header  string  `json:"header,omitempty"`  // what encloses it: "class Stock {"
	Content string  `json:"content,omitempty"` // whole lines, from the first
	Omitted int     `json:"omitted,omitempty"` // lines at the end for which there was no room
	Score   float64 `json:"score"`
}

// A Clue asks back: the query fits symbols in several files.
type Clue struct {
	Query   string  `json:"query"`
	Reason  string  `json:"reason"`
	Options []Place `json:"options"`
}

// Shares of the best score: from near on a result is printed with its code,
// below far it is not printed.
const (
	near = 0.85
	far  = 0.35
)

// nearlyAll is from where on a result has the whole query, by idf.
const nearlyAll = 0.95

// errStale means that a file is no longer what was indexed.
var errStale = errors.New("a file has changed")

// Find answers a query by the tree as it is now.
func (p *Project) Find(ctx context.Context, q Query) (*Answer, error) {
	q, err := p.check(q)
	if err != nil {
		return nil, err
	}
	var answer *Answer
	err = p.again(ctx, func(last bool) (err error) {
		answer, err = p.find(ctx, q, last)
		return err
	})
	return answer, err
}

// again tries what fails because a file or the index is no longer what it was.
// The last try should leave out what still fails.
func (p *Project) again(ctx context.Context, do func(last bool) error) error {
	const tries = 4
	for try := 1; ; try++ {
		err := do(try == tries)
		switch {
		case try == tries || !errors.Is(err, errStale) && !errors.Is(err, errBroken):
			return err
		case errors.Is(err, errBroken):
			if err := p.discard(ctx); err != nil {
				return err
			}
		}
	}
}

// check completes a query and says what it cannot ask for.
func (p *Project) check(q Query) (Query, error) {
	if strings.TrimSpace(q.Query) == "" {
		return q, errors.New("the query is empty; name a symbol, or say what the code does")
	}
	switch q.Scope {
	case "":
		q.Scope = ScopeMain
	case ScopeMain, ScopeTest, ScopeAll:
	default:
		return q, fmt.Errorf("scope %q: want %s, %s or %s", q.Scope, ScopeMain, ScopeTest, ScopeAll)
	}
	if q.K < 0 || q.MaxTokens < 0 {
		return q, fmt.Errorf("k is %d and max_tokens is %d; want counts (0 stands for %d and %d)", q.K, q.MaxTokens, defaultK, defaultTokens)
	}
	if q.K == 0 {
		q.K = defaultK
	}
	if q.MaxTokens == 0 {
		q.MaxTokens = defaultTokens
	}
	var err error
	q.Subpath, err = p.cleanSubpath(q.Subpath)
	return q, err
}

// find answers once. Where a file has changed since the index was brought up
// to date, it fails with errStale, or leaves the file out.
func (p *Project) find(ctx context.Context, q Query, leaveOut bool) (*Answer, error) {
	v, report, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	defer v.close()
	d, err := v.decide(p.analyzer, q)
	if err != nil {
		return nil, err
	}
	a := &Answer{Search: Search{Query: q.Query, Clue: q.Clue, Confidence: d.confidence, Ambiguous: d.rivals != nil,
		Files: report.Files, Symbols: report.Symbols, Changed: report.Changed, Missing: d.missing, Unnamed: d.unnamed}}
	if a.Search.Ambiguous {
		a.Clue = &Clue{Query: q.Query, Reason: d.reason}
		for _, c := range d.rivals {
			e, err := v.entry(c.ref)
			if err != nil {
				return nil, err
			}
			a.Clue.Options = append(a.Clue.Options, placeOf(v.file(c.ref), &e))
		}
		return a, nil
	}
	w := &writer{Project: p, view: v, left: q.MaxTokens, texts: map[string]*lines{}}
	for i, c := range d.ranked {
		if len(a.Results) == q.K || c.score < far*d.ranked[0].score {
			break
		}
		r, err := w.result(c, d.worthCode(i))
		if errors.Is(err, errStale) && leaveOut {
			continue
		}
		if err != nil {
			return nil, err
		}
		if w.left < 0 && len(a.Results) > 0 {
			break
		}
		r.Rank = len(a.Results) + 1
		a.Results = append(a.Results, r)
	}
	a.Search.Results = len(a.Results)
	return a, nil
}

// worthCode tells whether a result is printed with its code: not where it is
// but the nearest to a name that nothing has.
func (d *verdict) worthCode(i int) bool {
	return (i == 0 || d.ranked[i].score >= near*d.ranked[0].score) && (d.unnamed == "" || d.coverage > nearlyAll)
}

func placeOf(f *file, e *entry) Place {
	return Place{File: f.path, FirstLine: e.lines.first, LastLine: e.lines.last, Kind: e.kind, Title: e.title}
}

// A writer cuts results out of files while there is room.
type writer struct {
	*Project
	*view
	left  int // tokens
	texts map[string]*lines
}

// result makes a result, with its code if there is room for some.
func (w *writer) result(c match, withCode bool) (Result, error) {
	e, err := w.view.entry(c.ref)
	if err != nil {
		return Result{}, err
	}
	f := w.file(c.ref)
	r := Result{Place: placeOf(f, &e), Score: round(c.score)}
	w.left -= text.Tokens(r.Label()) + 1
	if !withCode {
		r.Omitted = e.lines.last - e.lines.first + 1
		return r, nil
	}
	l, err := w.text(f)
	if err != nil {
		return Result{}, err
	}
	if e.header.first > 0 {
		r.Header = strings.TrimRight(l.cut(e.header), "\r\n")
		w.left -= text.Tokens(r.Header)
	}
	r.Content, r.Omitted = w.cut(l, e.lines)
	return r, nil
}

// Label is the line over a result: "pool.go:12-40  Pool.Get".
func (p *Place) Label() string {
	label := fmt.Sprintf("%s:%d-%d", p.File, p.FirstLine, p.LastLine)
	if p.Title != "" {
		label += "  " + p.Title
	}
	return label
}

// cut returns as many whole lines as there is room for, and how many are
// missing.
func (w *writer) cut(l *lines, s lineSpan) (content string, omitted int) {
	last := s.first - 1
	for last < s.last {
		line := l.cut(lineSpan{last + 1, last + 1})
		cost := text.Tokens(line)
		if cost > w.left {
			break
		}
		w.left -= cost
		last++
	}
	if last < s.first {
		return "", s.last - s.first + 1
	}
	return l.cut(lineSpan{s.first, last}), s.last - last
}

// text returns the text of a file if it is still the one that was indexed.
func (w *writer) text(f *file) (*lines, error) {
	if l := w.texts[f.path]; l != nil {
		return l, nil
	}
	c, err := read(w.path(f.path))
	if err != nil || c.sum != f.sum {
		return nil, errStale
	}
	l := newLines(c.text)
	w.texts[f.path] = l
	return l, nil
}

func round(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

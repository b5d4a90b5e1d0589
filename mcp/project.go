package mcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

const (
	defaultMapTokens  = 1500
	defaultFindTokens = 1500
)

type mapArgs struct {
	Path    string `json:"path" jsonschema:"Folder of the project"`
	Detail  string `json:"detail,omitempty"`
	Subpath string `json:"subpath,omitempty" jsonschema:"Only below this folder of it"`
}

func describeMap(property func(string) *jsonschema.Schema) {
	oneOf(property("detail"), "files", "symbols")
}

func projectMap(c *call, in mapArgs) (answer, error) {
	dir, err := c.folder(in.Path)
	if err != nil {
		return answer{}, err
	}
	args := []string{"map", dir, "--text", fmt.Sprintf("--max-tokens=%d", defaultMapTokens)}
	if in.Detail != "" {
		args = append(args, "--detail="+in.Detail)
	}
	if in.Subpath != "" {
		args = append(args, "--subpath="+in.Subpath)
	}
	stop := c.progress(func() string { return "indexing " + dir })
	defer stop()
	var b strings.Builder
	p := pipeline.New(pipeline.Tool("ihmt-project", args...))
	c.log(p)
	if err := p.Run(c.ctx, &b); err != nil && pipeline.Code(err) != 1 {
		return answer{}, err
	}
	shown := strings.TrimSpace(cli.Clean(b.String()))
	if shown == "" {
		return answer{"Nothing there to map: no text files, or all of them are ignored.", map[string]any{"path": dir}}, nil
	}
	shown, left := cut(shown, defaultMapTokens+defaultMapTokens/10)
	if left > 0 {
		shown += fmt.Sprintf("\n(%d tokens more: give subpath)", left)
	}
	return answer{shown, map[string]any{"path": dir, "map": shown}}, nil
}

type findArgs struct {
	Query     string `json:"query" jsonschema:"Name of a symbol or file, or words about it"`
	Path      string `json:"path" jsonschema:"Folder of the project"`
	Scope     string `json:"scope,omitempty"`
	Subpath   string `json:"subpath,omitempty" jsonschema:"Only below this folder of it"`
	Clue      string `json:"clue,omitempty" jsonschema:"Words that tell which one is meant, after AMBIGUOUS"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"Of the answer"`
}

func describeFind(property func(string) *jsonschema.Schema) {
	oneOf(property("scope"), "main", "test", "all")
	defaults(property("max_tokens"), defaultFindTokens)
}

// codeQuery is a question to ihmt-project.
type codeQuery struct {
	Query     string `json:"query"`
	Clue      string `json:"clue,omitempty"`
	K         int    `json:"k,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Subpath   string `json:"subpath,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
}

// A span is a piece of code, for programs.
type span struct {
	File   string `json:"file"`
	First  int64  `json:"first_line"`
	Last   int64  `json:"last_line"`
	Symbol string `json:"symbol,omitempty"`
	Header string `json:"header,omitempty"` // what encloses it
	Code   string `json:"code,omitempty"`
}

type foundCode struct {
	Nothing   bool   `json:"nothing,omitempty"`
	Ambiguous bool   `json:"ambiguous,omitempty"`
	Spans     []span `json:"spans,omitempty"`
}

func findCode(c *call, in findArgs) (answer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return answer{}, errors.New("query is empty: give a name, or words about what you look for")
	}
	dir, err := c.folder(in.Path)
	if err != nil {
		return answer{}, err
	}
	tokens := budget(in.MaxTokens, defaultFindTokens)
	q := codeQuery{Query: in.Query, Clue: in.Clue, Scope: in.Scope, Subpath: in.Subpath, MaxTokens: tokens}
	stop := c.progress(func() string { return "indexing " + dir })
	defer stop()
	var f foundCode
	var reason string
	err = c.each(feed(record.KindQuery, q, pipeline.Tool("ihmt-project", "find", dir, "-", "--json")), func(r *record.Record) {
		switch r.Kind() {
		case record.KindResult:
			f.Spans = append(f.Spans, span{line(r.Str("file"), 400), r.Get("first_line").Int(), r.Get("last_line").Int(), line(r.Str("title"), 120),
				cli.Clean(r.Str("header")), cli.Clean(r.Str("content"))})
		case record.KindClue:
			f.Ambiguous, f.Spans, reason = true, nil, line(r.Str("reason"), 200)
			for _, o := range r.Get("options").Array() {
				f.Spans = append(f.Spans, span{File: line(o.Get("file").String(), 400), First: o.Get("first_line").Int(), Last: o.Get("last_line").Int(),
					Symbol: line(o.Get("title").String(), 120), Header: line(o.Get("header").String(), 120)})
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	switch {
	case len(f.Spans) == 0:
		f.Nothing = true
		return answer{"Nothing found in " + dir + ". Try a name or a word that the code would hold, scope=all, or project_map.", f}, nil
	case f.Ambiguous:
		return answer{f.candidates(reason), f}, nil
	}
	return answer{f.code(tokens), f}, nil
}

// at is where a span stands, and what it is.
func (s *span) at() string {
	return strings.TrimRight(fmt.Sprintf("%s:%d-%d  %s", s.File, s.First, s.Last, s.Symbol), " ")
}

func (f *foundCode) candidates(reason string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "AMBIGUOUS: %s.\n", strings.TrimSuffix(reason, "."))
	for _, s := range f.Spans {
		fmt.Fprintf(&b, "- %s\n", strings.TrimRight(s.at()+"  "+s.Header, " "))
	}
	b.WriteString("Call again with clue (a file, folder or enclosing type), or read_file.\n")
	return b.String()
}

// code shows spans as far as the budget goes, in whole lines.
func (f *foundCode) code(tokens int) string {
	var b strings.Builder
	for i := range f.Spans {
		s := &f.Spans[i]
		head := s.at() + "\n"
		if s.Header != "" {
			head += strings.TrimRight(s.Header, "\n") + "\n"
		}
		room := tokens - text.Tokens(b.String()+head) - 10
		if i > 0 && room < minTokens {
			f.Spans = f.Spans[:i]
			break
		}
		kept, left := cut(strings.TrimRight(s.Code, "\n"), max(room, minTokens/2))
		s.Code = kept
		b.WriteString(head + kept + "\n")
		if left > 0 {
			fmt.Fprintf(&b, "(%d tokens more: read_file from line %d)\n", left, s.First+int64(strings.Count(kept, "\n"))+1)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// folder returns the folder of a project as the client means it.
func (c *call) folder(name string) (string, error) {
	if name == "" {
		name = "."
	}
	return c.path(name), nil
}

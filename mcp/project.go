package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

const defaultCodeTokens = 1500

type mapArgs struct {
	Path    string `json:"path" jsonschema:"Folder of the project"`
	Detail  string `json:"detail,omitempty" jsonschema:"symbols: what each file defines"`
	Subpath string `json:"subpath,omitempty" jsonschema:"Only below this folder of it"`
}

func describeMap(property func(string) *jsonschema.Schema) {
	oneOf(property("detail"), "files", "symbols")
}

// A projectItems is a map of a source tree, for programs.
type projectItems struct {
	Path    string `json:"path"`
	Files   int64  `json:"files"`
	Symbols int64  `json:"symbols"`
	Omitted int64  `json:"omitted,omitempty"` // files for which there was no room
	Items   []item `json:"items,omitempty"`
}

// An item is a file, or a folder with all that is below it.
type item struct {
	File    string   `json:"file,omitempty"`
	Folder  string   `json:"folder,omitempty"`
	Files   int64    `json:"files,omitempty"`
	Lines   int64    `json:"lines"`
	Symbols int64    `json:"symbols"`
	Outline []string `json:"outline,omitempty"` // "Title:first-last"
}

func projectMap(c *call, in mapArgs) (answer, error) {
	p := projectItems{Path: c.path(in.Path)}
	args := []string{"map", p.Path, fmt.Sprintf("--max-tokens=%d", defaultCodeTokens)}
	if in.Detail != "" {
		args = append(args, "--detail="+in.Detail)
	}
	if in.Subpath != "" {
		args = append(args, "--subpath="+in.Subpath)
	}
	err := c.indexed(pipeline.New(c.projects(args...)), func(r *record.Record) {
		switch r.Kind() {
		case "item":
			p.Items = append(p.Items, itemOf(r))
		case record.KindReport:
			totals := r.Get("totals")
			p.Files, p.Symbols, p.Omitted = totals.Get("files").Int(), totals.Get("symbols").Int(), totals.Get("omitted").Int()
		}
	})
	if err != nil {
		return answer{}, err
	}
	return answer{p.text(), p}, nil
}

func itemOf(r *record.Record) item {
	i := item{File: line(r.Str("file"), 400), Folder: line(r.Str("folder"), 400), Files: r.Get("files").Int(), Lines: r.Get("lines").Int(), Symbols: r.Get("symbols").Int()}
	for _, s := range r.Get("outline").Array() {
		i.Outline = append(i.Outline, fmt.Sprintf("%s:%d-%d", line(s.Get("title").String(), 200), s.Get("first_line").Int(), s.Get("last_line").Int()))
	}
	return i
}

func (p *projectItems) text() string {
	if p.Files == 0 {
		return "Nothing to map below " + p.Path + ": no text files, or all of them are ignored."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s\n", p.Path, files(p.Files), symbols(p.Symbols))
	for _, i := range p.Items {
		if i.Folder != "" {
			fmt.Fprintf(&b, "%s/  %s, %s, %s\n", i.Folder, files(i.Files), lines(i.Lines), symbols(i.Symbols))
			continue
		}
		fmt.Fprintf(&b, "%s  %s, %s\n", i.File, lines(i.Lines), symbols(i.Symbols))
		for _, s := range i.Outline {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	if p.Omitted > 0 {
		fmt.Fprintf(&b, "(%s more: give subpath)\n", files(p.Omitted))
	}
	return b.String()
}

func files(n int64) string   { return text.Counted(n, "file", "files") }
func lines(n int64) string   { return text.Counted(n, "line", "lines") }
func symbols(n int64) string { return text.Counted(n, "symbol", "symbols") }

type findArgs struct {
	Query     string `json:"query" jsonschema:"Name of a symbol or file, or words about it"`
	Path      string `json:"path" jsonschema:"Folder of the project"`
	Scope     string `json:"scope,omitempty" jsonschema:"main leaves tests out"`
	Subpath   string `json:"subpath,omitempty" jsonschema:"Only below this folder of it"`
	Clue      string `json:"clue,omitempty" jsonschema:"Words that tell which one is meant, after AMBIGUOUS"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"Of the answer"`
}

func describeFind(property func(string) *jsonschema.Schema) {
	oneOf(property("scope"), "main", "test", "all")
	tokens(property("max_tokens"), defaultCodeTokens)
}

// A codeQuery is a question to ihmt-project.
type codeQuery struct {
	Query     string `json:"query"`
	Clue      string `json:"clue,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Subpath   string `json:"subpath,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
}

// A foundCode is an answer about code, for programs.
type foundCode struct {
	Nothing   bool     `json:"nothing,omitempty"`
	Ambiguous bool     `json:"ambiguous,omitempty"`
	Reason    string   `json:"reason,omitempty"` // why it is ambiguous
	Spans     []span   `json:"spans,omitempty"`
	Missing   []string `json:"missing,omitempty"` // words that stand nowhere
	Unnamed   string   `json:"unnamed,omitempty"` // the name asked for, where no symbol has it: the spans are the nearest
}

type span struct {
	File    string `json:"file"`
	First   int64  `json:"first_line"`
	Last    int64  `json:"last_line"`
	Symbol  string `json:"symbol,omitempty"`
	Header  string `json:"header,omitempty"` // what encloses it
	Code    string `json:"code,omitempty"`
	Omitted int64  `json:"omitted,omitempty"` // lines for which there was no room
}

func findCode(c *call, in findArgs) (answer, error) {
	if strings.TrimSpace(in.Query) == "" {
		return answer{}, errors.New("query is empty: give a name, or words about what you look for")
	}
	q := codeQuery{in.Query, in.Clue, in.Scope, in.Subpath, in.MaxTokens}
	dir := c.path(in.Path)
	var f foundCode
	err := c.indexed(feed(record.KindQuery, q, c.projects("find", dir, "-")), func(r *record.Record) {
		switch r.Kind() {
		case record.KindSearch:
			f.Missing, f.Unnamed = strs(r.Get("missing")), line(r.Str("unnamed"), 80)
		case record.KindResult:
			f.Spans = append(f.Spans, spanOf(r.Get))
		case record.KindClue:
			f.Ambiguous, f.Reason = true, line(r.Str("reason"), 200)
			for _, o := range r.Get("options").Array() {
				f.Spans = append(f.Spans, spanOf(func(name string) gjson.Result { return o.Get(name) }))
			}
		}
	})
	if err != nil {
		return answer{}, err
	}
	f.Nothing = len(f.Spans) == 0
	return answer{f.text(dir), f}, nil
}

func spanOf(get func(name string) gjson.Result) span {
	return span{line(get("file").String(), 400), get("first_line").Int(), get("last_line").Int(), line(get("title").String(), 200),
		strings.TrimRight(cli.Clean(get("header").String()), "\n"), strings.TrimRight(cli.Clean(get("content").String()), "\n"), get("omitted").Int()}
}

func (f *foundCode) text(dir string) string {
	var b strings.Builder
	switch {
	case f.Nothing:
		fmt.Fprintf(&b, "Nothing found in %s.", dir)
		if f.Unnamed != "" {
			fmt.Fprintf(&b, " No symbol is named %s.", f.Unnamed)
		}
		if len(f.Missing) > 0 {
			fmt.Fprintf(&b, " No file has %s.", strings.Join(f.Missing[:min(6, len(f.Missing))], ", "))
		}
		b.WriteString(" Try a name or a word that the code would hold, scope=all, or project_map.")
	case f.Ambiguous:
		fmt.Fprintf(&b, "AMBIGUOUS: %s.\n", strings.TrimSuffix(f.Reason, "."))
		for i := range f.Spans {
			fmt.Fprintf(&b, "- %s\n", f.Spans[i].place())
		}
		b.WriteString("Call again with clue (a file, a folder, what encloses it), or read_file.\n")
	default:
		if f.Unnamed != "" {
			fmt.Fprintf(&b, "No symbol is named %s; nearest:\n", f.Unnamed)
		}
		for i := range f.Spans {
			f.Spans[i].write(&b)
		}
	}
	return b.String()
}

// place is where a span stands, and what it is.
func (s *span) place() string {
	return strings.TrimRight(fmt.Sprintf("%s:%d-%d  %s", s.File, s.First, s.Last, s.Symbol), " ")
}

func (s *span) write(b *strings.Builder) {
	b.WriteString(s.place() + "\n")
	if s.Code == "" {
		return
	}
	if s.Header != "" {
		b.WriteString(s.Header + "\n")
	}
	b.WriteString(s.Code + "\n")
	if s.Omitted > 0 {
		fmt.Fprintf(b, "(%s more: read_file from line %d)\n", lines(s.Omitted), s.Last-s.Omitted+1)
	}
	b.WriteByte('\n')
}

// projects is the stage that runs ihmt-project.
func (c *call) projects(args ...string) pipeline.Stage {
	return c.memory("ihmt-project", append(args, "--progress")...)
}

// indexed runs a pipeline that may have to index a tree first, and tells a
// client that wants to know how far it is.
func (c *call) indexed(p *pipeline.Pipeline, do func(*record.Record)) error {
	reading := &indexing{}
	p.Stderr = reading
	stop := c.progress(reading.say)
	defer stop()
	err := c.each(p, do)
	var failed *pipeline.Error
	if errors.As(err, &failed) && failed.Stderr == "" {
		failed.Stderr = reading.messages.String()
	}
	return err
}

// An indexing takes the messages of ihmt-project: how far it is, and all
// others.
type indexing struct {
	done, total atomic.Int64
	messages    bytes.Buffer
}

// Write is called with whole lines.
func (x *indexing) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if r, err := record.Parse(line); err == nil && r.Kind() == "progress" {
			x.done.Store(r.Get("done").Int())
			x.total.Store(r.Get("total").Int())
		} else if x.messages.Len() < maxMessages {
			x.messages.Write(line)
		}
	}
	return len(lines), nil
}

// maxMessages is how much of the messages is kept, in bytes.
const maxMessages = 16 << 10

func (x *indexing) say() string {
	if x.total.Load() == 0 {
		return "looking for changed files"
	}
	return fmt.Sprintf("indexing, %d of %d files", x.done.Load(), x.total.Load())
}

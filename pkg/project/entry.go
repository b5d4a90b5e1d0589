package project

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/ihmt/ihmt/pkg/chunk"
	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/record"
)

// An entry is a symbol, or a block of text that is none, as a span of lines of
// its file.
type entry struct {
	lines  lineSpan
	header lineSpan // what encloses it and is not part of it: "class Stock {"
	kind   string   // of package code, or block
	title  string   // "Transport.RoundTrip", or the heading of a block
	name   string   // "RoundTrip"
	scope  []string // "Transport"

	own []span // bytes that no other entry has
	doc []span // comments among them
}

// block is the kind of an entry of a file without symbols.
const block = "block"

// A lineSpan is a run of lines, from 1, both ends inclusive; {0, 0} is none.
type lineSpan struct{ first, last int }

// A span is a run of bytes.
type span struct{ start, end int }

// entriesOf divides a text: code at its symbols, anything else at the blocks
// that package chunk knows.
func entriesOf(dataType, domain, language, text string) []entry {
	l := newLines(text)
	var symbols []code.Symbol
	if dataType == record.TypeCode {
		symbols = code.Parse(language, text)
	}
	if len(symbols) == 0 {
		return blocksOf(l, record.Document{DataType: dataType, Domain: domain, Language: language, Text: text})
	}
	d := divider{lines: l, language: language}
	d.divide(symbols, region{top: true})
	return d.entries
}

// Sizes of blocks in tokens: what somebody reads at a glance.
const (
	blockTokens    = 250
	blockMaxTokens = 500
)

func blocksOf(l *lines, doc record.Document) []entry {
	var entries []entry
	at := 0
	for _, c := range chunk.Split(doc, chunk.Options{TargetTokens: blockTokens, MaxTokens: blockMaxTokens}) {
		s := span{at, at + len(c.Content)}
		at = s.end
		if strings.TrimSpace(c.Content) == "" {
			continue
		}
		entries = append(entries, entry{lines: l.of(s), kind: block, title: c.Title, own: []span{s}})
	}
	return entries
}

// A divider makes entries of the symbols of a text.
type divider struct {
	*lines
	language string
	entries  []entry
}

// A region is what encloses a run of symbols.
type region struct {
	top    bool // the file itself, or what stands for it
	scope  []string
	header lineSpan
}

// divide makes an entry of each symbol and each run of imports or statements,
// and of the members of what has some.
func (d *divider) divide(symbols []code.Symbol, in region) {
	for i := 0; i < len(symbols); {
		n := i + 1
		if kind := d.runKind(&symbols[i]); kind != "" {
			for n < len(symbols) && d.runKind(&symbols[n]) == kind && !d.documented(&symbols[n]) {
				n++
			}
			d.run(kind, symbols[i:n], in)
		} else {
			d.symbol(&symbols[i], in)
		}
		i = n
	}
}

// runKind is the kind of what has no name and is told together with its like.
func (d *divider) runKind(s *code.Symbol) string {
	switch {
	case s.Name != "" || len(s.Members) > 0:
		return ""
	case s.Kind == code.Import, d.language == "go" && strings.HasPrefix(d.text[d.docOf(s).end:s.End], "package "):
		return code.Import
	}
	return code.Statement
}

// aComment is the length from which a comment says more than its statement.
const aComment = 200

// documented tells of a statement that has a long comment before it.
func (d *divider) documented(s *code.Symbol) bool { return d.docOf(s).end-s.Start >= aComment }

// maxStatement is how much of a statement stands for its name, in bytes.
const maxStatement = 60

// run makes an entry of a run of statements. Imports with a long comment at
// their top, where a file or package is told of, count as more than imports.
func (d *divider) run(kind string, run []code.Symbol, in region) {
	s := span{run[0].Start, run[len(run)-1].End}
	if strings.TrimSpace(d.text[s.start:s.end]) == "" {
		return
	}
	e := entry{lines: d.of(s), header: in.header, kind: kind, scope: in.scope, own: []span{s}}
	doc := d.docOf(&run[0])
	if doc.end-doc.start >= aComment {
		e.kind, e.doc = code.Statement, []span{doc}
	}
	if e.kind == code.Import {
		e.title = "imports"
	} else {
		line, _, _ := strings.Cut(strings.TrimSpace(d.text[doc.end:s.end]), "\n")
		e.title = strings.TrimSpace(line[:min(len(line), maxStatement)])
	}
	d.entries = append(d.entries, e)
}

// symbol makes an entry of a symbol, and of each member that can be asked for
// by itself.
func (d *divider) symbol(s *code.Symbol, in region) {
	name, scope := d.names(s, in)
	e := entry{lines: d.of(span{s.Start, s.End}), header: in.header, kind: s.Kind, name: name, scope: scope,
		title: strings.Join(append(scope[:len(scope):len(scope)], name), "."), own: []span{{s.Start, s.End}}}
	if doc := d.docOf(s); doc.end > doc.start {
		e.doc = append(e.doc, doc)
	}
	if doc := d.docstring(s); doc.end > doc.start {
		e.doc = append(e.doc, doc)
	}
	var members []code.Symbol
	for _, m := range s.Members {
		if own(s, &m) {
			members = append(members, m)
		}
	}
	if name == "" {
		e.title = nameless(s)
	}
	if len(members) > 0 {
		e.own = without(span{s.Start, s.End}, members)
	}
	d.entries = append(d.entries, e)
	inner := region{scope: scope, header: d.headerOf(s)}
	if name != "" {
		inner.scope = append(scope[:len(scope):len(scope)], name)
	} else {
		inner = in
	}
	d.divide(members, inner)
}

// own tells which members are entries of their own: not the fields of a type,
// but what a group of declarations, a namespace or a statement holds together.
func own(s, m *code.Symbol) bool {
	if m.Name == "" && len(m.Members) == 0 {
		return false
	}
	switch m.Kind {
	case code.Const, code.Var, code.Statement:
		return s.Name == "" || s.Kind == code.Namespace || s.Kind == code.Module || len(m.Members) > 0
	}
	return true
}

// names are the name of a symbol without what encloses it, and the names of
// that: what stands around it, the receiver of a method, what the name itself
// says.
func (d *divider) names(s *code.Symbol, in region) (name string, scope []string) {
	name, scope = s.Name, in.scope
	if strings.HasPrefix(name, "operator") || len(name) < 2 {
		return name, scope
	}
	if i := strings.LastIndexAny(name, ".:#"); i > 0 && i+1 < len(name) {
		outer := strings.FieldsFunc(name[:i], func(r rune) bool { return strings.ContainsRune(".:#", r) })
		name, scope = name[i+1:], append(scope[:len(scope):len(scope)], outer...)
	}
	if d.language == "go" && s.Kind == code.Method && in.top {
		if receiver := receiverOf(d.text[d.docOf(s).end:s.End]); receiver != "" {
			scope = append(scope[:len(scope):len(scope)], receiver)
		}
	}
	return name, scope
}

// receiverOf is the type of a method of Go: Client of "func (c *Client) Do(".
func receiverOf(method string) string {
	_, rest, ok := strings.Cut(method, "(")
	list, _, closed := strings.Cut(rest, ")")
	if !ok || !closed {
		return ""
	}
	list, _, _ = strings.Cut(list, "[")
	words := strings.FieldsFunc(list, func(r rune) bool { return r == '*' || unicode.IsSpace(r) })
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// nameless names a group by the first of its members.
func nameless(s *code.Symbol) string {
	for _, m := range s.Members {
		if m.Name != "" {
			return m.Name + " …"
		}
	}
	return ""
}

// without are the parts of a span that no member stands in.
func without(s span, members []code.Symbol) []span {
	var parts []span
	for _, m := range members {
		if m.Start > s.start {
			parts = append(parts, span{s.start, m.Start})
		}
		s.start = max(s.start, m.End)
	}
	if s.end > s.start {
		parts = append(parts, s)
	}
	return parts
}

// docOf is what stands in a symbol before the line of its name.
func (d *divider) docOf(s *code.Symbol) span {
	return span{s.Start, min(max(d.start(s.Line), s.Start), s.End)}
}

// docstring is the string that opens a definition of Python.
func (d *divider) docstring(s *code.Symbol) span {
	if d.language != "python" || s.Kind == code.Const || s.Kind == code.Var {
		return span{}
	}
	from := min(max(d.start(s.Line), s.Start), s.End)
	body := d.text[from:s.End]
	for _, quote := range []string{`"""`, "'''"} {
		open := strings.Index(body, quote)
		if open < 0 || strings.TrimSpace(body[strings.LastIndexByte(body[:open], '\n')+1:open]) != "" || !strings.HasSuffix(strings.TrimSpace(body[:open]), ":") {
			continue
		}
		if size := strings.Index(body[open+3:], quote); size >= 0 {
			return span{from + open, from + open + size + 6}
		}
	}
	return span{}
}

// maxHeader is how many lines of a header are worth repeating.
const maxHeader = 6

// headerOf finds the lines of what opens the body of a symbol.
func (d *divider) headerOf(s *code.Symbol) lineSpan {
	header := strings.TrimSuffix(s.Header, " …")
	if header == "" {
		return lineSpan{}
	}
	at := strings.Index(d.text[s.Start:s.End], header)
	if at < 0 {
		return lineSpan{}
	}
	span := d.of(span{s.Start + at, s.Start + at + len(header)})
	span.first = max(span.first, span.last-maxHeader+1)
	return span
}

// lines is a text that knows where its lines are.
type lines struct {
	text   string
	starts []int
}

func newLines(text string) *lines {
	l := &lines{text: text, starts: make([]int, 1, 1+strings.Count(text, "\n"))}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 || i+n+1 >= len(text) {
			return l
		}
		i += n + 1
		l.starts = append(l.starts, i)
	}
}

// start is the offset of a line; of one beyond the last, the end of the text.
func (l *lines) start(line int) int {
	if line < 1 {
		return 0
	}
	if line > len(l.starts) {
		return len(l.text)
	}
	return l.starts[line-1]
}

func (l *lines) line(offset int) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > offset })
}

// of returns the lines of a span, without blank ones at its ends.
func (l *lines) of(s span) lineSpan {
	text := l.text[s.start:s.end]
	end := s.start + len(strings.TrimRight(text, " \t\r\n\f\v"))
	start := s.end - len(strings.TrimLeft(text, " \t\r\n\f\v"))
	if start >= end {
		start, end = s.start, s.start+1
	}
	return lineSpan{l.line(start), l.line(end - 1)}
}

// cut returns the text of some lines.
func (l *lines) cut(s lineSpan) string { return l.text[l.start(s.first):l.start(s.last+1)] }

// id writes an entry for a table: its lines, those of its header, its kind and
// its title.
func (e *entry) id() string {
	return fmt.Sprintf("%d-%d %d-%d %s %s", e.lines.first, e.lines.last, e.header.first, e.header.last, e.kind, oneLine(e.title))
}

// maxTitle is the length of the longest title, in bytes.
const maxTitle = 200

// oneLine makes a title fit into a line of a table.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	if len(s) > maxTitle {
		s = strings.ToValidUTF8(s[:maxTitle], "") + "…"
	}
	return s
}

// parseID is the inverse of id.
func parseID(id string) (e entry, ok bool) {
	span, rest, _ := strings.Cut(id, " ")
	header, rest, _ := strings.Cut(rest, " ")
	e.kind, e.title, ok = strings.Cut(rest, " ")
	var a, b bool
	e.lines, a = parseLines(span)
	e.header, b = parseLines(header)
	return e, ok && a && b && e.lines.first >= 1
}

func parseLines(s string) (lineSpan, bool) {
	first, last, _ := strings.Cut(s, "-")
	a, err := strconv.Atoi(first)
	b, err2 := strconv.Atoi(last)
	return lineSpan{a, b}, err == nil && err2 == nil && a >= 0 && a <= b && b < 1<<30
}

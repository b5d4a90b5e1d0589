// Package code finds the definitions in source text: functions, methods,
// classes, types, and the statements between them. It serves to cut code
// where it may be cut and to say what stands where.
//
// Go is read by go/parser, Python by its indentation, the languages with
// braces by one scanner that a table adapts to each, the languages with
// closing words and SQL by a small scanner of theirs. None of them compiles
// anything: text that is broken, or half of a file, gives what can be seen.
package code

import (
	"slices"
	"sort"
	"strings"
)

// Kinds of symbols. A [Statement] and an [Import] have no name.
const (
	Function  = "function"
	Method    = "method"
	Class     = "class"
	Interface = "interface"
	Struct    = "struct"
	Union     = "union"
	Enum      = "enum"
	Type      = "type"
	Trait     = "trait"
	Impl      = "impl"
	Namespace = "namespace"
	Module    = "module"
	Macro     = "macro"
	Const     = "const"
	Var       = "var"
	Import    = "import"
	Statement = "statement"
)

// A Symbol is a definition, or a statement that defines nothing.
type Symbol struct {
	Kind string
	Name string // "" where it has none

	// Start and End are byte offsets. The symbol begins with its doc comment,
	// annotations, decorators or attributes, at the start of a line where
	// nothing else stands before it, and ends with its line where nothing else
	// follows.
	Start, End int

	Line    int // of the name, from 1
	EndLine int

	// Header is what opens a body with members: "public class Stock {". "" for
	// a symbol that has no such body.
	Header string

	// Members are the definitions and statements inside, in order, of types,
	// namespaces and the like; and of the functions of Rust, which implement
	// traits, the types and functions inside.
	Members []Symbol
}

// Parse returns the symbols of a text, in order and without overlap, and nil
// for a language that it does not know, or for a text of more than a million
// symbols or several million tokens or comments, which nobody wrote. Between them stand only
// blanks and comments. The languages are those of [Languages].
func Parse(language, text string) []Symbol {
	parse, ok := parsers[language]
	if !ok || len(text) > maxText {
		return nil
	}
	symbols := parse(text)
	dropLongNames(symbols)
	return symbols
}

func dropLongNames(symbols []Symbol) {
	for i := range symbols {
		if len(symbols[i].Name) > maxName {
			symbols[i].Name = ""
		}
		dropLongNames(symbols[i].Members)
	}
}

// joined appends a symbol. After very many, a small statement joins the one
// that it touches, as a cut between them would serve nobody.
func joined(symbols []Symbol, sym Symbol) []Symbol {
	const many, small = 1 << 14, 80 // symbols, bytes
	if n := len(symbols); n > many {
		last := &symbols[n-1]
		if last.isBare() && sym.isBare() && last.End == sym.Start && sym.End-last.Start < small {
			last.End, last.EndLine = sym.End, sym.EndLine
			return symbols
		}
	}
	return append(symbols, sym)
}

func (s *Symbol) isBare() bool { return s.Kind == Statement && s.Name == "" && s.Members == nil }

// What no code is larger than, and what keeps the memory for a hostile text in
// bounds.
const (
	maxText    = 1<<31 - 2 // what offsets of 32 bits can tell
	maxTokens  = 8 << 20
	maxNotes   = 4 << 20 // comments
	maxLines   = 2 << 20 // of Python, with something in them
	maxSymbols = 1 << 20
	maxName    = 400 // bytes
)

// Languages returns the names of the languages that [Parse] knows.
func Languages() []string {
	names := make([]string, 0, len(parsers))
	for name := range parsers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var parsers = map[string]func(string) []Symbol{
	"go":         parseGo,
	"python":     parsePython,
	"java":       java.parse,
	"csharp":     csharp.parse,
	"c":          c_.parse,
	"cpp":        cpp.parse,
	"javascript": javascript.parse,
	"typescript": typescript.parse,
	"rust":       rust.parse,
	"kotlin":     kotlin.parse,
	"swift":      swift.parse,
	"scala":      scala.parse,
	"php":        php.parse,
	"ruby":       func(s string) []Symbol { return ruby.parse(s) },
	"lua":        func(s string) []Symbol { return lua.parse(s) },
	"shell":      func(s string) []Symbol { return shell.parse(s) },
	"sql":        parseSQL,
}

// A span is a run of bytes.
type span struct{ start, end int }

// A source is a text with its lines and comments, which all parsers need to
// place a symbol.
type source struct {
	text     string
	newlines []int32 // offsets of "\n"
	comments []span
}

func newSource(text string) source {
	s := source{text: text, newlines: make([]int32, 0, strings.Count(text, "\n"))}
	for i := strings.IndexByte(text, '\n'); i >= 0; {
		s.newlines = append(s.newlines, int32(i))
		next := strings.IndexByte(text[i+1:], '\n')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return s
}

// line returns the number of the line, from 1, in which an offset stands.
func (s *source) line(offset int) int {
	return 1 + sort.Search(len(s.newlines), func(i int) bool { return int(s.newlines[i]) >= offset })
}

// place gives a symbol its offsets: from the comments that touch the first
// token down to the end of the line of the last, but not before after, where
// the symbol before it ends.
func (s *source) place(sym *Symbol, start, end, after int) {
	sym.EndLine = s.line(max(end-1, 0))
	sym.Start = s.withComments(max(start, after), after)
	sym.End = s.lineEnd(max(end, after))
}

// withComments returns where the comments begin that stand directly before an
// offset, with no blank line between.
func (s *source) withComments(start, after int) int {
	start = s.lineStart(start, after)
	i := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].start >= start })
	for i--; i >= 0; i-- {
		c := s.comments[i]
		if c.start < after || c.end > start || !isBlank(s.text[c.end:start]) || strings.Count(s.text[c.end:start], "\n") > 1 {
			break
		}
		begin := s.lineStart(c.start, after)
		if begin == c.start && begin > 0 && s.text[begin-1] != '\n' && begin != after {
			break // it trails what stands before it
		}
		start = begin
	}
	return start
}

// lineStart returns the start of the offset's line where only blanks stand
// between, else the offset.
func (s *source) lineStart(offset, after int) int {
	i := offset
	for i > after && (s.text[i-1] == ' ' || s.text[i-1] == '\t') {
		i--
	}
	if i == 0 || i == after || s.text[i-1] == '\n' {
		return i
	}
	return offset
}

// lineEnd returns the end of the offset's line, its newline included, where
// only blanks and comments follow, else the offset.
func (s *source) lineEnd(offset int) int {
	i := offset
	for i < len(s.text) {
		switch s.text[i] {
		case ' ', '\t', '\r':
			i++
			continue
		case '\n':
			return i + 1
		}
		c := s.commentAt(i)
		if c == nil || strings.Contains(strings.TrimSuffix(s.text[c.start:c.end], "\n"), "\n") {
			return offset
		}
		if i = c.end; s.text[i-1] == '\n' {
			return i
		}
	}
	return i
}

func (s *source) commentAt(offset int) *span {
	i := sort.Search(len(s.comments), func(i int) bool { return s.comments[i].start >= offset })
	if i < len(s.comments) && s.comments[i].start == offset {
		return &s.comments[i]
	}
	return nil
}

func isBlank(s string) bool { return strings.TrimLeft(s, " \t\r\n\f\v") == "" }

// headerOf returns the text that opens a body, cut where it is longer than
// anything worth repeating.
func headerOf(s string) string {
	const most = 400
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " …"
}

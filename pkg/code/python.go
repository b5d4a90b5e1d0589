package code

import (
	"strings"
)

// parsePython reads a file as Python's own lexer divides it: logical lines,
// which brackets, backslashes and long strings continue, and their
// indentation.
func parsePython(text string) []Symbol {
	p := &pythonFile{source: newSource(text)}
	if p.scan(); len(p.lines) > maxLines || len(p.comments) > maxNotes {
		return nil
	}
	symbols, _ := p.block(0, -1, 0, 0, false)
	if p.made > maxSymbols {
		return nil
	}
	return symbols
}

// A logicalLine is a simple statement or the head of a compound one.
type logicalLine struct {
	start, end int // without indentation, comment and newline
	indent     int
	word       string // the first one; "async def" counts as "def"
}

type pythonFile struct {
	source
	lines   []logicalLine
	indents []int32 // of the comments; alongside code it is -1
	made    int     // symbols
}

func (p *pythonFile) scan() {
	for i := 0; i < len(p.text) && len(p.lines) <= maxLines && len(p.comments) <= maxNotes; {
		indent := 0
		if i == 0 && strings.HasPrefix(p.text, "\ufeff") {
			i = 3
		}
	indentation:
		for ; i < len(p.text); i++ {
			switch p.text[i] {
			case ' ':
				indent++
			case '\t':
				indent += 8 - indent%8
			case '\f':
				indent = 0
			default:
				break indentation
			}
		}
		if i == len(p.text) {
			return
		}
		switch p.text[i] {
		case '\n', '\r':
			i++
			continue
		case '#':
			i = p.comment(i, indent)
			continue
		}
		for i < len(p.text) && p.text[i] != '\n' {
			switch p.text[i] {
			case '#':
				i = p.comment(i, -1)
			case ' ', '\t', '\r', '\f', ';':
				i++
			default:
				end := max(p.logicalEnd(i), i+1)
				p.lines = append(p.lines, logicalLine{start: i, end: end, indent: indent, word: pythonWord(p.text[i:end])})
				i = end
			}
		}
		i++
	}
}

func (p *pythonFile) comment(i, indent int) int {
	end := lineOf(p.text, i)
	p.comments = append(p.comments, span{i, end})
	p.indents = append(p.indents, int32(indent))
	return end
}

// lineOf returns the end of the offset's line, without the newline.
func lineOf(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// logicalEnd returns where the logical line that starts at i ends.
func (p *pythonFile) logicalEnd(i int) int {
	text, depth, end := p.text, 0, i
	noted := len(p.comments) // before end
	for i < len(text) {
		switch c := text[i]; {
		case c == '\n':
			if depth == 0 {
				return end
			}
			i++
			if startsDefinition(text[i:]) { // the bracket was never closed
				p.comments, p.indents = p.comments[:noted], p.indents[:noted]
				return end
			}
			continue
		case c == '#':
			if depth == 0 {
				return end
			}
			i = p.comment(i, -1)
			continue
		case c == ';' && depth == 0:
			return i + 1
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			i++
		case c == '\'' || c == '"':
			i = pythonString(text, i, isFString(text, i))
		case strings.IndexByte("([{", c) >= 0:
			depth++
			i++
		case strings.IndexByte(")]}", c) >= 0:
			depth = max(depth-1, 0)
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		default:
			i++
		}
		end, noted = i, len(p.comments)
	}
	p.comments, p.indents = p.comments[:noted], p.indents[:noted]
	return end
}

// startsDefinition tells of words that no expression can hold, so that a line
// which starts with them stands in no bracket.
func startsDefinition(s string) bool {
	s = strings.TrimLeft(s[:min(len(s), 200)], " \t")
	for _, word := range [...]string{"def ", "class ", "async def "} {
		if rest, ok := strings.CutPrefix(s, word); ok && rest != "" && isWordByte(rest[0]) {
			return true
		}
	}
	return false
}

// isFString tells whether the quote at i opens a string with expressions.
func isFString(text string, i int) bool {
	for n := 0; n < 2 && i > 0; n++ {
		i--
		switch text[i] {
		case 'f', 'F', 't', 'T':
			return true
		case 'r', 'R':
		default:
			return false
		}
	}
	return false
}

// pythonString returns the end of the string whose quote stands at i.
func pythonString(text string, i int, expressions bool) int {
	quote := text[i : i+1]
	if strings.HasPrefix(text[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	braces := 0
	for i += len(quote); i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			i += 2
		case braces == 0 && strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case c == '\n' && len(quote) == 1:
			return i
		case expressions && c == '{':
			if braces == 0 && strings.HasPrefix(text[i:], "{{") {
				i++
			} else {
				braces++
			}
			i++
		case braces > 0 && c == '}':
			braces--
			i++
		case braces > 0 && strings.HasPrefix(text[i:], quote):
			if !closesInLine(text[i+len(quote):], quote) {
				return i + len(quote) // the brace was none
			}
			i = pythonString(text, i, false)
		default:
			i++
		}
	}
	return len(text)
}

// closesInLine tells whether a quote that seems to open a string inside an
// expression is closed before a brace or the line ends the expression.
func closesInLine(s, quote string) bool {
	s = s[:min(len(s), 500)]
	s = s[:lineOf(s, 0)]
	end := strings.Index(s, quote)
	return end >= 0 && strings.Contains(s[end:], "}")
}

func pythonWord(s string) string {
	word := leadingWord(s)
	if word == "async" {
		return leadingWord(strings.TrimLeft(s[len(word):], " \t\\\n\r"))
	}
	if word == "" && s != "" {
		return s[:1]
	}
	return word
}

func leadingWord(s string) string {
	i := 0
	for i < len(s) && isWordByte(s[i]) {
		i++
	}
	return s[:i]
}

// isWordByte tells of bytes of names; those outside ASCII count as letters.
func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

const maxNesting = 200

// block returns the symbols of the lines from i on that are indented deeper
// than the head of the block, and the index of the first line that is not.
func (p *pythonFile) block(i, indent, after, depth int, inClass bool) ([]Symbol, int) {
	var symbols []Symbol
	for i < len(p.lines) && p.lines[i].indent > indent && p.made <= maxSymbols {
		first := i
		for i+1 < len(p.lines) && p.lines[i].word == "@" && p.lines[i+1].indent >= p.lines[i].indent {
			i++
		}
		head := p.lines[i]
		sym := Symbol{Kind: Statement, Line: p.line(head.start)}
		next := i + 1
		isBody := next < len(p.lines) && p.lines[next].indent > head.indent
		switch {
		case head.word == "def":
			sym.Kind = Function
			if inClass {
				sym.Kind = Method
			}
			p.name(&sym, head, "def")
			next = p.bodyEnd(next, head.indent)
		case head.word == "class":
			sym.Kind = Class
			p.name(&sym, head, "class")
			if sym.Header = headerOf(p.text[head.start:head.end]); isBody && depth < maxNesting {
				sym.Members, next = p.block(next, head.indent, p.lineEnd(head.end), depth+1, true)
			} else {
				next = p.bodyEnd(next, head.indent)
			}
		case isBody:
			sym.Members, next = p.compound(next, head.indent, p.lineEnd(head.end), depth, inClass)
		case head.word == "import" || head.word == "from":
			sym.Kind = Import
		default:
			if name, ok := assigned(p.text[head.start:head.end], head.word); ok {
				sym.Kind, sym.Name = Var, name
			}
		}
		p.place(&sym, p.lines[first].start, p.trailing(p.lines[next-1].end, head.indent, next), after)
		after = sym.End
		n := len(symbols)
		symbols = joined(symbols, sym)
		p.made += len(symbols) - n
		i = next
	}
	return symbols, i
}

// compound returns the definitions below an if, a try and the like, with the
// clauses that continue it.
func (p *pythonFile) compound(i, indent, after, depth int, inClass bool) ([]Symbol, int) {
	var defined []Symbol
	for {
		var symbols []Symbol
		if depth < maxNesting {
			symbols, i = p.block(i, indent, after, depth+1, inClass)
		} else {
			i = p.bodyEnd(i, indent)
		}
		for _, s := range symbols {
			if s.Kind != Statement || s.Members != nil {
				defined = append(defined, s)
			}
		}
		if i >= len(p.lines) || p.lines[i].indent != indent {
			return defined, i
		}
		switch p.lines[i].word {
		case "else", "elif", "except", "finally":
			after = p.lineEnd(p.lines[i].end)
			i++
		default:
			return defined, i
		}
	}
}

func (p *pythonFile) bodyEnd(i, indent int) int {
	for i < len(p.lines) && p.lines[i].indent > indent {
		i++
	}
	return i
}

// trailing moves the end of a body over the comments that close it.
func (p *pythonFile) trailing(end, indent, next int) int {
	limit := len(p.text)
	if next < len(p.lines) {
		limit = p.lines[next].start
	}
	for i := p.firstComment(end); i < len(p.comments) && p.comments[i].start < limit; i++ {
		c := p.comments[i]
		if in := int(p.indents[i]); in >= 0 && in <= indent {
			break
		}
		end = c.end
	}
	return end
}

func (p *pythonFile) firstComment(offset int) int {
	lo, hi := 0, len(p.comments)
	for lo < hi {
		if mid := (lo + hi) / 2; p.comments[mid].start < offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// name finds the word after a keyword.
func (p *pythonFile) name(sym *Symbol, head logicalLine, keyword string) {
	i := head.start + strings.Index(p.text[head.start:head.end], keyword) + len(keyword)
	for i < head.end && strings.IndexByte(" \t\\\r\n", p.text[i]) >= 0 {
		i++
	}
	sym.Name, sym.Line = leadingWord(p.text[i:head.end]), p.line(i)
}

// assigned returns the name that a statement gives a value.
func assigned(s, word string) (string, bool) {
	if word == "" || !isWordByte(word[0]) {
		return "", false
	}
	rest := strings.TrimLeft(s[len(word):], " \t")
	if strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, ":") && word != "else" && word != "try" && word != "lambda" {
		return word, true
	}
	return "", false
}

package code

import "strings"

// A quote is a form of string.
type quote struct {
	open, close string
	raw         bool   // a backslash is a backslash
	lines       bool   // may go over lines
	doubled     bool   // the closing quote, twice, is one inside
	expression  string // what opens an expression inside, up to its bracket
	prefixed    bool   // expressions only after a prefix, as in s"…"
	name        bool   // it is a name, not a value
}

// string takes a string, a character, a regular expression or JSX, where one
// starts here.
func (l *lexer) string(c byte) bool {
	if l.lang.special != nil && l.lang.special(l, c) {
		return true
	}
	for i := range l.lang.quotes {
		if q := &l.lang.quotes[i]; c == q.open[0] && l.at(q.open) {
			kind := literal
			if q.name {
				kind = word
			}
			start := l.i
			end := l.quoteEnd(q)
			l.i = start
			l.emit(kind, end)
			return true
		}
	}
	return false
}

// quoteEnd returns where the string that starts here ends; one that is not
// closed ends with its line, or the text.
func (l *lexer) quoteEnd(q *quote) int {
	expressions := q.expression != "" && l.depth < maxNesting && (!q.prefixed || l.i > 0 && isWordByte(l.text[l.i-1]))
	for l.i += len(q.open); l.i < len(l.text); {
		c := l.text[l.i]
		switch {
		case expressions && c == q.expression[0] && l.at(q.expression):
			if q.expression == "{" && l.at("{{") {
				l.i += 2
				continue
			}
			l.i += strings.IndexAny(q.expression, "({")
			if !l.expression(q.lines) {
				return l.i
			}
		case c == '\\' && !q.raw:
			l.i = min(l.i+2, len(l.text))
			if l.text[l.i-1] == '\r' && l.byteAt(0) == '\n' {
				l.i++
			}
		case c == q.close[0] && l.at(q.close):
			l.i += len(q.close)
			for q.close == `"""` && l.byteAt(0) == '"' {
				l.i++ // the last three close, those before are text
			}
			if !q.doubled || !l.at(q.close) {
				return l.i
			}
			l.i += len(q.close)
		case c == '\n' && !q.lines:
			return l.i
		default:
			l.i++
		}
	}
	return len(l.text)
}

// expression passes over a bracketed expression inside a string or JSX; it
// fails at the end of the line where the string may not go on, and where JSX
// has used up what may be spent on it.
func (l *lexer) expression(lines bool) bool {
	l.depth++
	kept, noted, depth := len(l.tokens), len(l.comments), 0
	defer func() {
		l.depth--
		l.tokens, l.comments = l.tokens[:kept], l.comments[:noted]
	}()
	for l.i < len(l.text) {
		if !lines && l.text[l.i] == '\n' || l.trials > 0 && l.budget <= 0 {
			return false
		}
		before := len(l.tokens)
		l.next()
		if len(l.tokens) == before {
			continue
		}
		t := l.tokens[len(l.tokens)-1]
		if t.kind != mark {
			continue
		}
		switch l.text[t.start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return true
			}
		}
		l.tokens = append(l.tokens[:kept], t) // one is enough to tell a regular expression
	}
	return true
}

// cppString takes R"delimiter(…)delimiter".
func cppString(l *lexer, c byte) bool {
	if c != 'R' && c != 'u' && c != 'U' && c != 'L' {
		return false
	}
	for _, prefix := range [...]string{`R"`, `u8R"`, `uR"`, `UR"`, `LR"`} {
		if !l.at(prefix) {
			continue
		}
		from := l.i + len(prefix)
		n := strings.IndexByte(l.text[from:min(from+17, len(l.text))], '(')
		if n < 0 {
			return false
		}
		l.emitUntil(from+n, ")"+l.text[from:from+n]+`"`)
		return true
	}
	return false
}

// emitUntil emits a literal that ends with the first close after from, or with
// the text.
func (l *lexer) emitUntil(from int, close string) {
	end := len(l.text)
	if n := strings.Index(l.text[from:], close); n >= 0 {
		end = from + n + len(close)
	}
	l.emit(literal, end)
}

// count returns how often a byte stands from n on, up to 16 times.
func (l *lexer) count(n int, c byte) int {
	times := 0
	for times < 16 && l.byteAt(n+times) == c {
		times++
	}
	return times
}

// rustString takes raw strings, and tells characters from lifetimes.
func rustString(l *lexer, c byte) bool {
	switch c {
	case 'r', 'b', 'c':
		i := l.i + 1
		if c != 'r' && i < len(l.text) && l.text[i] == 'r' {
			i++
		} else if c != 'r' {
			return false
		}
		hashes := l.count(i-l.i, '#')
		if i += hashes; i >= len(l.text) || l.text[i] != '"' {
			return false
		}
		l.emitUntil(i+1, `"`+strings.Repeat("#", hashes))
		return true
	case '\'':
		rest := l.text[l.i+1:]
		if strings.HasPrefix(rest, `\`) {
			end := strings.IndexByte(rest[min(2, len(rest)):min(len(rest), 14)], '\'')
			l.emit(literal, min(l.i+1+2+end+1, len(l.text)))
			return true
		}
		for i, r := range rest {
			if i > 0 {
				if r == '\'' {
					l.emit(literal, l.i+1+i+1)
					return true
				}
				break
			}
		}
		l.emit(mark, l.i+1) // of a lifetime
		return true
	}
	return false
}

// scalaChar tells characters from symbols such as 'name.
func scalaChar(l *lexer, c byte) bool { return c == '\'' && rustString(l, c) }

// swiftString takes #"…"# with any number of hashes.
func swiftString(l *lexer, c byte) bool {
	if c != '#' {
		return false
	}
	hashes := l.count(0, '#')
	if l.byteAt(hashes) != '"' {
		return false
	}
	if strings.HasPrefix(l.text[l.i+hashes:], `"""`) {
		l.emitUntil(l.i+hashes+3, `"""`+strings.Repeat("#", hashes))
		return true
	}
	close, end := `"`+strings.Repeat("#", hashes), l.i+hashes+1
	for ; end < len(l.text) && l.text[end] != '\n'; end++ {
		if strings.HasPrefix(l.text[end:], close) {
			end += len(close)
			break
		}
	}
	l.emit(literal, end)
	return true
}

// csharpString takes the raw strings of C#, which open with three quotes or
// more.
func csharpString(l *lexer, c byte) bool {
	if c != '"' && c != '$' {
		return false
	}
	dollars := l.count(0, '$')
	quotes := l.count(dollars, '"')
	if quotes < 3 {
		return false
	}
	l.emitUntil(l.i+dollars+quotes, strings.Repeat(`"`, quotes))
	return true
}

// heredoc takes PHP's <<<WORD strings.
func heredoc(l *lexer, c byte) bool {
	if c != '<' || !l.at("<<<") {
		return false
	}
	rest := strings.TrimLeft(l.text[l.i+3:], " \t")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "'"), `"`)
	id := leadingWord(rest)
	rest = strings.TrimPrefix(strings.TrimPrefix(rest[len(id):], "'"), `"`)
	if id == "" || !strings.HasPrefix(strings.TrimPrefix(rest, "\r"), "\n") {
		return false
	}
	for i := len(l.text) - len(rest) + strings.IndexByte(rest, '\n') + 1; i < len(l.text); {
		end := lineOf(l.text, i)
		line := strings.TrimLeft(l.text[i:end], " \t")
		if rest, ok := strings.CutPrefix(line, id); ok && (rest == "" || !isWordByte(rest[0])) {
			l.emit(literal, end-len(rest))
			return true
		}
		i = end + 1
	}
	l.emit(literal, len(l.text))
	return true
}

// scriptLiteral takes regular expressions and JSX.
func scriptLiteral(l *lexer, c byte) bool {
	switch {
	case c == '/' && l.budget > 0 && l.expectsValue():
		end := regexEnd(l.text, l.i)
		if end < 0 {
			l.budget -= lineOf(l.text, l.i) - l.i
			return false
		}
		l.emit(literal, end)
		return true
	case c == '<' && l.budget > 0 && l.expectsValue():
		start := l.i
		l.trials++
		end := l.element()
		l.trials--
		reached := l.i
		l.i = start
		if end < 0 {
			l.budget -= reached - start
			return false
		}
		l.emit(literal, end)
		return true
	}
	return false
}

const beforeValue = "return typeof instanceof in of new delete void throw case do else yield await default"

// expectsValue tells whether the tokens so far leave room for a value, so that
// a slash divides nothing and "<" compares nothing.
func (l *lexer) expectsValue() bool {
	if len(l.tokens) == 0 {
		return true
	}
	t := l.tokens[len(l.tokens)-1]
	switch t.kind {
	case word:
		return hasWord(beforeValue, l.text[t.start:t.end])
	case mark:
		switch l.text[t.start] {
		case ')', ']':
			return false
		case '}':
			return strings.IndexByte(l.text[t.end:l.i], '\n') >= 0
		}
		return true
	}
	return false
}

// regexEnd returns the end of the regular expression at i, -1 where its line
// does not close it.
func regexEnd(text string, i int) int {
	class := false
	for i++; i < len(text) && text[i] != '\n'; i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] != '\n':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(text) && isWordByte(text[i]); i++ {
			}
			return i
		}
	}
	return -1
}

// element returns the end of the JSX element that starts here, -1 where it is
// none. It leaves l.i where it came to.
func (l *lexer) element() int {
	if l.depth > maxNesting {
		return -1
	}
	l.depth++
	defer func() { l.depth-- }()
	l.i++
	name := l.tagName()
	if name == "" && l.byteAt(0) != '>' {
		return -1
	}
	for {
		l.blanks()
		switch c := l.byteAt(0); {
		case l.at("/>"):
			l.i += 2
			return l.i
		case c == '>':
			l.i++
			return l.children(name)
		case c == '{':
			if !l.expression(true) {
				return -1
			}
		case l.at("/*"):
			l.i = blockCommentEnd(l.text, l.i, false)
		case l.at("//"):
			l.i = lineOf(l.text, l.i)
		default:
			if !l.attribute() {
				return -1
			}
		}
	}
}

func (l *lexer) attribute() bool {
	if l.tagName() == "" {
		return false
	}
	l.blanks()
	if l.byteAt(0) != '=' {
		return true
	}
	l.i++
	l.blanks()
	switch c := l.byteAt(0); c {
	case '"', '\'':
		end := strings.IndexByte(l.text[l.i+1:], c)
		if end < 0 {
			return false
		}
		l.i += end + 2
		return true
	case '{':
		return l.expression(true)
	case '<':
		return l.element() >= 0
	}
	return false
}

func (l *lexer) children(name string) int {
	for l.i < len(l.text) {
		switch c := l.text[l.i]; {
		case l.at("</"):
			l.i += 2
			l.blanks()
			if l.tagName() != name {
				return -1
			}
			l.blanks()
			if l.byteAt(0) != '>' {
				return -1
			}
			l.i++
			return l.i
		case c == '<':
			if l.element() < 0 {
				return -1
			}
		case c == '{':
			if !l.expression(true) {
				return -1
			}
		default:
			l.i++
		}
	}
	return -1
}

func (l *lexer) tagName() string {
	start := l.i
	for l.i < len(l.text) && (isWordByte(l.text[l.i]) || strings.IndexByte("$.:-", l.text[l.i]) >= 0) {
		l.i++
	}
	return l.text[start:l.i]
}

func (l *lexer) blanks() {
	for l.i < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.i]) >= 0 {
		l.i++
	}
}

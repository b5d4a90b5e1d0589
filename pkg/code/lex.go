package code

import (
	"strings"
)

// A lexeme is a token of a language with braces. Comments are kept apart.
type lexeme struct {
	start, end int32
	match      int32 // of a bracket: the index of its partner, -1 where it has none
	kind       tokenKind
	newline    bool // it is the first of its line
}

type tokenKind uint8

const (
	word tokenKind = iota
	number
	literal   // a string, a character, a regular expression, JSX
	mark      // one byte of punctuation
	directive // a preprocessor line with its continuations
	markup    // text outside the code: HTML around PHP
)

// A lexer divides a text into tokens.
type lexer struct {
	source
	lang   *language
	i      int
	tokens []lexeme
	depth  int // of expressions inside strings, and of elements of JSX
	trials int // elements of JSX that may still turn out to be none
	budget int // bytes that may still be spent on JSX and regular expressions that were none
}

// lex divides a text into tokens; ok is false where there are too many.
func lex(lang *language, text string) (l *lexer, ok bool) {
	l = &lexer{source: newSource(text), lang: lang, budget: 4*len(text) + 1<<16}
	l.tokens = make([]lexeme, 0, min(len(text)/6+16, maxTokens))
	if strings.HasPrefix(text, "\ufeff") {
		l.i = 3
	}
	if lang.hashbang && strings.HasPrefix(text[l.i:], "#!") {
		l.skipComment(lineOf(text, l.i))
	}
	if lang.markup {
		l.markup()
	}
	for l.i < len(text) {
		if l.next(); len(l.tokens) > maxTokens || len(l.comments) > maxNotes {
			return nil, false
		}
	}
	l.pair()
	return l, true
}

func (l *lexer) at(prefix string) bool { return strings.HasPrefix(l.text[l.i:], prefix) }

// byteAt returns the byte n after the current one, 0 past the end.
func (l *lexer) byteAt(n int) byte {
	if l.i+n < len(l.text) {
		return l.text[l.i+n]
	}
	return 0
}

func (l *lexer) emit(kind tokenKind, end int) {
	start := l.i
	newline := len(l.tokens) == 0 || l.depth == 0 && strings.IndexByte(l.text[l.tokens[len(l.tokens)-1].end:start], '\n') >= 0
	l.tokens = append(l.tokens, lexeme{start: int32(start), end: int32(end), match: -1, kind: kind, newline: newline})
	l.i = end
}

func (l *lexer) skipComment(end int) {
	l.comments = append(l.comments, span{l.i, end})
	l.i = end
}

// next takes one token, comment or blank from the text.
func (l *lexer) next() {
	c := l.text[l.i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v':
		l.i++
	case c == '/' && l.byteAt(1) == '/' && !l.lang.noSlashes:
		l.skipComment(l.lineCommentEnd())
	case c == '/' && l.byteAt(1) == '*':
		l.skipComment(blockCommentEnd(l.text, l.i, l.lang.nestedComments))
	case c == '#' && l.isDirective():
		l.directive()
	case c == '#' && l.lang.hashComments && l.byteAt(1) != '[':
		l.skipComment(l.lineCommentEnd())
	case c == '?' && l.lang.markup && l.at("?>"):
		l.emit(mark, l.i+2)
		l.markup()
	case l.string(c):
	case isWordByte(c) || c == '$' || c == '@' && l.lang.atWords:
		l.word()
	default:
		l.emit(mark, l.i+1)
	}
}

// word takes a name or a number.
func (l *lexer) word() {
	kind, i := word, l.i+1
	if c := l.text[l.i]; '0' <= c && c <= '9' {
		kind = number
	}
	for i < len(l.text) && (isWordByte(l.text[i]) || l.text[i] == '$' ||
		kind == number && (l.text[i] == '.' && i+1 < len(l.text) && '0' <= l.text[i+1] && l.text[i+1] <= '9' ||
			l.text[i] == '\'' && l.lang.digitQuotes && i+1 < len(l.text) && isWordByte(l.text[i+1]))) {
		i++
	}
	l.emit(kind, i)
}

// lineCommentEnd returns the end of a comment that ends with its line; in PHP
// also with the code, in C it goes on after a backslash.
func (l *lexer) lineCommentEnd() int {
	if l.lang.markup {
		return l.untilClosingTag()
	}
	end := lineOf(l.text, l.i)
	for l.lang.preprocessor && end > l.i && strings.HasSuffix(strings.TrimSuffix(l.text[l.i:end], "\r"), `\`) && end < len(l.text) {
		end = lineOf(l.text, end+1)
	}
	return end
}

// untilClosingTag returns the end of the line, or of the PHP in it.
func (l *lexer) untilClosingTag() int {
	for i := l.i; i < len(l.text); i++ {
		if c := l.text[i]; c == '\n' || c == '?' && strings.HasPrefix(l.text[i:], "?>") {
			return i
		}
	}
	return len(l.text)
}

func blockCommentEnd(text string, i int, nested bool) int {
	depth := 0
	for i < len(text) {
		next := strings.IndexAny(text[i:], "/*")
		if next < 0 {
			return len(text)
		}
		i += next
		switch {
		case strings.HasPrefix(text[i:], "*/") && depth > 0:
			i += 2
			if depth--; depth == 0 {
				return i
			}
		case strings.HasPrefix(text[i:], "/*") && (depth == 0 || nested):
			depth++
			i += 2
		default:
			i++
		}
	}
	return len(text)
}

func (l *lexer) startsLine() bool {
	for i := l.i - 1; i >= 0; i-- {
		switch l.text[i] {
		case ' ', '\t':
		case '\n':
			return true
		default:
			return i == 2 && strings.HasPrefix(l.text, "\ufeff") || l.endsComment(i+1)
		}
	}
	return true
}

func (l *lexer) endsComment(offset int) bool {
	n := len(l.comments)
	return n > 0 && l.comments[n-1].end == offset && strings.HasSuffix(l.text[:offset], "*/")
}

// isDirective tells whether the "#" here opens a preprocessor line.
func (l *lexer) isDirective() bool {
	switch {
	case !l.lang.preprocessor || !l.startsLine():
		return false
	case l.lang.directives == "":
		return true
	}
	name, _ := directiveName(l.text[l.i:min(l.i+64, len(l.text))])
	return name != "" && hasWord(l.lang.directives, name)
}

// hasWord tells whether a list of words, blanks between, holds one.
func hasWord(list, w string) bool {
	if w == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], w)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(w)
		if (i == 0 || list[i-1] == ' ') && (from == len(list) || list[from] == ' ') {
			return true
		}
	}
}

// directive takes a preprocessor line.
func (l *lexer) directive() {
	i, end := l.i, -1
	for {
		if end < i {
			end = lineOf(l.text, i)
		}
		line := l.text[i:end]
		if at := strings.Index(line, "/*"); at >= 0 && !strings.Contains(line[:at], `"`) && !strings.Contains(line[:at], "//") {
			i = blockCommentEnd(l.text, i+at, false)
			if i < end {
				continue
			}
			if i < len(l.text) && !strings.HasPrefix(l.text[i:], "\n") {
				continue
			}
			end = i
			line = l.text[:end]
		}
		if end == len(l.text) || !strings.HasSuffix(strings.TrimSuffix(line, "\r"), `\`) {
			i = end
			break
		}
		i = end + 1
	}
	text := l.text[l.i:i]
	l.emit(directive, i)
	if name, condition := directiveName(text); name == "if" && leadingWord(condition) == "0" {
		l.skipDead()
	}
}

// directiveName returns the name of a directive and what follows.
func directiveName(s string) (name, rest string) {
	s = strings.TrimLeft(s[1:], " \t")
	name = leadingWord(s)
	return name, strings.TrimLeft(s[len(name):], " \t")
}

// skipDead passes over what "#if 0" takes out, as over a comment.
func (l *lexer) skipDead() {
	depth, start := 0, l.i
	for l.i < len(l.text) {
		begin := l.i
		if line := strings.TrimLeft(l.text[l.i:lineOf(l.text, l.i)], " \t"); strings.HasPrefix(line, "#") {
			switch name, _ := directiveName(line); name {
			case "if", "ifdef", "ifndef":
				depth++
			case "else", "elif":
				if depth == 0 {
					l.dead(start, begin)
					return
				}
			case "endif":
				if depth--; depth < 0 {
					l.dead(start, begin)
					return
				}
			}
		}
		l.i = min(lineOf(l.text, l.i)+1, len(l.text))
	}
	l.dead(start, l.i)
}

func (l *lexer) dead(start, end int) {
	if start < end {
		l.comments = append(l.comments, span{start, end})
	}
	l.i = end
}

// markup takes the text up to the next piece of PHP.
func (l *lexer) markup() {
	end := len(l.text)
	for i := l.i; ; {
		at := strings.Index(l.text[i:], "<?")
		if at < 0 {
			break
		}
		i += at + 2
		if rest := l.text[i:]; strings.HasPrefix(rest, "=") || strings.HasPrefix(strings.ToLower(rest[:min(3, len(rest))]), "php") {
			end = i + 3
			if rest[0] == '=' {
				end = i + 1
			}
			break
		}
	}
	l.emit(markup, min(end, len(l.text)))
}

// pair finds the partners of brackets. Where a preprocessor offers
// alternatives, each of them starts at the depth of the first, and what
// follows goes on from the end of the first.
func (l *lexer) pair() {
	type choice struct {
		top, first int32
		others     bool
	}
	var choices []choice
	top := int32(-1)
	below := make([]int32, len(l.tokens)) // of an open bracket: the one around it
	for i := range l.tokens {
		t := &l.tokens[i]
		if t.kind == directive {
			switch name, _ := directiveName(l.text[t.start:t.end]); name {
			case "if", "ifdef", "ifndef":
				choices = append(choices, choice{top: top})
			case "else", "elif", "elifdef", "elseif":
				if n := len(choices); n > 0 {
					if !choices[n-1].others {
						choices[n-1].first, choices[n-1].others = top, true
					}
					top = choices[n-1].top
				}
			case "endif":
				if n := len(choices); n > 0 {
					if choices[n-1].others {
						top = choices[n-1].first
					}
					choices = choices[:n-1]
				}
			}
			continue
		}
		if t.kind != mark {
			continue
		}
		switch c := l.text[t.start]; c {
		case '(', '[', '{':
			below[i] = top
			top = int32(i)
		case ')', ']', '}':
			top = l.close(int32(i), top, below, c)
		}
	}
}

// close pairs the closing bracket i and returns what is open after it. A
// brace closes what was left open inside it; other brackets close only their
// own kind, within the innermost braces.
func (l *lexer) close(i, top int32, below []int32, c byte) int32 {
	opener := "([{"[strings.IndexByte(")]}", c)]
	at, steps := top, 0
	for at >= 0 && l.text[l.tokens[at].start] != opener {
		if steps++; c != '}' && l.text[l.tokens[at].start] == '{' || steps > 64 {
			return top
		}
		at = below[at]
	}
	if at < 0 {
		return top
	}
	l.tokens[at].match, l.tokens[i].match = i, at
	return below[at]
}

package code

import "strings"

// A wordLanguage is what the scanner of languages with closing words must
// know of one.
type wordLanguage struct {
	opening string // words that a closing word ends, wherever they stand
	leading string // the same, but only at the start of a statement
	closing string
	loops   string // words after which, up to the end of the line, "do" opens nothing of its own
	defines map[string]string
	imports string
	special func(w *wordScanner) bool // comments and strings
}

// A wordScanner divides a text into statements that end with a line, outside
// brackets and outside what opening words open.
type wordScanner struct {
	source
	lang *wordLanguage
	i    int
	docs []hereDoc // that start with the next line

	plain int // up to here no slash opens a regular expression
}

type hereDoc struct {
	id     string
	indent bool
}

func (lang *wordLanguage) parse(text string) []Symbol {
	w := &wordScanner{source: newSource(text), lang: lang}
	var symbols []Symbol
	after := 0
	for {
		start, end := w.statement()
		if start == end {
			return symbols
		}
		sym := w.define(start, end)
		w.place(&sym, start, end, after)
		after = sym.End
		if symbols = joined(symbols, sym); len(symbols) > maxSymbols || len(w.comments) > maxNotes {
			return nil
		}
	}
}

// statement returns the next statement; an empty one at the end of the text.
func (w *wordScanner) statement() (start, end int) {
	start, depth := -1, 0
	var open [3]int // brackets, of each kind
	leads, loop := true, false
	for w.i < len(w.text) && len(w.comments) <= maxNotes {
		c, at := w.text[w.i], w.i
		switch {
		case c == '\n':
			w.i++
			w.hereDocs()
			if leads, loop = true, false; start >= 0 && depth <= 0 && open == [3]int{} && !w.continues(end) {
				return start, end
			}
			continue
		case c == ' ' || c == '\t' || c == '\r':
			w.i++
			continue
		case c == '\\' && w.i+1 < len(w.text):
			w.i += 2
			if w.text[w.i-1] == '\r' && w.i < len(w.text) && w.text[w.i] == '\n' {
				w.i++
			}
		case w.lang.special(w):
			if n := len(w.comments); n > 0 && w.comments[n-1].start == at {
				continue
			}
			leads = false
		case isWordByte(c):
			text := leadingWord(w.text[w.i:])
			w.i += len(text)
			if w.isName(at) {
				leads = false
				break
			}
			switch {
			case loop && text == "do":
				loop = false
			case hasWord(w.lang.opening, text) || leads && hasWord(w.lang.leading, text):
				depth++
				loop = loop || hasWord(w.lang.loops, text)
			case hasWord(w.lang.closing, text):
				depth--
			}
			leads = hasWord("then do else elif ensure begin", text)
		default:
			if kind := strings.IndexByte("([{", c); kind >= 0 {
				open[kind]++
			} else if kind := strings.IndexByte(")]}", c); kind >= 0 {
				open[kind] = max(open[kind]-1, 0) // a case of the shell closes what none opened
			}
			leads = strings.IndexByte(";(|&=", c) >= 0 && !(c == '=' && w.lang == lua)
			w.i++
		}
		if start < 0 {
			start = at
		}
		end = w.i
	}
	return max(start, 0), max(end, 0)
}

// continues tells whether the statement so far, which ends a line, goes on in
// the next: after a comma or an operator, or before a method that is called.
func (w *wordScanner) continues(end int) bool {
	if c := w.text[end-1]; c == ',' || c == '|' || strings.HasSuffix(w.text[:end], "&&") {
		return true
	}
	rest := strings.TrimLeft(w.text[w.i:min(len(w.text), w.i+200)], " \t")
	return w.lang == ruby && strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "..")
}

// isName tells whether the word at an offset is a name although it is spelled
// as a keyword: x.end, :end, end:, $end.
func (w *wordScanner) isName(at int) bool {
	if w.i < len(w.text) && w.text[w.i] == ':' && !strings.HasPrefix(w.text[w.i:], "::") && w.lang == ruby {
		return true
	}
	return at > 0 && strings.IndexByte(".:$@-", w.text[at-1]) >= 0 && !strings.HasSuffix(w.text[:at], "..")
}

// hereDocs passes over the documents that the line before announced.
func (w *wordScanner) hereDocs() {
	for _, doc := range w.docs {
		for w.i < len(w.text) {
			end := lineOf(w.text, w.i)
			line := strings.TrimSuffix(w.text[w.i:end], "\r")
			if doc.indent {
				line = strings.TrimLeft(line, " \t")
			}
			w.i = min(end+1, len(w.text))
			if line == doc.id {
				break
			}
		}
	}
	w.docs = nil
}

// announces notes a here-document whose operator stands at w.i.
func (w *wordScanner) announces() bool {
	rest := w.text[w.i+2 : min(w.i+130, len(w.text))]
	rest = rest[:lineOf(rest, 0)]
	trimmed := strings.TrimLeft(rest, "-~")
	id := strings.TrimLeft(trimmed, "'\"`\\ ")
	id = leadingWord(id)
	if id == "" || w.lang == ruby && (trimmed == rest && id[0] >= 'a' || trimmed[0] == ' ') || len(w.docs) > 16 {
		return false
	}
	w.docs = append(w.docs, hereDoc{id, trimmed != rest})
	w.i += 2 + strings.Index(rest, id) + len(id)
	return true
}

// define says what a statement defines, by its first words.
func (w *wordScanner) define(start, end int) Symbol {
	sym := Symbol{Kind: Statement, Line: w.line(start)}
	rest := w.text[start:min(end, start+300)]
	first := leadingWord(rest)
	if hasWord(w.lang.imports, first) {
		sym.Kind = Import
	}
	if first == "local" {
		rest = strings.TrimLeft(rest[len(first):], " \t")
		first = leadingWord(rest)
	}
	kind := w.lang.defines[first]
	if kind == "" {
		if w.lang == shell && strings.HasPrefix(strings.TrimLeft(rest[len(first):], " "), "()") && first != "" {
			sym.Kind, sym.Name = Function, first
		}
		return sym
	}
	rest = strings.TrimLeft(rest[len(first):], " \t")
	n := 0
	for n < len(rest) && (isWordByte(rest[n]) || strings.IndexByte(".:?!-", rest[n]) >= 0) {
		n++
	}
	if n > 0 {
		sym.Kind, sym.Name = kind, rest[:n]
	}
	return sym
}

var ruby, lua, shell *wordLanguage

func init() { // they refer to functions that refer to them
	ruby = &wordLanguage{
		opening: "def class module begin case do", leading: "if unless while until for", closing: "end", loops: "while until for",
		defines: map[string]string{"def": Method, "class": Class, "module": Module}, imports: "require require_relative", special: rubySpecial,
	}
	lua = &wordLanguage{
		opening: "function if do repeat while for", closing: "end until", loops: "while for",
		defines: map[string]string{"function": Function}, special: luaSpecial,
	}
	shell = &wordLanguage{
		leading: "if case for while until select", closing: "fi esac done",
		defines: map[string]string{"function": Function}, imports: "source", special: shellSpecial,
	}
}

func (w *wordScanner) at(prefix string) bool { return strings.HasPrefix(w.text[w.i:], prefix) }

func (w *wordScanner) skipComment(end int) bool {
	w.comments = append(w.comments, span{w.i, end})
	w.i = end
	return true
}

// quoted passes over a string that a quote opens at w.i.
func (w *wordScanner) quoted(escapes bool) bool {
	quote := w.text[w.i]
	for w.i++; w.i < len(w.text); w.i++ {
		switch c := w.text[w.i]; {
		case c == '\\' && escapes:
			w.i++
		case c == quote:
			w.i++
			return true
		}
	}
	w.i = len(w.text)
	return true
}

// until passes to the end of the next close.
func (w *wordScanner) until(from int, close string) int {
	if n := strings.Index(w.text[min(from, len(w.text)):], close); n >= 0 {
		return from + n + len(close)
	}
	return len(w.text)
}

func rubySpecial(w *wordScanner) bool {
	switch c := w.text[w.i]; {
	case c == '#':
		return w.skipComment(lineOf(w.text, w.i))
	case w.at("=begin") && w.startsLine():
		return w.skipComment(w.until(w.i, "\n=end"))
	case w.at("__END__") && w.startsLine():
		return w.skipComment(len(w.text))
	case c == '"' || c == '\'' || c == '`':
		return w.quoted(true)
	case w.at("<<"):
		return w.announces()
	case c == '/' && w.i >= w.plain && w.startsValue():
		if end := regexEnd(w.text, w.i); end > 0 {
			w.i = end
			return true
		}
		w.plain = lineOf(w.text, w.i)
	case c == '%' && w.startsValue():
		return w.percent()
	case c == '?' && w.startsValue() && w.i+2 < len(w.text) && !isWordByte(w.text[w.i+2]):
		w.i += 2
		return true
	}
	return false
}

// percent passes over %w[…] and the like.
func (w *wordScanner) percent() bool {
	i := w.i + 1
	if i < len(w.text) && strings.IndexByte("wWiIqQrxs", w.text[i]) >= 0 {
		i++
	}
	if i >= len(w.text) || isWordByte(w.text[i]) || strings.IndexByte(" \t\r\n=", w.text[i]) >= 0 {
		return false
	}
	open, close, depth := w.text[i], w.text[i], 0
	if n := strings.IndexByte("([{<", open); n >= 0 {
		close = ")]}>"[n]
	}
	for ; i < len(w.text); i++ {
		switch c := w.text[i]; {
		case c == '\\':
			i++
		case c == close && depth > 0 && (open == close || depth == 1):
			w.i = i + 1
			return true
		case c == close:
			depth--
			if open == close {
				depth = 1
			}
		case c == open:
			depth++
		}
	}
	w.i = len(w.text)
	return true
}

func (w *wordScanner) startsLine() bool { return w.i == 0 || w.text[w.i-1] == '\n' }

// startsValue tells whether what stands here begins a value rather than going
// on with one.
func (w *wordScanner) startsValue() bool {
	i := w.i
	for i > 0 && (w.text[i-1] == ' ' || w.text[i-1] == '\t') {
		i--
	}
	if i == 0 {
		return true
	}
	c := w.text[i-1]
	if isWordByte(c) { // puts /x/ but a / b
		return i < w.i && w.i+1 < len(w.text) && w.text[w.i+1] != ' ' && w.text[w.i+1] != '='
	}
	return strings.IndexByte(")]}\"'`?!", c) < 0
}

func luaSpecial(w *wordScanner) bool {
	switch {
	case w.at("--"):
		if end := w.longBracket(w.i + 2); end > 0 {
			return w.skipComment(end)
		}
		return w.skipComment(lineOf(w.text, w.i))
	case w.text[w.i] == '[':
		if end := w.longBracket(w.i); end > 0 {
			w.i = end
			return true
		}
	case w.text[w.i] == '"' || w.text[w.i] == '\'':
		return w.quoted(true)
	}
	return false
}

// longBracket returns the end of [==[ … ]==] at i, 0 where none starts.
func (w *wordScanner) longBracket(i int) int {
	level := 0
	if i >= len(w.text) || w.text[i] != '[' {
		return 0
	}
	for i+1+level < len(w.text) && w.text[i+1+level] == '=' && level < 64 {
		level++
	}
	if i+1+level >= len(w.text) || w.text[i+1+level] != '[' {
		return 0
	}
	return w.until(i+2+level, "]"+strings.Repeat("=", level)+"]")
}

func shellSpecial(w *wordScanner) bool {
	switch c := w.text[w.i]; {
	case c == '#' && (w.i == 0 || strings.IndexByte(" \t\n;(", w.text[w.i-1]) >= 0):
		return w.skipComment(lineOf(w.text, w.i))
	case c == '\'':
		return w.quoted(w.i > 0 && w.text[w.i-1] == '$')
	case c == '"':
		return w.quoted(true)
	case w.at("<<<"):
		w.i += 3
		return true
	case w.at("<<") && !w.at("<<="):
		return w.announces()
	}
	return false
}

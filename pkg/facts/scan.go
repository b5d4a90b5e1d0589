package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a word, one ideograph, or a mark that ends a clause or a value.
type token struct {
	start, end int // bytes in the text
	id         int32
	kind       tokenKind
	quoted     bool // inside quotation marks
	upper      bool // starts with a capital letter
	digit      bool // starts with a digit
	camel      bool // a capital letter after a small one, a digit among letters, or an underscore
}

type tokenKind byte

const (
	word     tokenKind = iota
	han                // one ideograph
	comma              // , 、 : ( ) – and other marks inside a sentence
	joint              // & + / between names
	quote              // an opening or closing quotation mark
	parted             // what no value spans: | ; and unknown marks
	question           // ends the sentence, as do the next two
	stop
	lineEnd
)

// isWord tells whether a pattern or a value can hold the token.
func (t token) isWord() bool { return t.kind == word || t.kind == han }

// maxSentence is how many tokens of a sentence are read: nobody states a fact
// in a longer one, and it bounds the work on hostile input.
const maxSentence = 300

// A scanner cuts a text into sentences of tokens. It skips fenced code, quoted
// lines and dialogue.
type scanner struct {
	rules     *Rules
	text      string
	pos       int
	lineStart bool // pos is at the start of a line
	closer    rune // of the quotation that is open, 0 outside

	// The sentence read last.
	tokens     []token
	asked      bool // ends in a question mark
	leadsLine  int  // where its line begins, -1 if it does not begin one
	paragraphs int  // number of paragraph breaks so far
	buf        [64]byte
}

// next reads a sentence into s.tokens; false at the end of the text.
func (s *scanner) next() bool {
	s.tokens = s.tokens[:0]
	s.asked = false
	s.leadsLine = -1
	for s.pos < len(s.text) {
		if s.lineStart {
			s.lineStart = false
			if len(s.tokens) == 0 {
				s.leadsLine = s.pos
			}
			s.skipLines()
			if s.leadsLine >= 0 {
				s.leadsLine = s.pos
			}
			s.skipListMark()
			continue
		}
		if s.token() {
			if len(s.tokens) > 0 {
				return true
			}
			s.asked = false
		}
	}
	return len(s.tokens) > 0
}

// skipLines skips the lines that quote: fenced code and > lines.
func (s *scanner) skipLines() {
	for s.pos < len(s.text) {
		line := lineAt(s.text[s.pos:])
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(trimmed, ">") || isDialogue(trimmed):
			s.pos += len(line)
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			s.pos += len(line) + fenceLength(s.text[s.pos+len(line):], trimmed[:3])
		default:
			return
		}
	}
}

// isDialogue tells of a line in which somebody speaks, as novels set it: —Yes.
func isDialogue(line string) bool {
	said, ok := strings.CutPrefix(line, "—")
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(said, "¿¡"))
	return ok && unicode.IsLetter(r)
}

// fenceLength is the length of the fenced code up to and with its last line.
func fenceLength(text, fence string) int {
	n := 0
	for line := range strings.Lines(text) {
		n += len(line)
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), fence) {
			break
		}
	}
	return n
}

func lineAt(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}

// skipListMark skips what sets off a list item or heading.
func (s *scanner) skipListMark() {
	s.pos += listMark(s.text[s.pos:])
}

func listMark(line string) int {
	rest := strings.TrimLeft(line, " \t")
	marks := strings.TrimLeft(rest, "#*-+•–—")
	if len(marks) == len(rest) {
		marks = strings.TrimLeft(rest, "0123456789")
		if n := len(rest) - len(marks); n == 0 || n > 2 || !strings.HasPrefix(marks, ". ") && !strings.HasPrefix(marks, ") ") {
			return len(line) - len(rest)
		}
		marks = marks[1:]
	}
	if !strings.HasPrefix(marks, " ") && !strings.HasPrefix(rest, "**") {
		return len(line) - len(rest)
	}
	return len(line) - len(strings.TrimLeft(marks, " \t"))
}

// token reads one token; true where it ends the sentence.
func (s *scanner) token() bool {
	c := s.text[s.pos]
	if c < utf8.RuneSelf {
		switch {
		case c == '\n':
			return s.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '*' || c == '_' || c == '[' || c == '~' || c == '#':
			s.pos++
			return false
		case isASCIIWord(c) || c == '.' && s.pos+1 < len(s.text) && isASCIIWord(s.text[s.pos+1]) && !s.afterWord():
			s.word()
			return false
		}
	}
	r, w := utf8.DecodeRuneInString(s.text[s.pos:])
	switch {
	case isHan(r):
		s.add(token{start: s.pos, end: s.pos + w, id: s.rules.vocabulary[s.text[s.pos:s.pos+w]], kind: han})
		s.pos += w
		return false
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		s.word()
		return false
	case unicode.IsSpace(r) || r == '\ufeff' || isMark(r):
		s.pos += w
		return false
	}
	return s.mark(r, w)
}

func isHan(r rune) bool { return r >= 0x2e80 && unicode.Is(unicode.Han, r) }

// isMark tells of the marks that stand on a letter.
func isMark(r rune) bool { return r >= 0x300 && unicode.Is(unicode.Mn, r) }

func isASCIIWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (s *scanner) afterWord() bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:s.pos])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (s *scanner) add(t token) {
	if len(s.tokens) < maxSentence {
		t.quoted = s.closer != 0
		s.tokens = append(s.tokens, t)
	}
}

// mark reads a punctuation mark.
func (s *scanner) mark(r rune, w int) bool {
	at := s.pos
	s.pos += w
	kind := parted
	switch r {
	case '.', '!', '。', '！', '…', '؟', '।':
		return s.endSentence(stop, at)
	case '?', '？':
		s.asked = true
		return s.endSentence(question, at)
	case ';', '；', '|', '¿', '¡':
		if r == '¡' && len(s.tokens) == 0 {
			return false
		}
		return s.endSentence(parted, at)
	case '\'', '’', '‘', '"', '“', '”', '„', '«', '»', '「', '」', '『', '』', '`':
		s.quoteMark(r, at)
		return false
	case ',', '，', '、', ':', '：', '(', ')', '（', '）', '–', '—', '-':
		kind = comma
	case '&', '+', '/':
		kind = joint
	}
	s.add(token{start: at, end: s.pos, kind: kind})
	return false
}

// endSentence adds the mark that ends the sentence.
func (s *scanner) endSentence(kind tokenKind, at int) bool {
	if len(s.tokens) > 0 {
		s.add(token{start: at, end: s.pos, kind: kind})
	}
	return true
}

// closers maps an opening quotation mark to what closes it.
var closers = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」', '『': '』', '‘': '’', '\'': '\'', '`': '`'}

// quoteMark opens or closes a quotation. Apostrophes and inch marks are none.
func (s *scanner) quoteMark(r rune, at int) {
	before, _ := utf8.DecodeLastRuneInString(s.text[:at])
	after, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	inWord := unicode.IsLetter(before) || unicode.IsDigit(before)
	switch {
	case s.closer == r || s.closer != 0 && (r == '”' || r == '»') && s.closer != '’':
		s.closer = 0
	case s.closer != 0 || closers[r] == 0 || len(s.tokens) >= maxSentence:
		return
	case (r == '\'' || r == '‘' || r == '"') && (inWord || !unicode.IsLetter(after) && !unicode.IsDigit(after)):
		if r != '"' || unicode.IsDigit(before) || unicode.IsSpace(after) {
			return
		}
		s.closer = r
	case !strings.ContainsRune(paragraphAt(s.text[s.pos:]), closers[r]):
		return // never closed: no quotation
	default:
		s.closer = closers[r]
	}
	opened := s.closer
	s.closer = 0
	s.add(token{start: at, end: s.pos, kind: quote})
	s.closer = opened
}

// paragraphAt is the start of s up to a blank line, at most 2000 bytes.
func paragraphAt(s string) string {
	s = s[:min(len(s), 2000)]
	if i := strings.Index(s, "\n\n"); i >= 0 {
		return s[:i]
	}
	return s
}

// newline reads line breaks. A line that was wrapped goes on in the next one;
// otherwise the line ends the sentence.
func (s *scanner) newline() bool {
	at := s.pos
	s.pos++
	rest := s.text[s.pos:]
	blank := strings.TrimLeft(rest, " \t\r")
	if blank == "" || blank[0] == '\n' {
		s.closer = 0
		s.paragraphs++
	} else if len(s.tokens) > 0 && s.wrapped(at, blank) {
		return false
	}
	s.lineStart = true
	return s.endSentence(lineEnd, at)
}

// wrapped tells whether the line that ends at a byte goes on in next.
func (s *scanner) wrapped(at int, next string) bool {
	last := s.tokens[len(s.tokens)-1]
	r, w := utf8.DecodeRuneInString(next)
	switch {
	case strings.ContainsRune("#>|-*+•[`~", r), unicode.IsDigit(r), !unicode.IsLetter(r):
		return false
	case unicode.IsLower(r):
		return !isLabel(next)
	case !last.isWord() || isHan(r):
		return false
	}
	line := at - (strings.LastIndexByte(s.text[max(0, at-200):at], '\n') + 1 + max(0, at-200))
	return w > 0 && line >= 60 && !isLabel(next)
}

// isLabel tells whether a line starts as "Diagnosis: …" does.
func isLabel(line string) bool {
	head := lineAt(line[:min(len(line), 40)])
	i := strings.IndexAny(head, ":：")
	return i > 0 && len(strings.Fields(head[:i])) <= 3
}

// word reads a word in an alphabetic script, with the dots, hyphens and
// apostrophes inside it, and takes contractions apart: I'm is I and am.
func (s *scanner) word() {
	start := s.pos
	t := token{start: start, kind: word}
	lower := s.buf[:0]
	lastSmall := false
	dots := 0
	for s.pos < len(s.text) {
		r, w := rune(s.text[s.pos]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRuneInString(s.text[s.pos:])
		}
		switch {
		case isHan(r):
			goto done
		case unicode.IsLetter(r) || unicode.IsDigit(r) || isMark(r):
			up := unicode.IsUpper(r)
			if s.pos == start {
				t.upper, t.digit = up, unicode.IsDigit(r)
			}
			t.camel = t.camel || up && (lastSmall || t.digit) || unicode.IsDigit(r) && !t.digit && s.pos > start
			lastSmall = unicode.IsLower(r)
		case (r == '.' || r == '-' || r == '\'' || r == '’' || r == '_' || r == '@' || r == '·') && s.goesOnAfter(w):
			if r == '\'' || r == '’' {
				if n := contraction(s.text[s.pos+w:]); n > 0 && !isApostropheName(s.text[start:s.pos]) {
					s.finish(t, lower)
					s.contracted(w, n)
					return
				}
			}
			if r == '.' {
				dots++
			}
			t.camel = t.camel || r == '_' || r == '@'
			lastSmall = false
		case (r == '+' || r == '#') && s.pos > start && s.endsName(w):
		default:
			goto done
		}
		if len(lower)+4 <= len(s.buf) {
			if r == '’' {
				r = '\''
			}
			lower = utf8.AppendRune(lower, unicode.ToLower(r))
		} else {
			lower = s.buf[:0]
			t.camel = true // longer than any word
		}
		s.pos += w
	}
done:
	if s.pos < len(s.text) && s.text[s.pos] == '.' && s.isAbbreviation(lower, dots, t.upper) {
		s.pos++
	}
	s.finish(t, lower)
}

func (s *scanner) finish(t token, lower []byte) {
	t.end = s.pos
	if n := len(lower); n > 3 && string(lower[n-3:]) == "n't" {
		s.negated(t, lower[:n-3])
		return
	}
	t.id = s.rules.vocabulary[string(lower)]
	if s.text[t.end-1] == '.' && t.id == 0 {
		t.id = s.rules.vocabulary[string(lower)+"."]
	}
	s.add(t)
}

// negated adds don't as do and not.
func (s *scanner) negated(t token, verb []byte) {
	switch string(verb) {
	case "wo":
		verb = []byte("will")
	case "ca":
		verb = []byte("can")
	}
	t.id = s.rules.vocabulary[string(verb)]
	not := t
	not.id = s.rules.vocabulary["not"]
	s.add(t)
	s.add(not)
}

// goesOnAfter tells whether a letter or digit follows the next w bytes.
func (s *scanner) goesOnAfter(w int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[s.pos+w:])
	return unicode.IsLetter(r) && !isHan(r) || unicode.IsDigit(r)
}

// endsName tells whether a + or # belongs to a name such as C++ or C#.
func (s *scanner) endsName(w int) bool {
	rest := s.text[s.pos+w:]
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || r == '+' && !strings.HasPrefix(rest, "++") || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// contraction is the length of m, ve, re, ll, d or s at the end of a word, 0
// if s starts otherwise.
func contraction(s string) int {
	for _, c := range []string{"m", "ve", "re", "ll", "d", "s", "M", "VE", "RE", "LL", "D", "S"} {
		if rest, ok := strings.CutPrefix(s, c); ok {
			r, _ := utf8.DecodeRuneInString(rest)
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return len(c)
			}
		}
	}
	return 0
}

// isApostropheName tells of the first part of names such as D'Angelo.
func isApostropheName(s string) bool { return s == "D" || s == "d" || s == "L" || s == "l" || s == "O" }

// contracted adds the second half of a contraction, after an apostrophe of w
// bytes.
func (s *scanner) contracted(w, n int) {
	full := map[string]string{"m": "am", "ve": "have", "re": "are", "ll": "will", "d": "would", "s": "'s"}
	start := s.pos
	s.pos += w + n
	id := s.rules.vocabulary[full[strings.ToLower(s.text[start+w:s.pos])]]
	s.add(token{start: start, end: s.pos, id: id, kind: word})
}

// isAbbreviation tells whether the dot after a word belongs to it.
func (s *scanner) isAbbreviation(lower []byte, dots int, upper bool) bool {
	after, size := utf8.DecodeRuneInString(s.text[s.pos+1:])
	atEnd := size == 0
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s.text[s.pos+1:min(len(s.text), s.pos+8)], " "))
	switch {
	case unicode.IsLetter(after):
		return false
	case dots > 0 && len(lower) <= 2*dots+1: // S.L., U.S.
		return true
	case len(lower) == 1 && upper: // an initial, not the end of "option B."
		return !atEnd && after == ' ' && unicode.IsUpper(next)
	}
	switch s.rules.abbreviations[string(lower)] {
	case opensName:
		return after == ' ' && !atEnd
	case closesName:
		return true
	}
	return false
}

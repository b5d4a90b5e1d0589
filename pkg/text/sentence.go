package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Sentences returns the byte offsets at which the sentences of s end: the
// blanks after a sentence belong to it, so the sentences tile s and the last
// offset is len(s). It knows the marks of English, Spanish, CJK, Arabic and
// Devanagari; a full stop after an abbreviation (Dr., Sra., e.g.), an initial
// or a list number, inside a number, or before a lower-case word ends nothing.
// An empty line ends a sentence, and so does a line break before a list item.
func Sentences(s string) []int {
	var ends []int
	start := 0
	end := func(i int) int {
		i += blanks(s[i:])
		if i > start {
			ends = append(ends, i)
			start = i
		}
		return i
	}
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n' && breaksSentence(s[i+1:]):
			i = end(i)
		case isEndMark(r):
			stop := i + marks(s[i:])
			if endsHere(s[start:i], s[i:stop], s[stop:]) {
				stop = end(stop)
			}
			i = stop
		default:
			i += w
		}
	}
	if start < len(s) {
		ends = append(ends, len(s))
	}
	return ends
}

const (
	endMarks = ".!?…。！？．｡؟۔।"
	closers  = "\"')]}»”’›」』）】》〉"
)

func isEndMark(r rune) bool { return strings.ContainsRune(endMarks, r) }

// marks is the length of the end marks that s starts with and of the quotes
// and brackets that they close.
func marks(s string) int {
	rest := strings.TrimLeftFunc(s, isEndMark)
	rest = strings.TrimLeft(rest, closers)
	return len(s) - len(rest)
}

func blanks(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

// breaksSentence tells whether a line break before next ends a sentence.
func breaksSentence(next string) bool {
	line := strings.TrimLeft(next, " \t\r")
	if line == "" || line[0] == '\n' || line[0] == '#' || line[0] == '|' {
		return true
	}
	item := strings.TrimLeft(line, "-*+•0123456789")
	item = strings.TrimLeft(item, ".)")
	return len(item) < len(line) && strings.HasPrefix(item, " ") && !isDigits(line[:len(line)-len(item)])
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// endsHere tells whether the marks between before and after end a sentence.
func endsHere(before, mark, after string) bool {
	first, _ := utf8.DecodeRuneInString(mark)
	if strings.ContainsRune("。！？．｡।", first) {
		return true
	}
	if after != "" && !startsBlank(after) {
		return false
	}
	next := firstLetter(after)
	if first != '.' || strings.Trim(mark, ".") == "" && len(mark) > 1 {
		return !unicode.IsLower(next) // "¡Ay! dijo", "well… maybe"
	}
	if len(before) < 8 && isDigits(strings.TrimSpace(before)) {
		return false // the number of a list item
	}
	return !unicode.IsLower(next) && !isAbbreviated(lastWord(before), next)
}

func startsBlank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// firstLetter is the first letter or digit of s past blanks and openers.
func firstLetter(s string) rune {
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'([{«“‘¿¡—–-*_", r)
	})
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// lastWord is the word that s ends in, with the dots inside it.
func lastWord(s string) string {
	if len(s) > 32 {
		s = s[len(s)-32:]
	}
	for i := len(s); i > 0; {
		r, w := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			return s[i:]
		}
		i -= w
	}
	return s
}

// isAbbreviated tells whether the full stop after word belongs to it: titles
// always, other abbreviations unless a capital follows, and initials ("J.").
func isAbbreviated(word string, next rune) bool {
	lower := strings.ToLower(word)
	switch kind := abbreviations()[lower]; {
	case kind == beforeName:
		return true
	case kind == anywhere:
		return !unicode.IsUpper(next)
	case utf8.RuneCountInString(word) == 1:
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) && r != 'I'
	}
	return false
}

type abbreviation int

const (
	beforeName abbreviation = iota + 1 // a name or number follows: never an end
	anywhere                           // an end if a capital follows
)

var abbreviations = sync.OnceValue(func() map[string]abbreviation {
	kinds := map[string]abbreviation{}
	for _, w := range strings.Fields("dr dra mr mrs ms prof sr sra srta sres st sto sta gen col capt lt sgt rev hon pres gov d dña ud uds vd vds fig figs nos núm nº pág págs p pp arts vol vs cf aprox approx tel avda e.g i.e p.ej ej u.s.a dept dpto lic ing arq mons fr hno hna") {
		kinds[w] = beforeName
	}
	for _, w := range strings.Fields("etc inc ltd corp co jr s.a s.l a.m p.m m u.s u.k ee.uu jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic min max hr hrs seg km kg mg ml cm mm") {
		kinds[w] = anywhere
	}
	return kinds
})

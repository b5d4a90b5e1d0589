package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// endsInQuestion tells whether a text ends in a question mark, quotation marks
// and brackets after it aside.
func endsInQuestion(s string) bool {
	s = strings.TrimRightFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'”’»)]」』）", r)
	})
	last, _ := utf8.DecodeLastRuneInString(s)
	return last == '?' || last == '？' || last == '؟'
}

// saysWhen tells whether a text has an expression of time.
func (a *Analyzer) saysWhen(s string) bool { return false }

// namesSomething tells whether a text has a capitalised word inside a sentence.
func namesSomething(s string) bool { return false }

// nameWords are the folded words of a person's name.
func (a *Analyzer) nameWords(name string) []string {
	var out []string
	eachWord(name, func(start, end int) {
		for _, p := range pieces(name[start:end]) {
			if p.kind == wordPiece || p.kind == pairPiece {
				out = append(out, bounded(fold(p.text)))
			}
		}
	})
	return out
}

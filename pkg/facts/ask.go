package facts

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed rules/questions.txt
var questionsFile string

// An asking is the ways to ask for an attribute.
type asking struct {
	attribute string
	parts     []part
	loose     []string // of ideographs, which no blanks part
}

// askings returns the ways to ask, and the words that may go on after them.
var askings = sync.OnceValues(func() (all []asking, then []string) {
	for line := range strings.Lines(questionsFile) {
		attribute, phrases, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(attribute, "#") {
			continue
		}
		if attribute == "then" {
			then = strings.Fields(strings.ReplaceAll(phrases, "|", " "))
			continue
		}
		a := asking{attribute: attribute}
		if strings.ContainsFunc(phrases, isHan) {
			for phrase := range strings.SplitSeq(phrases, "|") {
				a.loose = append(a.loose, strings.TrimSpace(phrase))
			}
		} else if parts, err := parsePattern("(" + phrases + ")"); err != nil {
			panic(err) // a test reads them
		} else {
			a.parts = parts
		}
		all = append(all, a)
	}
	return all, then
})

// stands tells whether parts of a pattern stand in a text of words, each
// followed by a blank, from a byte on, and what must follow them does.
func stands(parts []part, text string, at int, follows func(at int) bool) bool {
	if len(parts) == 0 {
		return follows(at)
	}
	p, rest := parts[0], func(at int) bool { return stands(parts[1:], text, at, follows) }
	switch {
	case p.optional && rest(at):
		return true
	case len(p.options) == 0:
		end := at + len(p.words)
		return strings.HasPrefix(text[at:], p.words) && text[end] == ' ' && rest(end+1)
	}
	return slices.ContainsFunc(p.options, func(option []part) bool { return stands(option, text, at, rest) })
}

// Asked returns the attribute of the user that a question asks for, as in
// "Where did I live in 2024?"; ok is false where it asks for none, or says so
// much more that it is about something else.
func Asked(query string) (attribute string, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' })
	if len(words) > maxAsked {
		return "", false
	}
	text := strings.Join(words, " ") + " "
	all, then := askings()
	ends := func(at int) bool {
		next, _, _ := strings.Cut(text[at:], " ")
		return next == "" || next[0] >= '0' && next[0] <= '9' || slices.Contains(then, next)
	}
	for _, a := range all {
		if slices.ContainsFunc(a.loose, func(phrase string) bool { return strings.Contains(text, phrase) }) {
			return a.attribute, true
		}
		for at := 0; a.parts != nil && at < len(text); at += strings.IndexByte(text[at:], ' ') + 1 {
			if stands(a.parts, text, at, ends) {
				return a.attribute, true
			}
		}
	}
	return "", false
}

// maxAsked is how many words a question for a fact may have.
const maxAsked = 14

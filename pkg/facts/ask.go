package facts

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ihmt/ihmt/pkg/text"
)

//go:embed rules/questions.txt
var questionsFile string

// An asking is the ways to ask for attributes, any of which answers.
type asking struct {
	attributes []string
	parts      []part
	loose      []string // of ideographs, which no blanks part
}

// A questions is the ways to ask.
type questions struct {
	ofUser []asking
	then   []string // words that may go on after them
	of     []asking // of others, in loose: words for attributes
}

var askings = sync.OnceValue(func() (all questions) {
	for line := range strings.Lines(questionsFile) {
		attribute, phrases, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(attribute, "#") {
			continue
		}
		if attribute == "then" {
			all.then = strings.Fields(strings.ReplaceAll(phrases, "|", " "))
			continue
		}
		attribute, ofOthers := strings.CutPrefix(attribute, "of ")
		a := asking{attributes: strings.Split(attribute, " or ")}
		if ofOthers {
			for word := range strings.SplitSeq(phrases, "|") {
				a.loose = append(a.loose, strings.TrimSpace(word))
			}
			all.of = append(all.of, a)
			continue
		}
		if strings.ContainsFunc(phrases, isHan) {
			for phrase := range strings.SplitSeq(phrases, "|") {
				a.loose = append(a.loose, strings.TrimSpace(phrase))
			}
		} else if parts, err := parsePattern("(" + phrases + ")"); err != nil {
			panic(err) // a test reads them
		} else {
			a.parts = parts
		}
		all.ofUser = append(all.ofUser, a)
	}
	return all
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

// Asked returns the attributes of the user that a question asks for, as in
// "Where did I live in 2024?"; any of them answers it. There are none where it
// asks for none, or says so much more that it is about something else.
func Asked(query string) (attributes []string) {
	words := questionWords(withoutRelative(query))
	if len(words) > maxAsked {
		return nil
	}
	said := strings.Join(words, " ") + " "
	all := askings()
	ends := func(at int) bool {
		next, _, _ := strings.Cut(said[at:], " ")
		return next == "" || next[0] >= '0' && next[0] <= '9' || slices.Contains(all.then, next)
	}
	for _, a := range all.ofUser {
		if slices.ContainsFunc(a.loose, func(phrase string) bool { return strings.Contains(said, phrase) }) {
			return a.attributes
		}
		for at := 0; a.parts != nil && at < len(said); at += strings.IndexByte(said[at:], ' ') + 1 {
			if stands(a.parts, said, at, ends) {
				return a.attributes
			}
		}
	}
	return nil
}

// AskedOf returns whom else a question is about, one of the subjects of a
// timeline, and the attributes that it asks for, as in "What was Elena's
// diagnosis in 2024?". Where a word names several subjects equally, or the
// question has no word for an attribute, it is about none.
func AskedOf(query string, subjects []string) (subject string, attributes []string) {
	words := questionWords(withoutRelative(query))
	if len(words) > maxAsked {
		return "", nil
	}
	if subject = namedIn(words, subjects); subject == "" {
		return "", nil
	}
	rest := strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(questionWords(subject), w) }), " ")
	for _, a := range askings().of {
		if slices.ContainsFunc(a.loose, func(word string) bool { return hasWord(rest, word) }) {
			return subject, a.attributes
		}
	}
	return "", nil
}

// namedIn is the subject most words of which stand in a question, "" where
// there is none, or several.
func namedIn(words, subjects []string) (named string) {
	said := strings.Join(words, " ")
	most := 0
	for _, s := range subjects {
		n := 0
		for _, word := range questionWords(s) {
			if hasWord(said, word) && s != User && (len(word) > 2 || hasHan(word)) {
				n++
			}
		}
		switch {
		case n > most:
			named, most = s, n
		case n == most:
			named = ""
		}
	}
	return named
}

// hasWord tells whether a word stands in a text; ideographs need no blanks
// around them.
func hasWord(text, word string) bool {
	if hasHan(word) {
		return strings.Contains(text, word)
	}
	return strings.Contains(" "+text+" ", " "+word+" ")
}

func hasHan(s string) bool { return strings.ContainsFunc(s, isHan) }

// questionWords are the words of a question in small letters, without a
// genitive's ending.
func questionWords(query string) []string {
	query = strings.NewReplacer("’", "'", "what's", "what is", "who's", "who is", "where's", "where is").Replace(strings.ToLower(query))
	words := strings.FieldsFunc(query, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	})
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "'s")
	}
	return words
}

// withoutRelative is a question without "last year", "hace dos meses", "去年".
func withoutRelative(query string) string {
	for _, p := range slices.Backward(text.FindRelative(query, text.Date{Year: 2000, Month: 1, Day: 1})) {
		query = query[:p.Start] + query[p.End:]
	}
	return query
}

// maxAsked is how many words a question for a fact may have.
const maxAsked = 14

package gui

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// A span is a run of characters of code of one sort, as a pair for JSON: the
// sort and the text.
type span [2]string

// maxHighlighted is how long a code may be that is highlighted, in bytes.
const maxHighlighted = 64 << 10

// highlight returns code as spans; none where the language is not known or
// the code too long. Joined, the spans are the code.
func highlight(code, language string) []span {
	lexer := lexers.Get(language)
	if lexer == nil || len(code) > maxHighlighted {
		return nil
	}
	tokens, err := chroma.Tokenise(lexer, &chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil
	}
	var spans []span
	length := 0
	for _, t := range tokens {
		length += len(t.Value)
		sort := sortOf(t.Type)
		if n := len(spans); n > 0 && spans[n-1][0] == sort {
			spans[n-1][1] += t.Value
			continue
		}
		spans = append(spans, span{sort, t.Value})
	}
	if length != len(code) {
		return nil // the lexer changed the text: better plain than false
	}
	return spans
}

func sortOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "comment"
	case t.InCategory(chroma.Keyword):
		return "keyword"
	case t.InSubCategory(chroma.LiteralString):
		return "string"
	case t.InSubCategory(chroma.LiteralNumber):
		return "number"
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameDecorator:
		return "name"
	}
	return ""
}

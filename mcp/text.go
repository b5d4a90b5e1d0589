package mcp

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/text"
)

// The bounds of what a call may ask for, in tokens.
const (
	minTokens = 80
	maxTokens = 20000
)

// line is a text as one line of at most n characters, without control codes.
func line(s string, n int) string { return cli.CleanLine(s, n) }

// cut returns as many whole lines of a text as fit into some tokens, and how
// many tokens are left out. A first line that does not fit is cut inside.
func cut(s string, tokens int) (kept string, left int) {
	whole := text.Tokens(s)
	if whole <= tokens {
		return s, 0
	}
	at := fitting(s, tokens)
	if end := strings.LastIndexByte(s[:at], '\n'); end > 0 {
		at = end
	}
	return s[:at], whole - text.Tokens(s[:at])
}

// fitting returns how many bytes of a text, in whole characters, have at most
// so many tokens.
func fitting(s string, tokens int) int {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if text.Tokens(strings.ToValidUTF8(s[:mid], "")) <= tokens {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return len(strings.ToValidUTF8(s[:lo], ""))
}

// around returns the whole lines of a text about an excerpt of it that fit
// into some tokens: some before it, more behind it.
func around(s, excerpt string, tokens int) string {
	at := find(s, excerpt)
	from := strings.LastIndexByte(s[:at], '\n') + 1
	for from > 0 {
		before := strings.LastIndexByte(s[:from-1], '\n') + 1
		if text.Tokens(s[before:at]) > tokens/3 {
			break
		}
		from = before
	}
	if text.Tokens(s[from:at]) > tokens/3 { // one long line
		from = at
	}
	kept, left := cut(s[from:], tokens)
	if from > 0 {
		kept = "…" + kept
	}
	if left > 0 {
		kept += "…"
	}
	return kept
}

// find returns where an excerpt, which is a part of a text with its blanks
// made one, stands in it; 0 where it does not.
func find(s, excerpt string) int {
	wanted := strings.Fields(strings.Trim(excerpt, "…"))
	if len(wanted) > 2 { // the first and last may be cut
		wanted = wanted[1 : len(wanted)-1]
	}
	words, starts := fields(s)
	for i := range words {
		if len(words)-i >= len(wanted) && slices.Equal(words[i:i+len(wanted)], wanted) {
			return starts[i]
		}
	}
	return 0
}

// fields are the words of a text and where they start.
func fields(s string) (words []string, starts []int) {
	for rest := s; ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			return words, starts
		}
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		words, starts = append(words, rest[:end]), append(starts, len(s)-len(rest))
		rest = rest[end:]
	}
}

// defaults writes the value that an argument has when it is left out into its
// schema.
func defaults(s *jsonschema.Schema, value any) { s.Default = jsonOf(value) }

// oneOf writes the values that an argument may have into its schema; the
// first is the default.
func oneOf(s *jsonschema.Schema, values ...any) {
	s.Enum = values
	defaults(s, values[0])
}

package pipeline

import (
	"fmt"
	"strings"
	"unicode"
)

// Line returns the pipeline as a line to paste into a shell: its input, where
// it is known, printed by printf, then the stages. It holds no control codes.
func (p *Pipeline) Line() string {
	var parts []string
	if p.Stdin == nil && p.Input != "" {
		text, newline := strings.CutSuffix(p.Input, "\n")
		format := "%s"
		if newline {
			format = `'%s\n'`
		}
		parts = append(parts, "printf "+format+" "+quote(text))
	}
	for _, stage := range p.Stages {
		words := []string{quote(stage.Tool)}
		for _, arg := range stage.Args {
			words = append(words, quote(arg))
		}
		parts = append(parts, strings.Join(words, " "))
	}
	return strings.Join(parts, " | ")
}

// quote returns a word that a shell reads as s: bare where nothing in it is
// special, in single quotes where it can be printed, else in $'…' with the
// bytes that cannot be written in octal.
func quote(s string) string {
	switch {
	case s != "" && strings.IndexFunc(s, special) < 0:
		return s
	case !strings.ContainsFunc(s, unprintable):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unprintable(r):
			n := len(string(r))
			if r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD") {
				n = 1
			}
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// special tells whether a shell may give a meaning to r.
func special(r rune) bool {
	return !(r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./:=,@%+", r))
}

func unprintable(r rune) bool {
	return r == unicode.ReplacementChar || !unicode.IsPrint(r)
}

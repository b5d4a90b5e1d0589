package nav

import (
	"strings"
	"unicode/utf8"
)

// excerptWidth is how long an excerpt is, in characters.
const excerptWidth = 240

// Excerpt is the part of a text, as one line, around the first of a query's
// words.
func Excerpt(content, query string) string {
	content, before := nearWords(content, query)
	line := strings.ToValidUTF8(strings.Join(strings.Fields(content), " "), "")
	if utf8.RuneCountInString(line) <= excerptWidth {
		if before {
			line = "…" + line
		}
		return line
	}
	runes := []rune(line)
	from := 0
	lower := strings.ToLower(line)
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if at := strings.Index(lower, word); len(word) > 3 && at > 0 {
			from = max(0, utf8.RuneCountInString(lower[:at])-excerptWidth/3)
			break
		}
	}
	from = min(from, len(runes)-excerptWidth)
	to := from + excerptWidth
	cut := string(runes[from:to])
	if from > 0 || before {
		cut = "…" + cut
	}
	if to < len(runes) {
		cut += "…"
	}
	return cut
}

// nearWords returns the few thousand bytes of a long text that hold the first of
// a query's words, and whether the text began before them.
func nearWords(content, query string) (part string, before bool) {
	const width = 4 << 10
	if len(content) <= width {
		return content, false
	}
	from := 0
	for _, word := range strings.Fields(query) {
		if at := strings.Index(content, word); len(word) > 3 && at > 0 {
			from = max(0, at-width/4)
			break
		}
	}
	for from > 0 && !utf8.RuneStart(content[from]) {
		from--
	}
	return content[from:min(len(content), from+width)], from > 0
}

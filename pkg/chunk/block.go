package chunk

import (
	"strings"
	"unicode"

	"github.com/ihmt/ihmt/pkg/record"
)

// A Block is a run of bytes of a text that must not be cut. The blocks of a
// text tile it: each starts where the one before ends.
type Block struct {
	Start, End int             // bytes
	Title      string          // what names it: a heading, a symbol, a date; "" is how it begins
	Under      string          // the heading it stands under, where it has no title of its own
	Tags       []string        // "method:reserveStock"
	Context    string          // what encloses it and is not part of it: a class header
	Symbols    []record.Symbol // what code in it defines
	Timestamp  string          // the date it gives itself, YYYY-MM-DD
	Author     string          // who speaks
	Break      bool            // packing may not join it to the block before
}

// shifted moves blocks of a part of a text to where the part starts.
func shifted(blocks []Block, by int) []Block {
	for i := range blocks {
		blocks[i].Start += by
		blocks[i].End += by
	}
	return blocks
}

// closed sets the end of each block to the start of the next, the last one's
// to the end of the text.
func closed(blocks []Block, end int) []Block {
	for i := range blocks {
		blocks[i].End = end
		if i+1 < len(blocks) {
			blocks[i].End = blocks[i+1].Start
		}
	}
	return blocks
}

// paragraphBlocks makes a block of each paragraph: lines up to an empty one,
// and the empty ones after.
func paragraphBlocks(text string) []Block {
	starts := paragraphs(text)
	blocks := make([]Block, len(starts))
	for i, start := range starts {
		blocks[i] = Block{Start: start}
	}
	return closed(blocks, len(text))
}

// paragraphs returns where the paragraphs of a text start; the first at 0.
func paragraphs(text string) []int {
	var starts []int
	at, wasBlank, seen := 0, false, false
	for line := range strings.Lines(text) {
		blank := isBlank(line)
		if len(starts) == 0 || wasBlank && !blank && seen {
			starts = append(starts, at)
		}
		wasBlank = blank
		seen = seen || !blank
		at += len(line)
	}
	return starts
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// titleRunes is the longest title; search gives its words three times the
// weight of the text's, so it names and does not retell.
const titleRunes = 80

// firstWords is a title from how a text begins.
func firstWords(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isMark(r) })
	return short(firstLine(text), 60)
}

// firstLine is the start of s up to a line break, without trailing blanks.
// What no title can use of a long line is left off.
func firstLine(s string) string {
	s = s[:min(len(s), 8*titleRunes)]
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(strings.ToValidUTF8(s, ""))
}

// isMark tells of the marks of Markdown that no title needs.
func isMark(r rune) bool { return strings.ContainsRune("#*_>-+=~`|•—–\ufeff", r) }

// short is s on one line, of at most n runes, cut between words where it has
// them.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	count, space := 0, 0
	for i, r := range s {
		if r == ' ' {
			space = i
		}
		if count == n {
			if space < i/2 {
				space = i
			}
			return strings.TrimRight(s[:space], " ,;:，；：") + "…"
		}
		count++
	}
	return s
}

// headed is a title under a heading.
func headed(heading, title string) string {
	switch {
	case heading == "" || heading == title:
		return title
	case title == "":
		return heading
	}
	return short(heading+": "+title, titleRunes)
}

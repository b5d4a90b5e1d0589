package chunk

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"

	"github.com/ihmt/ihmt/pkg/text"
)

// A part is a top-level element of Markdown and the blanks after it.
type part struct {
	start, end int
	level      int    // of a heading, else 0
	heading    string // its words
	structured bool   // a list, table, code: it stays with its heading
}

// markdownBlocks makes a block of each paragraph, list, table, quotation and
// piece of code. A heading stays with what follows it, and a list, table or
// code with its heading and all that stands between, as far as maxTokens
// allow; else with the paragraph that introduces it.
func markdownBlocks(s string, maxTokens int) []Block {
	var blocks []Block
	var path [7]string // the headings in force, by level
	parts := markdownParts(s)
	for len(parts) > 0 {
		headings := 0
		for headings < len(parts) && parts[headings].level > 0 {
			h := parts[headings]
			path[h.level] = h.heading
			clear(path[h.level+1:])
			headings++
		}
		body := headings
		for body < len(parts) && parts[body].level == 0 {
			body++
		}
		blocks = append(blocks, sectionBlocks(s, parts[:body], headings, headingPath(path), maxTokens)...)
		parts = parts[body:]
	}
	return blocks
}

// sectionBlocks groups the parts of one section, of which the first are its
// headings.
func sectionBlocks(s string, parts []part, headings int, title string, maxTokens int) []Block {
	first := min(headings+1, len(parts))
	for i := len(parts); i > first; i-- {
		if parts[i-1].structured {
			if fits(s[parts[0].start:parts[i-1].end], maxTokens) {
				first = i
			}
			break
		}
	}
	blocks := []Block{{Start: parts[0].start, End: parts[first-1].end, Title: title}}
	for i := first; i < len(parts); i++ {
		p := parts[i]
		last := &blocks[len(blocks)-1]
		if p.structured && !parts[i-1].structured && fits(s[last.Start:p.end], maxTokens) {
			last.End = p.end
			continue
		}
		blocks = append(blocks, Block{Start: p.start, End: p.end, Under: title})
	}
	return blocks
}

func fits(s string, maxTokens int) bool { return text.Tokens(s) <= maxTokens }

// headingPath joins the last two headings in force.
func headingPath(path [7]string) string {
	var last []string
	for _, h := range path {
		if h != "" {
			last = append(last, h)
		}
	}
	return short(strings.Join(last[max(0, len(last)-2):], " > "), titleRunes)
}

// markdownParts divides Markdown into its top-level elements. The values
// before them (front matter between lines of dashes) are one.
func markdownParts(s string) []part {
	front := frontMatter(s)
	var parts []part
	if front > 0 {
		parts = append(parts, part{structured: true})
	}
	source := shallow(s[front:])
	for n := markdownTree(source).FirstChild(); n != nil; n = n.NextSibling() {
		start := front
		if pos := n.Pos(); pos > 0 {
			start += strings.LastIndexByte(s[front:front+pos], '\n') + 1
		}
		if len(parts) == 0 {
			start = 0
		} else if start <= parts[len(parts)-1].start {
			continue
		}
		p := part{start: start}
		switch n := n.(type) {
		case *ast.Heading:
			p.level = n.Level
			p.heading = short(strings.TrimFunc(strings.ToValidUTF8(string(n.Lines().Value(source)), ""), func(r rune) bool { return isMark(r) || r == ' ' }), titleRunes)
		case *ast.Paragraph, *ast.ThematicBreak:
			p.structured = isTable(s[start:])
		default:
			p.structured = true
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		parts = append(parts, part{})
	}
	for i := range parts {
		parts[i].end = len(s)
		if i+1 < len(parts) {
			parts[i].end = parts[i+1].start
		}
	}
	return parts
}

// markdownTree parses the block structure alone: what stands inside a line
// decides no cut.
func markdownTree(source []byte) ast.Node {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	return p.Parse(gtext.NewReader(source))
}

// The parser takes time that grows with the square of the nesting, so what is
// nested deeper than anybody nests is to it plain words.
const (
	maxMarkers = 64  // quotation and list marks before the words of a line
	maxIndent  = 256 // bytes before them
)

// shallow is a copy of Markdown in which no line nests deeper than that; all
// else stands where it stood.
func shallow(s string) []byte {
	source := []byte(s)
	markers, indent := 0, 0 // of the line so far; indent < 0: past its start
	for i, c := range source {
		switch {
		case c == '\n':
			markers, indent = 0, 0
			continue
		case indent < 0:
			continue
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		case strings.IndexByte(">-*+.)", c) >= 0:
			markers++
		default:
			indent = -1
			continue
		}
		if indent++; indent > maxIndent || markers > maxMarkers {
			source[i] = 'x'
			indent = -1
		}
	}
	return source
}

// frontMatter is the length of the values between two lines of three dashes
// that s starts with, 0 where it starts with none.
func frontMatter(s string) int {
	if !strings.HasPrefix(s, "---\n") && !strings.HasPrefix(s, "---\r\n") {
		return 0
	}
	at := 0
	for line := range strings.Lines(s) {
		at += len(line)
		switch bare := strings.TrimRight(line, " \r\n"); {
		case at == len(line):
		case bare == "---":
			return at
		case bare == "" || at > 16<<10:
			return 0
		}
	}
	return 0
}

// isTable tells whether the second line of s is the rule under a table's head.
func isTable(s string) bool {
	_, rest, _ := strings.Cut(s[:min(len(s), 4<<10)], "\n")
	rule, _, _ := strings.Cut(rest, "\n")
	rule = strings.TrimSpace(rule)
	return strings.ContainsRune(rule, '|') && strings.ContainsRune(rule, '-') && strings.Trim(rule, "|:- \t") == ""
}

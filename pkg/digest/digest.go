// Package digest tells what matters of what a build or a test run printed:
// how it began, its errors, failures and warnings, its totals, how it ended.
//
// It knows lines by their form, as compilers, test runners and package
// managers write them, and names the tool where it recognises it. A digest is
// made of lines of the output, in their order and cut at a number of tokens;
// where lines are left out it says how many.
package digest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

// MaxTokens is how long a digest is where nothing else is asked for.
const MaxTokens = 600

// The classes of lines. The greater ones are kept first.
type class int

const (
	plain   class = iota
	detail        // what belongs to the problem above
	edge          // near the beginning
	warning       //
	failure       // a test that failed, an error of a compiler
	total         // a sum, an end
)

const (
	headLines   = 3
	tailLines   = 5
	detailLines = 6   // that follow one problem
	lineWidth   = 300 // characters kept of a line
)

// A line of the output, with the equal ones that follow it.
type line struct {
	text   string
	class  class
	times  int
	number int // of lines before it
}

// Of returns the digest of an output, of at most about max tokens: a line that
// tells what it is and how much, then lines of the output.
func Of(output string, max int) string {
	lines, count := split(output)
	tool := classify(lines)
	var b strings.Builder
	b.WriteString(heading(tool, lines, count))
	kept := choose(lines, max-text.Tokens(b.String()))
	write(&b, lines, kept, count)
	return b.String()
}

// split returns the lines as a terminal would show them in the end, runs of
// equal ones as one, and how many there were.
func split(output string) (lines []line, count int) {
	for raw := range strings.SplitSeq(strings.TrimRight(output, "\r\n"), "\n") {
		t := strings.TrimRight(shown(raw), " \t")
		if last := len(lines) - 1; last >= 0 && lines[last].text == t {
			lines[last].times++
		} else {
			lines = append(lines, line{text: t, times: 1, number: count})
		}
		count++
	}
	return lines, count
}

// shown is a line without the codes for colours and with nothing but what was
// written last over itself, as progress bars do.
func shown(raw string) string {
	raw = strings.TrimSuffix(raw, "\r")
	raw = raw[strings.LastIndexByte(raw, '\r')+1:]
	var b strings.Builder
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == 0x1b:
			i += escape(raw[i:])
		case c < ' ' && c != '\t' || c == 0x7f:
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// escape is the length of the terminal code that s begins with.
func escape(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: parameters, then a letter
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']': // OSC: to BEL or ESC \
		if end := strings.IndexAny(s[2:], "\a\x1b"); end >= 0 {
			return 2 + end + 1
		}
		return len(s)
	}
	return 2
}

// heading names the tool and counts.
func heading(tool string, lines []line, count int) string {
	said := text.Counted(count, "line", "lines")
	if tool != "" {
		said = tool + ", " + said
	}
	if sums := sumsOf(lines); len(sums) > 0 {
		said += ": " + strings.Join(sums, ", ")
	}
	return said + "\n"
}

// choose picks the lines to keep: the last ones and the totals, then problems
// in their order with what belongs to them, then the first lines, then what
// else there is room for.
func choose(lines []line, room int) []bool {
	kept := make([]bool, len(lines))
	take := func(i int) bool {
		if kept[i] || lines[i].text == "" {
			return true
		}
		cost := text.Tokens(clipped(lines[i].text)) + 3 // for its end, and for what may be left out before it
		if cost > room {
			return false
		}
		room -= cost
		kept[i] = true
		return true
	}
	each := func(of class) {
		for i := range lines {
			if lines[i].class == of && !take(i) {
				return
			}
		}
	}
	for i := len(lines) - 1; i >= max(0, len(lines)-tailLines); i-- {
		take(i)
	}
	for i := range min(headLines, len(lines)) {
		take(i)
	}
	// The totals nearest to the end say most.
	for i, n := len(lines)-1, 0; i >= 0 && n < 12; i-- {
		if lines[i].class == total {
			take(i)
			n++
		}
	}
	problems := room * 2 / 3
	room -= problems
	rest := room
	room = problems
	for i := 0; i < len(lines); i++ {
		if lines[i].class != failure {
			continue
		}
		if !take(i) {
			break
		}
		for j := i + 1; j < len(lines) && lines[j].class == detail; j++ {
			if !take(j) {
				break
			}
		}
	}
	room += rest
	each(failure)
	each(warning)
	each(edge)
	if len(lines) <= 40 { // a short output is best read whole
		each(detail)
		each(plain)
	}
	return kept
}

// write prints the lines kept, and how many are left out between them.
func write(b *strings.Builder, lines []line, kept []bool, count int) {
	next := 0 // the number of the line that should come
	gap := func(to int) {
		if to > next {
			fmt.Fprintf(b, "… %s\n", text.Counted(to-next, "line", "lines"))
		}
	}
	for i, l := range lines {
		if !kept[i] {
			if l.text == "" && next == l.number {
				next = l.number + l.times // a blank line is no loss
			}
			continue
		}
		gap(l.number)
		b.WriteString(clipped(l.text))
		if l.times > 1 {
			fmt.Fprintf(b, "  (%d times)", l.times)
		}
		b.WriteByte('\n')
		next = l.number + l.times
	}
	gap(count)
}

func clipped(s string) string {
	n := 0
	for i := range s {
		if n++; n > lineWidth {
			return s[:i] + "…"
		}
	}
	return s
}

// classify gives each line its class and returns the tool that wrote them.
func classify(lines []line) string {
	votes := map[string]int{}
	open := 0 // how many lines may still belong to the problem above
	for i := range lines {
		l := &lines[i]
		s := strings.TrimSpace(l.text)
		if s == "" {
			continue
		}
		if name := toolOf(s); name != "" {
			votes[name]++
		}
		l.class = classOf(s)
		switch {
		case l.class == failure:
			open = detailLines
		case l.class == plain && open > 0 && belongs(l.text, s):
			l.class = detail
			open--
		case l.class != plain:
			open = 0
		case i < headLines:
			l.class = edge
		}
	}
	best := ""
	for _, name := range slices.Sorted(keys(votes)) {
		if best == "" || votes[name] > votes[best] {
			best = name
		}
	}
	return best
}

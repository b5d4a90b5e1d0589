package facts

import (
	"slices"
	"strings"
)

// maxValue is the length in bytes of the longest value.
const maxValue = 200

// valueKinds are the ways in which a value may look.
var valueKinds = []string{"name", "place", "company", "tool", "kind", "stack", "role"}

// value reads a value from token j on, as one of the kinds that the pattern's
// section allows. It returns the attribute and the tokens [value, stop); stop
// is 0 where there is none.
func (x *extractor) value(p *pattern, j int) (attribute string, value, stop int) {
	if j >= len(x.tokens) || !x.tokens[j].isWord() {
		return "", 0, 0
	}
	attribute = p.rule.Attribute
	for _, kind := range p.look.kinds {
		value, stop = j, 0
		switch kind {
		case "place":
			value, stop = x.place(j)
		case "company":
			if value, stop = x.company(j); x.tokens[j].kind == han {
				if stop = max(stop, x.enclosed(p, j)); x.isTeam(stop) {
					stop = 0
				}
			}
		case "tool":
			stop = x.tool(j)
		case "kind":
			attribute, stop = x.tellingTool(j)
		case "stack":
			stop = x.stack(j)
		case "role":
			stop = x.role(j)
		case "name":
			stop = x.name(j, false)
		}
		if stop > value && x.tokens[stop-1].end-x.tokens[value].start <= maxValue && x.allowed(p.look, value, stop) {
			return attribute, value, stop
		}
	}
	return "", 0, 0
}

// enclosed returns the end of a name of ideographs from token i on, where the
// words that pattern p wants after it follow.
func (x *extractor) enclosed(p *pattern, i int) int {
	if x.rules.says[p.tail] != nil || x.longestOf(i, "place name") > 0 {
		return 0
	}
	for end := i + 2; end < len(x.tokens) && end <= i+12; end++ {
		last := end - 1
		if !x.tokens[last].isWord() || x.longestOf(last, "other")+x.longestOf(last, "inside no name") > 0 {
			return 0
		}
		if x.tail(p, p.tail, end) {
			return end
		}
	}
	return 0
}

// allowed tells whether tokens [i,j) are a value that the section admits.
func (x *extractor) allowed(l *look, i, j int) bool {
	if l.known != 0 && x.rules.longest(x.tokens, i, l.known) == 0 && !x.isVersioned(i, j) {
		return false
	}
	if x.rules.longest(x.tokens, i, l.never) > 0 && !x.tokens[i].upper {
		return false
	}
	n := x.rules.longest(x.tokens, i, l.never|l.not)
	for k := i + n; k < j; k++ {
		if !x.tokens[k].digit {
			return true // the phrase only starts the name
		}
	}
	return n == 0
}

// isVersioned tells of a name with a version: Foobar 16.
func (x *extractor) isVersioned(i, j int) bool {
	return j == i+2 && x.tokens[i].upper && x.tokens[i+1].digit
}

// isStop tells whether no name goes on with token i.
func (x *extractor) isStop(i int) bool {
	t := x.tokens[i]
	n := x.rules.longest(x.tokens, i, x.is("stop")|x.is("calendar")|x.is("soft")|x.is("connective"))
	if n == 0 {
		return false
	}
	return !t.upper || x.longestOf(i, "calendar") > 0 || x.text[t.start:t.end] == "I"
}

// name reads a name from token i on: words with a capital letter, numbers and
// the small words that join them, or ideographs up to a word that ends names.
func (x *extractor) name(i int, company bool) (stop int) {
	stop = x.nameRun(i, company)
	if stop == 0 || stop >= len(x.tokens) || x.tokens[stop].id != x.rules.vocabulary["'s"] {
		return stop
	}
	if x.nameFollows(stop + 1) {
		return x.nameRun(stop+1, company) // St. Mary's Hospital
	}
	if stop+1 < len(x.tokens) && x.tokens[stop+1].isWord() && !x.isStop(stop+1) {
		return 0 // Ana's flat
	}
	return stop + 1 // St. John's
}

func (x *extractor) nameRun(i int, company bool) (stop int) {
	from := i
	for i < len(x.tokens) {
		t := x.tokens[i]
		switch {
		case company && i > from && x.longestOf(x.afterComma(i), "company suffix") > 0:
			return x.closedName(i)
		case t.kind == han:
			if n := x.longestOf(i, "place name"); n > 1 {
				i += n - 1
			} else if i > from && x.isStop(i) {
				return stop
			}
		case t.kind == joint && x.nameFollows(i+1) && x.text[t.start:t.end] == "&":
			i++
			continue
		case t.kind != word || x.isStop(i):
			return stop
		case t.upper || t.camel || t.digit && i > from:
		case i > from && x.longestOf(i, "joiner") > 0 && (x.nameFollows(i+1) || x.longestOf(i+1, "joiner") > 0 && x.nameFollows(i+2)):
			i++
			continue
		default:
			return stop
		}
		i++
		stop = i
		if stop-from > 12 {
			return 0
		}
	}
	return stop
}

// closedName returns the end of the suffixes of a company from token i on.
func (x *extractor) closedName(i int) int {
	for {
		next := x.afterComma(i)
		n := 0
		if next < len(x.tokens) {
			n = x.longestOf(next, "company suffix")
		}
		if n == 0 {
			return i
		}
		i = next + n
	}
}

// afterComma is i, or i+1 where token i is a comma.
func (x *extractor) afterComma(i int) int {
	if i < len(x.tokens) && x.isMark(i, ",，") {
		return i + 1
	}
	return i
}

func (x *extractor) nameFollows(i int) bool {
	return i < len(x.tokens) && x.tokens[i].kind == word && x.tokens[i].upper && !x.isStop(i)
}

// article returns the token after an article in small letters.
func (x *extractor) article(i int) int {
	if !x.tokens[i].upper && x.tokens[i].kind == word {
		return i + x.longestOf(i, "article")
	}
	return i
}

// isModifier tells whether tokens [i,j), which an article precedes, only tell
// what kind of thing the next word is: the Dublin office.
func (x *extractor) isModifier(j int) bool {
	return j < len(x.tokens) && x.tokens[j].kind == word && !x.isStop(j)
}

func (x *extractor) place(i int) (value, stop int) {
	from := x.article(i)
	stop = x.name(from, false)
	if stop == 0 {
		if from > i || !x.casual(i) {
			return i, 0
		}
		return i, x.smallName(i)
	}
	if from > i && x.isModifier(stop) {
		return i, 0
	}
	for _, t := range x.tokens[from:stop] {
		if t.digit || t.camel && !isScottish(x.text[t.start:t.end]) {
			return i, 0
		}
	}
	if x.tokens[from].kind == han {
		n := stop - from
		if n > 1 && (x.longestOf(stop-1, "place suffix") > 0 || x.longestOf(stop-2, "place suffix") > 1) {
			n = x.longestOf(from, "place name") // by the lake in a known city
		}
		if n < 2 || n > 12 {
			return i, 0
		}
		return i, from + n
	}
	return i, x.withRegion(stop)
}

// withRegion returns the end of "Valencia, Spain" where stop ends "Valencia".
func (x *extractor) withRegion(stop int) int {
	if stop+1 < len(x.tokens) && x.isMark(stop, ",") && x.nameFollows(stop+1) {
		end := x.name(stop+1, false)
		if end > 0 && (end >= len(x.tokens) || !x.tokens[end].isWord() || x.isStop(end)) {
			return end
		}
	}
	return stop
}

func isScottish(s string) bool {
	for _, prefix := range []string{"Mc", "Mac", "De", "La", "Le", "O'", "D'", "L'", "Ca'"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return strings.Contains(s, "-") || strings.Contains(s, "'")
}

// casual tells whether the sentence is typed without any capital letter.
func (x *extractor) casual(i int) bool {
	for _, t := range x.tokens[x.first:] {
		if t.upper {
			return false
		}
	}
	return x.text[x.tokens[x.first].start] == 'i' && x.tokens[i].kind == word
}

// smallName reads a place typed without capitals: one or two words that end
// the clause.
func (x *extractor) smallName(i int) int {
	for n := 1; n <= 2 && i+n <= len(x.tokens); n++ {
		t := x.tokens[i+n-1]
		if t.kind != word || x.isStop(i+n-1) || x.longestOf(i+n-1, "article") > 0 || t.digit {
			return 0
		}
		if x.endsClause(i + n) {
			return i + n
		}
	}
	return 0
}

func (x *extractor) company(i int) (value, stop int) {
	from := x.article(i)
	stop = x.name(from, true)
	switch {
	case stop == 0 || from > i && (x.isModifier(stop) || x.longestOf(stop-1, "product") > 0): // the Rust Discord
		return from, 0
	case x.tokens[from].kind == han && (stop-from < 2 || x.isTeam(stop)):
		return from, 0
	case x.longestOf(from, "calendar") > 0 || x.longestOf(from, "place name") > 0 && x.longestOf(stop-1, "place ending") > 0:
		return from, 0
	}
	return from, stop
}

// isTeam tells whether a name of ideographs that ends before token i is that
// of a part of a company.
func (x *extractor) isTeam(i int) bool {
	return i > 1 && (x.longestOf(i-1, "team ending") > 0 || x.longestOf(i-2, "team ending") > 1)
}

// toolLists are the lists of names that tell the attribute by themselves.
var toolLists = []string{"editor", "shell", "package_manager", "test_framework", "os"}

// tool reads the name of one tool with its version.
func (x *extractor) tool(i int) int {
	n := x.rules.longest(x.tokens, i, x.lists(toolLists...)|x.is("technology"))
	if n == 0 {
		if x.tokens[i].kind == han || !(x.tokens[i].upper || x.tokens[i].camel) || x.isStop(i) {
			return 0
		}
		n = 1
	}
	return x.version(i + n)
}

func (x *extractor) lists(names ...string) (c class) {
	for _, name := range names {
		c |= x.is(name)
	}
	return c
}

// version returns the end of the version and other words with capitals that
// follow a tool's name.
func (x *extractor) version(i int) int {
	for i < len(x.tokens) && x.tokens[i].kind == word && (x.tokens[i].upper || x.tokens[i].digit || x.longestOf(i, "version") > 0) && !x.isStop(i) {
		i++
	}
	return i
}

// tellingTool reads a tool whose name tells the attribute.
func (x *extractor) tellingTool(i int) (attribute string, stop int) {
	for _, list := range toolLists {
		if n := x.longestOf(i, list); n > 0 && i+n > stop {
			attribute, stop = list, i+n
		}
	}
	if stop > 0 {
		stop = x.version(stop)
	}
	return attribute, stop
}

// stack reads technologies: "Elixir and Postgres", "Node.js 22".
func (x *extractor) stack(i int) (stop int) {
	for i < len(x.tokens) {
		next, known := x.technology(i)
		if next == 0 {
			return stop
		}
		if stop > 0 && !known && x.isMark(i-1, ",，、") && !x.joins(next) && !x.endsClause(next) {
			return stop
		}
		stop, i = next, next
		n := 0
		for range 2 { // ", and"
			if i+n < len(x.tokens) && (x.tokens[i+n].kind == joint || x.isMark(i+n, ",，、")) {
				n++
			}
			n += x.longestOf(i+n, "stack joiner")
		}
		if n == 0 {
			return stop
		}
		i += n
	}
	return stop
}

func (x *extractor) joins(i int) bool {
	return i < len(x.tokens) && (x.tokens[i].kind == joint || x.isMark(i, ",，、") || x.longestOf(i, "stack joiner") > 0)
}

// technology reads one name of a stack; known tells that a list has it.
func (x *extractor) technology(i int) (stop int, known bool) {
	t := x.tokens[i]
	if n := x.rules.longest(x.tokens, i, x.lists(toolLists...)|x.is("technology")); n > 0 {
		return x.version(i + n), true
	}
	if t.kind != word || x.isStop(i) || !t.upper && !t.camel {
		return 0, false
	}
	return x.version(i + 1), false
}

// role reads what somebody does: a run of words around a noun for a job.
func (x *extractor) role(i int) int {
	end := i
	for end < len(x.tokens) && end-i < 14 && x.tokens[end].isWord() {
		if n := x.longestOf(end, "job"); n > 0 && x.tokens[end].kind == han {
			end += n
		} else if (x.tokens[end].upper || !x.endsRole(end)) && x.longestOf(end, "soft") == 0 {
			end++
		} else {
			break
		}
	}
	if end == i || x.longestOf(i, "negation") > 0 {
		return 0
	}
	if x.tokens[i].kind == han || x.tokens[end-1].kind == han {
		for n := 1; n <= 4; n++ {
			if end-n >= i && x.longestOf(end-n, "job") == n {
				return end
			}
		}
		return 0
	}
	if end-i > 7 {
		return 0
	}
	for _, t := range x.tokens[i:end] {
		if t.id != unknownWord && t.id == x.rules.vocabulary["'s"] {
			return 0 // a developer's wife
		}
	}
	for _, head := range x.heads(i, end) {
		if n := x.longestOf(head, "job"); n > 0 {
			return end
		}
	}
	return 0
}

// endsRole tells whether token i ends a role.
func (x *extractor) endsRole(i int) bool {
	c := x.is("role stop") | x.is("connective") | x.is("calendar")
	if x.tokens[i].kind != han {
		c |= x.is("stop")
	}
	return x.rules.longest(x.tokens, i, c) > 0
}

// heads are the tokens of [i,end) that can name the job: the last before a
// preposition (English), or one of the first two (Spanish).
func (x *extractor) heads(i, end int) []int {
	heads := []int{i}
	if end > i+1 && x.longestOf(i, "adjective") > 0 {
		heads = append(heads, i+1)
	}
	last := end - 1
	for j := i + 1; j < end; j++ {
		if x.longestOf(j, "of") > 0 {
			last = j - 1
			break
		}
	}
	for n := 0; n < 3 && last-n >= i; n++ {
		if x.longestOf(last-n, "job") == n+1 {
			heads = append(heads, last-n)
		}
	}
	slices.Sort(heads)
	return slices.Compact(heads)
}

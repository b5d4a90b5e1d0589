package facts

import (
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// A Reading is what a leaf states.
type Reading struct {
	Statements []Statement
	Patient    string // the patient named last, for the leaves that follow in the source
}

// Read returns what a leaf states. A date that leads a line or a section of
// the text dates what follows; otherwise the leaf's timestamp does.
func (r *Rules) Read(leaf Leaf) Reading {
	if leaf.Type == record.TypeCode {
		return Reading{}
	}
	day := dayOf(leaf.Timestamp)
	if found := outright(leaf, day); found != nil {
		return Reading{Statements: found}
	}
	var reading Reading
	if r.hasHeaders(leaf.Text) {
		reading = r.headers(leaf.Text, day)
	}
	if !r.triggered(leaf.Text) {
		return reading
	}
	x := extractor{scanner: scanner{rules: r, text: leaf.Text, lineStart: true}, day: day, section: day, subject: subjectOf(leaf.Author)}
	for x.next() {
		x.sentence()
	}
	reading.Statements = append(reading.Statements, x.found...)
	return reading
}

// Extract returns what a text of the user's states, dated by a timestamp
// (YYYY-MM-DD or RFC 3339).
func (r *Rules) Extract(text, timestamp string) []Statement {
	return r.Read(Leaf{Text: text, Timestamp: timestamp}).Statements
}

// dayOf is the calendar day of a timestamp, as written.
func dayOf(timestamp string) string {
	if d, ok := text.ParseDate(timestamp); ok {
		return d.First().String()
	}
	return ""
}

// subjectOf is whom the first person of an author's text means.
func subjectOf(author string) string {
	switch author = FoldName(author); author {
	case "", "me", "user", "human", "yo", "usuario", "usuaria", "我", "用户":
		return User
	}
	return author
}

// FoldName is a name as subjects are written: in lower case, single blanks.
func FoldName(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// triggered tells whether any sentence of a text may state a fact: most texts
// do not, and cost no more than this.
func (r *Rules) triggered(text string) bool {
	s := scanner{rules: r, text: text, lineStart: true}
	for s.next() {
		for i, t := range s.tokens {
			if r.starts[t.id]&startsPattern != 0 && !t.quoted && r.leads(s.tokens[i:]) {
				return true
			}
		}
	}
	return false
}

// leads tells whether tokens can be the first two words of a pattern.
func (r *Rules) leads(tokens []token) bool {
	node, ok := r.edges[edge{patternRoot, tokens[0].id}]
	return ok && (r.canGo(node, tokens) || r.longest(tokens, 1, r.classOf["soft"]) > 0)
}

// canGo tells whether a pattern goes on from the node after the first token.
func (r *Rules) canGo(node int32, tokens []token) bool {
	if len(r.says[node]) > 0 {
		return true
	}
	if len(tokens) > 1 {
		if _, ok := r.edges[edge{node, tokens[1].id}]; ok {
			return true
		}
		if _, ok := r.edges[edge{node, gapWord}]; ok {
			return true
		}
	}
	for _, to := range r.passes[node] {
		if r.canGo(to, tokens) {
			return true
		}
	}
	return false
}

// longest is the number of tokens of the longest phrase of the lists in c
// that starts at token i, 0 if there is none.
func (r *Rules) longest(tokens []token, i int, c class) (n int) {
	if i >= len(tokens) || r.starts[tokens[i].id]&startsPhrase == 0 {
		return 0
	}
	node := phraseRoot
	for j := i; j < len(tokens) && tokens[j].isWord(); j++ {
		to, ok := r.edges[edge{node, tokens[j].id}]
		if !ok {
			break
		}
		if node = to; r.classes[node]&c != 0 {
			n = j - i + 1
		}
	}
	return n
}

// An extractor reads the statements of one text.
type extractor struct {
	scanner
	subject string
	day     string // of the leaf
	section string // of the heading above
	found   []Statement

	// The sentence at hand.
	start     int    // its first token after a leading date
	first     int    // and after a label
	date      string // that dates it
	speaker   bool   // it is somebody else's
	sent      bool   // all that follows is: a header named its sender
	others    bool   // an earlier sentence of the paragraph speaks of others
	paragraph int
	last      *match   // the statement before, in this sentence
	past      []*match // what it says of the past
}

// A match is a pattern found in a sentence.
type match struct {
	*pattern
	attribute   string
	others      []string // attributes that the same words may end
	start       int      // its first token
	value, stop int      // the tokens of the value
}

func (x *extractor) is(name string) class { return x.rules.classOf[name] }

func (x *extractor) longestOf(i int, name string) int {
	if i >= len(x.tokens) || x.rules.starts[x.tokens[i].id]&startsPhrase == 0 {
		return 0
	}
	return x.rules.longest(x.tokens, i, x.is(name))
}

func (x *extractor) sentence() {
	if x.paragraph != x.paragraphs && x.leadsLine >= 0 {
		x.paragraph, x.others = x.paragraphs, false
	}
	x.last, x.past = nil, x.past[:0]
	x.opening()
	for i := x.first; i < len(x.tokens); i++ {
		if x.rules.starts[x.tokens[i].id]&startsPattern == 0 || x.tokens[i].quoted || i > 0 && x.longestOf(i-1, "noun") > 1 {
			continue
		}
		if m := x.matchAt(i); m != nil {
			switch {
			case m.rule.Verb == "was":
				x.past = append(x.past, m)
			case !x.speaker && !x.forbidden(m):
				x.state(m)
			}
			x.last, i = m, m.stop-1
		}
	}
	for i := range x.tokens {
		x.others = x.others || x.longestOf(i, "other") > 0
	}
}

// opening reads what stands before the sentence itself: a date, a label, the
// name of a speaker.
func (x *extractor) opening() {
	x.start, x.first = 0, 0
	if x.leadsLine < 0 {
		return
	}
	x.date, x.speaker = x.section, x.sent
	line := strings.TrimRight(lineAt(x.text[x.leadsLine:]), "\r\n")
	if lead, ok := leadingDate(line, x.day); ok {
		x.date = lead.Date.String()
		if lead.Length >= len(line) || strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			x.section = x.date
		}
		x.skipTo(x.leadsLine + lead.Length)
		x.speaker = x.sent || lead.Speaker != "" && subjectOf(lead.Speaker) != x.subject && subjectOf(lead.Speaker) != User
	}
	x.first = x.afterTime(x.first)
	x.start = x.first
	x.label()
}

// afterTime returns the token after a time of day, as it stands before what
// was said then: "[10:32] Ana".
func (x *extractor) afterTime(i int) int {
	j := i
	for j+2 < len(x.tokens) && x.tokens[j].digit && x.isMark(j+1, ":：") && x.tokens[j+2].digit {
		j += 2
	}
	if j == i {
		return i
	}
	for j++; j < len(x.tokens) && !x.tokens[j].isWord() && x.tokens[j].kind != quote; j++ {
	}
	return j
}

// leadingDate finds the date that leads a line of a leaf. One that could be
// read in two ways is read as the leaf's day was.
func leadingDate(line, day string) (text.LeadingResult, bool) {
	lead, ok := text.LeadingDate(line, text.DMY)
	if ok && lead.Ambiguous {
		if other, _ := text.LeadingDate(line, text.MDY); other.Date.String() == day {
			return other, true
		}
	}
	return lead, ok
}

func (x *extractor) skipTo(at int) {
	for x.first < len(x.tokens) && x.tokens[x.first].start < at {
		x.first++
	}
}

// label skips "About me:" and tells that what follows "Ana:" is Ana's.
func (x *extractor) label() {
	for i := x.first; i < len(x.tokens) && i < x.first+6; i++ {
		t := x.tokens[i]
		if t.isWord() {
			continue
		}
		if mark := x.text[t.start:t.end]; mark != ":" && mark != "：" || i == x.first {
			return
		}
		if m := x.matchAt(x.first); m != nil && m.value == i+1 {
			return // Editor: Helix
		}
		name := x.tokens[x.first:i]
		if x.longestOf(x.first, "sender") == len(name) {
			x.sent, x.speaker = true, true
			return
		}
		who := subjectOf(x.between(x.first, i))
		known := x.longestOf(x.first, "label") == len(name) || who == User || who == x.subject
		x.speaker = x.speaker || !known && looksLikeName(name)
		x.first = i + 1
		return
	}
}

func looksLikeName(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == word && !t.upper {
			return false
		}
	}
	return len(tokens) <= 4
}

// markup is what emphasis and links add to a value.
var markup = strings.NewReplacer("*", "", "`", "", "[", "")

// between is the text of tokens [i,j) in one line.
func (x *extractor) between(i, j int) string {
	if i >= j {
		return ""
	}
	return strings.Join(strings.Fields(markup.Replace(x.text[x.tokens[i].start:x.tokens[j-1].end])), " ")
}

// matchAt returns the longest pattern that starts at token i and has a value,
// nil if none does.
func (x *extractor) matchAt(i int) *match {
	var best *match
	x.walk(patternRoot, i, i, &best)
	return best
}

func (x *extractor) walk(node int32, i, j int, best **match) {
	for _, p := range x.rules.says[node] {
		if *best != nil && j < (*best).value {
			break
		}
		m := x.complete(p, i, j)
		switch {
		case m == nil:
		case *best == nil || m.value > (*best).value:
			*best = m
		case m.rule.Verb == "ended" && (*best).rule.Verb == "ended" && m.attribute != (*best).attribute && !slices.Contains((*best).others, m.attribute):
			(*best).others = append((*best).others, m.attribute)
		}
	}
	for _, to := range x.rules.passes[node] {
		x.walk(to, i, j, best)
	}
	if j >= len(x.tokens) {
		return
	}
	if x.tokens[j].isWord() {
		if to, ok := x.rules.edges[edge{node, x.tokens[j].id}]; ok {
			x.walk(to, i, j+1, best)
		}
	}
	if node == patternRoot {
		return
	}
	if n := max(x.longestOf(j, "soft"), x.dateLength(j)); n > 0 {
		x.walk(node, i, j+n, best)
	}
	if to, ok := x.rules.edges[edge{node, gapWord}]; ok {
		for g := j + 1; g <= j+5 && g < len(x.tokens) && x.tokens[g-1].isWord() && x.longestOf(g-1, "negation") == 0; g++ {
			x.walk(to, i, g, best)
		}
	}
}

// dateLength is the number of tokens of the date that starts at token j, 0 if
// none does.
func (x *extractor) dateLength(j int) (n int) {
	if !x.tokens[j].digit {
		return 0
	}
	from := x.tokens[j].start
	for _, d := range text.FindDates(x.text[from:min(from+64, x.tokens[min(j+8, len(x.tokens)-1)].end)], text.DMY) {
		for d.Start == 0 && j+n < len(x.tokens) && x.tokens[j+n].end <= from+d.End {
			n++
		}
	}
	return n
}

// complete tells whether pattern p, its words read from token i up to j, has
// its value there and what must come before and after.
func (x *extractor) complete(p *pattern, i, j int) *match {
	if !x.rightBefore(p, i) {
		return nil
	}
	colon := !p.colon
	for {
		n := x.longestOf(j, "soft")
		if n == 0 && j < len(x.tokens) && (x.tokens[j].kind == quote || x.isMark(j, ":：")) {
			n = 1
			colon = colon || x.tokens[j].kind != quote
		}
		if n == 0 {
			break
		}
		j += n
	}
	attribute, value, stop := x.value(p, j)
	if stop == 0 || !colon {
		return nil
	}
	if !x.tail(p, p.tail, stop) {
		return nil
	}
	return &match{pattern: p, attribute: attribute, start: i, value: value, stop: stop}
}

// tail tells whether the words that pattern p wants after its value lead from
// a node and token j to its end.
func (x *extractor) tail(p *pattern, node int32, j int) bool {
	if x.rules.says[node] != nil && (!p.final || x.endsClause(j)) {
		return true
	}
	for _, to := range x.rules.passes[node] {
		if x.tail(p, to, j) {
			return true
		}
	}
	if j >= len(x.tokens) {
		return false
	}
	if to, ok := x.rules.edges[edge{node, x.tokens[j].id}]; ok && x.tokens[j].isWord() && x.tail(p, to, j+1) {
		return true
	}
	n := x.longestOf(j, "soft")
	return n > 0 && x.tail(p, node, j+n)
}

func (x *extractor) isMark(i int, marks string) bool {
	t := x.tokens[i]
	return !t.isWord() && strings.Contains(marks, x.text[t.start:t.end])
}

// endsClause tells whether nothing but soft words follows in the clause.
func (x *extractor) endsClause(i int) bool {
	for {
		n := x.longestOf(i, "soft")
		if n == 0 {
			break
		}
		i += n
	}
	return i >= len(x.tokens) || !x.tokens[i].isWord() && x.tokens[i].kind != joint || x.longestOf(i, "connective") > 0
}

// rightBefore tells whether pattern p may start at token i.
func (x *extractor) rightBefore(p *pattern, i int) bool {
	switch {
	case p.after != "":
		return x.last != nil && x.last.attribute == p.after && x.skipBack(i) <= x.last.stop
	case p.goes:
		return x.goesOn(i)
	case p.opens:
		return x.opensSentence(i) && !x.others || x.goesOn(i)
	}
	return true
}

// skipBack returns the end of the token before i that is neither soft nor a
// comma.
func (x *extractor) skipBack(i int) int {
	for j := i; ; {
		n := 0
		if j > 0 && x.tokens[j-1].kind == comma {
			n = 1
		}
		for k := max(0, j-4); n == 0 && k < j; k++ {
			if x.longestOf(k, "soft") == j-k {
				n = j - k
			}
		}
		if n == 0 {
			return j
		}
		j -= n
	}
}

// opensSentence tells whether only soft and linking words precede token i.
func (x *extractor) opensSentence(i int) bool {
	link := x.is("soft") | x.is("connective") | x.is("opening")
	j := x.first
	for j < i {
		switch n := x.rules.longest(x.tokens, j, link); {
		case n > 0:
			j += n
		case x.tokens[j].kind == comma || x.tokens[j].kind == quote:
			j++
		default:
			return false
		}
	}
	return j == i
}

// goesOn tells whether token i starts a clause after a statement of the
// user's in the same sentence, with nobody else named between.
func (x *extractor) goesOn(i int) bool {
	from := x.first
	switch {
	case x.last != nil:
		from = x.last.stop
	case x.longestOf(from, "self") == 0:
		return false
	}
	linked := false
	for j := from; j < i; j++ {
		n := x.longestOf(j, "connective")
		if x.tokens[j].kind == comma || n > 0 {
			linked = true
		} else if n = x.longestOf(j, "soft"); n == 0 {
			linked = false
		}
		if x.longestOf(j, "other") > 0 {
			return false
		}
		j += max(n, 1) - 1
	}
	return linked
}

// forbidden tells whether what stands around a match keeps it from stating
// that something is so.
func (x *extractor) forbidden(m *match) bool {
	return x.asked && !x.asksLater(m) || x.tokens[m.start].quoted || x.forbiddenBefore(m) || x.forbiddenAfter(m) || x.toldAfter(m)
}

// asksLater tells whether the question is a clause of its own after a match:
// "I live in Porto, can you help me?"
func (x *extractor) asksLater(m *match) bool {
	clause := false
	for j := m.stop; j < len(x.tokens); j++ {
		if clause && x.longestOf(j, "asking") > 0 {
			return true
		}
		clause = x.tokens[j].kind == comma || x.longestOf(j, "connective") > 0 || clause && x.longestOf(j, "soft") > 0
	}
	return false
}

func (x *extractor) forbiddenBefore(m *match) bool {
	var negated, unreal, past, told bool
	for j := x.start; j < m.value; j++ {
		if x.tokens[j].quoted || x.tokens[j].upper && x.longestOf(j, "calendar") > 0 || x.recalled(j) {
			continue
		}
		has := func(name string) bool { return x.longestOf(j, name) > 0 }
		if n := x.longestOf(j, "neutral"); n > 0 {
			j += n - 1
			continue
		}
		if j < m.start && (x.tokens[j].kind == comma || has("connective")) {
			negated = false
		}
		if has("but") {
			negated, unreal, past, told = false, false, false, false
		}
		if has("now") {
			past = false
		}
		if j >= m.start {
			continue
		}
		negated = negated || has("negation")
		past = past || has("past")
		unreal = unreal || has("plan") || has("hypothetical") || has("question")
		told = told || has("report")
	}
	return negated || unreal || past || told
}

// recalled tells whether token i belongs to words about the past that state
// nothing and bear on nothing after them.
func (x *extractor) recalled(i int) bool {
	return slices.ContainsFunc(x.past, func(m *match) bool { return m.start <= i && i < m.stop })
}

func (x *extractor) forbiddenAfter(m *match) bool {
	for j := m.stop; j < len(x.tokens); j++ {
		if x.tokens[j].kind == comma || x.tokens[j].kind == quote || x.longestOf(j, "connective") > 0 {
			return false
		}
		if x.longestOf(j, "after") > 0 || m.rule.Verb == "became" && x.longestOf(j, "after change") > 0 {
			return true
		}
	}
	return false
}

// maxTold is how many tokens "said the old man" may have.
const maxTold = 6

// toldAfter tells whether a few words set off behind a match say that it was
// said by somebody: "I live in Oslo, said the old man."
func (x *extractor) toldAfter(m *match) bool {
	j, apart := m.stop, false
	for j < len(x.tokens) && (x.tokens[j].kind == comma || x.tokens[j].kind == quote) {
		j, apart = j+1, true
	}
	told := false
	for n := 0; j < len(x.tokens) && x.tokens[j].isWord(); n, j = n+1, j+1 {
		if n == maxTold || x.longestOf(j, "connective") > 0 || x.longestOf(j, "neutral") > 0 {
			return false
		}
		told = told || x.longestOf(j, "report") > 0
	}
	return apart && told
}

// state records what a match states.
func (x *extractor) state(m *match) {
	for _, attribute := range append([]string{m.attribute}, m.others...) {
		x.stateOf(m, attribute)
	}
}

func (x *extractor) stateOf(m *match, attribute string) {
	s := Statement{Subject: x.subject, Attribute: attribute, Value: x.between(m.value, m.stop), Date: x.date, Ends: m.rule.Verb == "ended"}
	if m.rule.Verb == "became" {
		s.Date = x.dateOfChange(m)
	}
	for _, other := range x.found {
		if other == s {
			return
		}
	}
	x.found = append(x.found, s)
}

// dateOfChange is the date that the clause of a change names ("I moved to
// Rotterdam on 12 January 2025"), or else the sentence's.
func (x *extractor) dateOfChange(m *match) string {
	end := len(x.tokens)
	for j := m.stop; j < end; j++ {
		if x.tokens[j].kind == comma || x.longestOf(j, "connective") > 0 {
			end = j
		}
	}
	from := x.tokens[x.first].start
	limit := x.tokens[end-1].end
	for _, d := range text.FindDates(x.text[from:min(from+2000, x.tokens[len(x.tokens)-1].end)], text.DMY) {
		if day := d.First().String(); from+d.Start < limit && (x.date == "" || day <= x.date) {
			return day
		}
	}
	return x.date
}

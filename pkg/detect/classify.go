package detect

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// A Guess is what a text seems to be.
type Guess struct {
	DataType   string   // one of the record.Type constants
	Domain     string   // a slug, see the package's list
	Language   string   // "go", "markdown", "es" …; "" where unclear
	Confidence float64  // 0..1, of the type
	Signals    []string // why, the strongest first: "extension:.go", "CLINICAL:diagnosis"
}

// Classify judges a text by the name of its file, which may be empty, and by
// its words and lines. A name or a first line #! that means code decides;
// then come the syntax of programs, where the name says nothing, and the
// signatures of data/words.txt. Of a long text only a sample is read.
func Classify(name, content string) Guess {
	named := ClassifyByName(name, content)
	if named.DataType == record.TypeCode {
		return named
	}
	k, signal, known := kindOf(path.Base(strings.ReplaceAll(name, `\`, "/")))
	s := newSample(content)
	if !known {
		if language, confidence, ok := s.syntax(); ok {
			return codeGuess(language, domainOf(language), "syntax:"+language, confidence, content)
		}
	}
	g := s.judge(k.domain)
	if known {
		g.Signals = append([]string{signal}, g.Signals...)
	}
	switch {
	case k.language == "markdown", !known && s.markdown():
		g.Language = "markdown"
	case known && k.language != "text":
		g.Language = k.language
	}
	return g
}

// ClassifyByName is Classify by the name and a first line #! alone: what they do
// not tell to be code is generic.
func ClassifyByName(name, content string) Guess {
	k, signal, known := kindOf(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if known && k.code {
		return codeGuess(k.language, k.domain, signal, 0.97, content)
	}
	if language, ok := shebang(content); ok {
		return codeGuess(language, domainOf(language), "shebang:"+language, 0.97, content)
	}
	g := Guess{DataType: record.TypeGeneric, Domain: cmp.Or(k.domain, domains[record.TypeGeneric])}
	if known {
		g.Signals = []string{signal}
		if k.language != "text" {
			g.Language = k.language
		}
	}
	return g
}

func codeGuess(language, domain, signal string, confidence float64, content string) Guess {
	g := Guess{DataType: record.TypeCode, Language: language, Domain: domain, Confidence: confidence, Signals: []string{signal}}
	if signal == "extension:.h" {
		g.Language, g.Domain = "c", "software.c"
		if points, _ := newSample(content).syntaxPoints(); points["cpp"] > points["c"] {
			g.Language, g.Domain = "cpp", "software.cpp"
			g.Signals = append(g.Signals, "syntax:cpp")
		}
	}
	return g
}

// domainOf returns the domain of a programming language.
func domainOf(language string) string {
	for _, k := range nameTables().exact {
		if k.language == language && k.code {
			return k.domain
		}
	}
	return "software." + language
}

// A score is what a text has of one topic.
type score struct {
	topic  string
	points float64
	why    []evidence // the strongest first
}

type evidence struct {
	cue    string
	points float64
}

// The topics that are no types.
const (
	topicCooking  = "cooking"
	topicChat     = "chat"
	topicSoftware = "software"
)

// Points, found by trial on the labelled texts: what a type must have more of
// than any text has by chance, from where on a topic decides the domain, and
// what a date at the head of a text is worth at least.
const (
	chance           = 2.4
	enoughTopic      = 3
	enoughChat       = 1.5
	leadingDateLeast = 3.2
)

// domains are those of the types where nothing more is known.
var domains = map[string]string{
	record.TypeCode: "software", record.TypeClinical: "medicine.clinical", record.TypeProcess: "process.howto",
	record.TypeNarrative: "literature.narrative", record.TypePersonal: "personal", record.TypeGeneric: "general",
}

// judge weighs the signatures that a sample has against each other. Where the
// domain is known already, only steps can be more than generic.
func (s *sample) judge(domain string) Guess {
	language := s.language()
	found := s.scores(language)
	ranked := []*score{{topic: record.TypeGeneric, points: chance}, found[record.TypeProcess]}
	if domain == "" {
		ranked = append(ranked, found[record.TypeClinical], found[record.TypePersonal])
		if !s.journal() {
			ranked = append(ranked, found[record.TypeNarrative])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *score) int { return cmp.Compare(b.points, a.points) })
	best := ranked[0]
	g := Guess{DataType: best.topic, Language: language, Confidence: share(ranked)}
	for _, e := range best.why {
		if signal := best.topic + ":" + e.cue; len(g.Signals) < 5 && !slices.Contains(g.Signals, signal) {
			g.Signals = append(g.Signals, signal)
		}
	}
	if best.topic == record.TypeGeneric {
		g.Signals = []string{"no-type-stands-out"}
	}
	g.Domain = domains[best.topic]
	switch {
	case best.topic == record.TypeProcess && found[topicCooking].points > enoughTopic:
		g.Domain = "process.cooking"
	case best.topic == record.TypePersonal && found[topicChat].points > enoughChat:
		g.Domain = "personal.chat"
	case best.topic == record.TypeGeneric && found[topicSoftware].points > enoughTopic:
		g.Domain = "software.docs"
	}
	g.Domain = cmp.Or(domain, g.Domain)
	return g
}

// share is the first of ranked scores as a share of all, each as the
// exponential of its points: 0.5 where two are level, and never certain.
func share(ranked []*score) float64 {
	sum := 0.0
	for _, r := range ranked {
		sum += math.Exp(steepness * (r.points - ranked[0].points))
	}
	return math.Round(min(1/sum, 0.95)*100) / 100
}

// steepness is how fast a lead becomes certainty: with it, of the labelled
// texts, next to none that is wrong is said with more than 0.8.
const steepness = 0.7

// scores returns what the sample has of each topic.
func (s *sample) scores(language string) map[string]*score {
	found := map[string]*score{}
	for _, topic := range []string{record.TypeClinical, record.TypeProcess, record.TypeNarrative, record.TypePersonal, topicCooking, topicChat, topicSoftware} {
		found[topic] = &score{topic: topic}
	}
	counts := map[*cue]int{}
	s.countWords(language, counts)
	s.countLines(counts)
	for q, n := range counts {
		found[q.topic].add(q.name, s.points(q, n))
	}
	found[record.TypeProcess].merge(found[topicCooking])
	for _, f := range found {
		f.settle()
	}
	s.addDated(found)
	return found
}

// countWords counts phrases and endings; those of another language than the
// sample's do not count.
func (s *sample) countWords(language string, counts map[*cue]int) {
	c := wordCues()
	count := func(phrases []phrase, i int) {
		for _, p := range phrases {
			if q := p.cue; (language == "" || q.language == "" || language == q.language) && follows(s.words[i+1:], p.rest) {
				counts[q]++
			}
		}
	}
	for i, word := range s.words {
		count(c.phrases[word], i)
		for _, e := range c.endings {
			if len(word) > len(e.letters)+1 && strings.HasSuffix(word, e.letters) {
				counts[e.cue]++
			}
		}
	}
	for _, i := range s.first {
		count(c.first[s.words[i]], i)
	}
	if s.han > 0 {
		for _, q := range c.signs {
			if n := strings.Count(s.prose, q.name); n > 0 {
				counts[q] = n
			}
		}
	}
}

// countLines counts the patterns of lines.
func (s *sample) countLines(counts map[*cue]int) {
	c := wordCues()
	for _, line := range s.lines {
		countPatterns(c.lines, line, counts)
		if strings.ContainsAny(line, "0123456789") {
			countPatterns(c.numbers, line, counts)
		}
		if s.han > 0 {
			countPatterns(c.han, line, counts)
		}
	}
}

func countPatterns(patterns []*cue, line string, counts map[*cue]int) {
	for _, q := range patterns {
		if q.pattern().MatchString(line) {
			counts[q]++
		}
	}
}

// points is what a cue adds that the sample has n times.
func (s *sample) points(q *cue, n int) float64 {
	return q.weight * math.Log1p(100*float64(n)/(100+s.length))
}

func follows(words, rest []string) bool {
	return len(words) >= len(rest) && slices.Equal(words[:len(rest)], rest)
}

func (f *score) add(cue string, points float64) { f.why = append(f.why, evidence{cue, points}) }

func (f *score) merge(of *score) { f.why = append(f.why, of.why...) }

// settle sums the evidence, in an order that does not depend on chance.
func (f *score) settle() {
	slices.SortFunc(f.why, func(a, b evidence) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(a.cue, b.cue))
	})
	f.points = 0
	for _, e := range f.why {
		f.points += e.points
	}
}

// Cues that are more than a pattern: lines that a date leads, and those of
// them that name who speaks.
var (
	datedLine = &cue{name: "dated-entry", weight: 4.5}
	chatLine  = &cue{name: "speaker", weight: 3}
)

// addDated adds the lines that a date leads: to the clinical record where the
// words speak for one more than for a person's notes, else to these, with the
// lines of a chat. A date that leads the whole text, or most of its headings,
// counts fully however much follows.
func (s *sample) addDated(found map[string]*score) {
	dated, spoken, leads := 0, 0, false
	for i, line := range s.lines {
		if lead, ok := text.LeadingDate(line, text.DMY); ok && lead.SetOff {
			dated++
			leads = leads || i == 0
			if lead.Speaker != "" {
				spoken++
			}
		}
	}
	chat, personal, clinical := found[topicChat], found[record.TypePersonal], found[record.TypeClinical]
	if spoken > 0 {
		chat.add(chatLine.name, s.points(chatLine, spoken))
		chat.settle()
	}
	personal.merge(chat)
	personal.settle()
	if dated == 0 {
		return
	}
	of := personal
	if clinical.points > chance && clinical.points > personal.points {
		of = clinical
	}
	points := s.points(datedLine, dated)
	if leads || s.journal() {
		points = max(points, leadingDateLeast)
	}
	of.add(datedLine.name, points)
	of.settle()
}

// journal tells whether most headings of the sample are dates.
func (s *sample) journal() bool {
	dated, headings := 0, 0
	for _, line := range s.lines {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		headings++
		if lead, ok := text.LeadingDate(line, text.DMY); ok && lead.SetOff {
			dated++
		}
	}
	return dated > 1 && 2*dated > headings
}

// syntax returns the programming language that the sample's lines are written
// in, if they are.
func (s *sample) syntax() (language string, confidence float64, ok bool) {
	if s.fenced || len(s.lines) == 0 {
		return "", 0, false
	}
	if lead, ok := text.LeadingDate(s.lines[0], text.DMY); ok && lead.SetOff {
		return "", 0, false
	}
	if !beginsCode(s.lines[0]) {
		return "", 0, false
	}
	points, codey := s.syntaxPoints()
	best, first := "", 0.0
	for language, p := range points {
		if p > first || p == first && language < best {
			best, first = language, p
		}
	}
	if first < 2 || codey < 0.4 || first < 3.5 && codey < 0.6 {
		return "", 0, false
	}
	return best, math.Round(min(0.5+0.06*first, 0.92)*100) / 100, true
}

// syntaxPoints returns what the sample has of each language's syntax, and the
// share of its lines that look like code.
func (s *sample) syntaxPoints() (points map[string]float64, codey float64) {
	points = map[string]float64{}
	lines := s.lines[:min(len(s.lines), 300)]
	seen := make([]int, len(syntaxCues()))
	n := 0
	for _, line := range lines {
		looks := looksLikeCode(line)
		for i, q := range syntaxCues() {
			if q.line.MatchString(line) {
				seen[i]++
				looks = true
			}
		}
		if looks {
			n++
		}
	}
	for i, q := range syntaxCues() {
		if seen[i] > 0 {
			points[q.language] += q.weight * (1 + math.Log(float64(seen[i])))
		}
	}
	return points, float64(n) / float64(max(1, len(lines)))
}

// beginsCode tells whether a program may begin with the line: prose that quotes
// code begins otherwise. The patterns are tried last, and most prose not at all.
func beginsCode(line string) bool {
	if looksLikeCode(line) {
		return true
	}
	if !strings.ContainsAny(line, "{}()[]<>=;:#$@_/\\\"'*") && (strings.Count(line, " ") > 4 || strings.HasSuffix(line, ".")) {
		return false
	}
	return slices.ContainsFunc(syntaxCues(), func(q syntaxCue) bool { return q.line.MatchString(line) })
}

// looksLikeCode tells whether a line ends as lines of programs do, or is a
// comment.
func looksLikeCode(line string) bool {
	line = strings.TrimSpace(line)
	for _, comment := range []string{"//", "/*", "# ", "-- ", `"""`, "<!--"} {
		if strings.HasPrefix(line, comment) {
			return true
		}
	}
	return strings.ContainsAny(line[len(line)-1:], "{};(")
}

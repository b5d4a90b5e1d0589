package facts

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// The rules that come with the program. They are bytes, not an embed.FS,
// since Version reads them in every search and an embed.FS copies.
var (
	//go:embed rules/names.rules
	nameRules []byte
	//go:embed rules/en.rules
	englishRules []byte
	//go:embed rules/es.rules
	spanishRules []byte
	//go:embed rules/zh.rules
	chineseRules []byte
	//go:embed rules/clinical.rules
	clinicalRules []byte
)

// Rules say which sentences state a fact. They are data: docs/FACTS.md
// describes the files they are read from. Rules are safe for concurrent use.
type Rules struct {
	vocabulary    map[string]int32        // a word of a pattern or list -> its id
	abbreviations map[string]abbreviation // words whose dot ends no sentence
	edges         map[edge]int32          // the graph of patterns and of listed phrases: node, word -> node
	passes        [][]int32               // by node: others that it goes on to without a word
	says          [][]*pattern            // by node: patterns that go on with a value
	classes       []class                 // by node: the lists that hold the phrase
	starts        []starts                // by id: what the word can start
	classOf       map[string]class        // the name of a list -> its bit
	labels        map[string]string       // of a clinical header, folded -> attribute
	list          []Rule
	scratch       []token // for reading phrases
}

type edge struct{ node, word int32 }

type starts byte

const (
	startsPattern starts = 1 << iota
	startsPhrase
)

type abbreviation byte

const (
	opensName  abbreviation = 1 + iota // St., Dr.
	closesName                         // Inc., Ltd.
)

// A class is a set of lists, one bit each.
type class uint64

// The first nodes of the trie and the words that stand for no word.
const (
	patternRoot int32 = iota
	phraseRoot
	firstNode
)
const (
	unknownWord int32 = iota
	gapWord           // * in a pattern: one to five words
	firstWord
)

// A Rule is one line of a rules file: a pattern and what it states.
type Rule struct {
	Source    string `json:"source"` // "en" or the name of the user's file
	Line      int    `json:"line"`
	Attribute string `json:"attribute"` // location, employer, …; "by kind" where the value decides
	Verb      string `json:"verb"`      // says, became, ended or was
	Pattern   string `json:"pattern"`
}

// A pattern is one way to word a rule: its words up to the value are a path
// in the trie.
type pattern struct {
	rule  *Rule
	look  *look
	opens bool   // ^: opens its sentence
	goes  bool   // ...: goes on from a statement before it
	colon bool   // a colon must stand before the value
	after string // <role>: stands right after a value of the attribute
	tail  int32  // the node from which the words after the value lead to tailEnd
	final bool   // nothing of the clause may follow
}

// tailEnd marks the nodes where the words after a value end.
var tailEnd = &pattern{}

// A look says how the values of a section look, and what is none.
type look struct {
	kinds []string // place, company, tool, …
	never class    // phrases that no value starts with; of a name in capitals, that it is
	not   class    // phrases that are no value
	known class    // lists that the value's first word must be in, 0 if any will do
}

// reading is the version of the code that applies rules: a change that makes
// it read otherwise raises it.
const reading = "2"

// Bundled returns the rules that come with the program. They are read once.
var Bundled = sync.OnceValue(func() *Rules {
	r, err := bundledRules()
	if err != nil {
		panic(err) // a test reads them
	}
	return r
})

type rulesFile struct {
	name string
	text []byte
}

func bundledFiles() []rulesFile {
	return []rulesFile{{"names", nameRules}, {"en", englishRules}, {"es", spanishRules}, {"zh", chineseRules}, {"clinical", clinicalRules}}
}

func bundledRules() (*Rules, error) {
	r := newRules()
	for _, f := range bundledFiles() {
		if err := r.read(f.name, string(f.text)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// With returns the bundled rules and those of a text in the same format,
// which is called name in errors and listings. Sections and lists that exist
// are added to.
func With(name, rules string) (*Rules, error) {
	if strings.TrimSpace(rules) == "" {
		return Bundled(), nil
	}
	r, err := bundledRules()
	if err != nil {
		return nil, err
	}
	return r, r.read(name, rules)
}

// Version is a name for the rules that [With] returns, without reading them:
// what other rules made of a leaf must be made anew.
func Version(rules string) string {
	hash := sha256.New()
	hash.Write([]byte(reading))
	for _, f := range bundledFiles() {
		hash.Write(f.text)
	}
	hash.Write([]byte(strings.TrimSpace(rules)))
	return hex.EncodeToString(hash.Sum(nil)[:5])
}

func newRules() *Rules {
	return &Rules{
		vocabulary:    make(map[string]int32, 4096),
		abbreviations: map[string]abbreviation{},
		edges:         make(map[edge]int32, 24<<10),
		passes:        make([][]int32, firstNode, 16<<10),
		says:          make([][]*pattern, firstNode, 16<<10),
		classes:       make([]class, firstNode, 16<<10),
		starts:        make([]starts, firstWord, 4096),
		classOf:       map[string]class{},
		labels:        map[string]string{},
	}
}

// List returns the rules in force, in the order of their files.
func (r *Rules) List() []Rule { return r.list }

// A section is the part of a rules file that a [heading] opens.
type section struct {
	source string
	name   string
	look   *look
	isList bool
	labels bool
}

func (r *Rules) read(source, text string) error {
	var s *section
	var key string
	number := 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		var err error
		if trimmed[0] == '[' {
			s, err = r.section(source, trimmed)
			key = ""
		} else if s == nil {
			err = errors.New("stands before the first [section]")
		} else {
			key, err = r.line(s, number, key, line, trimmed)
		}
		if err != nil {
			return fmt.Errorf("rules %s, line %d: %w", source, number, err)
		}
	}
	return nil
}

func (r *Rules) section(source, line string) (*section, error) {
	name, ok := strings.CutSuffix(line[1:], "]")
	if !ok {
		return nil, fmt.Errorf("%q lacks its ]", line)
	}
	s := &section{source: source, name: strings.TrimSpace(name)}
	if list, ok := strings.CutPrefix(s.name, "list "); ok {
		s.name, s.isList = strings.TrimSpace(list), true
		_, err := r.class(s.name)
		return s, err
	}
	if label, ok := strings.CutPrefix(s.name, "header "); ok {
		s.name, s.labels = strings.TrimSpace(label), true
		return s, nil
	}
	s.look = &look{kinds: []string{"name"}}
	return s, nil
}

// class returns the bit of a list, a new one at its first mention.
func (r *Rules) class(name string) (class, error) {
	if c, ok := r.classOf[name]; ok {
		return c, nil
	}
	if len(r.classOf) == 64 {
		return 0, errors.New("more than 64 lists")
	}
	c := class(1) << len(r.classOf)
	r.classOf[name] = c
	return c, nil
}

// line reads one line of a section. A line of phrases goes on with the key of
// the line before.
func (r *Rules) line(s *section, number int, key, line, trimmed string) (string, error) {
	if s.isList {
		return "", r.phrases(trimmed, r.classOf[s.name], s.name)
	}
	if s.labels {
		for label := range strings.SplitSeq(trimmed, "|") {
			r.labels[foldLabel(label)] = s.name
		}
		return "", nil
	}
	rest := trimmed
	if first, _ := utf8.DecodeRuneInString(line); first != ' ' && first != '\t' {
		key, rest, _ = strings.Cut(trimmed, " ")
		rest = strings.TrimSpace(rest)
	}
	var err error
	switch key {
	case "says", "became", "ended", "was":
		err = r.pattern(s, number, key, rest)
	case "value":
		s.look.kinds = strings.Fields(rest)
		for _, kind := range s.look.kinds {
			if !slices.Contains(valueKinds, kind) {
				err = fmt.Errorf("value %q is none of %s", kind, strings.Join(valueKinds, ", "))
			}
		}
	case "known":
		for name := range strings.SplitSeq(rest, "|") {
			c, e := r.class(strings.TrimSpace(name))
			s.look.known |= c
			err = errors.Join(err, e)
		}
	case "never":
		err = r.bar(s, rest, &s.look.never)
	case "not":
		err = r.bar(s, rest, &s.look.not)
	default:
		err = fmt.Errorf("%q is none of says, became, ended, was, value, known, never, not", key)
	}
	return key, err
}

// bar adds phrases to those that are no value; @name stands for a list.
func (r *Rules) bar(s *section, phrases string, barred *class) error {
	for phrase := range strings.SplitSeq(phrases, "|") {
		name, isList := strings.CutPrefix(strings.TrimSpace(phrase), "@")
		if !isList {
			name = "barred in " + s.source + " " + s.name
		}
		c, err := r.class(name)
		if err == nil && !isList {
			err = r.phrases(phrase, c, "")
		}
		if err != nil {
			return err
		}
		*barred |= c
	}
	return nil
}

// phrases adds the phrases of a line, parted by |, to a list.
func (r *Rules) phrases(line string, c class, list string) error {
	for phrase := range strings.SplitSeq(line, "|") {
		phrase = strings.TrimSpace(phrase)
		if phrase == "" {
			continue
		}
		switch list {
		case "abbreviation":
			r.abbreviations[strings.ToLower(phrase)] = opensName
		case "company suffix":
			r.abbreviations[strings.ToLower(phrase)] = closesName
		}
		ids := r.words(phrase)
		if len(ids) == 0 {
			return fmt.Errorf("phrase %q has no words", phrase)
		}
		r.classes[r.path(phraseRoot, ids)] |= c
	}
	return nil
}

// words returns the ids of the words of a phrase, new ones where needed.
func (r *Rules) words(phrase string) []int32 {
	if isPlain(phrase) || phrase == "'s" {
		return []int32{r.intern(phrase)}
	}
	s := scanner{rules: r, text: phrase, tokens: r.scratch[:0]}
	defer func() { r.scratch = s.tokens }()
	ids := make([]int32, 0, 4)
	for s.pos < len(s.text) {
		n := len(s.tokens)
		at := s.pos
		s.token()
		for _, t := range s.tokens[n:] {
			if !t.isWord() {
				continue
			}
			if t.id == unknownWord {
				t.id = r.intern(spelling(phrase, at, t, s.pos))
			}
			ids = append(ids, t.id)
		}
	}
	return ids
}

// isPlain tells whether a phrase is one word that scanning leaves as it is.
func isPlain(phrase string) bool {
	for i := range len(phrase) {
		if phrase[i] < 'a' || phrase[i] > 'z' {
			return false
		}
	}
	return phrase != ""
}

// spelling is how the vocabulary spells a token that scanning did not know:
// the second half of a contraction in full.
func spelling(phrase string, at int, t token, end int) string {
	raw := strings.ToLower(strings.ReplaceAll(phrase[t.start:t.end], "’", "'"))
	if verb, ok := strings.CutSuffix(raw, "n't"); ok {
		return verb
	}
	if t.start > at && strings.HasPrefix(raw, "'") {
		return map[string]string{"'m": "am", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would", "'s": "'s"}[raw]
	}
	return raw
}

func (r *Rules) intern(w string) int32 {
	id, ok := r.vocabulary[w]
	if !ok {
		id = int32(len(r.starts))
		r.vocabulary[w] = id
		r.starts = append(r.starts, 0)
	}
	return id
}

// node returns a new node.
func (r *Rules) node() int32 {
	r.passes = append(r.passes, nil)
	r.says = append(r.says, nil)
	r.classes = append(r.classes, 0)
	return int32(len(r.classes)) - 1
}

// path returns the node that ids lead to from a root, making it where needed.
func (r *Rules) path(node int32, ids []int32) int32 {
	if len(ids) > 0 {
		switch node {
		case patternRoot:
			r.starts[ids[0]] |= startsPattern
		case phraseRoot:
			r.starts[ids[0]] |= startsPhrase
		}
	}
	for _, id := range ids {
		to, ok := r.edges[edge{node, id}]
		if !ok {
			to = r.node()
			r.edges[edge{node, id}] = to
		}
		node = to
	}
	return node
}

// pattern adds a rule: words with (a|b) alternatives, [optional] parts, * for
// a gap, _ for the value; before them ^, ... or <attribute>; a colon before the value; at the end a dot.
func (r *Rules) pattern(s *section, number int, verb, text string) error {
	rule := &Rule{Source: s.source, Line: number, Attribute: s.name, Verb: verb, Pattern: text}
	r.list = append(r.list, *rule)
	p := &pattern{rule: rule, look: s.look}
	rest := text
	switch {
	case strings.HasPrefix(rest, "^"):
		p.opens, rest = true, rest[1:]
	case strings.HasPrefix(rest, "..."):
		p.goes, rest = true, rest[3:]
	case strings.HasPrefix(rest, "<"):
		after, words, ok := strings.Cut(rest[1:], ">")
		if !ok {
			return fmt.Errorf("%q lacks its >", text)
		}
		p.after, rest = after, words
	}
	rest, p.final = strings.CutSuffix(strings.TrimSpace(rest), " .")
	before, after, ok := strings.Cut(rest, "_")
	before, p.colon = strings.CutSuffix(strings.TrimSpace(before), ":")
	if !ok || strings.Contains(after, "_") {
		return fmt.Errorf("%q must hold one _ where the value stands", text)
	}
	head, err := parsePattern(before)
	if err != nil {
		return err
	}
	tail, err := parsePattern(after)
	if err != nil {
		return err
	}
	p.tail = r.node()
	for _, node := range r.grow([]int32{p.tail}, tail) {
		r.says[node] = append(r.says[node], tailEnd)
	}
	for _, node := range r.grow([]int32{patternRoot}, head) {
		if node == patternRoot || head[0].gap {
			return fmt.Errorf("%q must start with a word", text)
		}
		r.says[node] = append(r.says[node], p)
	}
	return nil
}

// grow adds the parts of a pattern from some nodes on and returns the nodes
// where they end.
func (r *Rules) grow(from []int32, parts []part) []int32 {
	for _, p := range parts {
		var ends []int32
		for _, node := range from {
			switch {
			case p.gap:
				ends = append(ends, r.path(node, []int32{gapWord}))
			case len(p.options) == 0:
				ends = append(ends, r.path(node, r.words(p.words)))
			}
			for _, option := range p.options {
				ends = append(ends, r.grow([]int32{node}, option)...)
			}
		}
		slices.Sort(ends)
		if ends = slices.Compact(ends); len(ends) > 1 {
			ends = []int32{r.join(ends)}
		}
		if p.optional {
			ends = append(ends, from...)
		}
		from = ends
	}
	return from
}

// join returns a new node to which all of nodes pass.
func (r *Rules) join(nodes []int32) int32 {
	to := r.node()
	for _, n := range nodes {
		r.passes[n] = append(r.passes[n], to)
	}
	return to
}

// A part of a pattern is words, a gap or a choice.
type part struct {
	words    string
	gap      bool
	options  [][]part
	optional bool
}

func parsePattern(s string) ([]part, error) {
	parts, rest, err := parseParts(s, 0)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q closes what it did not open", s)
	}
	return parts, err
}

// parseParts reads parts up to a mark that ends an option; rest starts there.
func parseParts(s string, depth int) (parts []part, rest string, err error) {
	if depth > 16 {
		return nil, "", errors.New("alternatives stand more than 16 deep in others")
	}
	for {
		i := strings.IndexAny(s, "([*|)]")
		if i < 0 {
			i = len(s)
		}
		if words := strings.TrimSpace(s[:i]); words != "" {
			parts = append(parts, part{words: words})
		}
		if i == len(s) {
			return parts, "", nil
		}
		switch mark := s[i]; mark {
		case '*':
			parts = append(parts, part{gap: true})
			s = s[i+1:]
		case '(', '[':
			p := part{optional: mark == '['}
			s = s[i:]
			for s[0] != ')' && s[0] != ']' {
				var option []part
				if option, s, err = parseParts(s[1:], depth+1); err != nil {
					return nil, "", err
				}
				if s == "" {
					return nil, "", errors.New("a ( or [ is not closed")
				}
				if len(option) == 0 {
					return nil, "", errors.New("an alternative is empty")
				}
				p.options = append(p.options, option)
			}
			if (s[0] == ']') != p.optional {
				return nil, "", errors.New("( and [ must be closed by ) and ]")
			}
			parts = append(parts, p)
			s = s[1:]
		default:
			return parts, s[i:], nil
		}
	}
}

package summarize

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/text"
)

// Limits of what the heuristic reads and writes.
const (
	nodeText      = 8 << 10 // bytes read of each node
	summaryWords  = 60
	sentenceWords = 28
	keywordCount  = 8
	contrastCount = 4
	titleKeywords = 3
)

// heuristic picks sentences and words out of the material: it needs no model,
// gives the same answer every time and speaks the language it reads.
//
// A term weighs Σ(1 + ln tf) over the nodes that have it, so that what several
// children say outweighs what one repeats, times a factor for its length,
// which stands in for its rarity. The sentences that carry most weight for
// their length make the summary; a term's weight falls each time a chosen
// sentence uses it, so that each sentence adds something.
type heuristic struct{}

func (heuristic) Name() string { return Heuristic }

func (heuristic) Summarize(_ context.Context, domain string, _ int, nodes []Node) (Summary, error) {
	m := newMaterial(domain, nodes)
	defer m.free()
	keywords := m.keywords()
	return Summary{
		Title:    strings.Join(keywords[:min(titleKeywords, len(keywords))], ", "),
		Summary:  m.summary(),
		Keywords: keywords,
	}, nil
}

// Contrast returns for each node up to four keywords that tell it apart from
// the others: a term weighs (1 + ln tf)·ln(1 + N/df) among the N nodes.
func Contrast(domain string, nodes []Node) [][]string {
	m := newMaterial(domain, nodes)
	defer m.free()
	keywords := make([][]string, len(nodes))
	for i, counts := range m.counts {
		ranked := make([]ranked, len(counts))
		for j, c := range counts {
			t := &m.terms[c.term]
			rarity := math.Log1p(float64(len(nodes)) / float64(t.nodes))
			ranked[j] = rank(c.term, (1+math.Log(float64(c.tf)))*rarity*t.salience())
		}
		keywords[i] = m.best(ranked, contrastCount)
	}
	return keywords
}

// A term is a word or, in scripts without spaces, a run of characters.
type term struct {
	folded  string
	seen    string // as first written
	weight  float64
	nodes   int  // how many have it
	tf      int  // in the node being read
	runes   int  // length
	plain   bool // seen without a capital
	inside  bool // seen with a capital inside a sentence
	dropped bool // says nothing: see isOpaque; or stands in the domain's name
	pair    bool // two characters of a run, perhaps not a word
}

type count struct{ term, tf int }

// A piece is part of a run of characters without spaces: the terms of its
// pairs of characters, in order.
type piece struct {
	text  string
	node  int
	pairs []int
}

type sentence struct {
	text  string // clipped to sentenceWords
	node  int
	words int
	terms []int
}

// material is what the nodes say: terms, how often each node has them, and
// sentences.
type material struct {
	ids       map[string]int
	terms     []term
	counts    [][]count // by node
	sentences []sentence
	pieces    []piece
	arena     []int // of the sentences' terms
	touched   []int // terms of the node being read
	buf       []byte
}

// materials keeps the memory of one branch for the next: a bulk load makes
// thousands.
var materials = sync.Pool{New: func() any { return &material{ids: map[string]int{}} }}

func (m *material) free() {
	clear(m.ids)
	clear(m.terms)
	clear(m.sentences)
	clear(m.pieces)
	*m = material{ids: m.ids, terms: m.terms[:0], sentences: m.sentences[:0], pieces: m.pieces[:0], arena: m.arena[:0], touched: m.touched[:0], buf: m.buf[:0]}
	materials.Put(m)
}

func newMaterial(domain string, nodes []Node) *material {
	m := materials.Get().(*material)
	for _, part := range strings.FieldsFunc(domain, func(r rune) bool { return strings.ContainsRune("._-", r) }) {
		m.terms[m.id([]byte(strings.ToLower(part)), part)].dropped = true
	}
	for i, n := range nodes {
		m.read(i, n)
	}
	m.joinPairs()
	for i := range m.terms {
		m.terms[i].weight *= m.terms[i].salience()
	}
	return m
}

// read takes in one node.
func (m *material) read(node int, n Node) {
	m.touched = m.touched[:0]
	body := strings.ToValidUTF8(clipBytes(n.Text, nodeText), "")
	m.words(node, n.Title, nil)
	for _, k := range n.Keywords {
		m.words(node, k, nil)
	}
	if isCode(n) {
		for _, tag := range n.Tags {
			if kind, name, ok := strings.Cut(tag, ":"); ok && kind != "type" && kind != "lang" {
				m.words(node, name, nil)
			}
		}
		body = n.Title
	}
	if strings.TrimSpace(body) == "" {
		body = n.Title
	}
	start := 0
	for _, end := range text.Sentences(body) {
		m.sentence(node, body[start:end])
		start = end
	}
	counts := make([]count, len(m.touched))
	for i, id := range m.touched {
		t := &m.terms[id]
		counts[i] = count{id, t.tf}
		t.nodes++
		t.weight += 1 + math.Log(float64(t.tf))
		t.tf = 0
	}
	m.counts = append(m.counts, counts)
}

func isCode(n Node) bool { return slices.Contains(n.Tags, "type:code") && n.Title != "" }

func (m *material) sentence(node int, raw string) {
	s := sentence{text: prose(raw), node: node}
	if s.text == "" {
		return
	}
	first := len(m.arena)
	m.words(node, s.text, &s)
	s.terms = m.arena[first:len(m.arena):len(m.arena)]
	if s.words > 0 {
		m.sentences = append(m.sentences, s)
	}
}

// words counts the terms of s and, up to where it is clipped, makes them the
// sentence's.
func (m *material) words(node int, s string, of *sentence) {
	clipped, first := of == nil, true
	note := func(id int) {
		t := &m.terms[id]
		if t.tf++; t.tf == 1 {
			m.touched = append(m.touched, id)
		}
		if !clipped {
			m.arena = append(m.arena, id)
		}
	}
	scan(s, func(start, end int, joined bool) {
		word := s[start:end]
		if of != nil && !clipped {
			if of.words += length(word, joined); of.words > sentenceWords {
				of.words = sentenceWords
				of.text, clipped = strings.TrimRight(s[:start], " ,;:(")+"…", true
			}
		}
		if joined {
			m.runs(node, word, note)
		} else if id, ok := m.word(word, !first); ok {
			note(id)
		}
		first = false
	})
}

// word returns the term of a word; stop words and single letters are none.
func (m *material) word(word string, inside bool) (int, bool) {
	m.buf = fold(m.buf[:0], word)
	if len(m.buf) < 2 {
		return 0, false
	}
	id, known := m.ids[string(m.buf)]
	if !known {
		if !says(m.buf) {
			m.ids[string(m.buf)] = stopWord
			return 0, false
		}
		id = m.id(m.buf, word)
	}
	if id == stopWord {
		return 0, false
	}
	if t := &m.terms[id]; string(m.buf) == word {
		t.plain = true
	} else if inside {
		t.inside = true
	}
	return id, true
}

// stopWord stands for the id of every word that is no term.
const stopWord = -1

// runs notes the terms of a run of characters without spaces. Particles and
// pronouns part it into pieces; a short piece is a term, and so is every pair
// of characters.
func (m *material) runs(node int, run string, note func(id int)) {
	for _, text := range strings.FieldsFunc(run, isParticle) {
		n := utf8.RuneCountInString(text)
		if n < 2 {
			continue
		}
		if n <= 6 {
			id := m.id([]byte(text), text)
			m.terms[id].pair = false
			note(id)
		}
		if n == 2 {
			continue
		}
		p := piece{text, node, make([]int, 0, n-1)}
		previous := 0
		for i, r := range text {
			if i > 0 {
				known := len(m.terms)
				pair := text[previous : i+utf8.RuneLen(r)]
				id := m.id([]byte(pair), pair)
				m.terms[id].pair = m.terms[id].pair || id == known
				note(id)
				p.pairs = append(p.pairs, id)
			}
			previous = i
		}
		m.pieces = append(m.pieces, p)
	}
}

// joinPairs makes terms of the longest runs whose every pair stands in two
// nodes or more: what several texts spell alike is likely a word.
func (m *material) joinPairs() {
	type place struct{ node, term int }
	noted := map[place]bool{}
	for _, p := range m.pieces {
		chars := []rune(p.text)
		for i := 0; i < len(p.pairs); i++ {
			first, weight := i, math.Inf(1)
			for ; i < len(p.pairs) && m.terms[p.pairs[i]].nodes > 1; i++ {
				weight = min(weight, m.terms[p.pairs[i]].weight)
			}
			if i == first || i-first > 11 {
				continue
			}
			word := string(chars[first : i+1])
			id := m.id([]byte(word), word)
			t := &m.terms[id]
			t.pair = false
			t.weight = max(t.weight, weight)
			if at := (place{p.node, id}); !noted[at] {
				noted[at] = true
				t.nodes = max(t.nodes, 2)
				m.counts[p.node] = append(m.counts[p.node], count{id, 1})
			}
		}
	}
}

func (m *material) id(folded []byte, seen string) int {
	if id, ok := m.ids[string(folded)]; ok {
		return id
	}
	t := term{folded: string(folded), seen: seen, runes: utf8.RuneCount(folded)}
	t.dropped = isOpaque(t.folded)
	m.ids[t.folded] = len(m.terms)
	m.terms = append(m.terms, t)
	return len(m.terms) - 1
}

// isOpaque tells whether a word names something without saying anything:
// numbers, hashes, addresses.
func isOpaque(word string) bool {
	return len(word) > 120 || strings.Contains(word, "://") || !strings.ContainsFunc(word, unicode.IsLetter) ||
		len(word) > 12 && strings.ContainsFunc(word, unicode.IsDigit)
}

// salience is what a term's form says of its worth: long words are rarer than
// short ones, names and identifiers say more than other words.
func (t *term) salience() float64 {
	if t.dropped {
		return 0
	}
	full := 8.0
	if r, _ := utf8.DecodeRuneInString(t.folded); unspaced(r) {
		full = 4
	}
	s := min(1, float64(t.runes)/full)
	if t.isName() {
		s *= 1.4
	}
	return s
}

func (t *term) isName() bool { return t.inside && !t.plain }

// form is how a term is written as a keyword: as it was where its capitals
// mean something, else without them.
func (t *term) form() string {
	_, w := utf8.DecodeRuneInString(t.seen)
	if t.isName() || !t.plain && strings.ContainsFunc(t.seen[w:], unicode.IsUpper) {
		return t.seen
	}
	return t.folded
}

type ranked struct {
	term   int
	weight float64
}

func rank(term int, weight float64) ranked { return ranked{term, weight} }

func (m *material) keywords() []string {
	all := make([]ranked, len(m.terms))
	for i, t := range m.terms {
		all[i] = rank(i, t.weight)
	}
	return m.best(all, keywordCount)
}

// best returns up to n of the heaviest terms, without two forms of one word.
func (m *material) best(terms []ranked, n int) []string {
	slices.SortFunc(terms, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(m.terms[a.term].folded, m.terms[b.term].folded))
	})
	var chosen []*term
	words := make([]string, 0, n)
	for _, r := range terms {
		t := &m.terms[r.term]
		if len(words) == n || r.weight <= 0 {
			break
		}
		if !t.pair && !slices.ContainsFunc(chosen, func(c *term) bool { return akin(c.folded, t.folded) }) {
			chosen = append(chosen, t)
			words = append(words, t.form())
		}
	}
	return words
}

// akin tells whether two terms are forms of one word, as far as their
// beginnings tell, or overlapping pieces of one run.
func akin(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if r, _ := utf8.DecodeRuneInString(b); unspaced(r) {
		_, head := utf8.DecodeRuneInString(a)
		_, tail := utf8.DecodeLastRuneInString(a)
		return strings.Contains(b, a) || strings.HasSuffix(b, a[:len(a)-tail]) || strings.HasPrefix(b, a[head:])
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	return same >= 4 && len(a)-same <= 2 && len(b)-same <= 3
}

// summary returns the chosen sentences in the order of the material.
func (m *material) summary() string {
	weights := make([]float64, len(m.terms))
	for i, t := range m.terms {
		weights[i] = t.weight
	}
	usedNodes := map[int]bool{}
	var chosen []int
	firstGain := 0.0
	for left := summaryWords; left > 0; {
		best, bestGain := -1, firstGain/4 // what is left below that repeats what was said
		for i, s := range m.sentences {
			if s.words > left || slices.Contains(chosen, i) {
				continue
			}
			gain := 0.0
			for _, id := range s.terms {
				gain += weights[id]
			}
			gain /= float64(s.words + 6)
			gain *= min(1, float64(len(s.terms))/4) // a heading, a label
			if usedNodes[s.node] {
				gain *= 0.6
			}
			if gain > bestGain {
				best, bestGain = i, gain
			}
		}
		if best < 0 {
			break
		}
		if len(chosen) == 0 {
			firstGain = bestGain
		}
		chosen = append(chosen, best)
		left -= m.sentences[best].words
		usedNodes[m.sentences[best].node] = true
		for _, id := range m.sentences[best].terms {
			weights[id] *= 0.2
		}
	}
	slices.Sort(chosen)
	var b strings.Builder
	for i, c := range chosen {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(closed(m.sentences[c].text))
	}
	return b.String()
}

// closed is a sentence with a mark at its end, so that sentences stay apart
// where they are joined.
func closed(s string) string {
	switch last, _ := utf8.DecodeLastRuneInString(s); {
	case unspaced(last):
		return s + "。"
	case unicode.IsLetter(last) || unicode.IsDigit(last):
		return s + "."
	}
	return s
}

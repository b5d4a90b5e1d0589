package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/nav"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// A Query asks for code.
type Query struct {
	Query     string `json:"query"`
	Clue      string `json:"clue,omitempty"`       // more words, which tell what is meant from what is like it
	K         int    `json:"k,omitempty"`          // how many results; 0 is 5
	Scope     string `json:"scope,omitempty"`      // ScopeMain, ScopeTest or ScopeAll; "" is ScopeMain
	Subpath   string `json:"subpath,omitempty"`    // only files at or below it, relative to the tree
	MaxTokens int    `json:"max_tokens,omitempty"` // of all that is printed; 0 is 1500
}

// The scopes of a query.
const (
	ScopeMain = "main" // tests are found, but after all else
	ScopeTest = "test" // tests only
	ScopeAll  = "all"  // tests count as much as all else
)

const (
	defaultK      = 5
	defaultTokens = 1500
)

// What BM25 is made of; the values are those of the search in memories.
const (
	saturation   = 0.9
	lengthWeight = 0.4
)

// What a score is multiplied by.
const (
	testFactor   = 0.5
	importFactor = 0.3
	blockFactor  = 0.85 // a text that is no code
)

// A view is a state with its tables open.
type view struct {
	*state
	tables []*terms.Table
	opened []*os.File
	starts []int   // of each table among the refs
	owners []int32 // by ref: the file, -1 for what is dead
	live   int     // entries
	length float64 // of an entry, on average
}

// view brings the index up to date and opens it.
func (p *Project) view(ctx context.Context) (*view, Report, error) {
	s, report, err := p.sync(ctx)
	if err != nil {
		return nil, report, err
	}
	v, err := p.open(s)
	if errors.Is(err, fs.ErrNotExist) { // another process has merged the tables meanwhile, or they were removed
		if s, report, err = p.sync(ctx); err != nil {
			return nil, report, err
		}
		v, err = p.open(s)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	return v, report, err
}

// discard drops the state, so that the next call begins anew.
func (p *Project) discard(ctx context.Context) error {
	unlock, err := p.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = os.Remove(filepath.Join(p.index, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another process has done it
	}
	return err
}

func (p *Project) open(s *state) (*view, error) {
	v := &view{state: s}
	for _, t := range s.tables {
		f, err := os.Open(filepath.Join(p.index, t.name))
		if err != nil {
			v.close()
			return nil, err
		}
		v.opened = append(v.opened, f)
		table, err := terms.Open(f, t.bytes)
		if err == nil && table.Len() != t.entries {
			err = errBroken
		}
		if err != nil {
			v.close()
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		v.tables = append(v.tables, table)
		v.starts = append(v.starts, len(v.owners))
		v.owners = append(v.owners, slices.Repeat([]int32{-1}, t.entries)...)
	}
	length := 0
	for i := range s.files {
		f := &s.files[i]
		for n := range f.entries {
			v.owners[v.starts[f.table]+f.first+n] = int32(i)
		}
		v.live += f.entries
		length += f.length
	}
	v.length = float64(length) / float64(max(v.live, 1))
	return v, nil
}

func (v *view) close() {
	for _, f := range v.opened {
		f.Close()
	}
}

// err is the first failure of reading the tables.
func (v *view) err() error {
	for _, t := range v.tables {
		if err := t.Err(); err != nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
	}
	return nil
}

// A ref is an entry: its place among those of the first table and then of the
// second.
type ref int32

// file is the file of a live entry.
func (v *view) file(r ref) *file { return &v.files[v.owners[r]] }

// table returns the table and the ordinal of an entry.
func (v *view) table(r ref) (*terms.Table, int) {
	if len(v.starts) > 1 && int(r) >= v.starts[1] {
		return v.tables[1], int(r) - v.starts[1]
	}
	return v.tables[0], int(r)
}

// entry reads what the table keeps of an entry.
func (v *view) entry(r ref) (entry, error) {
	table, ordinal := v.table(r)
	leaf, err := table.Leaf(ordinal)
	if err != nil {
		return entry{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	e, ok := parseID(leaf.ID)
	if !ok {
		return entry{}, fmt.Errorf("%w: entry %q", errBroken, leaf.ID)
	}
	return e, nil
}

// length is the length of an entry in words.
func (v *view) lengthOf(r ref) float64 {
	table, ordinal := v.table(r)
	return float64(table.Row(ordinal).Length)
}

// A hit is an entry that has a word, and how often.
type hit struct {
	ref
	count int32
}

// hits are the live entries that have a term, in ascending order.
func (v *view) hits(term string) []hit {
	var hits []hit
	var postings []terms.Posting
	for i, t := range v.tables {
		postings = t.Postings(postings[:0], term)
		hits = slices.Grow(hits, len(postings))
		for _, p := range postings {
			if r := ref(v.starts[i]) + ref(p.Ordinal); v.owners[r] >= 0 {
				hits = append(hits, hit{r, p.Weight})
			}
		}
	}
	return hits
}

// has tells whether an entry is among hits.
func has(hits []hit, r ref) bool {
	_, ok := slices.BinarySearchFunc(hits, r, func(h hit, r ref) int { return cmp.Compare(h.ref, r) })
	return ok
}

// A match is what an entry has of a query.
type match struct {
	ref
	length  float64 // of the entry, in words
	words   float64 // score of its words, 0..1
	covered float64 // idf of the query's words that it has
	has     int     // how many of them it has
	named   float64 // that the query names it
	score   float64 // of all, once it is a candidate
}

// A scorer scores the entries of a view for one query or clue.
type scorer struct {
	*view
	matches []match
	number  []int32 // by ref: of its match, from 1
	wanted  float64 // idf of the words
	asked   int     // how many words
	missing []string
	size    int // words of the query
}

// score finds what matches a query.
func (v *view) score(a *text.Analyzer, query string) *scorer {
	q := a.Query(spaced(query))
	s := &scorer{view: v, number: make([]int32, len(v.owners)), size: q.Size}
	found := make([][]hit, len(q.Words))
	for i, w := range q.Words {
		found[i] = s.forms(w)
	}
	s.match(found)
	known := 0.0
	for i, w := range q.Words {
		hits := found[i]
		if len(hits) == 0 && w.Optional {
			continue
		}
		weight := w.Weight * math.Log(1+(float64(v.live-len(hits))+0.5)/(float64(len(hits))+0.5))
		if !w.Optional {
			s.wanted += weight
			s.asked++
		}
		if len(hits) == 0 {
			s.missing = append(s.missing, w.Text)
			continue
		}
		known += weight
		for _, h := range hits {
			m := s.at(h.ref)
			tf := float64(h.count)
			m.words += weight * tf / (tf + saturation*(1-lengthWeight+lengthWeight*m.length/v.length))
			if !w.Optional {
				m.covered += weight
				m.has++
			}
		}
	}
	for i := range s.matches {
		s.matches[i].words /= known
	}
	s.name(a, query)
	return s
}

// match lists what has a word, in ascending order, as the rows of a table are
// best read.
func (s *scorer) match(found [][]hit) {
	n := 0
	for _, hits := range found {
		for _, h := range hits {
			if s.number[h.ref] == 0 {
				s.number[h.ref] = 1
				n++
			}
		}
	}
	s.matches = make([]match, 0, n)
	for r := range s.number {
		if s.number[r] != 0 {
			s.matches = append(s.matches, match{ref: ref(r), length: s.lengthOf(ref(r))})
			s.number[r] = int32(len(s.matches))
		}
	}
}

// at is the match of an entry, a new one where it had none.
func (s *scorer) at(r ref) *match {
	if s.number[r] == 0 {
		s.matches = append(s.matches, match{ref: r})
		s.number[r] = int32(len(s.matches))
	}
	return &s.matches[s.number[r]-1]
}

// forms are the entries that have a word: as typed and, of the groups of its
// other forms, the one that they have most of.
func (s *scorer) forms(w text.Word) []hit {
	var best []hit
	for _, group := range w.Forms {
		var sum []hit
		for _, term := range group {
			if term != w.Folded {
				sum = combine(sum, s.hits(term), plus)
			}
		}
		best = combine(best, sum, larger)
	}
	return combine(s.hits(w.Folded), best, plus)
}

func plus(a, b int32) int32   { return a + b }
func larger(a, b int32) int32 { return max(a, b) }

// combine merges two lists of hits; what is in both gets the combined count.
func combine(a, b []hit, of func(a, b int32) int32) []hit {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	merged := make([]hit, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].ref < b[0].ref:
			merged, a = append(merged, a[0]), a[1:]
		case a[0].ref > b[0].ref:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged = append(merged, hit{a[0].ref, of(a[0].count, b[0].count)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// A verdict is how a query is answered: candidates, best first, and those that
// compete for the first place where the query does not decide.
type verdict struct {
	ranked     []match
	rivals     []match
	reason     string
	confidence float64
	coverage   float64 // of the best
	missing    []string
	unnamed    string // the name that the query consists of, where nothing is called so
}

// decide ranks the entries that match a query and tells whether it fits
// several.
func (v *view) decide(a *text.Analyzer, q Query) (verdict, error) {
	unnamed := v.unnamed(a, q)
	s := v.score(a, cmp.Or(unnamed, q.Query))
	ranked := s.candidates(q)
	words := s.size
	if strings.TrimSpace(q.Clue) != "" {
		clue := v.score(a, q.Clue)
		ranked = narrowed(ranked, clue.candidates(q))
		words += clue.size
	}
	slices.SortFunc(ranked, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(v.owners[a.ref], v.owners[b.ref]), cmp.Compare(a.ref, b.ref))
	})
	ranked = ranked[:min(len(ranked), considered)]
	if err := v.refine(a, ranked, q); err != nil {
		return verdict{}, err
	}
	d := verdict{ranked: ranked, missing: s.missing, unnamed: unnamed}
	d.judge(s, words)
	return d, v.err()
}

// considered is how many candidates are looked at closely.
const considered = 24

// candidates are the matches that a query allows, with their scores.
func (s *scorer) candidates(q Query) []match {
	var imports []hit
	if !asksForImports(q.Query) {
		imports = s.hits(importTerm)
	}
	found := s.matches[:0]
	for _, m := range s.matches {
		factor := s.factor(s.file(m.ref), q)
		if factor == 0 {
			continue
		}
		if has(imports, m.ref) {
			factor *= importFactor
		}
		m.score = factor * (m.words + m.named)
		found = append(found, m)
	}
	return found
}

// narrowed joins the candidates of a query and of its clue: what matches both
// is worth more than what matches one.
func narrowed(query, clue []match) []match {
	scores := make(map[ref]float64, len(clue))
	for _, c := range clue {
		scores[c.ref] = c.score
	}
	for i := range query {
		c := &query[i]
		if more, both := scores[c.ref]; both {
			c.score = nav.BothMatch * (c.score + more)
		} else {
			c.score *= nav.OneMatches
		}
	}
	return query
}

func asksForImports(query string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		switch word {
		case "import", "imports", "include", "includes", "package", "use", "using", "require":
			return true
		}
	}
	return false
}

// factor weighs a file for a query, 0 where the query leaves it out.
func (v *view) factor(f *file, q Query) float64 {
	if !below(f.path, q.Subpath) {
		return 0
	}
	switch {
	case q.Scope == ScopeTest && !f.test:
		return 0
	case q.Scope == ScopeMain && f.test:
		return testFactor
	}
	return 1
}

// below tells whether a file is at or below a path.
func below(file, subpath string) bool {
	return subpath == "" || file == subpath || strings.HasPrefix(file, subpath+"/")
}

// cleanSubpath returns a path as it stands in the index, "" for the whole
// tree.
func (p *Project) cleanSubpath(subpath string) (string, error) {
	if subpath == "" {
		return "", nil
	}
	if filepath.IsAbs(subpath) {
		rel, err := filepath.Rel(p.dir, subpath)
		if err != nil {
			return "", err
		}
		subpath = rel
	}
	clean := path.Clean(filepath.ToSlash(subpath))
	if clean == "." {
		return "", nil
	}
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("subpath %q leads out of %s", subpath, p.dir)
	}
	return clean, nil
}

// refine looks at what candidates are called exactly, and ranks them anew.
func (v *view) refine(a *text.Analyzer, ranked []match, q Query) error {
	wanted := kindsOf(q.Query)
	names := mentionsOf(a, q.Query+" "+q.Clue)
	for i := range ranked {
		c := &ranked[i]
		e, err := v.entry(c.ref)
		if err != nil {
			return err
		}
		if e.kind == block {
			c.score *= blockFactor
		}
		if c.named > 0 {
			worth := 0.0
			for _, m := range names {
				worth = max(worth, m.exactness(e.title)*exactCase)
			}
			c.named, c.score = c.named+worth, c.score+worth
		}
		if wanted != nil && c.named > 0 {
			if wanted[e.kind] || wanted[constructor] && e.isConstructor() {
				c.score += rightKind
			} else {
				c.score -= rightKind
			}
		}
		if e.isConstructor() && !wanted[constructor] {
			c.score -= rightKind
		}
	}
	slices.SortStableFunc(ranked, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return nil
}

// What a name is worth in the case that was typed, and a symbol of the kind
// that was asked for.
const (
	exactCase = 0.15
	rightKind = 0.15
)

const constructor = "constructor"

// isConstructor tells of a method that is called as its class.
func (e *entry) isConstructor() bool {
	if e.kind != code.Method && e.kind != code.Function {
		return false
	}
	parts := strings.Split(e.title, ".")
	n := len(parts)
	return n > 1 && parts[n-1] == parts[n-2] || parts[n-1] == "constructor" || parts[n-1] == "__init__"
}

// kindsOf are the kinds of symbols that a query asks for; nil is any.
func kindsOf(query string) map[string]bool {
	var wanted map[string]bool
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		kinds, ok := kindWords[strings.Trim(word, ".,:;?!()")]
		if !ok {
			continue
		}
		if wanted == nil {
			wanted = map[string]bool{}
		}
		for _, k := range kinds {
			wanted[k] = true
		}
	}
	return wanted
}

var kindWords = map[string][]string{
	"function": {code.Function, code.Method}, "func": {code.Function, code.Method}, "method": {code.Method, code.Function},
	"class": {code.Class, code.Struct}, "struct": {code.Struct, code.Class}, "interface": {code.Interface, code.Trait}, "trait": {code.Trait},
	"enum": {code.Enum}, "type": {code.Type, code.Class, code.Struct, code.Interface, code.Enum}, "constant": {code.Const}, "const": {code.Const},
	"variable": {code.Var}, "var": {code.Var}, "constructor": {constructor}, "namespace": {code.Namespace}, "module": {code.Module, code.Namespace},
	"macro": {code.Macro},
}

// judge tells whether a query fits several symbols, in different files: where
// it names what it asks for, others of that name that are worth about as much;
// else, where the best answer has little of the query, whatever is near it.
// What has next to nothing of it is no answer.
func (d *verdict) judge(s *scorer, words int) {
	if len(d.ranked) == 0 {
		return
	}
	first := d.ranked[0]
	if first.coverage(s.wanted) < leastCoverage && float64(first.has) < leastWords*float64(s.asked) {
		d.ranked = nil
		return
	}
	var rivals []nav.Candidate
	var at []int
	seen := map[int32]bool{}
	for i, c := range d.ranked {
		owner := s.owners[c.ref]
		if seen[owner] || first.named > 0 && c.named < first.named-nameSlack {
			continue
		}
		seen[owner] = true
		at = append(at, i)
		rivals = append(rivals, nav.Candidate{Domain: s.files[owner].path, Score: c.score, Coverage: c.coverage(s.wanted)})
	}
	margin := nav.AmbiguityMargin
	if first.named < naming {
		margin = 0
	}
	j := nav.Doubt{Threshold: leastConfidence, Margin: margin}.Judge(max(words, 2), rivals)
	d.confidence, d.coverage = j.Confidence, j.Coverage
	if !j.Ambiguous || len(j.Options) < 2 || d.unnamed != "" && first.named < naming {
		return
	}
	d.reason = "no symbol has enough of the question"
	if margin > 0 {
		d.reason = fmt.Sprintf("%d files have what it names", len(j.Options))
	}
	if d.unnamed != "" { // but its last part is one
		d.reason = fmt.Sprintf("no symbol is named %s, and %d files have one like it", d.unnamed, len(j.Options))
	}
	for _, o := range j.Options {
		d.rivals = append(d.rivals, d.ranked[at[o]])
	}
}

const (
	naming          = 0.5 // from where on a query names a symbol
	nameSlack       = 0.1 // within it two are named alike
	leastConfidence = 0.3
	leastCoverage   = 0.35 // with less of the query, and
	leastWords      = 0.4  // fewer of its words, it is no answer
)

// coverage is the share of the query's words, by idf, that an entry has.
func (c *match) coverage(wanted float64) float64 {
	if wanted == 0 || c.named >= naming {
		return 1
	}
	return min(1, c.covered/wanted)
}

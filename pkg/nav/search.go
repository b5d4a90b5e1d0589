package nav

import (
	"cmp"
	"container/heap"
	"errors"

	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// DefaultResults is how many results a query without K returns.
const DefaultResults = 5

// contenders is how many of the best leaves are looked at more closely:
// judged for doubt, and put under what replaced them.
const contenders = 24

// An Answer is what a query found.
type Answer struct {
	Search  record.Search
	Results []record.Result
	Clue    *record.Clue // asks back, where the query is ambiguous
}

// A Searcher answers queries on one snapshot of a memory. Close it.
type Searcher struct {
	store *store.Store
	snap  *store.Snapshot
	view  *view
	order text.DateOrder
	doubt Doubt

	replacing bool // some leaf replaces another
	opened    map[string]*store.Leaf
}

// NewSearcher takes a snapshot of a memory.
func NewSearcher(s *store.Store) (*Searcher, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	v, err := newView(snap)
	if err != nil {
		snap.Close()
		return nil, err
	}
	order, err := text.ParseDateOrder(s.Settings.DateOrder)
	if err != nil {
		return nil, err
	}
	r := &Searcher{opened: map[string]*store.Leaf{}, store: s, snap: snap, view: v, order: order,
		doubt: Doubt{Threshold: s.Settings.ConfidenceThreshold, Margin: s.Settings.AmbiguityMargin}}
	v.terms("replaces:", func(string) { r.replacing = true })
	return r, snap.Err()
}

// read opens a leaf, once for a query.
func (r *Searcher) read(id string) (*store.Leaf, error) {
	if l := r.opened[id]; l != nil {
		return l, nil
	}
	l, err := r.store.Leaf(id)
	if err == nil {
		r.opened[id] = l
	}
	return l, err
}

// Close releases the snapshot.
func (r *Searcher) Close() { r.snap.Close() }

// Search answers a query: exactly what scoring every leaf by the formula of
// docs/SEARCH.md would return.
func (r *Searcher) Search(q record.Query) (*Answer, error) {
	start := time.Now()
	clear(r.opened)
	if strings.TrimSpace(q.Query) == "" {
		return nil, errors.New("the query is empty")
	}
	if q.K <= 0 {
		q.K = DefaultResults
	}
	clues := cluesOf(q)
	scorers := []*scorer{r.view.newScorer(r.store.Analyzer, q.Query, r.order)}
	for _, clue := range clues {
		scorers = append(scorers, r.view.newScorer(r.store.Analyzer, clue, r.order))
	}
	allow, err := r.filter(q.Filters)
	if err != nil {
		return nil, err
	}
	best, err := r.best(scorers, allow, max(q.K, contenders))
	if err != nil {
		return nil, err
	}
	if best, err = r.phrases(best, scorers, allow, max(q.K, contenders)); err != nil {
		return nil, err
	}
	a := &Answer{Search: record.Search{ID: q.ID, Query: q.Query, Clues: clues, Exact: true}}
	if best, err = r.time(best, q); err != nil {
		return nil, err
	}
	if err := r.judge(a, q, best, scorers); err != nil {
		return nil, err
	}
	if err := r.results(a, q, best); err != nil {
		return nil, err
	}
	if len(best) == 0 {
		r.help(a, scorers)
	}
	if err := r.snap.Err(); err != nil {
		return nil, err
	}
	r.account(a, start)
	return a, nil
}

func (r *Searcher) account(a *Answer, start time.Time) {
	files, bytes := r.store.Opened()
	for _, t := range r.snap.Tables {
		bytes += t.BytesRead()
	}
	a.Search.FilesOpened, a.Search.BytesRead = files, bytes
	a.Search.LeavesTotal, a.Search.Depth = r.view.live, r.snap.Trunk.Depth
	a.Search.ElapsedMS = float64(time.Since(start).Microseconds()) / 1000
}

// cluesOf returns the clues of a query, each once.
func cluesOf(q record.Query) []string {
	var clues []string
	for _, c := range append([]string{q.Clue}, q.Clues...) {
		if c = strings.TrimSpace(c); c != "" && !slices.Contains(clues, c) {
			clues = append(clues, c)
		}
	}
	return clues
}

// A found is a leaf that answers, with its scores.
type found struct {
	leaf     int32
	score    float64
	coverage float64
	kept     *terms.Leaf // read when needed
	status   string
	fact     string // names what it is a version of
	answers  bool   // it states what the query asks of the user
	notices  []string
}

// A ranking is a heap of the best leaves so far, the worst of them first.
type ranking struct {
	view *view
	list []found
	err  error
}

func (h *ranking) Len() int           { return len(h.list) }
func (h *ranking) Less(i, j int) bool { return h.before(&h.list[j], &h.list[i]) }
func (h *ranking) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *ranking) Push(x any)         { h.list = append(h.list, x.(found)) }
func (h *ranking) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}

// before is the order of results: score, then saved last, then id.
func (h *ranking) before(a, b *found) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	ka, kb := h.read(a), h.read(b)
	return cmp.Or(-strings.Compare(ka.SavedAt, kb.SavedAt), strings.Compare(ka.ID, kb.ID)) < 0
}

func (h *ranking) read(f *found) *terms.Leaf {
	if f.kept == nil {
		kept, err := h.view.leaf(f.leaf)
		if err != nil && h.err == nil {
			h.err = err
		}
		f.kept = &kept
	}
	return f.kept
}

// best returns the n best leaves that match any of the scorers and are
// allowed, in order.
func (r *Searcher) best(scorers []*scorer, allow func(*match) bool, n int) ([]found, error) {
	h := &ranking{view: r.view}
	wanted := 0.0
	for _, s := range scorers {
		wanted += s.wanted
	}
	offer := func(leaf int32, all []*match) {
		f := found{leaf: leaf, score: rounded(combined(scorers, all))}
		if wanted > 0 {
			for _, m := range all {
				f.coverage += m.covered
			}
			f.coverage = rounded(f.coverage / wanted)
		}
		if h.Len() < n {
			heap.Push(h, f)
		} else if h.before(&f, &h.list[0]) {
			h.list[0] = f
			heap.Fix(h, 0)
		}
	}
	all := make([]*match, len(scorers))
	for i, s := range scorers {
		for j := range s.matches {
			m := &s.matches[j]
			if allow(m) && r.together(all, scorers, i, m) {
				offer(m.leaf, all)
			}
		}
	}
	slices.SortFunc(h.list, func(a, b found) int {
		if h.before(&a, &b) {
			return -1
		}
		return 1
	})
	for i := range h.list {
		h.read(&h.list[i])
	}
	return h.list, h.err
}

// together fills in what all scorers have of the leaf that scorer i matches
// with m; false means that an earlier scorer matches it too.
func (r *Searcher) together(all []*match, scorers []*scorer, i int, m *match) bool {
	for j, s := range scorers {
		if all[j] = m; j == i {
			continue
		}
		other := s.at(m.leaf)
		if other != nil && j < i {
			return false
		}
		if all[j] = other; other == nil {
			all[j] = &match{leaf: m.leaf, row: m.row, absent: true}
		}
	}
	return true
}

// combined is a leaf's score for a query and its clues: where it matches both
// it is worth both times BothMatch, else times OneMatches.
func combined(scorers []*scorer, all []*match) float64 {
	score := scorers[0].settled(all[0])
	for i, clue := range scorers[1:] {
		factor := OneMatches
		if !all[0].absent && !all[i+1].absent {
			factor = BothMatch
		}
		score = (score + clue.settled(all[i+1])) * factor
	}
	return score
}

// phrases keeps the results that hold the quoted phrases of the query. It
// opens leaves in the order of the ranking until enough hold them.
func (r *Searcher) phrases(best []found, scorers []*scorer, allow func(*match) bool, n int) ([]found, error) {
	var phrases [][]string
	for _, s := range scorers {
		phrases = append(phrases, s.query.Phrases...)
	}
	if len(phrases) == 0 {
		return best, nil
	}
	all, err := r.best(scorers, allow, r.view.leaves)
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, f := range all {
		l, err := r.read(f.kept.ID)
		if err != nil {
			return nil, err
		}
		holds := func(phrase []string) bool {
			return r.store.Analyzer.HasPhrase(l.Content, phrase) || r.store.Analyzer.HasPhrase(l.Extra.Title, phrase)
		}
		if !slices.ContainsFunc(phrases, func(p []string) bool { return !holds(p) }) {
			kept = append(kept, f)
			if len(kept) == n {
				break
			}
		}
	}
	return kept, nil
}

// judge decides whether the query is answered or asked back.
func (r *Searcher) judge(a *Answer, q record.Query, best []found, scorers []*scorer) error {
	if len(best) == 0 {
		return nil
	}
	words := 0
	for _, s := range scorers {
		words += s.query.Size
	}
	var candidates []Candidate
	for _, f := range best {
		if best[0].answers && !f.answers {
			continue // nothing else competes with facts that are asked for
		}
		candidates = append(candidates, Candidate{Domain: terms.Domain(f.kept.ID), Source: f.kept.Source, Position: f.kept.Position, Score: f.score, Coverage: f.coverage, Fact: f.fact})
	}
	v := r.doubt.Judge(words, candidates)
	a.Search.Confidence, a.Search.Coverage, a.Search.Margin, a.Search.Ambiguous = rounded(v.Confidence), v.Coverage, rounded(v.Margin), v.Ambiguous
	if !v.Ambiguous {
		return nil
	}
	a.Clue = &record.Clue{ID: q.ID, Query: q.Query, Reason: v.Reason}
	for _, i := range v.Options {
		l, err := r.read(best[i].kept.ID)
		if err != nil {
			return err
		}
		a.Clue.Options = append(a.Clue.Options, record.ClueOption{LeafID: l.ID, Domain: l.Domain, Title: l.Extra.Title, Timestamp: l.Timestamp, Excerpt: Excerpt(l.Content, q.Query)})
	}
	return nil
}

// results opens the leaves that are returned.
func (r *Searcher) results(a *Answer, q record.Query, best []found) error {
	best = best[:min(len(best), q.K)]
	var domains []string
	for _, f := range best {
		if d := terms.Domain(f.kept.ID); !slices.Contains(domains, d) {
			domains = append(domains, d)
		}
	}
	parent, err := r.parents(domains...)
	if err != nil {
		return err
	}
	for i, f := range best {
		l, err := r.read(f.kept.ID)
		if err != nil {
			return err
		}
		res := record.Result{ID: q.ID, Rank: i + 1, LeafID: l.ID, Domain: l.Domain, Title: l.Extra.Title, Timestamp: l.Timestamp, SavedAt: l.SavedAt,
			Source: l.Extra.Source, Author: l.Extra.Author, Score: f.score, Coverage: f.coverage, Status: f.status, Notices: f.notices,
			Path: r.path(f.leaf, parent), File: store.LeafPath(l.ID)}
		if q.Full {
			res.Content = l.Content
		} else {
			res.Excerpt = Excerpt(l.Content, q.Query)
		}
		a.Results = append(a.Results, res)
	}
	a.Search.Results = len(a.Results)
	return nil
}

// parents returns what says under which branch a branch or, in the given
// domains, a leaf stands, "" for none.
func (r *Searcher) parents(domains ...string) (func(id string) string, error) {
	spine, err := r.store.Spine(r.snap.Trunk)
	if err != nil {
		return nil, err
	}
	closed := map[string]string{}
	for _, domain := range domains {
		for _, c := range r.snap.Trunk.Closed(domain) {
			for _, child := range c.Children {
				closed[child] = c.ID
			}
		}
	}
	return func(id string) string { return cmp.Or(spine.Parent(id), closed[id]) }, nil
}

// path returns what a leaf stands under, from the trunk down: "root", the
// domain, and the branches that it has.
func (r *Searcher) path(leaf int32, parent func(string) string) []string {
	kept, err := r.view.leaf(leaf)
	if err != nil {
		return nil
	}
	path := []string{"root", terms.Domain(kept.ID)}
	s := r.view.segment(leaf)
	if s.table == nil {
		return path
	}
	l1 := s.table.Layer1(s.table.Row(int(leaf - s.base)).L1)
	switch l2 := s.table.Layer2(l1.Parent); {
	case l2.ID != "":
		return append(append(path, climb(l2.ID, parent)...), l1.ID)
	case l1.ID != "":
		return append(path, climb(l1.ID, parent)...)
	case parent(kept.ID) != "":
		return append(path, climb(parent(kept.ID), parent)...)
	}
	return path
}

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

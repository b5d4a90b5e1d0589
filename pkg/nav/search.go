package nav

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

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

	now       func() time.Time
	replacing bool // some leaf replaces another
	opened    map[string]*store.Leaf
	opening   effort
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
		snap.Close()
		return nil, err
	}
	r := &Searcher{opened: map[string]*store.Leaf{}, now: time.Now, store: s, snap: snap, view: v, order: order,
		doubt: Doubt{Threshold: s.Settings.ConfidenceThreshold, Margin: s.Settings.AmbiguityMargin}}
	v.terms("replaces:", func(string) { r.replacing = true })
	r.opening = r.effort()
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

// today is the day to which queries refer.
func (r *Searcher) today() text.Date { return text.Today(r.now()) }

// Close releases the snapshot.
func (r *Searcher) Close() { r.snap.Close() }

// Search answers a query: exactly what scoring every leaf by the formula of
// docs/SEARCH.md would return.
func (r *Searcher) Search(q record.Query) (*Answer, error) {
	for attempt := 0; ; attempt++ {
		a, err := r.search(q)
		if !errors.Is(err, fs.ErrNotExist) || attempt == 3 {
			return a, err
		}
		// A leaf that the snapshot names was removed meanwhile.
		anew, err := NewSearcher(r.store)
		if err != nil {
			return nil, err
		}
		r.snap.Close()
		anew.now = r.now
		*r = *anew
	}
}

func (r *Searcher) search(q record.Query) (*Answer, error) {
	start, before := time.Now(), r.effort()
	clear(r.opened)
	if strings.TrimSpace(q.Query) == "" {
		return nil, errors.New("the query is empty")
	}
	if q.K <= 0 {
		q.K = DefaultResults
	}
	clues := cluesOf(q)
	scorers := []*scorer{r.view.newScorer(r.store.Analyzer, q.Query, r.order, r.today())}
	for _, clue := range clues {
		scorers = append(scorers, r.view.newScorer(r.store.Analyzer, clue, r.order, r.today()))
	}
	if len(scorers[0].query.Words) == 0 {
		return nil, fmt.Errorf("there is nothing to search for in %q: it has no word", q.Query)
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
	if best, a.Search.Unknown, err = r.time(best, q); err != nil {
		return nil, err
	}
	if err := r.judge(a, q, best, scorers); err != nil {
		return nil, err
	}
	if err := r.results(a, q, best); err != nil {
		return nil, err
	}
	if q.Explain {
		if err := r.explain(a, scorers[0], best); err != nil {
			return nil, err
		}
	}
	if len(best) == 0 {
		r.help(a, scorers)
	}
	if err := r.snap.Err(); err != nil {
		return nil, err
	}
	r.account(a, start, before)
	return a, nil
}

// An effort is how much was read.
type effort struct {
	files int
	bytes int64
}

// effort is how much has been read since the memory was opened.
func (r *Searcher) effort() effort {
	files, bytes := r.store.Opened()
	for _, t := range r.snap.Tables {
		bytes += t.BytesRead()
	}
	return effort{files, bytes}
}

// account says what a query cost: opening the memory, and what it read itself.
func (r *Searcher) account(a *Answer, start time.Time, before effort) {
	now := r.effort()
	a.Search.FilesOpened = r.opening.files + now.files - before.files
	a.Search.BytesRead = r.opening.bytes + now.bytes - before.bytes
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
			break // nothing else competes with facts that are asked for, which come first
		}
		candidates = append(candidates, Candidate{Domain: terms.Domain(f.kept.ID), Source: f.kept.Source, Position: f.kept.Position, Score: f.score, Coverage: f.coverage, Fact: f.fact})
	}
	if err := r.compare(words, candidates, best); err != nil {
		return err
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

// compare gives the first candidate and those near it that are as long the
// checksums that tell the same text again. It opens leaves until as many
// differ as could be options.
func (r *Searcher) compare(words int, candidates []Candidate, best []found) error {
	tell := func(i int) error {
		l, err := r.read(best[i].kept.ID)
		if err == nil && candidates[i].Checksum == "" {
			candidates[i].Checksum = store.Checksum(strings.TrimSpace(l.Content))
		}
		return err
	}
	first, differ := &candidates[0], 0
	for i := 1; i < len(candidates) && differ < maxOptions; i++ {
		if best[i].kept.Length != best[0].kept.Length || !r.doubt.near(words, *first, candidates[i]) || first.sameAnswer(candidates[i]) {
			continue
		}
		if err := cmp.Or(tell(0), tell(i)); err != nil {
			return err
		}
		if first.Checksum != candidates[i].Checksum {
			differ++
		}
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
			Source: l.Extra.Source, Author: l.Extra.Author, Score: f.score, Coverage: f.coverage, Status: f.status, AsOf: f.asOf, Notices: f.notices,
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

package nav

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// Why a result is not what holds now.
const (
	StatusSuperseded = "superseded" // another leaf was stored to replace it
	StatusRetired    = "retired"    // a later version of its source does not have it
)

// time marks the results that no longer hold, puts what holds instead above
// them, and says so in notices.
func (r *Searcher) time(best []found, q record.Query) ([]found, error) {
	for i := range best {
		if best[i].kept.Retired {
			best[i].status = StatusRetired
		}
	}
	best, err := r.replaced(best, q)
	if err != nil || len(best) == 0 {
		return best, err
	}
	return r.stale(best, q)
}

// replaced deals with the results that were replaced as a whole.
func (r *Searcher) replaced(best []found, q record.Query) ([]found, error) {
	if !r.replacing {
		return best, nil
	}
	_, until, err := days(q.Filters)
	if err != nil {
		return nil, err
	}
	for _, leaf := range leavesOf(best[:min(len(best), q.K)]) {
		i := indexOf(best, leaf)
		f := &best[i]
		newest, ok := r.newest(f.kept.ID, f.kept.SavedAt, until)
		if !ok {
			continue
		}
		l, err := r.read(newest.ID)
		if err != nil {
			return nil, err
		}
		f.status, f.fact = StatusSuperseded, "replaced by "+newest.ID
		f.notices = append(f.notices, fmt.Sprintf("OUTDATED: this was saved for %s; on %s it was replaced by %s: %s",
			f.kept.Timestamp[:10], newest.Timestamp[:10], newest.ID, Excerpt(l.Content, "")))
		best = raise(best, i, r.number(newest), newest.Leaf)
	}
	return best, nil
}

// stale deals with the results that state a fact which no longer holds. They
// carry the notice; the leaf with the newer fact goes above them where the
// words that matched are those of the sentence that states it, unless the
// query asks about the past.
func (r *Searcher) stale(best []found, q record.Query) ([]found, error) {
	timeline, err := ledger.Timeline(r.store)
	if err != nil {
		return nil, err
	}
	today := facts.Today(time.Now())
	notices := timeline.Notices(today)
	past := q.At != "" || q.Until != "" || len(text.FindDates(q.Query, r.order)) > 0
	for _, leaf := range leavesOf(best[:min(len(best), q.K)]) {
		i := indexOf(best, leaf)
		f := &best[i]
		for _, n := range notices[f.kept.ID] {
			f.notices = append(f.notices, "OUTDATED: "+n.Text)
		}
		for _, n := range notices[f.kept.ID] {
			if n.New == nil || past {
				continue
			}
			asked, err := r.asksFor(q.Query, f.kept.ID, n.Old)
			if err != nil {
				return nil, err
			}
			newer, ok := r.byID(n.New.SourceLeaf)
			if asked && ok {
				f.status, f.fact = StatusSuperseded, n.Old.Subject+" "+n.Old.Attribute
				best = raise(best, i, r.number(newer), newer.Leaf)
				break
			}
		}
	}
	if past || !ofOneself(q.Query) {
		return best, nil
	}
	return r.answered(best, q.Query, timeline.Stated(today))
}

// answered puts the leaf that states what holds of the user above others that
// hold no more of the query, where the query asks for just that of the user:
// "where do I work" is answered by the employer, whatever else has the word.
func (r *Searcher) answered(best []found, query string, stated []record.Fact) ([]found, error) {
	holds := map[string]record.Fact{}
	for _, f := range stated {
		if f.Subject == facts.User && f.Status == facts.Active {
			holds[f.SourceLeaf] = f
		}
	}
	top := 0
	for i := range best {
		f, ok := holds[best[i].kept.ID]
		if !ok || best[i].coverage < best[0].coverage-coverageSlack {
			continue
		}
		asked, err := r.asksFor(query, best[i].kept.ID, &f)
		if err != nil {
			return nil, err
		}
		if !asked {
			continue
		}
		best[i].answers = true
		lifted := best[i]
		lifted.score = max(lifted.score, best[top].score)
		best = slices.Insert(slices.Delete(best, i, i+1), top, lifted)
		top++
	}
	return best, nil
}

// oneself are the words by which a query is about the user.
var oneself = []string{"i", "my", "me", "mine", "i'm", "i've", "we", "our", "us", "yo", "mi", "mis", "me", "nuestro", "nuestra", "nosotros"}

func ofOneself(query string) bool {
	if strings.ContainsRune(query, '我') {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("¿?¡!,.;:\"", r) }),
		func(word string) bool { return slices.Contains(oneself, word) })
}

// asksFor tells whether the words of a query that a leaf holds all stand in
// the sentence that states a fact.
func (r *Searcher) asksFor(query, id string, fact *record.Fact) (bool, error) {
	l, err := r.read(id)
	if err != nil || fact == nil {
		return false, err
	}
	stating := r.store.Analyzer.Profile(text.Fields{Content: sentenceWith(l.Content, fact.Value)})
	whole := r.store.Analyzer.Profile(text.Fields{Content: l.Content})
	for _, w := range r.store.Analyzer.Query(query).Words {
		for _, term := range append(slices.Concat(w.Forms...), w.Folded) {
			if whole.Terms[term] > 0 && stating.Terms[term] == 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// sentenceWith returns the first sentence that holds a value, and the whole
// text where none does.
func sentenceWith(content, value string) string {
	from := 0
	for _, end := range text.Sentences(content) {
		if strings.Contains(content[from:end], value) {
			return content[from:end]
		}
		from = end
	}
	return content
}

// byID finds a leaf of the snapshot.
func (r *Searcher) byID(id string) (store.Ref, bool) {
	l, err := r.read(id)
	if err != nil {
		return store.Ref{}, false
	}
	for _, ref := range r.snap.BySource(l.Extra.Source) {
		if ref.ID == id {
			return ref, true
		}
	}
	return store.Ref{}, false
}

// raise puts what holds instead of the result at i right above it, unless it
// stands above it already. Both are versions of the same.
func raise(best []found, i int, leaf int32, newest terms.Leaf) []found {
	at := indexOf(best, leaf)
	if at >= 0 && at < i {
		best[at].fact = best[i].fact
		return best
	}
	above := found{leaf: leaf, score: best[i].score, coverage: best[i].coverage, kept: &newest}
	if at >= 0 {
		above = best[at]
		above.score, above.coverage = max(above.score, best[i].score), max(above.coverage, best[i].coverage)
		best = slices.Delete(best, at, at+1)
	}
	above.fact = best[i].fact
	return slices.Insert(best, i, above)
}

// leavesOf lists the leaves of results, whose places may change.
func leavesOf(best []found) []int32 {
	leaves := make([]int32, len(best))
	for i, f := range best {
		leaves[i] = f.leaf
	}
	return leaves
}

func indexOf(best []found, leaf int32) int {
	return slices.IndexFunc(best, func(f found) bool { return f.leaf == leaf })
}

// newest follows the replacements of a leaf to the last one.
func (r *Searcher) newest(id, savedAt string, until int) (newest store.Ref, ok bool) {
	seen := map[string]bool{id: true}
	for {
		next, found := r.replacer(id, savedAt, until)
		if !found || seen[next.ID] {
			return newest, ok
		}
		newest, ok = next, true
		id, savedAt = next.ID, next.SavedAt
		seen[id] = true
	}
}

// replacer is the leaf saved last to replace one, by a day as YYYYMMDD or 0.
func (r *Searcher) replacer(id, savedAt string, until int) (last store.Ref, ok bool) {
	for _, ref := range r.snap.Replacers(id) {
		if ref.Retired || ref.SavedAt < savedAt || (until > 0 && ref.Day() > until) {
			continue
		}
		if !ok || ref.SavedAt > last.SavedAt {
			last, ok = ref, true
		}
	}
	return last, ok
}

// number is the view's number of a leaf of the snapshot.
func (r *Searcher) number(ref store.Ref) int32 {
	for _, s := range r.view.segments {
		if s.table == ref.Table {
			return s.base + int32(ref.Index)
		}
	}
	return -1
}

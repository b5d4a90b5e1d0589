package nav

import (
	"fmt"
	"slices"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// Why a result is not what holds now.
const (
	StatusSuperseded = "superseded" // another leaf was stored to replace it
	StatusRetired    = "retired"    // a later version of its source does not have it
)

// time marks the results that were replaced, puts what replaced them above
// them, and says so in a notice.
func (r *Searcher) time(best []found, f record.Filters) ([]found, error) {
	for i := range best {
		if best[i].kept.Retired {
			best[i].status = StatusRetired
		}
	}
	if !r.replacing {
		return best, nil
	}
	_, until, err := days(f)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(best) && i < 4*contenders; i++ {
		f := &best[i]
		newest, ok := r.newest(f.kept.ID, f.kept.SavedAt, until)
		if !ok {
			continue
		}
		l, err := r.store.Leaf(newest.ID)
		if err != nil {
			return nil, err
		}
		f.status = StatusSuperseded
		f.notices = append(f.notices, fmt.Sprintf("OUTDATED: this was saved for %s; on %s it was replaced by %s: %s",
			f.kept.Timestamp[:10], newest.Timestamp[:10], newest.ID, Excerpt(l.Content, "")))
		best = raise(best, i, r.number(newest), newest)
	}
	return best, nil
}

// raise puts what replaced the result at i right above it, unless it stands
// above it already.
func raise(best []found, i int, leaf int32, newest store.Ref) []found {
	at := slices.IndexFunc(best, func(f found) bool { return f.leaf == leaf })
	if at >= 0 && at < i {
		return best
	}
	above := found{leaf: leaf, score: best[i].score, coverage: best[i].coverage, kept: &newest.Leaf}
	if at >= 0 {
		above = best[at]
		above.score, above.coverage = max(above.score, best[i].score), max(above.coverage, best[i].coverage)
		best = slices.Delete(best, at, at+1)
	}
	return slices.Insert(best, i, above)
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

package nav

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// filter returns which leaves a search may return. It reads the index only.
func (r *Searcher) filter(f record.Filters) (func(*match) bool, error) {
	v := r.view
	var sets []map[int32]bool
	exact := func(prefix, value string) {
		if value != "" {
			sets = append(sets, v.having(terms.Exact(prefix, value)))
		}
	}
	exact("tag:", strings.ToLower(f.Tag))
	exact("type:", strings.ToUpper(f.Type))
	exact("project:", f.Project)
	exact("agent:", f.Agent)
	if f.Author != "" {
		sets = append(sets, r.byAuthor(f.Author))
	}
	if f.Source != "" {
		sets = append(sets, v.havingPrefix(terms.Exact("source:", f.Source)))
	}
	if f.Domain != "" {
		sets = append(sets, v.inDomain(f.Domain))
	}
	from, to, err := days(f)
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(f.Scope)
	if err != nil {
		return nil, err
	}
	return func(m *match) bool {
		leaf := m.leaf
		for _, set := range sets {
			if !set[leaf] {
				return false
			}
		}
		if !f.History && m.retired {
			return false
		}
		if from > 0 || to > 0 {
			if day := v.day(leaf); (from > 0 && day < from) || (to > 0 && day > to) {
				return false
			}
		}
		if scope == nil {
			return true
		}
		kept, err := v.leaf(leaf)
		return err == nil && scope(kept.Source)
	}, nil
}

// days returns the first and last day, as YYYYMMDD, that filters allow; 0 is
// no limit.
func days(f record.Filters) (from, to int, err error) {
	parse := func(name, s string, last bool) int {
		if s == "" || err != nil {
			return 0
		}
		d, ok := text.ParseDate(s)
		if !ok {
			err = fmt.Errorf("%s %q is no date: want YYYY-MM-DD", name, s)
			return 0
		}
		if last {
			return terms.Day(d.Last().String())
		}
		return terms.Day(d.First().String())
	}
	from = parse("since", f.Since, false)
	to = parse("until", f.Until, true)
	last := f.Until
	if at := parse("at", f.At, true); at > 0 && (to == 0 || at < to) {
		to, last = at, f.At
	}
	if err == nil && to > 0 && from > to {
		err = fmt.Errorf("the range is reversed: since %s is later than %s", f.Since, last)
	}
	return from, to, err
}

// testSource knows the paths of test code in the languages that are split.
var testSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|/)(tests?|__tests__|spec|testdata)/|(_test|\.test|\.spec|_spec)\.[a-z]+$|(^|/)test_[^/]*\.py$|Tests?\.(java|kt|cs|scala|php|swift)$`)
})

// IsTest tells whether a path is one of test code.
func IsTest(path string) bool { return testSource().MatchString(path) }

func scopeOf(scope string) (func(source string) bool, error) {
	switch scope {
	case "", "all":
		return nil, nil
	case "test":
		return func(source string) bool { return testSource().MatchString(source) }, nil
	case "main":
		return func(source string) bool { return !testSource().MatchString(source) }, nil
	}
	return nil, fmt.Errorf("scope %q: want main, test or all", scope)
}

func (v *view) having(term string) map[int32]bool {
	set := map[int32]bool{}
	for _, p := range v.postings(nil, term) {
		set[p.Ordinal] = true
	}
	return set
}

func (v *view) havingPrefix(prefix string) map[int32]bool {
	var found []string
	v.terms(prefix, func(term string) { found = append(found, term) })
	set := map[int32]bool{}
	for _, term := range found {
		for _, p := range v.postings(nil, term) {
			set[p.Ordinal] = true
		}
	}
	return set
}

// byAuthor returns the leaves of the authors whose names have every word.
func (r *Searcher) byAuthor(author string) map[int32]bool {
	var set map[int32]bool
	for _, word := range r.store.Analyzer.Profile(text.Fields{Author: author}).Author {
		with := r.view.havingPrefix(terms.Exact("author:", word+" "))
		if set == nil {
			set = with
			continue
		}
		for leaf := range set {
			if !with[leaf] {
				delete(set, leaf)
			}
		}
	}
	return set
}

// inDomain returns the leaves of a domain and of those below it.
func (v *view) inDomain(domain string) map[int32]bool {
	within := func(d string) bool { return d == domain || strings.HasPrefix(d, domain+".") }
	set := map[int32]bool{}
	for _, s := range v.segments {
		if s.table == nil {
			for i := range v.snap.Tail.Leaves {
				if within(terms.Domain(v.snap.Tail.Leaves[i].ID)) {
					set[s.base+int32(i)] = true
				}
			}
			continue
		}
		for _, span := range s.table.Spans() {
			if within(span.Domain) {
				for ordinal := span.Leaf; ordinal < span.LeafEnd; ordinal++ {
					set[s.base+int32(ordinal)] = true
				}
			}
		}
	}
	return set
}

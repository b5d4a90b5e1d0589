package nav

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// A past is the time before today that a query asks about: the days that it
// or its filters name, as YYYY-MM-DD, or, with no days, whatever was before.
type past struct{ from, to string }

// pastOf returns the time that a query asks about, nil where it is the
// present.
func (r *Searcher) pastOf(q record.Query, today string) *past {
	var p past
	if at := cmp.Or(q.At, q.Until); at != "" {
		if d, ok := text.ParseDate(at); ok {
			p = past{d.First().String(), d.Last().String()}
		}
	}
	if p.from == "" {
		for _, d := range text.FindDates(q.Query, r.order) {
			p.add(d.First(), d.Last())
		}
		for _, d := range text.FindRelative(q.Query, r.today()) {
			p.add(d.First, d.Last)
		}
	}
	switch {
	case p.from == "" && asksBefore(q.Query):
		return &p
	case p.from == "" || p.to >= today:
		return nil
	}
	return &p
}

// add widens the time asked about by days.
func (p *past) add(first, last text.Date) {
	p.from = min(cmp.Or(p.from, "9999"), first.String())
	p.to = max(p.to, last.String())
}

// before are the words by which a query without a date asks for what was.
var before = []string{"before", "previously", "previous", "formerly", "former", "used to", "did i live", "did i work", "did i use",
	"antes", "anteriormente", "anterior", "vivía", "trabajaba", "usaba", "以前", "之前", "曾经", "过去"}

func asksBefore(query string) bool {
	query = " " + strings.Join(strings.FieldsFunc(strings.ToLower(query), isApart), " ") + " "
	return slices.ContainsFunc(before, func(cue string) bool {
		return strings.Contains(query, " "+cue+" ") || cue[0] >= 0x80 && strings.Contains(query, cue)
	})
}

// until is the last day asked about as YYYYMMDD, 0 where none is named.
func (p *past) until() int {
	if p == nil || p.to == "" {
		return 0
	}
	return terms.Day(p.to)
}

// asOf tells whether a statement was true at the time asked about, and the
// last day of it on which it was.
func (p *past) asOf(f *record.Fact) (day string, ok bool) {
	ended := f.ValidTo
	switch {
	case ended == f.ValidFrom:
		return "", false // corrected on the same day
	case p.to == "":
		return dayBefore(ended), f.Status == facts.Historical
	case f.ValidFrom > p.to || ended != "" && ended <= p.from:
		return "", false
	case ended != "" && ended <= p.to:
		return dayBefore(ended), true
	}
	return p.to, true
}

func dayBefore(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, -1).Format(time.DateOnly)
}

// asThen puts the leaves that state what was true at the time that a query
// asks about above all others, the latest first, and marks them with the day.
func (r *Searcher) asThen(best []found, q record.Query, p *past, asked asked, stated []record.Fact) ([]found, error) {
	subject, attribute := asked.subject, asked.attribute
	if attribute == "" {
		fact, err := r.askedFor(best[:min(len(best), q.K)], q.Query, stated)
		if fact == nil || err != nil {
			return best, err
		}
		subject, attribute = fact.Subject, fact.Attribute
	}
	versions := r.versions(best, subject, attribute, stated, p.asOf)
	if p.to == "" {
		versions = versions[:min(len(versions), 1)]
	}
	return r.lift(best, q, versions), nil
}

// A version is a value that was true on a day, "" for today, and who states it.
type version struct {
	fact record.Fact
	asOf string
}

// versions returns the values of an attribute that were true, the latest
// first. One leaf speaks for each, one that was found if there is one.
func (r *Searcher) versions(best []found, subject, attribute string, stated []record.Fact, asOf func(*record.Fact) (day string, ok bool)) []version {
	var versions []version
	for _, f := range stated {
		day, was := asOf(&f)
		if !was || f.Subject != subject || f.Attribute != attribute {
			continue
		}
		v := version{f, day}
		same := slices.IndexFunc(versions, func(o version) bool { return o.fact.ValidFrom == f.ValidFrom && facts.Same(o.fact.Value, f.Value) })
		switch {
		case same < 0:
			versions = append(versions, v)
		case !slices.ContainsFunc(best, func(b found) bool { return b.kept.ID == versions[same].fact.SourceLeaf }):
			versions[same] = v
		}
	}
	slices.SortStableFunc(versions, func(a, b version) int { return strings.Compare(b.fact.ValidFrom, a.fact.ValidFrom) })
	return versions
}

// lift puts the leaves of versions above all others. Those that were not found
// come too, where nothing but a day filters the query.
func (r *Searcher) lift(best []found, q record.Query, versions []version) []found {
	narrowed := q.Filters
	narrowed.At, narrowed.History = "", false
	for _, v := range slices.Backward(versions) {
		var lifted found
		at := slices.IndexFunc(best, func(f found) bool { return f.kept.ID == v.fact.SourceLeaf })
		if at >= 0 {
			lifted = best[at]
			best = slices.Delete(best, at, at+1)
		} else if ref, ok := r.byID(v.fact.SourceLeaf); ok && !ref.Retired && narrowed == (record.Filters{}) {
			lifted = found{leaf: r.number(ref), kept: &ref.Leaf}
		} else {
			continue
		}
		lifted.asOf, lifted.answers, lifted.fact, lifted.coverage = v.asOf, true, v.fact.Subject+" "+v.fact.Attribute, 1
		if len(best) > 0 {
			lifted.score = max(lifted.score, best[0].score)
		}
		best = slices.Insert(best, 0, lifted)
	}
	return best
}

// askedFor returns the first statement among the results that the query asks
// for: it has words of its sentence other than the value's, and none that the
// leaf has elsewhere.
func (r *Searcher) askedFor(best []found, query string, stated []record.Fact) (*record.Fact, error) {
	byLeaf := map[string][]*record.Fact{}
	for i := range stated {
		byLeaf[stated[i].SourceLeaf] = append(byLeaf[stated[i].SourceLeaf], &stated[i])
	}
	for _, f := range best {
		for _, fact := range byLeaf[f.kept.ID] {
			asks, err := r.asksFor(query, f.kept.ID, fact)
			if err != nil {
				return nil, err
			}
			if asks && r.asksBeside(query, f.kept.ID, fact) {
				return fact, nil
			}
		}
	}
	return nil, nil
}

// asksBeside tells whether a query has words of a statement besides its value.
func (r *Searcher) asksBeside(query, id string, fact *record.Fact) bool {
	l, err := r.read(id)
	if err != nil {
		return false
	}
	clause := clauseWith(sentenceWith(withoutDate(l.Content), fact.Value), fact.Value)
	beside := r.wordsOf(strings.Replace(clause, fact.Value, " ", 1))
	return slices.ContainsFunc(r.store.Analyzer.Query(query).Words, func(w text.Word) bool {
		return slices.ContainsFunc(formsOf(w), func(term string) bool { return beside[term] > 0 })
	})
}

package facts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// Today is the calendar day of a moment, where it is or in UTC, whichever is
// later: the day of a leaf may be either, and what was just saved holds.
func Today(now time.Time) string {
	return text.Today(now).String()
}

// ParseDay reads a day as people write it and returns it as YYYY-MM-DD; a
// month or year is its last day.
func ParseDay(s string) (string, error) {
	if d, ok := text.ParseDate(s); ok {
		return d.Last().String(), nil
	}
	if found := text.FindDates(s, text.DMY); len(found) == 1 {
		return found[0].Last().String(), nil
	}
	return "", fmt.Errorf("%q is no date; write it as in 2024-12-31", s)
}

// The status of a fact.
const (
	Active     = "ACTIVE"
	Historical = "HISTORICAL"
	Future     = "FUTURE"
)

// A Source is a leaf without its text: what it states and its place in time.
// It is what a store keeps of a leaf that states something, as one line of
// JSON.
type Source struct {
	LeafID     string      `json:"leaf_id"`
	Timestamp  string      `json:"timestamp"`
	SavedAt    string      `json:"saved_at"`
	Of         string      `json:"source,omitempty"`
	Position   int         `json:"position,omitempty"`
	Patient    string      `json:"patient,omitempty"` // named in it, for the leaves after it
	Replaces   record.IDs  `json:"replaces,omitempty"`
	Statements []Statement `json:"statements,omitempty"`
}

// Source reads a leaf; ok tells whether it bears on the timeline at all.
func (r *Rules) Source(leaf Leaf) (s Source, ok bool) {
	reading := r.Read(leaf)
	s = Source{LeafID: leaf.ID, Timestamp: leaf.Timestamp, SavedAt: leaf.SavedAt, Patient: reading.Patient,
		Replaces: leaf.Replaces, Statements: reading.Statements}
	if s.Patient != "" || len(s.Statements) > 0 {
		s.Of, s.Position = leaf.Source, leaf.Position
	}
	return s, s.Patient != "" || len(s.Replaces) > 0 || len(s.Statements) > 0
}

// A Timeline is the order of all that was stated. The same sources give the
// same timeline in whatever order they are added.
type Timeline struct {
	keys  []key
	facts map[key][]record.Fact // in order of time; contiguous repetitions are one
	stays map[key][]stay
}

type key struct{ subject, attribute string }

// An event is one statement in its place.
type event struct {
	Statement
	leaf    string
	savedAt string
	rank    int // in its leaf
}

// A stay is a value over the time that it held.
type stay struct {
	value     string
	from      event
	confirmed []event // repetitions
	until     *event  // what ended it: another value or an end
	next      int     // index of the value after it, -1 if none
}

// Build returns the timeline of sources.
func Build(sources []Source) *Timeline {
	t := &Timeline{facts: map[key][]record.Fact{}, stays: map[key][]stay{}}
	events := map[key][]event{}
	for _, e := range replaced(inherited(sources)) {
		k := key{e.Subject, e.Attribute}
		events[k] = append(events[k], e)
	}
	for k, list := range events {
		t.keys = append(t.keys, k)
		t.stays[k] = replay(list)
	}
	slices.SortFunc(t.keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.attribute, b.attribute))
	})
	for _, k := range t.keys {
		t.facts[k] = factsOf(k, t.stays[k])
	}
	return t
}

// inherited gives statements without a subject the patient that an earlier
// leaf of the same source named; those without one are dropped.
func inherited(sources []Source) []Source {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Position, b.Position), cmp.Compare(a.SavedAt, b.SavedAt), cmp.Compare(a.LeafID, b.LeafID))
	})
	patient := ""
	for i := range sorted {
		s := &sorted[i]
		if i == 0 || s.Of != sorted[i-1].Of {
			patient = ""
		}
		kept := make([]Statement, 0, len(s.Statements))
		for _, st := range s.Statements {
			if st.Subject == "" {
				st.Subject = patient
			}
			if st.Subject != "" {
				kept = append(kept, st)
			}
		}
		s.Statements = kept
		if s.Patient != "" {
			patient = s.Patient
		}
	}
	return sorted
}

// replaced turns sources into events. What a replaced leaf states ends on the
// date of the leaf that supersedes it; what it dates later than that never was.
func replaced(sources []Source) []event {
	by := superseding(sources)
	var events []event
	for _, s := range sources {
		n, superseded := by[s.LeafID]
		for i, st := range s.Statements {
			if !superseded || st.Date <= dayOf(n.Timestamp) {
				events = append(events, event{Statement: st, leaf: s.LeafID, savedAt: s.SavedAt, rank: i})
			}
			if superseded && !st.Ends {
				st.Ends, st.Date = true, dayOf(n.Timestamp)
				events = append(events, event{Statement: st, leaf: n.LeafID, savedAt: n.SavedAt, rank: i - len(s.Statements)})
			}
		}
	}
	return events
}

// superseding returns, by leaf, the first leaf that superseded it. Of leaves
// that are linked by replacement the newest holds: a leaf supersedes the
// newest before it of all that its links lead to.
func superseding(sources []Source) map[string]Source {
	links := map[string][]string{} // both ways
	for _, s := range sources {
		for _, id := range s.Replaces {
			links[s.LeafID] = append(links[s.LeafID], id)
			links[id] = append(links[id], s.LeafID)
		}
	}
	var linked []Source
	waiting := map[string]bool{} // for their turn
	for _, s := range sources {
		if links[s.LeafID] != nil {
			linked, waiting[s.LeafID] = append(linked, s), true
		}
	}
	slices.SortFunc(linked, compareAge)
	by := map[string]Source{}
	above := map[string]string{} // of a leaf: one that is newer and linked to it
	newest := func(id string) string {
		top := id
		for above[top] != "" {
			top = above[top]
		}
		if top != id {
			above[id] = top
		}
		return top
	}
	for _, s := range linked {
		delete(waiting, s.LeafID)
		for _, id := range links[s.LeafID] {
			if waiting[id] {
				continue
			}
			if old := newest(id); old != s.LeafID {
				by[old], above[old] = s, s.LeafID
			}
		}
	}
	return by
}

// compareAge orders leaves by their day, where it is to come that of saving,
// and by when they were saved.
func compareAge(a, b Source) int {
	return cmp.Or(cmp.Compare(since(a.Timestamp, a.SavedAt), since(b.Timestamp, b.SavedAt)), cmp.Compare(a.SavedAt, b.SavedAt), cmp.Compare(a.LeafID, b.LeafID))
}

// since is the day from which a leaf counts among those that it is linked to.
func since(timestamp, savedAt string) string {
	day, saved := dayOf(timestamp), dayOf(savedAt)
	if saved == "" {
		return day
	}
	return min(day, saved)
}

// replay puts the statements about one attribute in order and tells which
// values held from when to when.
func replay(events []event) []stay {
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.savedAt, b.savedAt), cmp.Compare(a.leaf, b.leaf), cmp.Compare(a.rank, b.rank))
	})
	var stays []stay
	current := -1 // the stay that holds
	for i := range events {
		e := &events[i]
		switch {
		case e.Ends:
			if current >= 0 && (e.Value == "" || Same(stays[current].value, e.Value)) {
				stays[current].until = e
				current = -1
			}
		case current >= 0 && Same(stays[current].value, e.Value):
			stays[current].confirmed = append(stays[current].confirmed, *e)
		default:
			if n := len(stays); n > 0 {
				stays[n-1].next = n
				if current >= 0 {
					stays[current].until = e
				}
			}
			current = len(stays)
			stays = append(stays, stay{value: e.Value, from: *e, next: -1})
		}
	}
	return stays
}

// Same tells whether two values are the same thing said twice: capitals,
// blanks, an article and a region after a comma make no difference.
func Same(a, b string) bool {
	a, b = foldValue(a), foldValue(b)
	return a == b || strings.HasPrefix(a, b+", ") || strings.HasPrefix(b, a+", ")
}

func foldValue(s string) string {
	s = strings.TrimRight(FoldName(s), ".。")
	for _, article := range []string{"the ", "el ", "la ", "los ", "las "} {
		if rest, ok := strings.CutPrefix(s, article); ok {
			return rest
		}
	}
	return s
}

// factsOf are the stays as facts, without a status: that depends on the day.
func factsOf(k key, stays []stay) []record.Fact {
	facts := make([]record.Fact, len(stays))
	for i, s := range stays {
		facts[i] = factOf(k, s.from)
		facts[i].ValidFrom = s.from.Date
		if s.until != nil {
			facts[i].ValidTo = s.until.Date
		}
	}
	for i, s := range stays {
		if s.next >= 0 {
			facts[i].SupersededBy = facts[s.next].FactID
		}
	}
	return facts
}

func factOf(k key, e event) record.Fact {
	return record.Fact{FactID: factID(k, e), Subject: k.subject, Attribute: k.attribute, Value: e.Value,
		Timestamp: e.Date, SourceLeaf: e.leaf}
}

// factID names a statement: the same leaf says the same thing only once.
func factID(k key, e event) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.subject, k.attribute, e.Value, e.Date, e.leaf}, "\x00")))
	return "F-" + hex.EncodeToString(sum[:5])
}

// Subjects are those of whom something was stated, in order.
func (t *Timeline) Subjects() []string {
	var all []string
	for _, k := range t.keys {
		all = append(all, k.subject)
	}
	return slices.Compact(all)
}

// Ended returns the last value that an attribute had where none holds on a
// day, and the leaf that ended it.
func (t *Timeline) Ended(subject, attribute, today string) (last record.Fact, leaf string, ok bool) {
	facts := t.facts[key{subject, attribute}]
	for i := len(facts) - 1; i >= 0; i-- {
		if facts[i].Timestamp > today {
			continue
		}
		until := t.stays[key{subject, attribute}][i].until
		if until == nil || until.Date > today {
			return last, "", false
		}
		return facts[i], until.leaf, true
	}
	return last, "", false
}

// At returns the facts that held at the end of a day (YYYY-MM-DD), by what is
// known now, in order of subject and attribute.
func (t *Timeline) At(day string) []record.Fact {
	var held []record.Fact
	for _, k := range t.keys {
		for i := len(t.facts[k]) - 1; i >= 0; i-- {
			f := t.facts[k][i]
			if f.Timestamp > day {
				continue
			}
			if f.ValidTo == "" || f.ValidTo > day {
				f.Status = Active
				held = append(held, f)
			}
			break
		}
	}
	return held
}

// History returns the values that an attribute of a subject had, oldest
// first, with their status on a day; "" for either means any.
func (t *Timeline) History(subject, attribute, today string) []record.Fact {
	var all []record.Fact
	for _, k := range t.keys {
		if subject != "" && k.subject != FoldName(subject) || attribute != "" && !strings.EqualFold(k.attribute, attribute) {
			continue
		}
		for _, f := range t.facts[k] {
			f.Status = statusOn(f, today)
			all = append(all, f)
		}
	}
	return all
}

// Stated returns every statement of a value, repetitions too, as facts with
// their status on a day.
func (t *Timeline) Stated(today string) []record.Fact {
	var all []record.Fact
	for _, k := range t.keys {
		for i, f := range t.facts[k] {
			f.Status = statusOn(f, today)
			all = append(all, f)
			for _, e := range t.stays[k][i].confirmed {
				again := factOf(k, e)
				again.Status, again.SupersededBy, again.ValidFrom, again.ValidTo = f.Status, f.SupersededBy, f.ValidFrom, f.ValidTo
				all = append(all, again)
			}
		}
	}
	return all
}

func statusOn(f record.Fact, day string) string {
	switch {
	case f.Timestamp > day:
		return Future
	case f.ValidTo != "" && f.ValidTo <= day:
		return Historical
	}
	return Active
}

// Changes returns a notice for every value that no longer held on a day, in
// order of subject, attribute and time: what it was and what came after it.
func (t *Timeline) Changes(today string) []record.Notice {
	var notices []record.Notice
	for _, k := range t.keys {
		facts := t.History(k.subject, k.attribute, today)
		for i, s := range t.stays[k] {
			if facts[i].Status != Historical {
				continue
			}
			var next *record.Fact
			if s.next >= 0 && facts[s.next].Timestamp <= today {
				next = &facts[s.next]
			}
			notices = append(notices, noticeOf(facts[i], s.from.leaf, next))
		}
	}
	return notices
}

// Notices returns, by leaf, what a reader of the leaf must be told on a day:
// what it states and is no longer so. A value that holds again needs none.
func (t *Timeline) Notices(today string) map[string][]record.Notice {
	byLeaf := map[string][]record.Notice{}
	for _, k := range t.keys {
		facts := t.History(k.subject, k.attribute, today)
		var latest *record.Fact
		for i := range facts {
			if facts[i].Status != Future {
				latest = &facts[i]
			}
		}
		for i, s := range t.stays[k] {
			if facts[i].Status != Historical || latest.Status == Active && Same(latest.Value, s.value) {
				continue
			}
			next := latest
			if latest == &facts[i] {
				next = nil
			}
			for _, e := range append([]event{s.from}, s.confirmed...) {
				old := facts[i]
				old.Timestamp = e.Date
				byLeaf[e.leaf] = append(byLeaf[e.leaf], noticeOf(old, e.leaf, next))
			}
		}
	}
	return byLeaf
}

// noticeOf tells of a value that no longer holds; without a next one it just
// ended.
func noticeOf(old record.Fact, leaf string, next *record.Fact) record.Notice {
	n := record.Notice{LeafID: leaf, Old: &old, New: next}
	day, change := old.ValidTo, "you said that it no longer is"
	if next != nil {
		day, change = next.Timestamp, fmt.Sprintf("you updated to '%s'", next.Value)
	}
	when := "on " + day
	if day == old.Timestamp {
		when = "later the same day"
	}
	n.Text = fmt.Sprintf("On %s you said %s %s = '%s', but %s %s.", old.Timestamp, old.Subject, old.Attribute, old.Value, when, change)
	return n
}

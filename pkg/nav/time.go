package nav

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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
// them, and says so in notices. unknown says that nothing is known of what is
// asked for at the time asked about, "" where something is.
func (r *Searcher) time(best []found, q record.Query) (_ []found, unknown string, err error) {
	for i := range best {
		if best[i].kept.Retired {
			best[i].status = StatusRetired
		}
	}
	today := r.today().String()
	past := r.pastOf(q, today)
	if best, err = r.replaced(best, q, past, terms.Day(today)); err != nil {
		return nil, "", err
	}
	timeline, err := ledger.Timeline(r.store)
	if err != nil {
		return nil, "", err
	}
	asked := r.asked(q, past, timeline, today)
	if best, err = r.stale(best, q, past, asked, timeline, today); err != nil || past == nil || past.to == "" || asked.since == "" || asked.since <= past.to {
		return best, "", err
	}
	best, err = r.dated(best, past)
	return best, fmt.Sprintf("nothing is known of %s %s before %s", asked.subject, asked.attribute, asked.since), err
}

// An asked is the attribute that a query asks for in so many words; none is "".
type asked struct {
	subject, attribute string
	since              string // the first day of which a value of it is known, "" where none is
}

// asked returns what a query asks for: of the attributes that would answer it
// the one with the newest value at the time asked about.
func (r *Searcher) asked(q record.Query, past *past, timeline *facts.Timeline, today string) (a asked) {
	subject, attributes := facts.User, facts.Asked(q.Query)
	if len(attributes) == 0 {
		subject, attributes = facts.AskedOf(q.Query, timeline.Subjects())
	}
	newest := ""
	for _, attribute := range attributes {
		for _, f := range timeline.History(subject, attribute, today) {
			from := "" // of a value that did not hold then
			if past == nil && f.Status == facts.Active {
				from = f.ValidFrom
			} else if past != nil {
				if _, was := past.asOf(&f); was {
					from = f.ValidFrom
				}
			}
			if f.Status != facts.Future && (a.attribute == "" || from > newest) {
				a, newest = asked{subject, attribute, ""}, from
			}
		}
	}
	if a.attribute == "" && len(attributes) > 0 && subject == facts.User {
		a.subject, a.attribute = subject, attributes[0]
	}
	if a.attribute == "" {
		return a
	}
	for _, f := range timeline.History(a.subject, a.attribute, today) {
		if f.Status != facts.Future && (a.since == "" || f.ValidFrom < a.since) {
			a.since = f.ValidFrom
		}
	}
	return a
}

// dated keeps the results that are of the time asked about or name a date in
// it: what others say is of another time.
func (r *Searcher) dated(best []found, past *past) ([]found, error) {
	var kept []found
	for _, f := range best {
		l, err := r.read(f.kept.ID)
		if err != nil {
			return nil, err
		}
		within := func(first, last string) bool { return first <= past.to && last >= past.from }
		day := terms.Day(l.Timestamp)
		if day >= terms.Day(past.from) && day <= terms.Day(past.to) || slices.ContainsFunc(text.FindDates(l.Content, r.order), func(d text.DateRange) bool {
			return within(d.First().String(), d.Last().String())
		}) {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// replaced deals with the results that were replaced as a whole. Where the
// query asks about the past, what had not been replaced by then stays; what
// replaces it only in the future does not yet.
func (r *Searcher) replaced(best []found, q record.Query, past *past, today int) ([]found, error) {
	if !r.replacing {
		return best, nil
	}
	for _, leaf := range leavesOf(best[:min(len(best), q.K)]) {
		i := indexOf(best, leaf)
		f := &best[i]
		newest, ok := r.newest(store.Ref{Leaf: *f.kept}, today)
		if !ok {
			continue
		}
		l, err := r.read(newest.ID)
		if err != nil {
			return nil, err
		}
		f.status, f.fact = StatusSuperseded, "replaced by "+newest.ID
		when := "on " + newest.Timestamp[:10]
		if newest.Day() == f.kept.Day() {
			when = "later the same day"
		}
		f.notices = append(f.notices, fmt.Sprintf("OUTDATED: this was saved for %s; %s it was replaced by %s: %s",
			f.kept.Timestamp[:10], when, newest.ID, Excerpt(l.Content, "")))
		if past.until() > 0 && f.kept.Day() <= past.until() {
			if newest, ok = r.newest(store.Ref{Leaf: *f.kept}, past.until()); !ok {
				f.asOf = past.to
				continue
			}
		}
		best = raise(best, i, r.number(newest), newest.Leaf)
	}
	return best, nil
}

// stale deals with the results that state a fact which no longer holds. They
// carry the notice; the leaf with the newer fact goes above them where the
// words that matched are those of the sentence that states it, unless the
// query asks about the past. Where it asks for an attribute in so many words,
// the leaf that states it comes first, or the one that says that it ended.
func (r *Searcher) stale(best []found, q record.Query, past *past, asked asked, timeline *facts.Timeline, today string) (_ []found, err error) {
	attribute := asked.attribute
	stated := timeline.Stated(today)
	switch {
	case past != nil:
		if best, err = r.asThen(best, q, past, asked, stated); err != nil {
			return nil, err
		}
	case attribute != "":
		if last, leaf, ok := timeline.Ended(asked.subject, attribute, today); ok {
			last.SourceLeaf = leaf
			best = r.lift(best, q, []version{{fact: last}})
			break
		}
		best = r.lift(best, q, r.versions(best, asked.subject, attribute, stated, func(f *record.Fact) (string, bool) { return "", f.Status == facts.Active }))
	}
	notices := timeline.Notices(today)
	for _, leaf := range leavesOf(best[:min(len(best), q.K)]) {
		i := indexOf(best, leaf)
		f := &best[i]
		for _, n := range notices[f.kept.ID] {
			f.notices = append(f.notices, "OUTDATED: "+n.Text)
		}
		for _, n := range notices[f.kept.ID] {
			if past != nil || attribute != "" && (attribute != n.Old.Attribute || asked.subject != n.Old.Subject) {
				continue
			}
			asks, err := r.asksFor(q.Query, f.kept.ID, n.Old)
			if err != nil {
				return nil, err
			}
			_, instead, _ := timeline.Ended(n.Old.Subject, n.Old.Attribute, today)
			if n.New != nil {
				instead = n.New.SourceLeaf
			}
			newer, ok := r.byID(instead)
			if asks && ok && instead != f.kept.ID {
				f.status, f.fact = StatusSuperseded, n.Old.Subject+" "+n.Old.Attribute
				best = raise(best, i, r.number(newer), newer.Leaf)
				break
			}
		}
	}
	if past != nil || attribute != "" || !ofOneself(q.Query) {
		return best, nil
	}
	return r.answered(best, q.Query, stated)
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
var oneself = []string{"i", "my", "me", "mine", "i'm", "i've", "we", "our", "us", "yo", "mi", "mis", "nuestro", "nuestra", "nosotros",
	"vivo", "resido", "trabajo", "soy", "uso", "utilizo", "prefiero", "programo"}

func ofOneself(query string) bool {
	if strings.ContainsRune(query, '我') {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(query), isApart), func(word string) bool { return slices.Contains(oneself, word) })
}

// isApart tells of what stands between the words of a query.
func isApart(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("¿?¡!,.;:\"？，。", r)
}

// asksFor tells whether a query asks for a fact that a leaf states: the words
// of it that the leaf holds all stand in the sentence that states the fact,
// and some in its clause that say more than "now".
func (r *Searcher) asksFor(query, id string, fact *record.Fact) (bool, error) {
	l, err := r.read(id)
	if err != nil || fact == nil {
		return false, err
	}
	sentence := sentenceWith(withoutDate(l.Content), fact.Value)
	whole, stating, clause := r.wordsOf(l.Content), r.wordsOf(sentence), r.wordsOf(clauseWith(sentence, fact.Value))
	asks := false
	for _, w := range r.store.Analyzer.Query(query).Words {
		if slices.Contains(present, w.Folded) {
			continue
		}
		for _, term := range formsOf(w) {
			if whole[term] > 0 && stating[term] == 0 {
				return false, nil
			}
			asks = asks || clause[term] > 0
		}
	}
	return asks, nil
}

// present are words that ask for nothing in particular.
var present = []string{"now", "currently", "today", "ahora", "actualmente", "hoy", "现在", "目前", "当前", "现", "在", "我"}

func (r *Searcher) wordsOf(content string) map[string]int {
	return r.store.Analyzer.Profile(text.Fields{Content: content}).Terms
}

func formsOf(w text.Word) []string { return append(slices.Concat(w.Forms...), w.Folded) }

func withoutDate(content string) string {
	if lead, ok := text.LeadingDate(content, text.DMY); ok {
		return content[lead.Length:]
	}
	return content
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

// clauseWith returns the part of a sentence around a value, up to a comma or a
// word that joins clauses.
func clauseWith(sentence, value string) string {
	at := strings.Index(sentence, value)
	if at < 0 {
		return sentence
	}
	from, to := 0, len(sentence)
	for _, sign := range []string{",", "，", "、", ";", "；", " and ", " but ", " y ", " e ", " pero "} {
		if i := strings.LastIndex(sentence[:at], sign); i >= 0 {
			from = max(from, i+len(sign))
		}
		if i := strings.Index(sentence[at+len(value):], sign); i >= 0 {
			to = min(to, at+len(value)+i)
		}
	}
	return sentence[from:to]
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

// newest returns the leaf that holds on a day, as YYYYMMDD, in place of
// another: the newest of the leaves that are linked to it by replacement, none
// of a later day. ok is false where that is the leaf itself, or it stands alone.
func (r *Searcher) newest(of store.Ref, until int) (newest store.Ref, ok bool) {
	newest = of
	seen := map[string]bool{of.ID: true}
	for open := []string{of.ID}; len(open) > 0; open = open[1:] {
		for _, ref := range r.linked(open[0], until) {
			if seen[ref.ID] {
				continue
			}
			seen[ref.ID] = true
			open = append(open, ref.ID)
			if !ref.Retired && ref.Timestamp != "" && compareAge(ref, newest) > 0 {
				newest = ref
			}
		}
	}
	return newest, newest.ID != of.ID
}

// linked returns the leaves that replaced one or that it replaced, as they are
// up to a day; of a leaf that was removed only the id.
func (r *Searcher) linked(id string, until int) []store.Ref {
	refs := r.snap.Replacers(id)
	if l, err := r.read(id); err == nil {
		for _, old := range l.Extra.Replaces {
			if ref, ok := r.byID(old); ok {
				refs = append(refs, ref)
			} else {
				refs = append(refs, store.Ref{Leaf: terms.Leaf{ID: old}})
			}
		}
	}
	return slices.DeleteFunc(refs, func(ref store.Ref) bool { return ref.Day() > until })
}

// compareAge orders leaves by their day, where it is to come that of saving,
// and by when they were saved.
func compareAge(a, b store.Ref) int {
	since := func(ref store.Ref) int { return min(ref.Day(), cmp.Or(terms.Day(ref.SavedAt), math.MaxInt)) }
	return cmp.Or(cmp.Compare(since(a), since(b)), strings.Compare(a.SavedAt, b.SavedAt), strings.Compare(a.ID, b.ID))
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

package facts

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

func stating(id, date, saved, value string) Source {
	return Source{LeafID: id, Timestamp: date, SavedAt: saved, Statements: []Statement{{Subject: User, Attribute: "location", Value: value, Date: date}}}
}

func values(list []record.Fact) string {
	var all []string
	for _, f := range list {
		all = append(all, f.Value)
	}
	return strings.Join(all, " ")
}

func TestTheNewestValueHoldsInWhateverOrderItWasSaved(t *testing.T) {
	tl := Build([]Source{
		stating("c", "2026-02-03", "1", "Valencia"),
		stating("a", "2024-03-11", "2", "Madrid"),
		stating("d", "2026-05-01", "3", "Madrid"),
		stating("e", "2030-01-01", "4", "Mars"),
	})
	const today = "2026-06-01"
	for day, want := range map[string]string{"2024-03-10": "", "2024-03-11": "Madrid", "2026-02-02": "Madrid", "2026-02-03": "Valencia", today: "Madrid", "2030-01-01": "Mars"} {
		if got := values(tl.At(day)); got != want {
			t.Errorf("%s: got %q, want %q", day, got, want)
		}
	}
	var statuses []string
	for _, f := range tl.History(User, "location", today) {
		statuses = append(statuses, f.Status)
	}
	if got := strings.Join(statuses, " "); got != "HISTORICAL HISTORICAL ACTIVE FUTURE" {
		t.Errorf("got %s", got)
	}
	var notices []string
	for _, n := range tl.Changes(today) {
		notices = append(notices, n.Text)
	}
	if want := []string{
		"On 2024-03-11 you said user location = 'Madrid', but on 2026-02-03 you updated to 'Valencia'.",
		"On 2026-02-03 you said user location = 'Valencia', but on 2026-05-01 you updated to 'Madrid'.",
	}; !slices.Equal(notices, want) {
		t.Errorf("got %q", notices)
	}
	outdated := tl.Notices(today)
	if len(outdated) != 1 || len(outdated["c"]) != 1 {
		t.Errorf("only c is outdated, Madrid holds again: got %v", outdated)
	}
}

func TestAChangeOnTheSameDayIsWordedSo(t *testing.T) {
	tl := Build([]Source{stating("a", "2025-01-01", "1", "Madrid"), stating("b", "2025-01-01", "2", "Lugo")})
	if got, want := tl.Changes("2026-06-01")[0].Text, "On 2025-01-01 you said user location = 'Madrid', but later the same day you updated to 'Lugo'."; got != want {
		t.Errorf("got %s", got)
	}
}

func TestARepetitionConfirms(t *testing.T) {
	tl := Build([]Source{stating("a", "2024-01-01", "1", "the Hague"), stating("b", "2025-01-01", "2", "The Hague, Netherlands"), stating("c", "2026-01-01", "3", "Delft")})
	if n := len(tl.Changes("2026-06-01")); n != 1 {
		t.Errorf("%d changes, want 1", n)
	}
	notices := tl.Notices("2026-06-01")
	if got := notices["b"][0].Text; !strings.HasPrefix(got, "On 2025-01-01 you said") {
		t.Errorf("the notice of the leaf that repeats: %s", got)
	}
	if n := len(tl.Stated("2026-06-01")); n != 3 {
		t.Errorf("%d statements, want 3", n)
	}
}

func TestAPatientIsCarriedAlongASource(t *testing.T) {
	diagnosis := func(v string) []Statement { return []Statement{{Attribute: "diagnosis", Value: v, Date: "2024-01-01"}} }
	tl := Build([]Source{
		{LeafID: "2", Of: "history.txt", Position: 2, Statements: diagnosis("migraine")},
		{LeafID: "0", Of: "history.txt", Position: 0, Patient: "marta ruiz"},
		{LeafID: "9", Of: "other.txt", Position: 3, Statements: diagnosis("gout")},
	})
	got := tl.At("2026-06-01")
	if len(got) != 1 || got[0].Subject != "marta ruiz" || got[0].Value != "migraine" {
		t.Errorf("got %+v", got)
	}
}

// naive says what held at the end of a day by going through the statements of
// that day and before, one after another.
func naive(sources []Source, day string) map[string]string {
	type line struct {
		date, saved, leaf string
		rank              int
		st                Statement
	}
	var lines []line
	for _, s := range sources {
		for i, st := range s.Statements {
			if corrected(sources, s, st.Date) {
				continue
			}
			lines = append(lines, line{st.Date, s.SavedAt, s.LeafID, i, st})
		}
		if n := successor(sources, s); n != nil {
			for i, st := range s.Statements {
				if !st.Ends {
					st.Ends = true
					lines = append(lines, line{n.Timestamp, n.SavedAt, n.LeafID, i - 1000, st})
				}
			}
		}
	}
	slices.SortFunc(lines, func(a, b line) int {
		return strings.Compare(fmt.Sprint(a.date, "|", a.saved, "|", a.leaf, "|", 2000+a.rank), fmt.Sprint(b.date, "|", b.saved, "|", b.leaf, "|", 2000+b.rank))
	})
	state := map[string]string{}
	for _, l := range lines {
		key := l.st.Subject + " " + l.st.Attribute
		switch {
		case l.date > day:
		case !l.st.Ends && (state[key] == "" || !Same(state[key], l.st.Value)):
			state[key] = l.st.Value
		case l.st.Ends && (l.st.Value == "" || Same(state[key], l.st.Value)):
			delete(state, key)
		}
	}
	return state
}

// successor is the oldest of the newer leaves to which a leaf is linked by
// replacements among leaves no newer than that one, nil for none.
func successor(sources []Source, old Source) (first *Source) {
	for i := range sources {
		n := &sources[i]
		if newer(*n, old) && (first == nil || newer(*first, *n)) && linked(sources, old.LeafID, *n, map[string]bool{}) {
			first = n
		}
	}
	return first
}

func newer(a, b Source) bool {
	return a.Timestamp+a.SavedAt+a.LeafID > b.Timestamp+b.SavedAt+b.LeafID
}

// linked tells whether one leads to another by way of leaves no newer than
// that, or of what is no leaf.
func linked(sources []Source, from string, to Source, seen map[string]bool) bool {
	if from == to.LeafID {
		return true
	}
	seen[from] = true
	for _, s := range sources {
		if newer(s, to) {
			continue
		}
		for _, id := range s.Replaces {
			for _, link := range [][2]string{{s.LeafID, id}, {id, s.LeafID}} {
				tooNew := slices.ContainsFunc(sources, func(o Source) bool { return o.LeafID == link[1] && newer(o, to) })
				if link[0] == from && !seen[link[1]] && !tooNew && linked(sources, link[1], to, seen) {
					return true
				}
			}
		}
	}
	return false
}

// corrected tells whether a leaf was superseded by one of before a day.
func corrected(sources []Source, old Source, day string) bool {
	n := successor(sources, old)
	return n != nil && n.Timestamp < day
}

func TestRandomHistoriesAgreeWithTheNaiveModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		sources := randomHistory(rng)
		tl := Build(sources)
		days := []string{}
		for d := range 30 {
			days = append(days, fmt.Sprintf("2024-01-%02d", d+1))
		}
		for _, day := range days {
			want := naive(sources, day)
			got := map[string]string{}
			for _, f := range tl.At(day) {
				got[f.Subject+" "+f.Attribute] = f.Value
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("round %d, %s: got %v, want %v\n%+v", round, day, got, want, sources)
			}
			for _, f := range tl.History("", "", day) {
				if active := want[f.Subject+" "+f.Attribute] == f.Value; f.Status == Active && !active {
					t.Fatalf("round %d, %s: %+v is active", round, day, f)
				}
			}
			checkNotices(t, sources, tl.Notices(day), want, day)
		}
		shuffled := slices.Clone(sources)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if !reflect.DeepEqual(Build(shuffled), tl) {
			t.Fatalf("round %d: another order gives another timeline", round)
		}
	}
}

// checkNotices: a leaf has a notice of what it states if and only if that was
// said by the day and does not hold at its end.
func checkNotices(t *testing.T, sources []Source, notices map[string][]record.Notice, state map[string]string, day string) {
	t.Helper()
	for _, s := range sources {
		for _, st := range s.Statements {
			if st.Ends || st.Date > day || corrected(sources, s, st.Date) {
				continue
			}
			holds := Same(state[st.Subject+" "+st.Attribute], st.Value)
			told := slices.ContainsFunc(notices[s.LeafID], func(n record.Notice) bool {
				return n.Old.Attribute == st.Attribute && Same(n.Old.Value, st.Value) && strings.Contains(n.Text, "On "+st.Date)
			})
			if holds == told {
				t.Fatalf("%s: leaf %s says %+v; holds %v, told %v", day, s.LeafID, st, holds, told)
			}
		}
	}
}

func randomHistory(rng *rand.Rand) []Source {
	places := []string{"Madrid", "Valencia", "madrid", "Valencia, Spain", "Lugo"}
	var sources []Source
	for i := range 1 + rng.IntN(8) {
		date := fmt.Sprintf("2024-01-%02d", 1+rng.IntN(25))
		s := Source{LeafID: fmt.Sprintf("L%d", i), Timestamp: date, SavedAt: fmt.Sprintf("2025-01-01T00:00:0%dZ", rng.IntN(5)), Of: fmt.Sprint(i)}
		for range rng.IntN(3) {
			st := Statement{Subject: User, Attribute: []string{"location", "employer"}[rng.IntN(2)], Value: places[rng.IntN(len(places))], Date: date, Ends: rng.IntN(4) == 0}
			if st.Ends && rng.IntN(3) == 0 {
				st.Value = ""
			}
			s.Statements = append(s.Statements, st)
		}
		for range rng.IntN(3) {
			if rng.IntN(3) == 0 {
				s.Replaces = append(s.Replaces, fmt.Sprintf("L%d", rng.IntN(9)))
			}
		}
		sources = append(sources, s)
	}
	return sources
}

func TestTodayIsTheLaterDay(t *testing.T) {
	evening := time.Date(2026, 6, 1, 22, 0, 0, 0, time.FixedZone("", -5*3600))
	morning := time.Date(2026, 6, 2, 3, 0, 0, 0, time.FixedZone("", 9*3600))
	if Today(evening) != "2026-06-02" || Today(morning) != "2026-06-02" {
		t.Errorf("got %s and %s", Today(evening), Today(morning))
	}
}

func ExampleBuild() {
	rules := Bundled()
	var sources []Source
	for _, leaf := range []Leaf{
		{ID: "L-2", Timestamp: "2026-02-03", SavedAt: "2026-02-03T09:00:00Z", Text: "I live in Valencia now."},
		{ID: "L-1", Timestamp: "2024-03-11", SavedAt: "2026-02-04T09:00:00Z", Text: "I live in Madrid."},
	} {
		if s, ok := rules.Source(leaf); ok {
			sources = append(sources, s)
		}
	}
	timeline := Build(sources)
	for _, day := range []string{"2024-12-31", "2026-06-01"} {
		fmt.Println(day, timeline.At(day)[0].Value)
	}
	for _, notice := range timeline.Changes("2026-06-01") {
		fmt.Println(notice.Text)
	}
	// Output:
	// 2024-12-31 Madrid
	// 2026-06-01 Valencia
	// On 2024-03-11 you said user location = 'Madrid', but on 2026-02-03 you updated to 'Valencia'.
}

// A subject may be what no rule writes, where the file that it was read from is
// damaged.
func TestSubjectsThatNoRuleWrites(t *testing.T) {
	said := func(subject, value string) Source {
		return Source{LeafID: "L-d-0000-" + value, Timestamp: "2026-01-0" + value[:1], Statements: []Statement{{Subject: subject, Attribute: "location", Value: value, Date: "2026-01-0" + value[:1]}}}
	}
	stated := Build([]Source{said("ana", "1a"), said("ana", "2b"), said("ANA", "3c"), said("user", "4d")}).Stated("2026-02-03")
	if len(stated) != 4 {
		t.Errorf("%d statements, want 4: %v", len(stated), stated)
	}
}

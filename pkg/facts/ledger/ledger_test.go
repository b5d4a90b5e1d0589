package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// save stores a text as a leaf and returns its id.
func ids(id string) record.IDs {
	if id == "" {
		return nil
	}
	return record.IDs{id}
}

func save(t testing.TB, s *store.Store, date, text, replaces string) string {
	t.Helper()
	return put(t, s, record.Chunk{DataType: record.TypePersonal, Domain: "personal", Timestamp: date, Content: text, Replaces: ids(replaces)})
}

func put(t testing.TB, s *store.Store, chunk record.Chunk) string {
	t.Helper()
	if err := store.Complete(&chunk); err != nil {
		t.Fatal(err)
	}
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out, err := w.Commit([]store.Item{{Chunk: chunk}})
	if err != nil {
		t.Fatal(err)
	}
	return out[0].LeafID
}

// held are the facts of a day, as "subject attribute value".
func held(t testing.TB, s *store.Store, day string) string {
	t.Helper()
	timeline, err := Timeline(s)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range timeline.At(day) {
		all = append(all, f.Subject+" "+f.Attribute+" "+f.Value)
	}
	return strings.Join(all, "; ")
}

func file(s *store.Store) string { return filepath.Join(s.Dir(), "state", fileName) }

func TestAFactHoldsFromItsAcknowledgement(t *testing.T) {
	s := open(t)
	if got := held(t, s, "2026-06-01"); got != "" {
		t.Errorf("an empty memory holds %q", got)
	}
	save(t, s, "2024-03-11", "I live in Madrid.", "")
	save(t, s, "2026-02-03", "I live in Valencia.", "")
	save(t, s, "2026-02-04", "The weather is fine.", "")
	for day, want := range map[string]string{"2024-03-10": "", "2024-03-11": "user location Madrid", "2026-06-01": "user location Valencia"} {
		if got := held(t, s, day); got != want {
			t.Errorf("%s: got %q, want %q", day, got, want)
		}
	}
	save(t, s, "2026-05-01", "I live in Madrid.", "")
	if got := held(t, s, "2026-06-01"); got != "user location Madrid" {
		t.Errorf("back in Madrid: got %q", got)
	}
}

func TestADamagedFileIsReadAnew(t *testing.T) {
	s := open(t)
	save(t, s, "2024-03-11", "I live in Madrid.", "")
	save(t, s, "2025-03-11", "I work at Acme.", "")
	const want = "user employer Acme; user location Madrid"
	if got := held(t, s, "2026-06-01"); got != want {
		t.Fatalf("got %q", got)
	}
	whole, err := os.ReadFile(file(s))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 17 {
		for _, damaged := range [][]byte{whole[:n], append(whole[:n:n], "\n{\"leaf_id\":\"x\"}\nrubbish"...), append(whole[:n:n], whole...)} {
			if err := os.WriteFile(file(s), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := held(t, s, "2026-06-01"); got != want {
				t.Fatalf("cut at %d (%q): got %q", n, damaged, got)
			}
		}
	}
}

// A rebuild makes the journal anew, in a part that is not the first; a power
// cut may bring back what it deleted.
func TestAFactHoldsAfterARebuild(t *testing.T) {
	s := open(t)
	save(t, s, "2024-03-11", "I live in Madrid.", "")
	held(t, s, "2026-06-01")
	deleted := map[string][]byte{file(s): nil, filepath.Join(s.Dir(), "state", "journal", "000001.jsonl"): nil}
	for name := range deleted {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		deleted[name] = data
	}
	if _, err := s.Rebuild(); err != nil {
		t.Fatal(err)
	}
	if got := held(t, s, "2026-06-01"); got != "user location Madrid" {
		t.Errorf("got %q", got)
	}
	save(t, s, "2025-03-11", "I work at Acme.", "")
	for name, data := range deleted {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := held(t, s, "2026-06-01"); got != "user employer Acme; user location Madrid" {
		t.Errorf("after a power cut: got %q", got)
	}
}

func TestARemovedLeafStatesNothing(t *testing.T) {
	s := open(t)
	save(t, s, "2024-03-11", "I live in Madrid.", "")
	id := save(t, s, "2026-02-03", "I live in Valencia.", "")
	held(t, s, "2026-06-01")
	if err := s.Erase([]string{id}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := held(t, s, "2026-06-01"); got != "user location Madrid" {
		t.Errorf("got %q", got)
	}
	if data, _ := os.ReadFile(file(s)); strings.Contains(string(data), "Valencia") {
		t.Errorf("the file still says so: %s", data)
	}
}

func TestAReplacedLeafStatesNothingFromThen(t *testing.T) {
	s := open(t)
	id := save(t, s, "2024-03-11", "I live in Madrid.", "")
	save(t, s, "2026-02-03", "Forget my address.", id)
	if got := held(t, s, "2026-06-01"); got != "" {
		t.Errorf("got %q", got)
	}
	if got := held(t, s, "2026-02-02"); got != "user location Madrid" {
		t.Errorf("before: got %q", got)
	}
}

func TestOwnRulesOfAMemory(t *testing.T) {
	s := open(t)
	save(t, s, "2024-03-11", "My cat is Rex.", "")
	if got := held(t, s, "2026-06-01"); got != "" {
		t.Fatalf("got %q", got)
	}
	for _, setting := range []string{`["[pet]","value name","says my cat is _"]`, `"[pet]\nsays my cat is _"`} {
		s.Settings.Rules = []byte(setting)
		if got := held(t, s, "2026-06-01"); got != "user pet Rex" {
			t.Errorf("%s: got %q", setting, got)
		}
	}
	for _, setting := range []string{`{"a":1}`, `["says nothing _"]`} {
		s.Settings.Rules = []byte(setting)
		if _, err := Timeline(s); err == nil || !strings.Contains(err.Error(), "ihmt.config.json") {
			t.Errorf("%s: got %v", setting, err)
		}
	}
}

func TestWritersAndReadersAtOnce(t *testing.T) {
	s := open(t)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mine, err := store.Open(s.Dir())
			if err != nil {
				t.Error(err)
				return
			}
			defer mine.Close()
			for n := range 8 {
				save(t, mine, fmt.Sprintf("2024-%02d-%02d", n+1, i+1), fmt.Sprintf("I work at Company %d%d.", i, n), "")
				if _, err := Timeline(mine); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	timeline, err := Timeline(s)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(timeline.History("", "", "2026-06-01")); n != 32 {
		t.Errorf("%d facts, want 32", n)
	}
	if err := os.Remove(file(s)); err != nil {
		t.Fatal(err)
	}
	again, err := Timeline(s)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(timeline, again) {
		t.Error("read anew, the leaves give another timeline")
	}
}

func TestKnownLeavesAreNotOpened(t *testing.T) {
	s := open(t)
	id := save(t, s, "2024-03-11", "I live in Madrid.", "")
	source := facts.Source{LeafID: id, Timestamp: "2024-03-11", SavedAt: "2024-03-11T00:00:00Z",
		Statements: []facts.Statement{{Subject: "user", Attribute: "location", Value: "Elsewhere", Date: "2024-03-11"}}}
	if _, err := Read(s, map[string]*facts.Source{id: &source}); err != nil {
		t.Fatal(err)
	}
	if got := held(t, s, "2026-06-01"); got != "user location Elsewhere" {
		t.Errorf("got %q", got)
	}
}

// TestTheJournalSaysWhatTheFilesSay compares what the ledger read of the
// journal with what the leaves themselves state.
func TestTheJournalSaysWhatTheFilesSay(t *testing.T) {
	s := open(t)
	live := "I live in Porto."
	chunks := []record.Chunk{
		{Content: live},
		{Content: live, Author: "Ána María"},
		{Content: live, Author: "user"},
		{Content: live, DataType: record.TypeCode},
		{Content: live + "\xff"},
		{Content: live + strings.Repeat("\nAnd so on.", 1000)},
		{Content: "Fact: user pet = Rex", Tags: []string{"Fact"}},
		{Content: "Fact: user pet = \"Rex\" \\ <b>", Tags: []string{facts.FactTag}},
		{Content: "Fact: user pet = Rex"},
		{Content: "Patient: Marta Ruiz", Source: "history", Position: 0},
		{Content: "Diagnosis: migraine", Source: "history", Position: 1},
		{Content: "我住在马德里。", DataType: record.TypePersonal},
		{Content: "The weather is fine."},
	}
	var ids []string
	for i, c := range chunks {
		c.Timestamp = fmt.Sprintf("2024-01-%02d", i+1)
		ids = append(ids, put(t, s, c))
	}
	before, _ := s.Opened()
	l, err := Read(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := s.Opened(); after-before > 6 {
		t.Errorf("%d files opened to read %d leaves, of which the two long or odd ones are", after-before, len(ids))
	}
	for _, id := range ids {
		leaf, err := s.Leaf(id)
		if err != nil {
			t.Fatal(err)
		}
		want, states := facts.Bundled().Source(LeafOf(leaf))
		if !states {
			want = facts.Source{}
		}
		if got := l.sources[id]; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", leaf.Content[:min(len(leaf.Content), 40)], got, want)
		}
	}
}

// A journal that was made anew begins in a later part. Neither an empty
// timeline nor one of the old journal, which a power cut may bring back with
// parts of it, is at its end.
func TestAJournalMadeAnewIsRead(t *testing.T) {
	before := store.ShortenFrom
	store.ShortenFrom = 1
	defer func() { store.ShortenFrom = before }()
	s := open(t)
	save(t, s, "2026-02-03", "I live in Valencia now.", "")
	for i, back := range [][]string{{}, {"state/facts.jsonl"}, {"state/journal/*"}, {"state/facts.jsonl", "state/journal/*"}} {
		if _, err := summarize.Grow(t.Context(), s, summarize.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := Timeline(s); err != nil {
			t.Fatal(err)
		}
		kept := map[string][]byte{}
		for _, pattern := range back {
			names, _ := filepath.Glob(filepath.Join(s.Dir(), pattern))
			for _, name := range names {
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				kept[name] = data
			}
		}
		if _, err := s.Rebuild(); err != nil {
			t.Fatal(err)
		}
		for name, data := range kept {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		city := []string{"Madrid", "Lugo", "Porto", "Bergen"}[i]
		save(t, s, fmt.Sprintf("2026-03-%02d", i+1), "I live in "+city+" now.", "")
		timeline, err := Timeline(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := timeline.At("2026-12-31"); len(got) != 1 || got[0].Value != city {
			t.Errorf("with %v brought back: %v, want %s", back, got, city)
		}
	}
}

// Beside what a search has read already, a timeline opens its own file, and
// the journal once where there is news.
func TestFewFilesAreOpened(t *testing.T) {
	s := open(t)
	for i := range 20 {
		save(t, s, "2026-02-03", fmt.Sprintf("Note %d: I live in Valencia now.", i), "")
	}
	for _, c := range []struct {
		what string
		do   func()
		want int
	}{
		{"of which nothing has been read", func() {}, 1},
		{"of which all has been read", func() {}, 1},
		{"with news", func() { save(t, s, "2026-02-04", "I live in Lugo now.", "") }, 2},
		{"that has grown", func() { summarize.Grow(t.Context(), s, summarize.Options{}) }, 1},
	} {
		c.do()
		start, _ := s.Opened()
		snap, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		tables := len(snap.Tables)
		snap.Close()
		before, _ := s.Opened()
		if tables > 0 && before-start != 1+tables {
			t.Errorf("a snapshot of a memory %s opens %d files, want the trunk and %d tables", c.what, before-start, tables)
		}
		if _, err := Timeline(s); err != nil {
			t.Fatal(err)
		}
		if after, _ := s.Opened(); after-before != c.want {
			t.Errorf("a memory %s: %d files were opened, want %d", c.what, after-before, c.want)
		}
	}
}

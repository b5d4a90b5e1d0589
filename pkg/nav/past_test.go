package nav

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// datedTexts is a memory of texts with their days, one source each.
func datedTexts(t *testing.T, lines string) *Searcher {
	t.Helper()
	s, err := store.Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var in strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		day, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		source := fmt.Sprint("s", i)
		if strings.HasPrefix(text, "@") {
			source, text, _ = strings.Cut(text, " ")
		}
		fmt.Fprintln(&in, record.New(record.KindChunk, record.Chunk{Source: source, Position: i, DataType: record.TypePersonal, Domain: "personal",
			Timestamp: day, Content: strings.ReplaceAll(text, " / ", "\n")}))
	}
	if _, err := s.Put(record.NewReader(strings.NewReader(in.String())), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := NewSearcher(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	r.now = func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	return r
}

// first is the day of the first result, "as of" its day where it has one, and
// "?" where the answer is asked back.
func first(t *testing.T, r *Searcher, query string) string {
	t.Helper()
	a := find(t, r, query)
	if len(a.Results) == 0 {
		return strings.TrimSpace("none " + a.Search.Unknown)
	}
	out := a.Results[0].Timestamp
	if as := a.Results[0].AsOf; as != "" {
		out += " as of " + as
	}
	if a.Search.Ambiguous {
		out += "?"
	}
	return out
}

func compare(t *testing.T, r *Searcher, cases map[string]string) {
	t.Helper()
	for query, want := range cases {
		if got := first(t, r, query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

func TestQuestionsAboutThePast(t *testing.T) {
	r := datedTexts(t, `
2024-01-14 I live in Madrid. I work at Acme as a data analyst.
2025-03-02 I live in Valencia now.
2026-04-05 I live in Lugo. I work at Globex.
2024-02-03 The live stream of the launch was a success.
2026-11-29 We ordered quince jam for the party.
2026-10-12 The boat was painted green.`)
	compare(t, r, map[string]string{
		"where do I live":                 "2026-04-05",
		"where did I live in 2025":        "2025-03-02 as of 2025-12-31",
		"where did I live last year":      "2025-03-02 as of 2025-12-31",
		"where did I live last month?":    "2026-04-05 as of 2026-10-31",
		"where did I live two years ago":  "2024-01-14 as of 2024-12-31",
		"¿dónde vivía el año pasado?":     "2025-03-02 as of 2025-12-31",
		"¿dónde vivía hace 2 años?":       "2024-01-14 as of 2024-12-31",
		"我去年住在哪里":                         "2025-03-02 as of 2025-12-31",
		"我前年住在哪里":                         "2024-01-14 as of 2024-12-31",
		"where did I live in 2020":        "none nothing is known of user location before 2024-01-14",
		"where did I live ten years ago":  "none nothing is known of user location before 2024-01-14",
		"what was my job in January 2025": "2024-01-14 as of 2025-01-31",
		"what is my job":                  "2026-04-05",
		"what was my job in 2024":         "2024-01-14 as of 2024-12-31",
		"我的工作是什么":                         "2026-04-05",
		"¿cuál era mi trabajo en 2024?":   "2024-01-14 as of 2024-12-31",
	})
	for query, day := range map[string]string{"what did we order yesterday": "2026-11-29", "what was painted last month": "2026-10-12"} {
		if got := find(t, r, query).Results[0].Timestamp; got != day {
			t.Errorf("%q: got %s, want %s", query, got, day)
		}
	}
}

// What a note says of a time before any fact is not withheld.
func TestANoteThatNamesTheTime(t *testing.T) {
	r := datedTexts(t, `
2024-01-14 I live in Madrid.
2024-05-06 In 2020 we lived in Porto, above the bakery.`)
	a := find(t, r, "where did I live in 2020")
	if len(a.Results) != 1 || a.Results[0].Timestamp != "2024-05-06" || a.Search.Unknown == "" {
		t.Errorf("got %+v %+v", a.Search, a.Results)
	}
}

func TestQuestionsAboutAnotherSubject(t *testing.T) {
	r := datedTexts(t, `
2024-01-10 @a Patient: Elena Ruiz / Medical history, page one.
2024-01-11 @a Diagnosis: iron-deficiency anaemia / Treatment: iron
2025-06-02 @a Diagnosis: coeliac disease / Treatment: gluten-free diet
2025-07-01 Elena asked about the diagnosis of her dog.`)
	compare(t, r, map[string]string{
		"what is Elena's diagnosis":               "2025-06-02",
		"what was Elena's diagnosis in 2024":      "2024-01-11 as of 2024-12-31",
		"¿qué diagnóstico tiene Elena Ruiz?":      "2025-06-02",
		"Elena Ruiz 的诊断是什么":                       "2025-06-02",
		"what treatment did Elena have last year": "2025-06-02 as of 2025-12-31",
		"what was Elena's diagnosis in 2021":      "none nothing is known of elena ruiz diagnosis before 2024-01-11",
	})
}

func TestWhatEndedStandsAboveWhatItEnded(t *testing.T) {
	r := datedTexts(t, `
2025-01-02 I live in Lisbon.
2026-01-02 I no longer live in Lisbon.`)
	for _, query := range []string{"where do I live", "do I still live in Lisbon", "lisbon live"} {
		a := find(t, r, query)
		if a.Results[0].Timestamp != "2026-01-02" || len(a.Results) != 2 || len(a.Results[1].Notices) == 0 || a.Search.Ambiguous {
			t.Errorf("%q: got %+v\n%+v", query, a.Search, a.Results)
		}
	}
}

package detect

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

func read(t *testing.T, in string, opt Options) (records []*record.Record, left []record.Skipped, err error) {
	t.Helper()
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC) }
	}
	err = Each(nil, strings.NewReader(in), opt, func(r *record.Record) error {
		records = append(records, r)
		return nil
	}, func(s record.Skipped) error {
		left = append(left, s)
		return nil
	})
	return records, left, err
}

func TestSameWordsOnTheSameDayAreTheSameSource(t *testing.T) {
	source := func(in string, now time.Time) string {
		records, _, err := read(t, in, Options{Now: func() time.Time { return now }})
		if err != nil || len(records) != 1 {
			t.Fatal(records, err)
		}
		return records[0].Str("source")
	}
	day := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	first := source("I live in Valencia\n", day)
	if again := source("I live in Valencia\n", day.Add(time.Hour)); again != first {
		t.Errorf("an hour later %s, not %s", again, first)
	}
	if next := source("I live in Valencia\n", day.AddDate(0, 0, 1)); next == first {
		t.Error("the next day the same")
	}
	if other := source("I live in Madrid\n", day); other == first {
		t.Error("other words the same")
	}
	dated := source("2026-02-03: I live in Valencia\n", day)
	if later := source("2026-02-03: I live in Valencia\n", day.AddDate(1, 0, 0)); later != dated {
		t.Error("a date in the text does not hold")
	}
}

func TestRecordsAreCompletedAndOthersPass(t *testing.T) {
	in := `{"kind":"document","text":"2026-02-03: I live in \u0056alencia","x-mine":{"a":1.50}}
{"kind":"mystery","n":1e2}
{"kind":"document","source":"mine","data_type":"GENERIC","domain":"law","confidence":0.25,"timestamp":"2020-01-01","text":"Article 1"}
`
	records, left, err := read(t, in, Options{Tags: []string{"t"}, Agent: "me"})
	if err != nil || len(left) > 0 || len(records) != 3 {
		t.Fatal(records, left, err)
	}
	first, second, third := records[0], records[1], records[2]
	if first.Str("data_type") != "PERSONAL" || first.Str("timestamp") != "2026-02-03" || first.Get("x-mine").Raw != `{"a":1.50}` ||
		!strings.HasPrefix(first.Str("source"), "text:") || !strings.Contains(first.Get("text").Raw, `\u0056`) || first.Str("agent") != "me" {
		t.Errorf("%s", first)
	}
	if second.String() != `{"kind":"mystery","n":1e2}` {
		t.Errorf("%s", second)
	}
	if third.Str("data_type") != "GENERIC" || third.Str("domain") != "law" || third.Get("confidence").Raw != "0.25" || third.Str("timestamp") != "2020-01-01" || third.Str("source") != "mine" {
		t.Errorf("%s", third)
	}
}

func TestGivenTypeAndDomainOverride(t *testing.T) {
	records, _, err := read(t, "2026-02-03: I live in Valencia", Options{Type: "generic", Domain: "My Notés"})
	if err != nil {
		t.Fatal(err)
	}
	if r := records[0]; r.Str("data_type") != "GENERIC" || r.Str("domain") != "my-notes" || r.Get("confidence").Float() != 1 {
		t.Errorf("%s", r)
	}
}

func TestGivenTypeDecidesTheDomain(t *testing.T) {
	for _, c := range []struct{ given, domain string }{{"clinical", "medicine.clinical"}, {"narrative", "literature.narrative"}, {"personal", "personal"}} {
		records, _, err := read(t, "2026-02-03: I live in Valencia", Options{Type: c.given})
		if err != nil || records[0].Str("domain") != c.domain {
			t.Errorf("%s: %v %v", c.given, records, err)
		}
	}
}

func TestBadLines(t *testing.T) {
	in := "{\"kind\":\"a\"}\n{\"kind\":\"document\"\n{\"kind\":\"document\",\"text\":3}\n{\"kind\":\"document\"}\n" +
		"{\"kind\":\"document\",\"text\":\"x\",\"domain\":\"../../etc\"}\n{\"kind\":\"b\"}\n"
	records, _, err := read(t, in, Options{})
	if len(records) != 1 || err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v, %v", records, err)
	}
	records, left, err := read(t, in, Options{KeepGoing: true})
	if len(records) != 2 || len(left) != 4 || !errors.Is(err, ErrIncomplete) {
		t.Errorf("%v, %v, %v", records, left, err)
	}
	for i, line := range []string{"line 2", "line 3", "line 4", "line 5"} {
		if !strings.Contains(left[i].Reason, line) {
			t.Errorf("%v does not name %s", left[i], line)
		}
	}
}

func TestPlainTextThatIsNone(t *testing.T) {
	for in, reason := range map[string]string{"": "empty", " \n\t": "empty", "\x00\x01": "binary"} {
		records, left, err := read(t, in, Options{})
		if len(records) > 0 || len(left) != 1 || left[0].Reason != reason || !errors.Is(err, ErrIncomplete) {
			t.Errorf("%q: %v %v %v", in, records, left, err)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for _, opt := range []Options{
		{Type: "POEM"}, {Domain: "../../etc"}, {Domain: ".hidden"}, {Domain: "a/b"}, {Domain: "烹饪"}, {Domain: strings.Repeat("a", 65)}, {Domain: " "},
	} {
		if _, _, err := read(t, "x", opt); err == nil {
			t.Errorf("%+v is accepted", opt)
		}
	}
}

// A writer that waits for an answer gets it: nothing is read ahead of need.
func TestRecordsOfAWriterThatWaits(t *testing.T) {
	in, out := io.Pipe()
	answered := make(chan string)
	go func() {
		for _, line := range []string{`{"kind":"a"}`, `{"kind":"b"}`} {
			_, _ = io.WriteString(out, line+"\n")
			<-answered
		}
		out.Close()
	}()
	var kinds []string
	pauses := 0
	err := Each([]string{"-"}, in, Options{Pause: func() error { pauses++; answered <- ""; return nil }}, func(r *record.Record) error {
		kinds = append(kinds, r.Kind())
		return nil
	}, nil)
	if err != nil || !slices.Equal(kinds, []string{"a", "b"}) || pauses != 2 {
		t.Errorf("%v, %d pauses, %v", kinds, pauses, err)
	}
}

package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestUnknownFieldsAndSpellingsSurvive(t *testing.T) {
	line := `{"kind":"mystery","n":1.50e3,"nested":{"a":[1,{"b":null}]},"html":"<b>&","é":"\u00e9"}`
	r, err := Parse([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.String(); got != line {
		t.Errorf("got  %s\nwant %s", got, line)
	}
}

func TestDeriveCarriesWhatItDoesNotKnow(t *testing.T) {
	doc, _ := Parse([]byte(`{"kind":"document","text":"long","x-mine":[1],"source":"a"}`))
	chunk := doc.Derive("chunk", "text")
	chunk.Merge(Chunk{Source: "a", Content: "lo"})
	want := `{"kind":"chunk","x-mine":[1],"source":"a","position":0,"content":"lo"}`
	if got := chunk.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if doc.Str("text") != "long" {
		t.Error("deriving changed the original")
	}
}

func TestDecodeNamesTheWrongField(t *testing.T) {
	r, _ := Parse([]byte(`{"kind":"chunk","position":"three"}`))
	err := r.Decode(&Chunk{})
	if err == nil || !strings.Contains(err.Error(), `"position"`) {
		t.Errorf("got %v", err)
	}
}

func TestBadLinesAreNamedAndPassed(t *testing.T) {
	in := "{\"kind\":\"a\"}\n\n{\"kind\":\n{\"kind\":\"b\"}"
	r := NewReader(strings.NewReader(in))
	var kinds []string
	var bad []int
	for {
		rec, err := r.Read()
		var le *LineError
		if errors.As(err, &le) {
			bad = append(bad, le.Line)
			continue
		}
		if err == io.EOF {
			break
		}
		kinds = append(kinds, rec.Kind())
	}
	if !reflect.DeepEqual(kinds, []string{"a", "b"}) || !reflect.DeepEqual(bad, []int{3}) {
		t.Errorf("kinds %v, bad lines %v", kinds, bad)
	}
}

func TestHostileLinesAreErrors(t *testing.T) {
	for name, line := range map[string]string{
		"deep":      strings.Repeat(`{"a":`, 1<<20),
		"array":     `[1]`,
		"cut":       `{"kind":"document","text":"abc`,
		"twice":     `{"kind":"a","kind":"b"}`,
		"bad utf-8": "{\"kind\":\"\xff\"}",
	} {
		if _, err := NewReader(strings.NewReader(line)).Read(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"kind":"document","text":"a\nb","n":1e400}`))
	f.Add([]byte("{\"kind\":\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		for {
			rec, err := r.Read()
			var bad *LineError
			if errors.As(err, &bad) {
				continue
			}
			if err != nil {
				return
			}
			again, err := Parse(rec.Append(nil))
			if err != nil {
				t.Fatalf("%s does not parse again: %v", rec, err)
			}
			var a, b any
			if json.Unmarshal([]byte(rec.String()), &a) == nil && json.Unmarshal([]byte(again.String()), &b) == nil && !reflect.DeepEqual(a, b) {
				t.Fatalf("%s became %s", rec, again)
			}
		}
	})
}

package record

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kinds are the structs of every kind that docs/FORMAT.md must describe.
var kinds = map[string]any{
	KindDocument: Document{}, KindChunk: Chunk{}, KindDocumentEnd: DocumentEnd{}, KindLeaf: Leaf{}, KindFact: Fact{},
	KindNotice: Notice{}, KindBranch: Branch{}, KindQuery: Query{}, KindSearch: Search{}, KindResult: Result{},
	KindClue: Clue{}, KindSkipped: Skipped{}, KindReport: Report{},
}

// fieldsOf are the names of a struct's JSON fields, and whether each is always
// written.
func fieldsOf(t reflect.Type) (names []string, always map[string]bool) {
	always = map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			inner, innerAlways := fieldsOf(f.Type)
			names = append(names, inner...)
			for name, is := range innerAlways {
				always[name] = is
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
		always[name] = options != "omitempty"
	}
	return names, always
}

// section is the part of the page below the heading of a kind.
func section(t *testing.T, page, kind string) string {
	_, rest, ok := strings.Cut(page, "\n### "+kind+"\n")
	if !ok {
		t.Fatalf("docs/FORMAT.md has no section %q", kind)
	}
	if end := regexp.MustCompile(`(?m)^##`).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

func formatPage(t *testing.T) string {
	page, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestEveryFieldIsDocumented(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)`( •)? \\| ([^|]+) \\|")
	page := formatPage(t)
	for kind, v := range kinds {
		want, always := fieldsOf(reflect.TypeOf(v))
		var got []string
		for _, m := range row.FindAllStringSubmatch(section(t, page, kind), -1) {
			got = append(got, m[1])
			if always[m[1]] != (m[2] != "") {
				t.Errorf("%s.%s: is written always: %v, documented so: %v", kind, m[1], always[m[1]], m[2] != "")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: documented are\n%v, the fields are\n%v", kind, got, want)
		}
	}
}

func TestEveryExampleIsOfItsKind(t *testing.T) {
	page := formatPage(t)
	for kind, v := range kinds {
		m := regexp.MustCompile("(?s)```json ihmt-[a-z]+\n(.*?)```").FindStringSubmatch(section(t, page, kind))
		if m == nil {
			t.Errorf("%s has no example with its reader", kind)
			continue
		}
		var line bytes.Buffer
		if err := json.Compact(&line, []byte(m[1])); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		r, err := Parse(line.Bytes())
		if err != nil || r.Kind() != kind {
			t.Errorf("%s: kind %q, %v", kind, r.Kind(), err)
			continue
		}
		into := reflect.New(reflect.TypeOf(v))
		if err := r.Decode(into.Interface()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if kind == KindLeaf {
			continue // shows a few of a chunk's fields, and its own
		}
		again := New(kind, into.Elem().Interface())
		names, _ := fieldsOf(into.Elem().Type())
		for _, name := range names {
			if got, want := again.Get(name).Raw, r.Get(name).Raw; (got == "") != (want == "") {
				t.Errorf("%s.%s: the example shows %q, reading and writing it gives %q", kind, name, want, got)
			}
		}
	}
}

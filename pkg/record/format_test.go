package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

// kinds are the structs of every kind that docs/FORMAT.md must describe.
var kinds = map[string]any{
	KindDocument: Document{}, KindChunk: Chunk{}, KindDocumentEnd: DocumentEnd{}, KindLeaf: Leaf{}, KindFact: Fact{},
	KindNotice: Notice{}, KindBranch: Branch{}, KindQuery: Query{}, KindSearch: Search{}, KindResult: Result{},
	KindClue: Clue{}, KindSkipped: Skipped{}, KindReport: Report{},
}

func TestEveryFieldIsDocumented(t *testing.T) {
	for kind, v := range kinds {
		page.Compare(t, kind, v)
	}
}

func TestEveryExampleIsOfItsKind(t *testing.T) {
	for kind, v := range kinds {
		m := regexp.MustCompile("(?s)```json ihmt-[a-z]+\n(.*?)```").FindStringSubmatch(page.Section(t, kind))
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
		names, _ := page.Fields(into.Elem().Type())
		for _, name := range names {
			if got, want := again.Get(name).Raw, r.Get(name).Raw; (got == "") != (want == "") {
				t.Errorf("%s.%s: the example shows %q, reading and writing it gives %q", kind, name, want, got)
			}
		}
	}
}

package record

import (
	"strings"
	"testing"
)

// TestDocumentsAsTheyAre compares with the encoding of the whole, also where
// the text is quoted in pieces that end within characters.
func TestDocumentsAsTheyAre(t *testing.T) {
	for _, text := range []string{"", "a <b> & \"c\"\n\\ \u2028 \xff é", strings.Repeat("x", 65535) + "é水\n" + strings.Repeat("水", 70000), strings.Repeat("\xff", 70000)} {
		d := Document{Source: "s", DataType: TypeGeneric, Domain: "d", Text: text}
		got, want := NewDocument(d), New(KindDocument, d)
		if got.String() != want.String() {
			t.Errorf("%.40q: %.80s, want %.80s", text, got, want)
		}
		var whole Document
		back, err := got.Document()
		if wrong := want.Decode(&whole); err != nil || wrong != nil || back.Text != whole.Text || back.Source != "s" {
			t.Errorf("%.40q: %v %v", text, err, wrong)
		}
	}
	r, err := Parse([]byte(`{"kind":"document","text":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Document(); err == nil || !strings.Contains(err.Error(), `field "text" of a document record is a number`) {
		t.Error(err)
	}
}

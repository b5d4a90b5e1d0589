package record

import (
	"encoding/json"
	"unicode/utf8"
)

// NewDocument is New for a document, whose text may be large: it is copied
// once.
func NewDocument(d Document) *Record {
	text := d.Text
	d.Text = ""
	r := New(KindDocument, d)
	r.SetRaw("text", quoted(text))
	return r
}

// Document is Decode for a document: its text is decoded by itself.
func (r *Record) Document() (d Document, err error) {
	raw := r.Raw("text")
	if len(raw) == 0 || raw[0] != '"' {
		return d, r.Decode(&d)
	}
	if err := r.Derive(KindDocument, "text").Decode(&d); err != nil {
		return d, err
	}
	return d, json.Unmarshal(raw, &d.Text)
}

// quoted is encode for a text that may be large, piece by piece.
func quoted(text string) []byte {
	const size = 64 << 10
	b := append(make([]byte, 0, len(text)+len(text)/16+2), '"')
	for len(text) > 0 {
		n := min(size, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		piece := encode(text[:n])
		b = append(b, piece[1:len(piece)-1]...)
		text = text[n:]
	}
	return append(b, '"')
}

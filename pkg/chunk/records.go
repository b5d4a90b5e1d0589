package chunk

import (
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
)

// Records splits a document record and calls emit for each chunk record and
// then for the document_end. The chunks inherit every field of the document
// that this package does not know. It fails where a field has the wrong type,
// or emit fails.
func Records(document *record.Record, opt Options, emit func(*record.Record) error) error {
	doc, err := document.Document()
	if err != nil {
		return err
	}
	inherited, err := record.Parse(document.Derive(record.KindChunk, "text", "confidence", "signals").Append(nil)) // so that it does not keep the text
	if err != nil {
		return err
	}
	made := Split(doc, opt)
	for _, c := range made {
		r := inherited.Derive(record.KindChunk)
		r.Merge(c)
		if err := emit(r); err != nil {
			return err
		}
	}
	return emit(record.New(record.KindDocumentEnd, End(doc, len(made))))
}

// End closes a document that has so many chunks.
func End(doc record.Document, chunks int) record.DocumentEnd {
	sum := sha256.New()
	io.Copy(sum, struct{ io.Reader }{strings.NewReader(doc.Text)}) // piece by piece
	return record.DocumentEnd{Source: doc.Source, Chunks: chunks, Checksum: fmt.Sprintf("sha256:%x", sum.Sum(nil)),
		Confidence: doc.Confidence}
}

package chunk

import (
	"crypto/sha256"
	"fmt"

	"github.com/ihmt/ihmt/pkg/record"
)

// Records splits a document record and calls emit for each chunk record and
// then for the document_end. The chunks inherit every field of the document
// that this package does not know. It fails where a field has the wrong type,
// or emit fails.
func Records(document *record.Record, opt Options, emit func(*record.Record) error) error {
	var doc record.Document
	if err := document.Decode(&doc); err != nil {
		return err
	}
	inherited := document.Derive(record.KindChunk, "text", "confidence", "signals")
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
	return record.DocumentEnd{Source: doc.Source, Chunks: chunks, Checksum: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(doc.Text))),
		Confidence: doc.Confidence}
}

package chunk_test

import (
	"fmt"
	"log"

	"github.com/ihmt/ihmt/pkg/chunk"
	"github.com/ihmt/ihmt/pkg/record"
)

// Chunks inherit what the document's writer added to it.
func ExampleRecords() {
	doc, err := record.Parse([]byte(`{"kind":"document","source":"log","data_type":"PERSONAL","mine":7,"text":"2024-03-11: Moved in.\n\n2024-03-12: Hung the doors.\n"}`))
	if err != nil {
		log.Fatal(err)
	}
	err = chunk.Records(doc, chunk.Options{}, func(r *record.Record) error {
		fmt.Printf("%s %q %v\n", r.Kind(), r.Str("content"), r.Has("mine"))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// chunk "2024-03-11: Moved in.\n\n" true
	// chunk "2024-03-12: Hung the doors.\n" true
	// document_end "" false
}

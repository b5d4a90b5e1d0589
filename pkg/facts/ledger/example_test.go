package ledger_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// A leaf counts from the moment that it is stored.
func ExampleTimeline() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Create(filepath.Join(dir, "ihmt_memory"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, err = s.Put(record.NewReader(strings.NewReader(`{"kind":"chunk","timestamp":"2026-02-03","content":"I live in Valencia now."}
{"kind":"chunk","timestamp":"2024-03-11","content":"I live in Madrid."}
`)), func([]*record.Record) error { return nil }, store.PutOptions{})
	if err != nil {
		log.Fatal(err)
	}
	timeline, err := ledger.Timeline(s)
	if err != nil {
		log.Fatal(err)
	}
	for _, day := range []string{"2024-12-31", "2026-12-31"} {
		for _, f := range timeline.At(day) {
			fmt.Println(day, f.Attribute, f.Value)
		}
	}
	// Output:
	// 2024-12-31 location Madrid
	// 2026-12-31 location Valencia
}

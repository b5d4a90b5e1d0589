package summarize_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// With force a group that is not full is closed as a provisional branch; done
// twice it changes nothing.
func ExampleGrow() {
	dir, err := os.MkdirTemp("", "grow")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Create(filepath.Join(dir, "ihmt_memory"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, err = s.Put(record.NewReader(strings.NewReader(`{"kind":"chunk","timestamp":"2024-03-11","content":"I live in Madrid."}
{"kind":"chunk","timestamp":"2026-02-03","content":"I live in Valencia now."}
`)), func([]*record.Record) error { return nil }, store.PutOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		grown, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(grown.Changed, grown.Leaves, grown.Branches, grown.Provisional)
	}
	// Output:
	// true 2 0 1
	// false 0 0 0
}

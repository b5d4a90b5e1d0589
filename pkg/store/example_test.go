package store_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

// made is a memory in a new folder; remove takes both away.
func made() (s *store.Store, remove func()) {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	if s, err = store.Create(filepath.Join(dir, "ihmt_memory")); err != nil {
		log.Fatal(err)
	}
	return s, func() {
		s.Close()
		os.RemoveAll(dir)
	}
}

// What is stored twice is there once.
func ExampleStore_Put() {
	s, remove := made()
	defer remove()
	chunk := `{"kind":"chunk","domain":"personal","timestamp":"2026-02-03","content":"I live in Valencia now."}` + "\n"
	totals, err := s.Put(record.NewReader(strings.NewReader(chunk+chunk)), func(leaves []*record.Record) error {
		for _, l := range leaves {
			fmt.Println(l.Str("leaf_id"), l.Str("status"))
		}
		return nil
	}, store.PutOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(totals)
	// Output:
	// L-personal-0000-42e080c70d stored
	// L-personal-0000-42e080c70d unchanged
	// 1 stored, 1 unchanged
}

// A writer's commit returns once everything is on the disk.
func ExampleWriter_Commit() {
	s, remove := made()
	defer remove()
	w, err := s.NewWriter()
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	c := record.Chunk{Timestamp: "2026-02-03", Content: "The gate opens at ten."}
	if err := store.Complete(&c); err != nil {
		log.Fatal(err)
	}
	outcomes, err := w.Commit([]store.Item{{Chunk: c}})
	if err != nil {
		log.Fatal(err)
	}
	leaf, err := s.Leaf(outcomes[0].LeafID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(leaf.Domain, leaf.Timestamp, leaf.Content)
	// Output: general 2026-02-03 The gate opens at ten.
}

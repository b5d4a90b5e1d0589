package terms_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/ihmt/ihmt/pkg/terms"
)

// Two new leaves become a table with one branch over them, and a term is
// looked up.
func ExampleMerge() {
	leaves := []terms.Leaf{
		{ID: "L-personal-0000-81be44d0c9", Timestamp: "2024-03-11", Source: "text:0c11d5e2f7", Length: 4},
		{ID: "L-personal-0000-3fd1a77c02", Timestamp: "2026-02-03", Source: "text:5f0c8a2b19", Length: 5},
	}
	words := []string{"i in live madrid", "i in live now valencia:2"}
	run, err := terms.NewRun(leaves, func(i int) string { return words[i] })
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	err = terms.Merge(&file, "example", []terms.Input{run}, terms.Layout{
		Leaves: []terms.Entry{{Ordinal: 0}, {Ordinal: 1}},
		L1:     []terms.Group{{ID: "N1-personal-6b0f4d21aa", Size: 2}},
		L2:     []terms.Group{{Size: 1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	table, err := terms.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range table.Postings(nil, "valencia") {
		leaf, err := table.Leaf(int(p.Ordinal))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(leaf.ID, leaf.Timestamp, p.Weight)
	}
	// Output: L-personal-0000-3fd1a77c02 2026-02-03 2
}

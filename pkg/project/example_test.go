package project_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ihmt/ihmt/pkg/project"
)

// A symbol is asked for by what its comment says.
func ExampleProject_Find() {
	dir, err := os.MkdirTemp("", "project-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	source := "package bucket\n\n// Take waits for a token.\nfunc Take() {}\n\n// Refill adds tokens.\nfunc Refill() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "bucket.go"), []byte(source), 0o600); err != nil {
		log.Fatal(err)
	}
	p, err := project.Open(filepath.Join(dir, ".indexes"), dir)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := p.Find(context.Background(), project.Query{Query: "where does it wait"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range answer.Results {
		fmt.Println(r.Label())
		fmt.Print(r.Content)
	}
	// Output:
	// bucket.go:3-4  Take
	// // Take waits for a token.
	// func Take() {}
}

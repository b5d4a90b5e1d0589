package ihmt_test

import (
	"fmt"
	"log"
	"os"

	"github.com/ihmt/ihmt/pkg/ihmt"
	"github.com/ihmt/ihmt/pkg/record"
)

// folder is a new folder; the caller removes it.
func folder() string {
	dir, err := os.MkdirTemp("", "ihmt")
	if err != nil {
		log.Fatal(err)
	}
	return dir
}

func Example() {
	dir := folder()
	defer os.RemoveAll(dir)
	m, err := ihmt.Create(dir)
	if err != nil {
		log.Fatal(err)
	}
	saved, err := m.Save("2024-03-11: I live in Madrid.", "2026-02-03: I live in Valencia now.")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range saved {
		fmt.Println(s.Status, s.Timestamp, s.Domain)
	}
	answer, err := m.Search("where do I live", ihmt.Options{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range answer.Results {
		fmt.Println(r.Rank, r.Excerpt, r.Notices)
	}
	// Output:
	// stored 2024-03-11 personal
	// stored 2026-02-03 personal
	// 1 2026-02-03: I live in Valencia now. []
	// 2 2024-03-11: I live in Madrid. [OUTDATED: On 2024-03-11 you said user location = 'Madrid', but on 2026-02-03 you updated to 'Valencia'.]
}

func ExampleMemory_Ask() {
	dir := folder()
	defer os.RemoveAll(dir)
	m, err := ihmt.Create(dir)
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Save("2024-02-03: Climbed the north wall with Luis Ortega.", "2025-03-28: A carpenter called Luis Ferrer hung the doors.")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := m.Ask("Luis", ihmt.Options{}, func(clue *record.Clue) (string, error) {
		fmt.Println(clue.Reason)
		return "doors", nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Search.Ambiguous, answer.Results[0].Excerpt)
	// Output:
	// 2 memories fit equally well
	// false 2025-03-28: A carpenter called Luis Ferrer hung the doors.
}

func ExampleMemory_StateAt() {
	dir := folder()
	defer os.RemoveAll(dir)
	m, err := ihmt.Create(dir)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.RecordFact("user", "editor", "Emacs", "2024-03-11"); err != nil {
		log.Fatal(err)
	}
	if _, err := m.RecordFact("user", "editor", "Helix", "2026-02-03"); err != nil {
		log.Fatal(err)
	}
	held, err := m.StateAt("2024-12-31")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range held {
		fmt.Println(f.Subject, f.Attribute, "=", f.Value)
	}
	// Output:
	// user editor = Emacs
}

func ExampleMemory_Timeline() {
	dir := folder()
	defer os.RemoveAll(dir)
	m, err := ihmt.Create(dir)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Save("2024-03-11: I live in Madrid.", "2026-02-03: I live in Valencia now."); err != nil {
		log.Fatal(err)
	}
	values, err := m.Timeline("user", "location")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range values {
		fmt.Println(f.ValidFrom, f.Value, f.Status)
	}
	// Output:
	// 2024-03-11 Madrid HISTORICAL
	// 2026-02-03 Valencia ACTIVE
}

func ExampleMemory_SaveChunks() {
	dir := folder()
	defer os.RemoveAll(dir)
	m, err := ihmt.Create(dir)
	if err != nil {
		log.Fatal(err)
	}
	first, err := m.SaveChunks(record.Chunk{Domain: "process", Timestamp: "2026-01-05", Content: "Deploys go out on Mondays."})
	if err != nil {
		log.Fatal(err)
	}
	second, err := m.SaveChunks(record.Chunk{Domain: "process", Timestamp: "2026-02-05", Content: "Deploys go out on Tuesdays.", Replaces: record.IDs{first[0].LeafID}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first[0].Status, second[0].Status)
	// Output: stored replaced
}

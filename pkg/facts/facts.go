// Package facts finds what texts assert about their author, and keeps the
// timeline of what was true when.
//
// A fact is a subject, an attribute and a value with the day from which it
// holds: user, location, Valencia, 2026-02-03. [Rules.Extract] reads
// statements of facts from a text, by rules that are data (rules/*.rules); a
// sentence that negates, asks, plans, supposes, remembers, quotes or speaks of
// somebody else states nothing. A [Timeline] puts the statements of many
// leaves in order, in whatever order they arrived, and tells what holds now,
// what held at the end of a day, and what changed.
//
// Nothing here reads or writes files: the store hands over leaves and keeps
// what is derived from them.
package facts

import "github.com/ihmt/ihmt/pkg/record"

// A Leaf is a stored text as this package sees it.
type Leaf struct {
	ID        string
	Timestamp string // when it was true: YYYY-MM-DD or RFC 3339
	SavedAt   string // RFC 3339
	Source    string
	Position  int
	Type      string // a data type of package record; code states nothing
	Tags      []string
	Author    string     // who speaks, "" or "user" for the user
	Replaces  record.IDs // the leaves that this one corrects
	Text      string
}

// A Statement is what one sentence of a leaf says of one attribute.
type Statement struct {
	Subject   string `json:"subject"` // "user", a name in lower case, or "" for the patient of the leaf before
	Attribute string `json:"attribute"`
	Value     string `json:"value"` // "" in an end: whatever it was
	Date      string `json:"date"`  // YYYY-MM-DD
	Ends      bool   `json:"ends,omitempty"`
}

// User is the subject of what the user says of themselves.
const User = "user"

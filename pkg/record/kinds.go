package record

import (
	"reflect"
	"strings"
	"sync"
)

// The kinds of record. docs/FORMAT.md holds the schema.
const (
	KindDocument    = "document"
	KindChunk       = "chunk"
	KindDocumentEnd = "document_end"
	KindLeaf        = "leaf"
	KindFact        = "fact"
	KindNotice      = "notice"
	KindBranch      = "branch"
	KindQuery       = "query"
	KindSearch      = "search"
	KindResult      = "result"
	KindClue        = "clue"
	KindSkipped     = "skipped"
	KindReport      = "report"
)

// The types of content: how a text is split, and what may be said of it.
const (
	TypeCode      = "CODE"
	TypeNarrative = "NARRATIVE"
	TypeClinical  = "CLINICAL"
	TypePersonal  = "PERSONAL"
	TypeProcess   = "PROCESS"
	TypeGeneric   = "GENERIC"
)

// A Document is a text before it is split. Written by ihmt-detect.
type Document struct {
	Source     string   `json:"source"`
	DataType   string   `json:"data_type,omitempty"`
	Domain     string   `json:"domain,omitempty"`
	Language   string   `json:"language,omitempty"`   // "java", "markdown"; "en", "es", "zh" for prose
	Confidence float64  `json:"confidence,omitempty"` // 0..1
	Signals    []string `json:"signals,omitempty"`    // why: "extension:.java", "transcoded:windows-1252"
	Timestamp  string   `json:"timestamp,omitempty"`  // when it was true: YYYY-MM-DD or RFC 3339
	Author     string   `json:"author,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Project    string   `json:"project,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	Text       string   `json:"text"`
}

// A Span gives the lines of a chunk in its document, from 1, both inclusive.
type Span struct {
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
}

// A Chunk is a run of whole blocks of a document. Written by ihmt-chunk. The
// contents of a document's chunks, in order of position, are its text.
type Chunk struct {
	Source    string   `json:"source"`
	Position  int      `json:"position"` // from 0
	DataType  string   `json:"data_type,omitempty"`
	Domain    string   `json:"domain,omitempty"`
	Language  string   `json:"language,omitempty"`
	Title     string   `json:"title,omitempty"`
	Author    string   `json:"author,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Timestamp string   `json:"timestamp,omitempty"`
	Span      *Span    `json:"span,omitempty"`
	Tokens    int      `json:"tokens,omitempty"` // estimate, text.Tokens
	Oversized bool     `json:"oversized,omitempty"`
	Context   string   `json:"context,omitempty"`  // what encloses it: a class header; not part of the text
	Replaces  IDs      `json:"replaces,omitempty"` // the leaves that it supersedes
	Symbols   []Symbol `json:"symbols,omitempty"`  // what code in it defines
	Project   string   `json:"project,omitempty"`
	Agent     string   `json:"agent,omitempty"`
	Content   string   `json:"content"`
}

// A Symbol is a definition in a chunk of code.
type Symbol struct {
	Kind    string `json:"kind"` // function, method, class, …: see package code
	Name    string `json:"name"`
	Line    int    `json:"line"`     // where its name stands in the document, from 1
	EndLine int    `json:"end_line"` // the last of its body, inclusive
}

// A DocumentEnd closes a document: only after it may leaves of an earlier
// version of the source be retired. Written by ihmt-chunk.
type DocumentEnd struct {
	Source   string `json:"source"`
	Chunks   int    `json:"chunks"`   // how many came before
	Checksum string `json:"checksum"` // "sha256:…" of the whole text

	Confidence float64 `json:"confidence,omitempty"` // of the document
}

// A Leaf is a stored chunk: its fields and these. Written by ihmt-store.
type Leaf struct {
	LeafID   string    `json:"leaf_id"`
	Path     string    `json:"path"` // of the leaf's file, inside the memory
	Checksum string    `json:"checksum"`
	SavedAt  string    `json:"saved_at"` // RFC 3339, UTC
	Status   string    `json:"status"`   // stored, unchanged, replaced
	Similar  []Similar `json:"similar,omitempty"`
}

// A Similar is an existing leaf that says nearly the same as a new one.
type Similar struct {
	LeafID    string  `json:"leaf_id"`
	Timestamp string  `json:"timestamp"`
	Share     float64 `json:"share"` // of terms in common, 0..1
}

// A Fact is one value that a subject's attribute had from a date on. Written
// by ihmt-facts.
type Fact struct {
	FactID       string `json:"fact_id"`
	Subject      string `json:"subject"` // "user", or a patient's name
	Attribute    string `json:"attribute"`
	Value        string `json:"value"`
	Timestamp    string `json:"timestamp"`
	SourceLeaf   string `json:"source_leaf"`
	Status       string `json:"status,omitempty"` // ACTIVE, HISTORICAL, FUTURE
	SupersededBy string `json:"superseded_by,omitempty"`
	ValidFrom    string `json:"valid_from,omitempty"`
	ValidTo      string `json:"valid_to,omitempty"`
}

// A Notice tells of a change: on one date it was so, on a later one
// otherwise. Written by ihmt-facts.
type Notice struct {
	LeafID string `json:"leaf_id,omitempty"` // the leaf that is outdated
	Text   string `json:"text"`
	Old    *Fact  `json:"old,omitempty"`
	New    *Fact  `json:"new,omitempty"`
}

// A Child is what a branch says of one node below it.
type Child struct {
	NodeID    string   `json:"node_id"`
	Title     string   `json:"title,omitempty"`
	Excerpt   string   `json:"excerpt,omitempty"`
	Keywords  []string `json:"keywords,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Timestamp string   `json:"timestamp,omitempty"`
}

// A Branch summarises up to branch_factor nodes of the layer below. Written
// by ihmt-summarize.
type Branch struct {
	NodeID   string   `json:"node_id"`
	Layer    int      `json:"layer"` // 1 over leaves
	Domain   string   `json:"domain"`
	Parent   string   `json:"parent,omitempty"`
	Title    string   `json:"title"`
	Summary  string   `json:"summary"`
	Keywords []string `json:"keywords"`
	Children []Child  `json:"children"`
}

// Filters narrow a search. Empty ones do not apply.
type Filters struct {
	Domain  string `json:"domain,omitempty"` // a domain or, up to a dot, its parent
	Tag     string `json:"tag,omitempty"`
	Type    string `json:"type,omitempty"` // a data_type
	Author  string `json:"author,omitempty"`
	Project string `json:"project,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Source  string `json:"source,omitempty"` // a prefix
	Since   string `json:"since,omitempty"`  // YYYY-MM-DD, inclusive
	Until   string `json:"until,omitempty"`  // YYYY-MM-DD, inclusive
	At      string `json:"at,omitempty"`     // what was true at the end of that day
	History bool   `json:"history,omitempty"`
	Scope   string `json:"scope,omitempty"` // main, test, all: for code
}

// A Query is a question to ihmt-nav.
type Query struct {
	ID    string   `json:"id,omitempty"`
	Query string   `json:"query"`
	Clue  string   `json:"clue,omitempty"`
	Clues []string `json:"clues,omitempty"`
	K     int      `json:"k,omitempty"`
	Full  bool     `json:"full,omitempty"`

	Explain bool `json:"explain,omitempty"`
	Filters
}

// A Search is the header of an answer. Written by ihmt-nav.
type Search struct {
	ID          string   `json:"id,omitempty"`
	Query       string   `json:"query"`
	Clues       []string `json:"clues,omitempty"`
	Results     int      `json:"results"`
	Confidence  float64  `json:"confidence"` // 0..1
	Coverage    float64  `json:"coverage"`   // 0..1, of the first result
	Margin      float64  `json:"margin"`     // 0..1, to its best rival
	Exact       bool     `json:"exact"`      // scoring every leaf would give the same
	Ambiguous   bool     `json:"ambiguous"`
	FilesOpened int      `json:"files_opened"`
	BytesRead   int64    `json:"bytes_read"`
	LeavesTotal int      `json:"leaves_total"`
	Depth       int      `json:"depth"` // layers of branches in the tree
	ElapsedMS   float64  `json:"elapsed_ms"`

	Unknown string `json:"unknown,omitempty"` // of a question about the past: since when what it asks for is known

	// Where nothing was found: what would help.
	Missing []string            `json:"missing,omitempty"` // words that no leaf has
	Close   map[string][]string `json:"close,omitempty"`   // spellings that exist
	Domains []string            `json:"domains,omitempty"` // that hold part of the query
}

// A Result is one leaf of an answer. Written by ihmt-nav.
type Result struct {
	ID        string   `json:"id,omitempty"` // of the query
	Rank      int      `json:"rank"`         // from 1
	LeafID    string   `json:"leaf_id"`
	Domain    string   `json:"domain"`
	Title     string   `json:"title,omitempty"`
	Timestamp string   `json:"timestamp"`
	SavedAt   string   `json:"saved_at,omitempty"`
	Source    string   `json:"source,omitempty"`
	Author    string   `json:"author,omitempty"`
	Score     float64  `json:"score"`
	Coverage  float64  `json:"coverage"`
	Status    string   `json:"status,omitempty"` // superseded, retired; "" where current
	AsOf      string   `json:"as_of,omitempty"`  // YYYY-MM-DD: the query asks about then, and it was true on that day
	Path      []string `json:"path"`             // from the trunk down
	Excerpt   string   `json:"excerpt,omitempty"`
	Content   string   `json:"content,omitempty"`
	Notices   []string `json:"notices,omitempty"`
	File      string   `json:"file"`
	Matches   []Match  `json:"matches,omitempty"` // where explain was asked for
}

// A Match says where a result has a word of the query.
type Match struct {
	Word   string   `json:"word"`
	Weight float64  `json:"weight"` // the word's share of the query, 0..1
	In     []string `json:"in"`     // title, tags, text; neighbour where only a leaf beside it has the word
}

// A ClueOption is one of the memories that compete for a query.
type ClueOption struct {
	LeafID    string `json:"leaf_id"`
	Domain    string `json:"domain"`
	Title     string `json:"title,omitempty"`
	Timestamp string `json:"timestamp"`
	Excerpt   string `json:"excerpt"`
}

// A Clue asks back: the query fits several memories. Written by ihmt-nav.
type Clue struct {
	ID      string       `json:"id,omitempty"`
	Query   string       `json:"query"`
	Reason  string       `json:"reason"`
	Options []ClueOption `json:"options"`
}

// A Skipped names what was not taken, and why.
type Skipped struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// A Report closes a run, or what it did with one source, with totals.
type Report struct {
	Tool   string         `json:"tool"`
	Source string         `json:"source,omitempty"`
	Totals map[string]any `json:"totals,omitempty"`
}

var leafFields = sync.OnceValue(func() map[string]bool {
	fields := map[string]bool{"kind": true}
	for _, t := range []reflect.Type{reflect.TypeFor[Chunk](), reflect.TypeFor[Leaf]()} {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			fields[name] = true
		}
	}
	return fields
})

// IsLeafField tells whether Chunk or Leaf names a field: what a record calls
// so is not its writer's to keep.
func IsLeafField(name string) bool { return leafFields()[name] }

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// The lines around a leaf's header.
const (
	markerStart = "<<<IHMT-META\n"
	markerEnd   = "\nIHMT-META>>>\n"
	maxHeader   = 16 << 20
)

// A Leaf is a stored memory: the header of its file, and its text.
type Leaf struct {
	ID        string       `json:"leaf_id"`
	Timestamp string       `json:"timestamp"` // when it was true
	SavedAt   string       `json:"saved_at"`  // RFC 3339, UTC
	DataType  string       `json:"data_type"`
	Domain    string       `json:"domain"`
	Tags      []string     `json:"tags"`
	ParentID  *string      `json:"parent_id"` // its full layer-1 branch; derived, never trusted
	Span      *record.Span `json:"span"`
	Checksum  string       `json:"checksum"` // "sha256:…" of the content
	Extra     Extra        `json:"extra"`
	Content   string       `json:"-"`
}

// Extra are the fields of a leaf's header that the original format did not
// have.
type Extra struct {
	GrandparentID *string                    `json:"grandparent_id"` // its full layer-2 branch; derived
	Source        string                     `json:"source,omitempty"`
	Title         string                     `json:"title,omitempty"`
	Position      int                        `json:"position"`
	Language      string                     `json:"language,omitempty"`
	Author        string                     `json:"author,omitempty"`
	Project       string                     `json:"project,omitempty"`
	Agent         string                     `json:"agent,omitempty"`
	Context       string                     `json:"context,omitempty"`
	Tokens        int                        `json:"tokens,omitempty"`
	Oversized     bool                       `json:"oversized,omitempty"`
	Replaces      record.IDs                 `json:"replaces,omitempty"`
	RetiredAt     string                     `json:"retired_at,omitempty"` // a later version of the source no longer has it
	Fields        map[string]json.RawMessage `json:"fields,omitempty"`     // what else the chunk carried
}

// LeafPath is the file of a leaf inside the memory, with forward slashes.
func LeafPath(id string) string {
	return "layer_0/" + terms.Domain(id) + "/" + id + ".txt"
}

// Checksum is the "sha256:…" of a content.
func Checksum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// format returns the leaf's file. The ids of its branches, which are filled
// in later and in place, get the room that they will need.
func (l *Leaf) format() []byte {
	var b bytes.Buffer
	b.WriteString(markerStart)
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(l); err != nil {
		panic(err) // a struct of strings and numbers always encodes
	}
	header := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	room := strings.Repeat(" ", branchIDWidth(l.Domain)-len("null"))
	for _, name := range []string{`"parent_id": null`, `"grandparent_id": null`} {
		header = bytes.Replace(header, []byte(name), []byte(name+room), 1)
	}
	return append(append(bytes.Clone(header), markerEnd...), l.Content...)
}

// checkHeader says why a leaf's header would be too large to be read again.
func (l *Leaf) checkHeader() error {
	const raw = 32 << 10 // what nests deepest grows by 256 blanks a byte, and stays below the limit
	e := &l.Extra
	size := len(e.Source) + len(e.Title) + len(e.Language) + len(e.Author) + len(e.Project) + len(e.Agent) + len(e.Context) + 8*(len(l.Tags)+len(e.Replaces))
	for _, list := range [][]string{l.Tags, e.Replaces} {
		for _, s := range list {
			size += len(s)
		}
	}
	for name, value := range e.Fields {
		size += len(name) + len(value)
	}
	if size < raw {
		return nil
	}
	const most = maxHeader - 1<<20 // there is room for what is noted later
	bare := *l
	bare.Content = ""
	if size = len(bare.format()); size > most {
		return fmt.Errorf("title, source, tags and whatever else is not its content take %d MiB, and may take %d", size>>20, most>>20)
	}
	return nil
}

// branchIDWidth is the width of a quoted branch id of layers 1 to 9.
func branchIDWidth(domain string) int { return len(`"N1-`) + len(domain) + len(`-0123456789"`) }

// parseLeaf reads a leaf's file, also one of the original program.
func parseLeaf(data []byte) (*Leaf, error) {
	rest, ok := bytes.CutPrefix(data, []byte(markerStart))
	if !ok {
		return nil, fmt.Errorf("does not start with the line %q", strings.TrimSpace(markerStart))
	}
	header, content, ok := bytes.Cut(rest, []byte(markerEnd))
	if !ok {
		return nil, fmt.Errorf("has no line %q", strings.TrimSpace(markerEnd))
	}
	if len(header) > maxHeader {
		return nil, errors.New("the header is larger than 16 MiB")
	}
	header = bytes.ToValidUTF8(header, []byte("\uFFFD"))
	if _, err := record.Parse(header); err != nil {
		if header = withoutBranches(header); header == nil {
			return nil, fmt.Errorf("header: %w", err)
		}
		if _, err := record.Parse(header); err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	l := &Leaf{}
	if err := json.Unmarshal(header, l); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	l.Content = string(content)
	l.keepUnknown(header)
	return l, nil
}

// keepUnknown puts what a header's extra has beyond Extra, as one of another
// program may, among the fields.
func (l *Leaf) keepUnknown(header []byte) {
	gjson.GetBytes(header, "extra").ForEach(func(key, value gjson.Result) bool {
		if _, have := l.Extra.Fields[key.Str]; !have && !slices.Contains(extraNames(), key.Str) {
			if l.Extra.Fields == nil {
				l.Extra.Fields = map[string]json.RawMessage{}
			}
			l.Extra.Fields[key.Str] = json.RawMessage(value.Raw)
		}
		return true
	})
}

var extraNames = sync.OnceValue(func() []string { return jsonNames(reflect.TypeFor[Extra]()) })

// stamp writes the ids of its branches into a leaf's file in place, where
// format left room for them. It tells whether there was room.
func stamp(head []byte, l1, l2 string) bool {
	end := bytes.Index(head, []byte(markerEnd))
	if end < 0 {
		return false
	}
	for _, f := range []struct{ name, id string }{{`"parent_id": `, l1}, {`"grandparent_id": `, l2}} {
		value := "null"
		if f.id != "" {
			value = `"` + f.id + `"`
		}
		at := bytes.Index(head[:end], []byte(f.name))
		if at < 0 {
			return false
		}
		at += len(f.name)
		room := bytes.IndexByte(head[at:end], ',')
		if room < len(value) {
			return false
		}
		copy(head[at:at+room], value+strings.Repeat(" ", room-len(value)))
	}
	return true
}

// withoutBranches returns a header in which no branches are named, nil where
// it has no room for them. stamp does not sync what it writes, so after a
// power cut the two names may be half old and half new; they are derived, and
// must not make a leaf unreadable.
func withoutBranches(header []byte) []byte {
	header = bytes.Clone(header)
	for _, name := range []string{`"parent_id": `, `"grandparent_id": `} {
		at := bytes.Index(header, []byte(name))
		if at < 0 {
			return nil
		}
		at += len(name)
		room := bytes.IndexByte(header[at:], ',')
		if room < len("null") {
			return nil
		}
		copy(header[at:at+room], "null"+strings.Repeat(" ", room-len("null")))
	}
	return header
}

// isSlug tells whether a name is made of a-z 0-9 . _ - only, with no dot at
// either end and at most 64 bytes, so that it is a file name everywhere.
func isSlug(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0 && i < len(name)-1:
		default:
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// CheckDomain says why a domain cannot be the name of a folder.
func CheckDomain(domain string) error {
	if !isSlug(domain) {
		return fmt.Errorf("domain %q: want 1 to 64 of a-z 0-9 . _ - with no dot at either end", domain)
	}
	return nil
}

// CheckTimestamp says why a timestamp is none.
func CheckTimestamp(s string) error {
	if len(s) > len("2006-01-02") && s[len("2006-01-02")] == ' ' { // as in "2006-01-02 15:04"
		s = s[:len("2006-01-02")] + "T" + s[len("2006-01-02 "):]
	}
	for _, layout := range []string{"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		if _, err := time.Parse(layout, s); err == nil && terms.Day(s) > 0 && len(s) <= 64 {
			return nil
		}
	}
	return fmt.Errorf("timestamp %q: want YYYY-MM-DD or an RFC 3339 time", s)
}

// CheckID says why an id is none of a leaf; a valid one is safe in a path.
func CheckID(id string) error {
	domain := terms.Domain(id)
	rest, ok := strings.CutPrefix(id, "L-"+domain+"-")
	if !ok || !isSlug(domain) || !isSlug(rest) || strings.Contains(rest, ".") {
		return fmt.Errorf("%q is no leaf id: want L-<domain>-<position>-<hash>", id)
	}
	return nil
}

// leafID returns the id of a leaf with so many digits of its hash.
func leafID(domain, source string, position int, content string, digits int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00", domain, source, position)
	h.Write([]byte(content))
	return fmt.Sprintf("L-%s-%04d-%s", domain, position, hex.EncodeToString(h.Sum(nil))[:digits])
}

// savedAtLayout is how the time of saving is written: times compare as text.
const savedAtLayout = "2006-01-02T15:04:05.000000Z"

// now is the time of saving; a test may fix it.
var now = func() time.Time { return time.Now().UTC() }

// fields are what is searched of a leaf.
func (l *Leaf) fields() text.Fields {
	return text.Fields{Title: l.Extra.Title, Content: l.Content, Author: l.Extra.Author, Tags: l.Tags}
}

// index returns what the journal and the tables keep of a leaf.
func (l *Leaf) index(a *text.Analyzer) (terms.Leaf, string) {
	p := a.Profile(l.fields())
	weights := p.Terms
	exact := func(prefix, value string) {
		if value != "" {
			weights[terms.Exact(prefix, value)] = 1
		}
	}
	exact("source:", l.Extra.Source)
	exact("type:", l.DataType)
	exact("project:", l.Extra.Project)
	exact("agent:", l.Extra.Agent)
	for _, id := range l.Extra.Replaces {
		exact("replaces:", id)
	}
	for _, tag := range l.Tags {
		exact("tag:", strings.ToLower(tag))
	}
	name := strings.Join(p.Author, " ")
	for _, word := range p.Author {
		exact("author:", word+" "+name)
	}
	return terms.Leaf{ID: l.ID, Timestamp: l.Timestamp, SavedAt: l.SavedAt, Source: l.Extra.Source, Position: l.Extra.Position,
		Length: p.Length, Question: p.Question, Temporal: p.Temporal, Retired: l.Extra.RetiredAt != ""}, terms.JoinWeights(weights)
}

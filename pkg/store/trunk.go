package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Format is the version of the layout that this program writes. A memory of a
// newer one is refused.
const Format = 1

const trunkName = "root.json"

// A Trunk is root.json: which tables and branches are in force, and how far
// into the journal the tree has grown.
type Trunk struct {
	Format     int      `json:"format"`
	Generation int      `json:"generation"` // counts growths
	Analyzer   string   `json:"analyzer"`   // by whose terms the tables are made
	Journal    Position `json:"journal"`    // the tree holds everything before
	Tables     []Table  `json:"tables"`     // the largest first
	Leaves     int      `json:"leaves"`     // in the tables, retired ones too
	Depth      int      `json:"depth"`      // layers of branches
	Spine      int64    `json:"spine"`      // bytes of state/spine.tsv that count
	GrownAt    string   `json:"grown_at"`
	Expired    []string `json:"expired,omitempty"` // files that the next growth deletes
	Domains    []Domain `json:"domains"`           // last, since a search does not read it

	raw []byte
}

// Closed returns the provisional branches of a domain, also of a trunk that
// was not read whole.
func (t *Trunk) Closed(domain string) []Closed {
	var closed []Closed
	found := gjson.GetBytes(t.raw, `domains.#(name==`+strconv.Quote(domain)+`).closed`)
	if found.Exists() {
		json.Unmarshal([]byte(found.Raw), &closed)
	}
	return closed
}

// A Position is a place in the journal.
type Position struct {
	Part   int   `json:"part"`   // number of the file, from 1
	Offset int64 `json:"offset"` // bytes
}

// A Table names a term table in force.
type Table struct {
	Name     string `json:"name"` // in state/tables
	Leaves   int    `json:"leaves"`
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"checksum"`
	Fresh    bool   `json:"fresh,omitempty"`   // holds the leaves without a full layer-2 branch
	Retired  []int  `json:"retired,omitempty"` // ordinals retired since it was written
	Dead     []int  `json:"dead,omitempty"`    // ordinals that were stored anew since
}

// A Domain is what the trunk says of one domain.
type Domain struct {
	Name     string   `json:"name"`
	Leaves   int      `json:"leaves"`
	First    string   `json:"first"` // the earliest day
	Last     string   `json:"last"`
	Summary  string   `json:"summary"`
	Keywords []string `json:"keywords"`
	Loose    int      `json:"loose"`            // leaves without a full branch
	Top      []Top    `json:"top"`              // full branches without a full parent, the highest first
	Closed   []Closed `json:"closed,omitempty"` // provisional branches, the highest last
}

// A Top is a full branch without a full parent.
type Top struct {
	ID     string `json:"id"`
	Layer  int    `json:"layer"`
	First  string `json:"first"` // its place among its siblings: the timestamp and id of its first leaf
	Leaves int    `json:"leaves"`
}

// A Closed is a provisional branch, made by force over what did not fill one.
// The next growth of its domain drops it and groups its children anew.
type Closed struct {
	ID       string   `json:"id"`
	Layer    int      `json:"layer"`
	Children []string `json:"children"`
}

// Roots are the branches from which a domain's tree is read.
func (d *Domain) Roots() []string {
	under := map[string]bool{}
	for _, c := range d.Closed {
		for _, child := range c.Children {
			under[child] = true
		}
	}
	var roots []string
	for i := len(d.Closed) - 1; i >= 0; i-- {
		if !under[d.Closed[i].ID] {
			roots = append(roots, d.Closed[i].ID)
		}
	}
	for _, t := range d.Top {
		if !under[t.ID] {
			roots = append(roots, t.ID)
		}
	}
	return roots
}

// Over returns the provisional branch over a node, "" where it has none.
func (d *Domain) Over(id string) string {
	for _, c := range d.Closed {
		if slices.Contains(c.Children, id) {
			return c.ID
		}
	}
	return ""
}

// Single tells whether one branch holds all of the domain.
func (d *Domain) Single() bool { return len(d.Roots()) == 1 && (d.Loose == 0 || len(d.Closed) > 0) }

// maxTrunk is how large root.json may be.
const maxTrunk = 256 << 20

// Trunk reads root.json whole. A memory that has not grown yet has none: its
// trunk is empty.
func (s *Store) Trunk() (*Trunk, error) { return s.trunk(true) }

func (s *Store) trunk(whole bool) (*Trunk, error) {
	data, err := s.readFile(trunkName, maxTrunk)
	if errors.Is(err, fs.ErrNotExist) {
		return &Trunk{Format: Format, Analyzer: s.Analyzer.Name(), Journal: Position{Part: 1}}, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := parseTrunk(data, whole)
	if errors.Is(err, errNewer) {
		return nil, fmt.Errorf("%s: %w", s.file(trunkName), err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; run ihmt-store rebuild", s.file(trunkName), err)
	}
	s.mu.Lock()
	s.journalPart = t.Journal.Part
	s.mu.Unlock()
	return t, nil
}

var (
	errNewer = errors.New("update ihmt")
	errOlder = errors.New("is of an earlier layout")
)

// checkFormat says why a root.json is of another layout than this program's.
func checkFormat(data []byte) error {
	format := gjson.GetBytes(data, "format")
	switch {
	case format.Int() > Format:
		return fmt.Errorf("is of format %d, newer than this program's %d: %w", format.Int(), Format, errNewer)
	case !format.Exists() && gjson.ValidBytes(data) && gjson.ParseBytes(data).IsObject():
		return errOlder
	}
	return nil
}

// parseTrunk reads root.json; the domains, its long part, only if whole.
func parseTrunk(data []byte, whole bool) (*Trunk, error) {
	if err := checkFormat(data); err != nil {
		return nil, err
	}
	raw := data
	if at := bytes.LastIndex(data, []byte("\n \"domains\": [")); !whole && at > 0 {
		head := bytes.TrimRight(data[:at], ",\n ")
		data = append(bytes.Clone(head), '}')
	}
	t := &Trunk{raw: raw}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, err
	}
	if t.Format < 1 || t.Journal.Part < 1 || t.Journal.Offset < 0 || t.Spine < 0 || t.Leaves < 0 {
		return nil, errors.New("holds a number that cannot be")
	}
	for _, table := range t.Tables {
		if table.Name == "" || strings.ContainsAny(table.Name, `/\`) || strings.HasPrefix(table.Name, ".") {
			return nil, fmt.Errorf("names a table %q", table.Name)
		}
	}
	return t, nil
}

// CommitTrunk replaces root.json: from then on readers see what it names.
func (s *Store) commitTrunk(t *Trunk) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(t); err != nil {
		return err
	}
	return s.replaceFile(trunkName, b.Bytes())
}

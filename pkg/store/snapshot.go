package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ihmt/ihmt/pkg/terms"
)

// A Snapshot is what a reader sees of a memory: the trunk, its tables, and
// the leaves journalled since the tree grew last.
type Snapshot struct {
	Trunk  *Trunk
	Tables []*OpenTable
	Tail   Tail
	End    Position // of the journal, as read

	store *Store
}

// An OpenTable is a table in force with what changed since it was written.
type OpenTable struct {
	*terms.Table
	Info    Table
	retired map[int]bool
	dead    map[int]bool
	file    *os.File
}

// Dead tells whether a row no longer counts: its leaf was stored anew.
func (t *OpenTable) Dead(ordinal int) bool { return t.dead[ordinal] }

// Retired tells whether a row's leaf is of an earlier version of its source.
func (t *OpenTable) Retired(ordinal int, row terms.Row) bool {
	return row.Retired || t.retired[ordinal]
}

// Changes returns the ordinals that are retired or dead by the trunk or the
// journal but not in the table itself.
func (t *OpenTable) Changes() (retired, dead []int) { return keys(t.retired), keys(t.dead) }

// NewlyDead returns the ordinals that the journal made dead since the tree
// grew last.
func (t *OpenTable) NewlyDead() []int {
	return slices.DeleteFunc(keys(t.dead), func(ordinal int) bool { return slices.Contains(t.Info.Dead, ordinal) })
}

// A Tail holds the leaves that the tree does not hold yet, in order of
// arrival, without the removed ones.
type Tail struct {
	Leaves []Entry
	byID   map[string]int
	source map[string][]int
}

// BySource returns the indexes of a source's leaves.
func (t *Tail) BySource(source string) []int { return t.source[source] }

// A Ref is a leaf that a snapshot found: in a table, or at Index of the tail.
type Ref struct {
	terms.Leaf
	Table *OpenTable
	Index int
}

// Snapshot opens what is in force now. Close it.
func (s *Store) Snapshot() (*Snapshot, error) {
	for attempt := 0; ; attempt++ {
		snap, err := s.snapshot()
		// The tree may have grown between the reading of the trunk and the
		// opening of its tables; then the trunk names others.
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return snap, err
		}
		if attempt == 10 {
			return nil, fmt.Errorf("%w; run ihmt-store rebuild", err)
		}
	}
}

func (s *Store) snapshot() (*Snapshot, error) {
	trunk, err := s.trunk(false)
	if err != nil {
		return nil, err
	}
	if trunk.Analyzer != s.Analyzer.Name() {
		return nil, fmt.Errorf("the term tables were made by %q and the settings ask for %q; run ihmt-store rebuild", trunk.Analyzer, s.Analyzer.Name())
	}
	snap := &Snapshot{Trunk: trunk, store: s}
	for _, info := range trunk.Tables {
		t, err := s.openTable(info)
		if err != nil {
			snap.Close()
			return nil, err
		}
		snap.Tables = append(snap.Tables, t)
	}
	snap.Tail = Tail{byID: map[string]int{}, source: map[string][]int{}}
	snap.End, err = s.readTail(trunk, snap.apply)
	if err != nil {
		snap.Close()
		return nil, err
	}
	return snap, nil
}

func (s *Store) openTable(info Table) (*OpenTable, error) {
	name := "state/tables/" + info.Name
	f, err := s.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	s.filesOpened++
	table, err := terms.Open(f, info.Bytes)
	if err == nil && table.Len() != info.Leaves {
		err = fmt.Errorf("holds %d leaves, root.json says %d", table.Len(), info.Leaves)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w; run ihmt-store rebuild", s.file(name), err)
	}
	t := &OpenTable{Table: table, Info: info, file: f, retired: map[int]bool{}, dead: map[int]bool{}}
	for _, i := range info.Retired {
		t.retired[i] = true
	}
	for _, i := range info.Dead {
		t.dead[i] = true
	}
	return t, nil
}

// Domains returns what the snapshot's trunk says of each domain. It reads the
// whole trunk, which a search does not.
func (snap *Snapshot) Domains() ([]Domain, error) {
	if snap.Trunk.raw == nil {
		return nil, nil
	}
	trunk, err := parseTrunk(snap.Trunk.raw, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; run ihmt-store rebuild", snap.store.file(trunkName), err)
	}
	return trunk.Domains, nil
}

// Close closes the tables and adds what they read to the store's count.
func (snap *Snapshot) Close() {
	for _, t := range snap.Tables {
		snap.store.bytesRead += t.BytesRead()
		t.file.Close()
	}
	snap.Tables = nil
}

// Err is the first failure to read a table.
func (snap *Snapshot) Err() error {
	for _, t := range snap.Tables {
		if err := t.Err(); err != nil {
			return fmt.Errorf("%s: %w; run ihmt-store rebuild", snap.store.file("state/tables/"+t.Info.Name), err)
		}
	}
	return nil
}

// refresh reads what was journalled since, or everything anew where the tree
// has grown meanwhile.
func (snap *Snapshot) refresh() (*Snapshot, error) {
	trunk, err := snap.store.trunk(false)
	if err != nil {
		return nil, err
	}
	if trunk.Generation != snap.Trunk.Generation {
		snap.Close()
		return snap.store.Snapshot()
	}
	snap.End, err = snap.store.readJournal(snap.End, snap.apply)
	return snap, err
}

// apply adds a line of the journal to the snapshot.
func (snap *Snapshot) apply(e Entry) error {
	tail := &snap.Tail
	e.keepRow()
	i, inTail := tail.byID[e.ID]
	switch {
	case e.Op == opGrown:
		return fmt.Errorf("the tree grew over this part of the journal meanwhile: %w", fs.ErrNotExist)
	case e.Op == opStore && inTail:
		tail.Leaves[i] = e
	case e.Op == opStore:
		if e.Again {
			snap.mark(e, func(t *OpenTable) map[int]bool { return t.dead })
		}
		tail.byID[e.ID] = len(tail.Leaves)
		tail.source[e.Source] = append(tail.source[e.Source], len(tail.Leaves))
		tail.Leaves = append(tail.Leaves, e)
	case e.Op == opRetire && inTail:
		tail.Leaves[i].Retired = true
	case e.Op == opRetire:
		snap.mark(e, func(t *OpenTable) map[int]bool { return t.retired })
	case e.Op == opRemove && inTail:
		tail.remove(i)
	}
	return nil
}

// keepRow drops what is of use to those only who read the journal itself, the
// text above all, and the line with it, which the other fields are part of.
func (e *Entry) keepRow() {
	e.Content, e.Author = "", ""
	row := e.Op + e.ID + e.Timestamp + e.SavedAt + e.Source + e.Checksum + e.Terms
	for _, field := range []*string{&e.Op, &e.ID, &e.Timestamp, &e.SavedAt, &e.Source, &e.Checksum, &e.Terms} {
		*field, row = row[:len(*field)], row[len(*field):]
	}
}

func (snap *Snapshot) mark(e Entry, set func(*OpenTable) map[int]bool) {
	for _, t := range snap.Tables {
		for _, p := range t.Postings(nil, terms.Exact("source:", e.Source)) {
			if l, err := t.Leaf(int(p.Ordinal)); err == nil && l.ID == e.ID && !t.dead[int(p.Ordinal)] {
				set(t)[int(p.Ordinal)] = true
			}
		}
	}
}

func (t *Tail) remove(i int) {
	t.Leaves = append(t.Leaves[:i:i], t.Leaves[i+1:]...)
	t.byID, t.source = map[string]int{}, map[string][]int{}
	for i, e := range t.Leaves {
		t.byID[e.ID] = i
		t.source[e.Source] = append(t.source[e.Source], i)
	}
}

// hasDomain tells whether there are leaves of a domain.
func (snap *Snapshot) hasDomain(domain string) bool {
	for _, t := range snap.Tables {
		if _, ok := t.Span(domain); ok {
			return true
		}
	}
	return slices.ContainsFunc(snap.Tail.Leaves, func(e Entry) bool { return terms.Domain(e.ID) == domain })
}

// BySource returns every leaf of a source, retired ones too.
func (snap *Snapshot) BySource(source string) []Ref {
	refs := snap.inTables(terms.Exact("source:", source), func(l *terms.Leaf) bool { return l.Source == source })
	for _, i := range snap.Tail.source[source] {
		refs = append(refs, Ref{Leaf: snap.Tail.Leaves[i].Leaf, Index: i})
	}
	return refs
}

// Replacers returns the leaves that were stored to replace another one.
func (snap *Snapshot) Replacers(id string) []Ref {
	refs := snap.inTables(terms.Exact("replaces:", id), func(*terms.Leaf) bool { return true })
	for i := range snap.Tail.Leaves {
		if e := &snap.Tail.Leaves[i]; slices.Contains(e.Replaces, id) {
			refs = append(refs, Ref{Leaf: e.Leaf, Index: i})
		}
	}
	return refs
}

// inTables returns the live rows that have a term and pass a check.
func (snap *Snapshot) inTables(term string, check func(*terms.Leaf) bool) []Ref {
	var refs []Ref
	for _, t := range snap.Tables {
		for _, p := range t.Postings(nil, term) {
			ordinal := int(p.Ordinal)
			l, err := t.Leaf(ordinal)
			if err != nil || t.dead[ordinal] || !check(&l) {
				continue
			}
			l.Retired = l.Retired || t.retired[ordinal]
			refs = append(refs, Ref{Leaf: l, Table: t, Index: ordinal})
		}
	}
	return refs
}

// Weight returns the weighted frequency of a term in a list of terms as the
// journal keeps it, 0 where it is not among them.
func Weight(list, term string) int32 {
	for from := 0; ; {
		at := strings.Index(list[from:], term)
		if at < 0 {
			return 0
		}
		at += from
		from = at + len(term)
		if at > 0 && list[at-1] != ' ' {
			continue
		}
		rest := list[from:]
		if end := strings.IndexByte(rest, ' '); end >= 0 {
			rest = rest[:end]
		}
		if rest == "" {
			return 1
		}
		if digits, ok := strings.CutPrefix(rest, ":"); ok {
			if n, err := strconv.ParseInt(digits, 10, 32); err == nil && n > 0 {
				return int32(n)
			}
		}
	}
}

// Postings returns the leaves of the tail that have a term, by index.
func (t *Tail) Postings(dst []terms.Posting, term string) []terms.Posting {
	for i := range t.Leaves {
		if n := Weight(t.Leaves[i].Terms, term); n > 0 {
			dst = append(dst, terms.Posting{Ordinal: int32(i), Weight: n})
		}
	}
	return dst
}

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A Problem is something that is wrong with a file of a memory.
type Problem struct {
	File  string
	Wrong string
	Mend  string
}

// Verify checks every leaf, journal line, table and branch, and returns what
// is wrong and how much was checked. What seems wrong is looked at again while
// nobody else may write: it may have been in the middle of its writing.
func (s *Store) Verify() (problems []Problem, checked map[string]any, err error) {
	problems, checked, err = s.verify()
	if err != nil || len(problems) == 0 {
		return problems, checked, err
	}
	for _, name := range []string{"grow", "write"} {
		unlock, err := s.lock(name)
		if err != nil { // as in a memory that may only be read
			return problems, checked, nil
		}
		defer unlock()
	}
	return s.verify()
}

func (s *Store) verify() (problems []Problem, checked map[string]any, err error) {
	v := &verification{s: s, leaves: map[string]bool{}, told: map[string]bool{}, journal: map[string]journalled{}, indexed: map[string]bool{}}
	if v.gone, err = s.tombstones(); err != nil {
		v.wrong(tombstonesName, err.Error(), "mend or delete that line")
		v.gone = removals{}
	}
	trunk, err := s.Trunk()
	if err != nil {
		mend := mendRebuild
		if errors.Is(err, errNewer) {
			mend = errNewer.Error()
		}
		v.wrong(trunkName, err.Error(), mend)
		return v.problems, nil, nil
	}
	if err := v.leftovers(); err != nil {
		return nil, nil, err
	}
	v.lines(trunk.Journal)
	if err := v.files(); err != nil {
		return nil, nil, err
	}
	for _, t := range trunk.Tables {
		v.table(t)
	}
	v.index()
	branches := v.branches(trunk)
	v.strays(trunk)
	v.compare()
	return v.problems, map[string]any{"leaves": len(v.leaves), "journal": len(v.journal), "tables": len(trunk.Tables), "branches": len(branches),
		"removed": len(v.gone), "problems": len(v.problems)}, nil
}

const mendRebuild = "run ihmt-store rebuild"

type verification struct {
	s        *Store
	leaves   map[string]bool       // that are whole
	told     map[string]bool       // leaves of whose files something was said already
	journal  map[string]journalled // by id
	indexed  map[string]bool       // leaves that a search can find
	blind    bool                  // journal or tables cannot be read: what is not in them says nothing
	gone     removals
	problems []Problem
}

// wrong notes a problem of a file. What the error says of the file's name and
// of what mends it is said once.
func (v *verification) wrong(file, wrong, mend string) {
	wrong = strings.TrimLeft(strings.TrimPrefix(wrong, v.s.file(file)), ":, ")
	v.problems = append(v.problems, Problem{file, strings.TrimSuffix(wrong, "; "+mend), mend})
}

// A journalled is what the last line of a leaf says, in short.
type journalled struct {
	part   int
	header string // of the leaf
	text   uint64 // hash of the text that the line carries, 0 for none
	terms  uint64 // hash of what only counts until the tree has grown over it, else 0
}

func journalledOf(e *Entry, part int, pending bool) journalled {
	j := journalled{part: part, header: strings.Join([]string{e.Checksum, e.Timestamp, e.SavedAt, e.Source, fmt.Sprint(e.Position), strings.Join(e.Replaces, " ")}, " ")}
	if e.Content != "" {
		j.text = hashOf(e.Content)
	}
	if pending {
		j.terms = hashOf(fmt.Sprint(e.Terms, e.Length, e.Question, e.Temporal))
	}
	return j
}

func hashOf(s string) uint64 {
	sum := sha256.Sum256([]byte(s))
	return binary.BigEndian.Uint64(sum[:8])
}

// fits tells whether a line is of a leaf as it is.
func (j journalled) fits(e *Entry) bool {
	now := journalledOf(e, j.part, j.terms != 0)
	return j.header == now.header && j.terms == now.terms && (j.text == 0 || j.text == hashOf(e.Content))
}

// files checks every file among the leaves.
func (v *verification) files() error {
	return v.s.leafFiles(func(name string) error {
		id := strings.TrimSuffix(path.Base(name), ".txt")
		switch {
		case !isLeafFile(name) && leftover(name):
			v.left(name)
			return nil
		case !isLeafFile(name):
			v.wrong(name, "is no leaf", "move it out of the memory")
			return nil
		}
		v.leaf(name, id)
		return nil
	})
}

func (v *verification) leaf(name, id string) {
	l, err := v.s.Leaf(id)
	v.told[id] = true
	switch {
	case v.gone.hold(id, l):
		v.wrong(name, "was removed, but its file is there", mendRebuild)
		return
	case err != nil:
		v.wrong(name, err.Error(), "restore it from a copy, or delete it and run ihmt-store rebuild")
		return
	case l.ID != id && v.s.copied(l):
		v.wrong(name, "is a copy of "+l.ID, "delete it")
		return
	}
	v.leaves[id], v.told[id] = true, false
	line, there := v.journal[id]
	e := v.s.entryOf(l)
	switch {
	case l.ID != id:
		v.wrong(name, "its header names it "+l.ID, mendRebuild)
	case l.Checksum != Checksum(l.Content):
		v.wrong(name, "its text does not have the checksum of its header", "restore it from a copy, or accept the text with ihmt-store rebuild")
	case there && !line.fits(&e):
		v.wrong(partName(line.part), "its line of "+id+" is not what the leaf says", mendRebuild)
	}
}

// copied tells whether a leaf is also in a file of its own name.
func (s *Store) copied(l *Leaf) bool {
	if !s.has(l.ID) {
		return false
	}
	original, err := s.Leaf(l.ID)
	return err == nil && original.ID == l.ID && original.Content == l.Content
}

// left notes a temporary file that nobody is writing.
func (v *verification) left(name string) {
	v.wrong(name, "was left by a writer that was stopped", "run ihmt-store verify --repair")
}

func (v *verification) leftovers() error {
	names, err := v.s.leftovers(".", "state", "state/journal", "state/tables", "layers/*")
	for _, name := range names {
		v.left(name)
	}
	return err
}

// lines reads the whole journal. What stands from a position on is pending.
func (v *verification) lines(grown Position) {
	parts, err := v.s.journalParts()
	if err != nil {
		v.unreadable("state/journal", err)
		return
	}
	note := func(part int, pending bool) func(Entry) error {
		return func(e Entry) error {
			switch e.Op {
			case opStore:
				v.journal[e.ID] = journalledOf(&e, part, pending)
			case opRemove:
				delete(v.journal, e.ID)
			}
			return nil
		}
	}
	for i, part := range parts {
		if part > grown.Part && i > 0 && parts[i-1] != part-1 {
			v.left(partName(part)) // by a rebuild
			return
		}
		if _, err := v.s.readPart(Position{Part: part}, note(part, false)); err != nil {
			v.unreadable(partName(part), err)
		}
	}
	end, err := v.s.readJournal(grown, note(grown.Part, true))
	if err != nil && !v.blind {
		v.unreadable(partName(grown.Part), err)
	}
	if err == nil && v.s.linesAfter(end) {
		v.wrong(partName(end.Part), fmt.Sprintf("has lines from byte %d on that were left in parts by a power cut", end.Offset), "save something, which cuts them off, or run ihmt-store rebuild")
	}
}

// linesAfter tells whether whole lines stand behind the end of the journal.
func (s *Store) linesAfter(end Position) bool {
	data, err := s.readFile(partName(end.Part), 2*partSize)
	return err == nil && int64(len(data)) > end.Offset && bytes.IndexByte(data[end.Offset:], '\n') >= 0
}

// unreadable notes a file that must be read to know what a search finds.
func (v *verification) unreadable(file string, err error) {
	v.wrong(file, cause(err).Error(), mendRebuild)
	v.blind = true
}

// table checks that a table is the file that root.json names.
func (v *verification) table(t Table) {
	name := "state/tables/" + t.Name
	f, err := v.s.open(name, os.O_RDONLY)
	if err != nil {
		v.unreadable(name, cause(err))
		return
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		v.unreadable(name, cause(err))
		return
	}
	if "sha256:"+hex.EncodeToString(sum.Sum(nil)) != t.Checksum {
		v.unreadable(name, errors.New("is not the table that was written"))
	}
}

// index collects the leaves that a search can find.
func (v *verification) index() {
	if v.blind {
		return
	}
	snap, err := v.s.Snapshot()
	if err != nil {
		v.unreadable(trunkName, err)
		return
	}
	defer snap.Close()
	for _, t := range snap.Tables {
		for i := range t.Len() {
			l, err := t.Leaf(i)
			if err != nil {
				v.unreadable("state/tables/"+t.Info.Name, err)
				return
			}
			if t.Dead(i) {
				continue
			}
			if v.indexed[l.ID] {
				v.wrong("state/tables/"+t.Info.Name, "holds "+l.ID+" a second time", mendRebuild)
			}
			v.indexed[l.ID] = true
		}
	}
	for i := range snap.Tail.Leaves {
		id := snap.Tail.Leaves[i].ID
		if v.indexed[id] {
			v.wrong(partName(snap.Trunk.Journal.Part), "holds "+id+", which a table has too", mendRebuild)
		}
		v.indexed[id] = true
	}
}

// branches walks the tree from the trunk and returns its branches.
func (v *verification) branches(t *Trunk) map[string]bool {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		name, err := BranchPath(id)
		if err != nil {
			v.wrong(trunkName, err.Error(), mendRebuild)
			return
		}
		if seen[id] {
			v.wrong(name, "stands under two branches", mendRebuild)
			return
		}
		seen[id] = true
		b, whole, err := v.s.branch(id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			v.wrong(name, "is missing", mendRebuild)
			return
		case err != nil:
			v.wrong(name, err.Error(), mendRebuild)
			return
		case b.NodeID != id:
			v.wrong(name, "its file names it "+b.NodeID, mendRebuild)
		case !whole:
			v.wrong(name, "is not the branch that was written", mendRebuild)
		}
		for _, c := range b.Children {
			_, journalled := v.journal[c.NodeID]
			switch {
			case strings.HasPrefix(c.NodeID, "N"):
				visit(c.NodeID)
			case !v.leaves[c.NodeID] && !v.told[c.NodeID] && !journalled: // else it is told of the leaf
				v.wrong(name, "has the child "+c.NodeID+", which is no leaf", mendRebuild)
			}
		}
	}
	for _, d := range t.Domains {
		for _, id := range d.Roots() {
			visit(id)
		}
	}
	return seen
}

// strays finds tables that root.json does not name.
func (v *verification) strays(t *Trunk) {
	known := map[string]bool{}
	for _, table := range t.Tables {
		known["state/tables/"+table.Name] = true
	}
	for _, name := range t.Expired {
		known[name] = true
	}
	names, _ := fs.Glob(v.s.root.FS(), "state/tables/*")
	for _, name := range names {
		if !known[name] && !leftover(name) {
			v.left(name)
		}
	}
}

// compare holds the leaves against the journal and the index.
func (v *verification) compare() {
	if v.blind {
		return
	}
	for _, id := range sortedKeys(v.leaves) {
		if _, journalled := v.journal[id]; !journalled {
			v.wrong(LeafPath(id), "is not in the journal: a writer was stopped before it acknowledged it", "run ihmt-store verify --repair, or save it again")
		} else if !v.indexed[id] {
			v.wrong(LeafPath(id), "is in no table, so that no search finds it", mendRebuild)
		}
	}
	missing := map[string]bool{}
	for id := range v.journal {
		missing[id] = true
	}
	for id := range v.indexed {
		missing[id] = true
	}
	for _, id := range sortedKeys(missing) {
		switch {
		case v.leaves[id] || v.told[id]:
		case v.gone[id] != "":
			v.wrong(LeafPath(id), "was removed, but a search still knows of it", mendRebuild)
		default:
			v.wrong(LeafPath(id), "is missing", "restore it from a copy, or give it up with ihmt-store rebuild")
		}
	}
}

package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
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
	v := &verification{s: s, leaves: map[string]bool{}, journal: map[string]bool{}, indexed: map[string]bool{}, halfway: map[string]bool{}}
	if v.gone, err = s.tombstones(); err != nil {
		v.wrong(tombstonesName, err.Error(), "mend or delete that line")
		v.gone = removals{}
	}
	trunk, err := s.Trunk()
	if err != nil {
		v.wrong(trunkName, err.Error(), mendRebuild)
		return v.problems, nil, nil
	}
	if err := v.files(); err != nil {
		return nil, nil, err
	}
	if err := v.leftovers(); err != nil {
		return nil, nil, err
	}
	v.lines()
	for _, t := range trunk.Tables {
		v.table(t)
	}
	v.index()
	branches := v.branches(trunk)
	v.compare()
	return v.problems, map[string]any{"leaves": len(v.leaves), "journal": len(v.journal), "tables": len(trunk.Tables), "branches": branches,
		"removed": len(v.gone), "problems": len(v.problems)}, nil
}

const mendRebuild = "run ihmt-store rebuild"

type verification struct {
	s                        *Store
	leaves, journal, indexed map[string]bool
	halfway                  map[string]bool // leaves whose removal was stopped
	gone                     removals
	problems                 []Problem
}

func (v *verification) wrong(file, wrong, mend string) {
	v.problems = append(v.problems, Problem{file, wrong, mend})
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
		l, err := v.s.Leaf(id)
		if v.gone.hold(id, l) {
			v.wrong(name, "was removed, but its file is there", mendRebuild)
			v.halfway[id] = true
			return nil
		}
		if err != nil {
			v.wrong(name, err.Error(), "restore it from a copy, or delete it and run ihmt-store rebuild")
			return nil
		}
		v.leaves[id] = true
		if l.ID != id {
			v.wrong(name, "its header names it "+l.ID, mendRebuild)
		}
		if l.Checksum != Checksum(l.Content) {
			v.wrong(name, "its text does not have the checksum of its header", "restore it from a copy, or accept the text with ihmt-store rebuild")
		}
		return nil
	})
}

// left notes a temporary file that nobody is writing.
func (v *verification) left(name string) {
	v.wrong(name, "was left by a writer that was stopped", "run ihmt-store verify --repair")
}

func (v *verification) leftovers() error {
	names, err := v.s.leftovers(".", "state", "state/tables", "layers/*")
	for _, name := range names {
		v.left(name)
	}
	return err
}

// lines reads the whole journal.
func (v *verification) lines() {
	parts, err := v.s.journalParts()
	if err != nil {
		v.wrong("state/journal", err.Error(), mendRebuild)
		return
	}
	for _, part := range parts {
		_, err := v.s.readPart(Position{Part: part}, func(e Entry) error {
			switch e.Op {
			case opStore:
				v.journal[e.ID] = true
			case opRemove:
				delete(v.journal, e.ID)
			}
			return nil
		})
		if err != nil {
			v.wrong(partName(part), err.Error(), mendRebuild)
		}
	}
}

// table checks that a table is the file that root.json names.
func (v *verification) table(t Table) {
	name := "state/tables/" + t.Name
	f, err := v.s.open(name, os.O_RDONLY)
	if err != nil {
		v.wrong(name, err.Error(), mendRebuild)
		return
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		v.wrong(name, err.Error(), mendRebuild)
		return
	}
	if "sha256:"+hex.EncodeToString(sum.Sum(nil)) != t.Checksum {
		v.wrong(name, "is not the table that was written", mendRebuild)
	}
}

// index collects the leaves that a search can find.
func (v *verification) index() {
	snap, err := v.s.Snapshot()
	if err != nil {
		v.wrong(trunkName, err.Error(), mendRebuild)
		return
	}
	defer snap.Close()
	for _, t := range snap.Tables {
		for i := range t.Len() {
			l, err := t.Leaf(i)
			if err != nil {
				v.wrong("state/tables/"+t.Info.Name, err.Error(), mendRebuild)
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

// branches walks the tree from the trunk and counts its branches.
func (v *verification) branches(t *Trunk) int {
	seen := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if seen[id] {
			v.wrong(id, "stands under two branches", mendRebuild)
			return
		}
		seen[id] = true
		b, err := v.s.Branch(id)
		if err != nil {
			v.wrong(id, err.Error(), mendRebuild)
			return
		}
		if b.NodeID != id {
			v.wrong(id, "its file names it "+b.NodeID, mendRebuild)
		}
		for _, c := range b.Children {
			if strings.HasPrefix(c.NodeID, "N") {
				visit(c.NodeID)
			} else if !v.leaves[c.NodeID] && !v.halfway[c.NodeID] {
				v.wrong(id, "has the child "+c.NodeID+", which is no leaf", mendRebuild)
			}
		}
	}
	for _, d := range t.Domains {
		for _, id := range d.Roots() {
			visit(id)
		}
	}
	return len(seen)
}

// compare holds the leaves against the journal and the index.
func (v *verification) compare() {
	for _, id := range sortedKeys(v.leaves) {
		if !v.journal[id] || !v.indexed[id] {
			v.wrong(LeafPath(id), "is not in the journal: a writer was stopped before it acknowledged it", "run ihmt-store verify --repair, or save it again")
		}
	}
	for _, set := range []map[string]bool{v.journal, v.indexed} {
		for _, id := range sortedKeys(set) {
			if !v.leaves[id] && v.gone[id] == "" {
				v.wrong(LeafPath(id), "is missing", fmt.Sprintf("restore the file, or give it up with %s", mendRebuild))
				delete(v.journal, id)
				delete(v.indexed, id)
			}
		}
	}
}

package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// A NoLeafError says that no leaf has an id, and which ids are like it. It is
// an fs.ErrNotExist.
type NoLeafError struct {
	ID   string
	Near []string
}

func (e *NoLeafError) Error() string {
	if len(e.Near) == 0 {
		return fmt.Sprintf("no leaf %s in this memory; ihmt-store ls lists them", e.ID)
	}
	return fmt.Sprintf("no leaf %s in this memory; near it is %s", e.ID, strings.Join(e.Near, ", "))
}

// Is tells that e is an fs.ErrNotExist.
func (e *NoLeafError) Is(target error) bool { return target == fs.ErrNotExist }

func (s *Store) noLeaf(id string) error { return &NoLeafError{id, s.near(id)} }

// Find reads a leaf as [Store.Leaf] does; where there is none it fails with a
// [NoLeafError], for which it goes through all leaves.
func (s *Store) Find(id string) (*Leaf, error) {
	if !s.has(id) {
		return nil, s.noLeaf(id)
	}
	return s.Leaf(id)
}

const (
	maxNear    = 3  // ids suggested
	nearEdits  = 2  // letters by which they may differ
	nearPart   = 6  // length of a part of an id that says which one is meant
	nearLength = 80 // of what is compared at all
)

// near returns the ids that are nearly one that is none: a few letters
// differ, or it is a part of them. It goes through all leaves.
func (s *Store) near(id string) []string {
	id = strings.ToLower(strings.TrimSpace(id))
	snap, err := s.Snapshot()
	if err != nil || len(id) > nearLength {
		return nil
	}
	defer snap.Close()
	type candidate struct {
		id    string
		edits int
	}
	var found []candidate
	offer := func(other string) {
		folded := strings.ToLower(other)
		edits := nearEdits + 1
		if apart := len(folded) - len(id); -nearEdits <= apart && apart <= nearEdits {
			edits = levenshtein.Distance(id, folded, nil)
		}
		if edits <= nearEdits || len(id) >= nearPart && strings.Contains(folded, id) {
			found = append(found, candidate{other, edits})
		}
	}
	for i := range snap.Tail.Leaves {
		offer(snap.Tail.Leaves[i].ID)
	}
	for _, t := range snap.Tables {
		for i := range t.Len() {
			if l, err := t.Leaf(i); err == nil && !t.Dead(i) {
				offer(l.ID)
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.edits, b.edits), strings.Compare(a.id, b.id)) })
	var ids []string
	for _, c := range found[:min(len(found), maxNear)] {
		ids = append(ids, c.id)
	}
	return ids
}

// has tells whether a leaf is there.
func (s *Store) has(id string) bool {
	if CheckID(id) != nil {
		return false
	}
	_, err := s.root.Lstat(LeafPath(id))
	return err == nil
}

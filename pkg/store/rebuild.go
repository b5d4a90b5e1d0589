package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Rebuilt says what Rebuild found.
type Rebuilt struct {
	Leaves    int
	LeftAlone int      // files among the leaves that count for nothing
	Notes     []string // what was mended, and what was left alone
}

// Rebuild makes the journal anew from the leaves and the tombstones alone,
// and takes the tree down: growing it is up to package summarize. Leaves that
// no journal line named are adopted; one that was edited by hand counts as
// what it says now.
func (s *Store) Rebuild() (Rebuilt, error) {
	unlock, err := s.lock("write")
	if err != nil {
		return Rebuilt{}, err
	}
	defer unlock()
	before, err := s.Trunk()
	if errors.Is(err, errNewer) {
		return Rebuilt{}, err
	}
	older := errors.Is(err, errOlder)
	if err != nil {
		before = &Trunk{} // it is made anew
	}
	gone, err := s.tombstones()
	if err != nil {
		return Rebuilt{}, err
	}
	var out Rebuilt
	found, doomed, err := s.survey(gone, &out)
	if err != nil {
		return out, err
	}
	slices.SortFunc(found, func(a, b surveyed) int {
		return cmp.Or(strings.Compare(a.savedAt, b.savedAt), strings.Compare(a.id, b.id))
	})
	if older {
		to, err := s.setAside("layers", trunkName)
		if err != nil {
			return out, err
		}
		out.Notes = append(out.Notes, "root.json was of an earlier layout: it and layers are in "+to+"; delete that once nothing is missing, since rm does not reach it")
	}
	parts, err := s.journalParts()
	if err != nil {
		return out, err
	}
	start := Position{Part: 1}
	if len(parts) > 0 {
		start.Part = parts[len(parts)-1] + 2 // not the next one: a reader of the old journal must not run on into it
	}
	if err := s.rejournal(start, found); err != nil {
		s.drop(start.Part) // nothing names them yet
		return out, err
	}
	after := &Trunk{Format: Format, Generation: before.Generation + 1, Analyzer: s.Analyzer.Name(), Journal: start}
	if err := s.commitTrunk(after); err != nil {
		return out, err
	}
	out.Leaves = len(found)
	for _, name := range doomed { // not before: the old journal may name them
		if err := s.remove(name); err != nil {
			return out, err
		}
	}
	return out, s.sweep(start)
}

// setAside moves what a program of an earlier layout derived into a folder of
// its own and returns its name. What tells that it is one comes last.
func (s *Store) setAside(names ...string) (to string, err error) {
	for n := 1; ; n++ {
		to = fmt.Sprint("backup-", n)
		if _, err := s.root.Lstat(to + "/" + names[len(names)-1]); errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err := s.mkdir(to); err != nil {
		return "", err
	}
	for _, name := range names {
		delete(s.folders, name)
		if _, err := s.root.Lstat(to + "/" + name); err == nil {
			continue // by a rebuild that was stopped
		}
		if err := disk.Move(s.root, name, to+"/"+name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot move %s to %s: %w", s.file(name), s.file(to), cause(err))
		}
	}
	for _, folder := range []string{to, "."} {
		if err := s.syncFolder(folder); err != nil {
			return "", err
		}
	}
	return to, nil
}

type surveyed struct{ id, savedAt string }

// survey reads every leaf and mends what a header gets wrong. Doomed are files
// to delete: what a killed writer left, and leaves that were removed.
func (s *Store) survey(gone removals, out *Rebuilt) (found []surveyed, doomed []string, err error) {
	note := func(format string, args ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, args...)) }
	leave := func(name, why string) {
		out.LeftAlone++
		why = strings.TrimPrefix(why, s.file(name)+": ")
		note("%s: %s; left alone", name, why)
	}
	err = s.leafFiles(func(name string) error {
		if !isLeafFile(name) {
			if leftover(name) {
				note("%s: left by a writer that was stopped; removed", name)
				doomed = append(doomed, name)
				return nil
			}
			leave(name, "is no leaf")
			return nil
		}
		id := strings.TrimSuffix(path.Base(name), ".txt")
		l, err := s.Leaf(id)
		if gone.hold(id, l) {
			note("%s: was removed; its file is gone now", name)
			doomed = append(doomed, name)
			return nil
		}
		if err != nil {
			leave(name, err.Error())
			return nil
		}
		if l.ID != id && s.copied(l) {
			leave(name, "is a copy of "+l.ID)
			return nil
		}
		changed := false
		if sum := Checksum(l.Content); l.Checksum != sum {
			note("%s: was edited; counts as what it says now", name)
			l.Checksum, changed = sum, true
		}
		if l.ID != id || l.Domain != terms.Domain(id) {
			note("%s: its header named it %s; mended", name, l.ID)
			l.ID, l.Domain, changed = id, terms.Domain(id), true
		}
		if CheckTimestamp(l.Timestamp) != nil {
			note("%s: timestamp %q is none; the day of saving stands for it", name, l.Timestamp)
			l.Timestamp, changed = now().Format("2006-01-02"), true
		}
		if changed {
			if err := s.replaceFile(name, l.format()); err != nil {
				return err
			}
		}
		if l.ParentID != nil || l.Extra.GrandparentID != nil {
			s.Stamp(id, "", "") // the branches that it names are taken down
		}
		found = append(found, surveyed{id, l.SavedAt})
		return nil
	})
	return found, doomed, err
}

// leftover tells whether a name is that of a temporary file: see
// disk.Replace.
func leftover(name string) bool {
	of := strings.TrimRight(name, "0123456789")
	return of != name && slices.Contains([]string{".txt", ".json", ".jsonl", ".terms"}, path.Ext(of))
}

// leftovers are the temporary files in folders, which may be patterns.
func (s *Store) leftovers(folders ...string) ([]string, error) {
	var found []string
	for _, folder := range folders {
		names, err := fs.Glob(s.root.FS(), path.Join(folder, "*"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if leftover(name) {
				found = append(found, name)
			}
		}
	}
	return found, nil
}

// rejournal writes the lines of leaves into a new part, which is there without
// any too, and into those after it.
func (s *Store) rejournal(at Position, found []surveyed) error {
	if err := s.mkdir("state/journal"); err != nil {
		return err
	}
	if err := s.extend(partName(at.Part), 0, nil); err != nil {
		return err
	}
	var lines []byte
	flush := func(limit int) (err error) {
		if len(lines) > limit {
			at, err = s.appendJournal(at, lines)
			lines = lines[:0]
		}
		return err
	}
	for _, f := range found {
		l, err := s.Leaf(f.id)
		if err != nil {
			return err
		}
		e := s.entryOf(l)
		lines = e.append(lines)
		if l.Extra.RetiredAt != "" {
			e := Entry{Op: opRetire, Leaf: terms.Leaf{ID: l.ID, SavedAt: l.Extra.RetiredAt, Source: l.Extra.Source, Position: l.Extra.Position}}
			lines = e.append(lines)
		}
		if err := flush(4 << 20); err != nil {
			return err
		}
	}
	return flush(0)
}

// sweep deletes the parts of the journal before a position, and all tables,
// branches and other derived files.
func (s *Store) sweep(start Position) error {
	parts, err := s.journalParts()
	if err != nil {
		return err
	}
	for _, part := range parts {
		if part < start.Part {
			if err := s.remove(partName(part)); err != nil {
				return err
			}
		}
	}
	left, err := s.leftovers(".", "state", "state/journal")
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := s.remove(name); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"state/tables/*", "state/*.jsonl", spineName, "layers/*/*"} {
		names, err := fs.Glob(s.root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := s.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop deletes the parts of the journal from one on.
func (s *Store) drop(from int) {
	parts, _ := s.journalParts()
	for _, part := range parts {
		if part >= from {
			s.remove(partName(part))
		}
	}
}

// journalParts lists the numbers of the journal's parts, sorted.
func (s *Store) journalParts() ([]int, error) {
	entries, err := fs.ReadDir(s.root.FS(), "state/journal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var parts []int
	for _, e := range entries {
		part := 0
		if _, err := fmt.Sscanf(e.Name(), "%06d.jsonl", &part); err == nil && part > 0 && path.Base(partName(part)) == e.Name() {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return parts, nil
}

// tombstonesName is the file of removed leaves: it is as much a source of
// truth as the leaves, and so does not stand in state.
const tombstonesName = "tombstones.jsonl"

type tombstone struct {
	LeafID    string `json:"leaf_id"`
	RemovedAt string `json:"removed_at"`
}

// removals say when leaves were removed, by id.
type removals map[string]string

// hold tells whether a leaf's file is one that was removed: the same text may
// have been saved again since. A file that cannot be read, nil, is.
func (r removals) hold(id string, l *Leaf) bool {
	at, removed := r[id]
	return removed && (l == nil || l.SavedAt <= at)
}

// tombstones returns the removals.
func (s *Store) tombstones() (removals, error) {
	gone := removals{}
	data, err := s.readFile(tombstonesName, maxTrunk)
	if errors.Is(err, fs.ErrNotExist) {
		return gone, nil
	}
	if err != nil {
		return nil, err
	}
	for n, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t tombstone
		if err := json.Unmarshal(line, &t); err != nil || CheckID(t.LeafID) != nil {
			return nil, fmt.Errorf("%s, line %d is no tombstone; mend or delete the line", s.file(tombstonesName), n+1)
		}
		gone[t.LeafID] = max(gone[t.LeafID], t.RemovedAt)
	}
	return gone, nil
}

// bury adds tombstones. Those that are there already last after it too: who
// wrote them may have been killed before they did.
func (s *Store) bury(gone removals) error {
	if len(gone) == 0 {
		return s.syncFolder(".")
	}
	data, err := s.readFile(tombstonesName, maxTrunk)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, id := range sortedKeys(gone) {
		if err := CheckID(id); err != nil {
			return err
		}
		line, err := json.Marshal(tombstone{id, gone[id]})
		if err != nil {
			return err
		}
		data = append(data, append(line, '\n')...)
	}
	return s.replaceFile(tombstonesName, data)
}

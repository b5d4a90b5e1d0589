package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
)

// Init makes a memory, or with force changes the settings of one that exists;
// its leaves are not touched.
func Init(dir string, choose func(*Settings), force bool) (*Store, error) {
	settings := DefaultSettings()
	s, err := Open(dir)
	switch {
	case err == nil:
		settings = s.Settings
		s.Close()
	case !errors.Is(err, ErrNoMemory):
		return nil, err
	}
	choose(&settings)
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	if s, err = Create(dir); err != nil {
		return nil, err
	}
	_, err = s.root.Lstat(configName)
	switch {
	case err == nil && !force:
		s.Close()
		return nil, fmt.Errorf("%s is a memory already; --force changes its settings and keeps every leaf", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		s.Close()
		return nil, err
	}
	if err := s.WriteSettings(settings); err != nil {
		s.Close()
		return nil, err
	}
	return s, s.syncFolder(".")
}

// leafFiles calls do with the name of everything among the leaves that is no
// folder of a domain, by domain and name. Symlinks are not followed.
func (s *Store) leafFiles(do func(name string) error) error {
	domains, err := fs.ReadDir(s.root.FS(), "layer_0")
	if err != nil {
		return err
	}
	for _, d := range domains {
		if !d.IsDir() {
			if err := do(path.Join("layer_0", d.Name())); err != nil {
				return err
			}
			continue
		}
		files, err := fs.ReadDir(s.root.FS(), path.Join("layer_0", d.Name()))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := do(path.Join("layer_0", d.Name(), f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLeafFile tells a leaf's file from what else may lie beside it, such as the
// temporary file of a writer that was killed.
func isLeafFile(name string) bool {
	id, ok := strings.CutSuffix(path.Base(name), ".txt")
	return ok && CheckID(id) == nil && LeafPath(id) == name
}

// Files calls do with the name of every leaf's file, by domain and id, and the
// leaf that it holds, or why it cannot be read.
func (s *Store) Files(do func(name string, l *Leaf, err error) error) error {
	return s.leafFiles(func(name string) error {
		if !isLeafFile(name) {
			return nil
		}
		l, err := s.Leaf(strings.TrimSuffix(path.Base(name), ".txt"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		return do(name, l, err)
	})
}

// Each calls do with every leaf, by domain and id.
func (s *Store) Each(do func(*Leaf) error) error {
	return s.Files(func(_ string, l *Leaf, err error) error {
		if err != nil {
			return err
		}
		return do(l)
	})
}

// Record is the leaf as ihmt-store prints it.
func (l *Leaf) Record() *record.Record {
	r := record.New(record.KindLeaf, record.Leaf{LeafID: l.ID, Path: LeafPath(l.ID), Checksum: l.Checksum, SavedAt: l.SavedAt, Status: StatusStored})
	r.Merge(record.Chunk{Source: l.Extra.Source, Position: l.Extra.Position, DataType: l.DataType, Domain: l.Domain, Language: l.Extra.Language,
		Title: l.Extra.Title, Author: l.Extra.Author, Tags: l.Tags, Timestamp: l.Timestamp, Span: l.Span, Tokens: l.Extra.Tokens,
		Oversized: l.Extra.Oversized, Context: l.Extra.Context, Replaces: l.Extra.Replaces, Project: l.Extra.Project, Agent: l.Extra.Agent, Content: l.Content})
	for _, name := range sortedKeys(l.Extra.Fields) {
		if record.IsLeafField(name) {
			continue
		}
		var line bytes.Buffer // the header stands on many lines, a record on one
		json.Compact(&line, l.Extra.Fields[name])
		r.SetRaw(name, line.Bytes())
	}
	if l.Extra.RetiredAt != "" {
		r.Set("retired_at", l.Extra.RetiredAt)
	}
	return r
}

// Listing is the leaf's record without its content.
func (l *Leaf) Listing() *record.Record {
	return l.Record().Derive(record.KindLeaf, "content", "context")
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Stats counts what a memory holds.
func (s *Store) Stats() (map[string]any, error) {
	snap, err := s.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	trunk := snap.Trunk
	inTree, err := snap.Domains()
	if err != nil {
		return nil, err
	}
	retired, domains := 0, map[string]int{}
	for _, d := range inTree {
		domains[d.Name] = d.Leaves
	}
	leaves := len(snap.Tail.Leaves)
	for i := range snap.Tail.Leaves {
		domains[terms.Domain(snap.Tail.Leaves[i].ID)]++
		if snap.Tail.Leaves[i].Retired {
			retired++
		}
	}
	gone, err := s.tombstones()
	if err != nil {
		return nil, err
	}
	locks, err := s.Held()
	if err != nil {
		return nil, err
	}
	tables := int64(0)
	for _, t := range snap.Tables {
		_, dead := t.Changes()
		leaves += t.Len() - len(dead)
		tables += t.Info.Bytes
		for i := range t.Len() {
			if t.Retired(i, t.Row(i)) {
				retired++
			}
		}
	}
	return map[string]any{"memory": s.dir, "leaves": leaves, "retired": retired, "removed": len(gone), "pending": len(snap.Tail.Leaves),
		"domains": domains, "depth": trunk.Depth, "tables": len(snap.Tables), "table_bytes": tables, "generation": trunk.Generation,
		"grown_at": trunk.GrownAt, "locks": locks}, snap.Err()
}

// String says what a run of Put did.
func (t Totals) String() string {
	s := fmt.Sprintf("%d stored, %d unchanged", t.Stored, t.Unchanged)
	if t.Retired > 0 {
		s += fmt.Sprintf(", %d of earlier versions retired", t.Retired)
	}
	if t.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", t.Skipped)
	}
	return s
}

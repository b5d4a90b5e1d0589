package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/terms"
)

// What growing the tree needs of a store. Package summarize decides what is
// written; nothing of it counts until [Store.CommitGrowth].

// LockGrowth keeps other growers out until the returned function is called.
func (s *Store) LockGrowth() (unlock func(), err error) { return s.lock("grow") }

// BranchID is the id of a branch over children.
func BranchID(layer int, domain string, children []string) string {
	sum := sha256.Sum256([]byte(strings.Join(children, "\n")))
	return fmt.Sprintf("N%d-%s-%s", layer, domain, hex.EncodeToString(sum[:])[:10])
}

// BranchPath is the file of a branch inside the memory, with forward slashes.
func BranchPath(id string) (string, error) {
	layer, rest, ok := strings.Cut(strings.TrimPrefix(id, "N"), "-")
	if !ok || !strings.HasPrefix(id, "N") || len(layer) == 0 || len(layer) > 2 || strings.Trim(layer, "0123456789") != "" ||
		CheckDomain(terms.Domain(id)) != nil || strings.ContainsAny(rest, "/\\\x00") {
		return "", fmt.Errorf("%q is no branch id: want N<layer>-<domain>-<hash>", id)
	}
	return "layers/" + layer + "/" + id + ".json", nil
}

// WriteBranch writes a branch's file; its name lasts after [Store.SyncLayer].
func (s *Store) WriteBranch(b *record.Branch) error {
	name, err := BranchPath(b.NodeID)
	if err != nil {
		return err
	}
	data, err := formatBranch(b)
	if err != nil {
		return err
	}
	return s.writeFile(name, sealed(data))
}

// formatBranch writes a field a line and a child a line, so that a branch of
// usual size fits into one block of the disk.
func formatBranch(b *record.Branch) ([]byte, error) {
	var whole bytes.Buffer
	e := json.NewEncoder(&whole)
	e.SetEscapeHTML(false)
	if err := e.Encode(b); err != nil {
		return nil, err
	}
	var lines, children []string
	gjson.ParseBytes(whole.Bytes()).ForEach(func(name, value gjson.Result) bool {
		field := value.Raw
		if name.Str == "children" && value.IsArray() {
			for _, c := range value.Array() {
				children = append(children, "\n  "+c.Raw)
			}
			field = "[" + strings.Join(children, ",") + "\n ]"
		}
		lines = append(lines, "\n "+name.Raw+": "+field)
		return true
	})
	return []byte("{" + strings.Join(lines, ",") + "\n}\n"), nil
}

const seal = ",\n \"checksum\": "

// sealed is a branch's file with the checksum of what stands before it.
func sealed(branch []byte) []byte {
	branch = bytes.TrimSuffix(branch, []byte("\n}\n"))
	return fmt.Appendf(branch, "%s%q\n}\n", seal, Checksum(string(branch)))
}

// intact tells whether a branch's file is what was written. One without a
// checksum, as earlier versions wrote it, is if it has no unknown field.
func intact(branch []byte) bool {
	if at := bytes.LastIndex(branch, []byte(seal)); at >= 0 {
		return bytes.Equal(branch, sealed(bytes.Clone(branch[:at])))
	}
	d := json.NewDecoder(bytes.NewReader(branch))
	d.DisallowUnknownFields()
	return d.Decode(&record.Branch{}) == nil
}

// SyncLayer makes the names of a layer's branches last.
func (s *Store) SyncLayer(layer int) error { return s.syncFolder(fmt.Sprintf("layers/%d", layer)) }

// Branch reads a branch by its id.
func (s *Store) Branch(id string) (*record.Branch, error) {
	b, _, err := s.branch(id)
	return b, err
}

func (s *Store) branch(id string) (b *record.Branch, whole bool, err error) {
	name, err := BranchPath(id)
	if err != nil {
		return nil, false, err
	}
	data, err := s.readFile(name, maxTrunk)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("no branch %s in %s: %w", id, s.dir, fs.ErrNotExist)
	}
	if err != nil {
		return nil, false, err
	}
	b = &record.Branch{}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, false, fmt.Errorf("%s: %w; run ihmt-store rebuild", s.file(name), err)
	}
	return b, intact(data), nil
}

// WriteTable merges inputs into a new table and makes it last.
func (s *Store) WriteTable(name string, inputs []terms.Input, layout terms.Layout) (Table, error) {
	if err := s.mkdir("state/tables"); err != nil {
		return Table{}, err
	}
	sum, size := sha256.New(), &counter{}
	err := s.replaceBy("state/tables/"+name, func(w io.Writer) error {
		return terms.Merge(io.MultiWriter(w, sum, size), s.Analyzer.Name(), inputs, layout)
	})
	if err != nil {
		return Table{}, err
	}
	return Table{Name: name, Leaves: len(layout.Leaves), Bytes: size.n, Checksum: "sha256:" + hex.EncodeToString(sum.Sum(nil))}, s.syncFolder("state/tables")
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

const spineName = "state/spine.tsv"

// An Edge of the spine says which branch a branch stands under, from layer 2
// up; for layer 1 the tables say it.
type Edge struct{ Child, Parent string }

// AppendSpine adds edges after the bytes that count and returns how many
// count now, once root.json says so.
func (s *Store) AppendSpine(from int64, edges []Edge) (int64, error) {
	if len(edges) == 0 {
		return from, nil
	}
	var lines []byte
	for _, e := range edges {
		lines = fmt.Appendf(lines, "%s\t%s\n", e.Child, e.Parent)
	}
	if err := s.extend(spineName, from, lines); err != nil {
		return from, err
	}
	return from + int64(len(lines)), nil
}

// A Spine says under which branch each branch from layer 2 up stands, a line
// each.
type Spine []byte

// Parent returns the branch over a branch, "" where it has no full one.
func (s Spine) Parent(id string) string {
	for at := 0; id != ""; {
		n := bytes.Index(s[at:], []byte(id+"\t"))
		if n < 0 {
			return ""
		}
		if at += n; at == 0 || s[at-1] == '\n' {
			parent, _, _ := bytes.Cut(s[at+len(id)+1:], []byte("\n"))
			return string(parent)
		}
		at += len(id)
	}
	return ""
}

// Spine reads the edges that count. It fails with [fs.ErrNotExist] where the
// tree was rebuilt after the trunk was read.
func (s *Store) Spine(t *Trunk) (Spine, error) {
	if t.Spine == 0 {
		return nil, nil
	}
	data, err := s.readFile(spineName, maxTrunk)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) < t.Spine {
		if current, err := s.trunk(false); err == nil && current.Generation != t.Generation {
			return nil, fmt.Errorf("the tree was rebuilt meanwhile: %w", fs.ErrNotExist)
		}
		return nil, fmt.Errorf("%s is shorter than root.json says; run ihmt-store rebuild", s.file(spineName))
	}
	return Spine(data[:t.Spine]), nil
}

// CommitGrowth puts a trunk into force, deletes the files that the trunk
// before it had expired, and shortens the journal. The caller holds the growth
// lock.
func (s *Store) CommitGrowth(before, after *Trunk) error {
	if err := s.commitGrowth(before, after); err != nil {
		return err
	}
	s.shorten(after.Journal.Part)
	return nil
}

func (s *Store) commitGrowth(before, after *Trunk) error {
	unlock, err := s.lock("write")
	if err != nil {
		return err
	}
	defer unlock()
	current, err := s.trunk(false)
	if err != nil {
		return err
	}
	if current.Generation != before.Generation {
		return fmt.Errorf("the tree of %s grew meanwhile; run it again", s.dir)
	}
	if err := s.SyncJournal(after.Journal); err != nil {
		return err
	}
	if after.Journal, err = s.nextPart(after.Journal); err != nil {
		return err
	}
	after.Generation = before.Generation + 1
	after.GrownAt = now().Format("2006-01-02T15:04:05Z")
	if err := s.commitTrunk(after); err != nil {
		return err
	}
	left, _ := s.leftovers("state/tables", "state/journal")
	for _, name := range append(left, before.Expired...) {
		s.remove(name) // what cannot be deleted wastes room, nothing else
	}
	return nil
}

// Stamp notes in a leaf's file under which full branches it stands. It is a
// convenience for readers of the file: derived, never trusted, not synced.
func (s *Store) Stamp(id, l1, l2 string) {
	f, err := disk.OpenFile(s.root, LeafPath(id), os.O_RDWR)
	if err != nil {
		return
	}
	defer f.Close()
	head := make([]byte, 16<<10)
	n, _ := f.ReadAt(head, 0)
	if head = head[:n]; stamp(head, l1, l2) {
		if end := bytes.Index(head, []byte(markerEnd)); end > 0 {
			f.WriteAt(head[:end], 0)
		}
	}
}

// Discard deletes derived files that nothing names any more, for good.
func (s *Store) Discard(names ...string) error {
	folders := map[string]bool{}
	for _, name := range names {
		if err := s.remove(name); err != nil {
			return err
		}
		folders[path.Dir(name)] = true
	}
	for folder := range folders {
		if err := s.syncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

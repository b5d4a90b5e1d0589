package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// TestVerifyNamesWhatIsDamaged damages each kind of file of a memory in several
// ways: verify must name that file and nothing else, and a rebuild must restore
// all that can be derived.
func TestVerifyNamesWhatIsDamaged(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "ihmt_memory")
	ids := damageable(t, whole)
	first, second, pending := store.LeafPath(ids[0]), store.LeafPath(ids[1]), store.LeafPath(ids[len(ids)-1])
	const journal, trunk = "state/journal/000001.jsonl", "root.json"
	const big, fresh = "state/tables/000001-1.terms", "state/tables/000001-2.terms"
	for _, c := range []struct {
		name   string
		damage func(dir string)
		want   []string // "file: what is wrong", in order
		lost   int      // leaves that a rebuild cannot restore
		note   string   // of the rebuild
	}{
		{"nothing", func(string) {}, nil, 0, ""},
		{"leaf cut off", cutOff(first, 40), []string{first + ": has no line"}, 1, "left alone"},
		{"leaf edited", replaceIn(first, "Note 0", "Nota 0"), []string{first + ": its text does not have the checksum"}, 0, "was edited; counts as what it says now"},
		{"leaf renamed in its header", replaceIn(first, ids[0], ids[1]), []string{first + ": its header names it " + ids[1]}, 0, "mended"},
		{"leaf dated anew", replaceIn(first, "2026-02-03", "2026-02-04"), []string{journal + ": its line of " + ids[0]}, 0, ""},
		{"leaf deleted", remove(first), []string{first + ": is missing"}, 1, ""},
		{"leaf copied", copyTo(first, "layer_0/d/L-d-0000-aaaaaaaaaa.txt"), []string{"layer_0/d/L-d-0000-aaaaaaaaaa.txt: is a copy of " + ids[0]}, 0, "is a copy"},
		{"leaves swapped", swap(first, second), sorted(first+": its header names it "+ids[1], second+": its header names it "+ids[0]), 0, "mended"},
		{"what is no leaf", copyTo(first, "layer_0/d/notes.txt"), []string{"layer_0/d/notes.txt: is no leaf"}, 0, "is no leaf"},
		{"a leaf that nobody acknowledged", addLeaf(first), []string{"layer_0/d/L-d-0000-bbbbbbbbbb.txt: is not in the journal"}, -1, ""},
		{"state and layers gone", func(dir string) { remove("state")(dir); remove("layers")(dir) }, []string{big + ": no such file", fresh + ": no such file", "layers/2/N2-d-", journal + ": no such file"}, 0, ""},
		{"journal cut off", cutOff(journal, 500), []string{journal + ": is shorter than root.json says"}, 0, ""},
		{"journal gone", remove(journal), []string{journal + ": no such file"}, 0, ""},
		{"journal line torn", replaceIn(journal, `"op":"store"`, `"op":"sXore"`), []string{journal + ": byte 0: op"}, 0, ""},
		{"journal key wrong", replaceIn(journal, `"kind"`, `"kXnd"`), []string{journal + ": byte 0: kind"}, 0, ""},
		{"pending words wrong", replaceIn(journal, "quincunx ", "quXncunx "), []string{journal + ": its line of " + ids[len(ids)-1]}, 0, ""},
		{"pending line lost", func(dir string) { dropLastLine(dir, journal) }, []string{pending + ": is not in the journal"}, 0, ""},
		{"table flipped", replaceIn(big, "harbour\t", "hXrbour\t"), []string{big + ": is not the table that was written"}, 0, ""},
		{"table cut off", cutOff(big, 900), []string{big + ": is not the table that was written"}, 0, ""},
		{"table gone", remove(big), []string{big + ": no such file"}, 0, ""},
		{"tables swapped", swap(big, fresh), sorted(big+": is not the table", fresh+": is not the table"), 0, ""},
		{"table copied", copyTo(big, "state/tables/000009-1.terms"), []string{"state/tables/000009-1.terms: was left by"}, 0, ""},
		{"trunk cut off", cutOff(trunk, 200), []string{trunk + ": unexpected end of JSON"}, 0, ""},
		{"trunk gone", remove(trunk), []string{big + ": was left by", fresh + ": was left by"}, 0, ""},
		{"branch gone", func(dir string) { remove(branch(dir))(dir) }, []string{"layers/1/N1-d-"}, 0, ""},
		{"branch flipped", func(dir string) { replaceIn(branch(dir), `"summary": "`, `"summary": "X`)(dir) }, []string{"layers/1/N1-d-"}, 0, ""},
		{"branch's checksum flipped", func(dir string) { replaceIn(branch(dir), `"sha256:`, `"sha256:0`)(dir) }, []string{"layers/1/N1-d-"}, 0, ""},
		{"branch's checksum renamed", func(dir string) { replaceIn(branch(dir), `"checksum"`, `"chXcksum"`)(dir) }, []string{"layers/1/N1-d-"}, 0, ""},
		{"branch cut off", func(dir string) { cutOff(branch(dir), 100)(dir) }, []string{"layers/1/N1-d-"}, 0, ""},
		{"facts damaged", replaceIn("state/facts.jsonl", "mark", "mXrk"), nil, 0, ""},
		{"temporary files", func(dir string) { copyTo(trunk, "root.json123")(dir); copyTo(first, first+"99")(dir) }, []string{first + "99: was left by", "root.json123: was left by"}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ihmt_memory")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			c.damage(dir)
			s := open(t, dir)
			problems, _, err := s.Verify()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range problems {
				got = append(got, p.File+": "+p.Wrong)
				if p.Mend == "" || strings.Contains(p.Wrong, p.Mend) || strings.Contains(p.Wrong, dir) {
					t.Errorf("badly said: %+v", p)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("verify says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			rebuilt, _, err := summarize.Rebuild(context.Background(), s, nil)
			if err != nil || rebuilt.Leaves != len(ids)-c.lost || c.note != "" && !strings.Contains(strings.Join(rebuilt.Notes, "\n"), c.note) {
				t.Errorf("rebuild: %d leaves, want %d; notes %q; %v", rebuilt.Leaves, len(ids)-c.lost, rebuilt.Notes, err)
			}
			if problems, _, err := s.Verify(); err != nil || len(problems) > rebuilt.LeftAlone {
				t.Error("after a rebuild:", problems, err)
			}
		})
	}
}

// damageable makes a memory with leaves in two tables and one that is pending.
func damageable(t *testing.T, dir string) (ids []string) {
	t.Helper()
	s := open(t, dir)
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	save := func(n int, content string) {
		out, err := w.Commit([]store.Item{{Chunk: record.Chunk{Source: fmt.Sprint("s", n), Domain: "d", DataType: record.TypePersonal, Timestamp: "2026-02-03", Content: content}}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out[0].LeafID)
	}
	for n := range 70 {
		save(n, fmt.Sprintf("Note %d of the harbour.", n))
	}
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{}); err != nil {
		t.Fatal(err)
	}
	save(99, "I live in Valencia, in a quincunx .")
	timelineOf(t, s)
	return ids
}

func at(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func change(name string, with func([]byte) []byte) func(string) {
	return func(dir string) {
		data, err := os.ReadFile(at(dir, name))
		must(err)
		must(os.WriteFile(at(dir, name), with(data), 0o600))
	}
}

func cutOff(name string, size int) func(string) {
	return change(name, func(data []byte) []byte { return data[:size] })
}

func replaceIn(name, old, with string) func(string) {
	return change(name, func(data []byte) []byte {
		if !strings.Contains(string(data), old) {
			panic(fmt.Sprintf("%s has no %q", name, old))
		}
		return []byte(strings.Replace(string(data), old, with, 1))
	})
}

func remove(name string) func(string) {
	return func(dir string) { must(os.RemoveAll(at(dir, name))) }
}

func copyTo(name, to string) func(string) {
	return func(dir string) {
		data, err := os.ReadFile(at(dir, name))
		must(err)
		must(os.WriteFile(at(dir, to), data, 0o600))
	}
}

func swap(a, b string) func(string) {
	return func(dir string) {
		must(os.Rename(at(dir, a), at(dir, "x")))
		must(os.Rename(at(dir, b), at(dir, a)))
		must(os.Rename(at(dir, "x"), at(dir, b)))
	}
}

func addLeaf(like string) func(string) {
	return func(dir string) {
		const name = "layer_0/d/L-d-0000-bbbbbbbbbb.txt"
		copyTo(like, name)(dir)
		replaceIn(name, strings.TrimSuffix(filepath.Base(like), ".txt"), "L-d-0000-bbbbbbbbbb")(dir)
	}
}

func dropLastLine(dir, name string) {
	change(name, func(data []byte) []byte {
		return data[:1+strings.LastIndexByte(string(data[:len(data)-1]), '\n')]
	})(dir)
}

func branch(dir string) string {
	names, err := filepath.Glob(at(dir, "layers/1/*"))
	must(err)
	return "layers/1/" + filepath.Base(names[0])
}

func sorted(list ...string) []string {
	slices.Sort(list)
	return list
}

package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/facts/ledger"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/summarize"
)

// No test waits for the disk.
func TestMain(m *testing.M) {
	disk.Intercept = func(op disk.Op, make func(disk.Op) error) error {
		if op.Kind == disk.Sync || op.Kind == disk.SyncFolder {
			return nil
		}
		return make(op)
	}
	os.Exit(m.Run())
}

// TestImportIsAUnion makes three memories with random histories, of texts that
// they share and texts that they do not, and takes their union in every order.
func TestImportIsAUnion(t *testing.T) {
	for seed := range uint64(3) {
		home := t.TempDir()
		rng := rand.New(rand.NewPCG(seed, 11))
		dirs := make([]string, 3)
		for i := range dirs {
			dirs[i] = filepath.Join(home, fmt.Sprint("m", i))
			liveAtRandom(t, dirs[i], rng)
		}
		copies := 0
		copyOf := func(dir string) string {
			copies++
			to := filepath.Join(home, fmt.Sprint("copy", copies))
			if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			return to
		}
		union := func(dir string, others ...string) string {
			to := copyOf(dir)
			for _, other := range others {
				importInto(t, to, other)
			}
			return to
		}
		a, b, c := dirs[0], dirs[1], dirs[2]
		want := whole(t, union(a, b, c))
		for name, dir := range map[string]string{
			"c, b, a":     union(c, b, a),
			"b, a, c":     union(b, a, c),
			"a, (b, c)":   union(a, union(b, c)),
			"(c, a), b":   union(union(c, a), b),
			"a, b, c, b":  union(a, b, c, b),
			"a, a, b, c":  union(a, a, b, c),
			"rebuilt b":   union(a, rebuilt(t, copyOf(b)), c),
			"into rebult": union(rebuilt(t, copyOf(a)), c, b),
		} {
			if got := whole(t, dir); got != want {
				t.Fatalf("seed %d: the union %s differs:\n%s", seed, name, firstDifference(got, want))
			}
		}
	}
}

// TestImportOfRecords takes what export prints of one memory into another: the
// same as importing its leaves from their files.
func TestImportOfRecords(t *testing.T) {
	home := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 11))
	a, b := filepath.Join(home, "a"), filepath.Join(home, "b")
	liveAtRandom(t, a, rng)
	liveAtRandom(t, b, rng)
	os.Remove(filepath.Join(b, "tombstones.jsonl")) // which export does not print
	for _, start := range []string{a, filepath.Join(home, "empty")} {
		byFiles, byRecords := start+"1", start+"2"
		for _, dir := range []string{byFiles, byRecords} {
			open(t, start)
			if err := os.CopyFS(dir, os.DirFS(start)); err != nil {
				t.Fatal(err)
			}
		}
		importInto(t, byFiles, b)
		var exported bytes.Buffer
		if err := open(t, b).Each(func(l *store.Leaf) error {
			_, err := fmt.Fprintf(&exported, "%s\n", l.Record())
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			in := record.NewReader(bytes.NewReader(append(exported.Bytes(), exported.Bytes()...)))
			if united, err := summarize.ImportRecords(context.Background(), open(t, byRecords), in, nil, nil); err != nil || len(united.Notes) > 0 {
				t.Fatal(err, united.Notes)
			}
		}
		if got, want := whole(t, byRecords), whole(t, byFiles); got != want {
			t.Errorf("records differ from files:\n%s", firstDifference(got, want))
		}
	}
}

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func importInto(t *testing.T, dir, other string) {
	t.Helper()
	o, err := store.OpenOther(other)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	united, err := summarize.Import(context.Background(), open(t, dir), o, nil)
	if err != nil || len(united.Notes) > 0 {
		t.Fatal(err, united.Notes)
	}
	s := open(t, dir)
	if problems, _, err := s.Verify(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
}

func rebuilt(t *testing.T, dir string) string {
	t.Helper()
	if _, _, err := summarize.Rebuild(context.Background(), open(t, dir), nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func dayOf(t *testing.T, s *store.Store, id string) string {
	l, err := s.Leaf(id)
	if err != nil {
		t.Fatal(err)
	}
	return l.Timestamp
}

// liveAtRandom saves notes and versions of a file, replaces and removes some,
// saves removed ones again, and grows.
func liveAtRandom(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	s := open(t, dir)
	var ids []string
	w, err := s.NewWriter()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	note := func(n int) record.Chunk {
		return record.Chunk{Source: fmt.Sprint("note", n), Domain: []string{"d", "d.e"}[n%2], Timestamp: fmt.Sprintf("2026-01-%02d", 1+n%28),
			DataType: record.TypePersonal, Content: fmt.Sprintf("Note %d: I live in %s.", n, []string{"Lugo", "Bilbao", "Valencia"}[n%3])}
	}
	for range 40 {
		switch k := rng.IntN(12); {
		case k < 7:
			c := note(rng.IntN(60))
			if k == 0 && len(ids) > 0 {
				if id := ids[rng.IntN(len(ids))]; hasLeaf(s, id) && dayOf(t, s, id) <= c.Timestamp {
					c.Replaces = record.IDs{id}
				}
			}
			out, err := w.Commit([]store.Item{{Chunk: c}})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, out[0].LeafID)
		case k < 9:
			var items []store.Item
			for p := range 4 {
				if rng.IntN(2) == 0 {
					items = append(items, store.Item{Chunk: record.Chunk{Source: "/file", Position: p, Domain: "d", Timestamp: "2026-02-03", DataType: record.TypeGeneric, Content: fmt.Sprint("Part ", p)}})
				}
			}
			if len(items) > 0 {
				items = append(items, store.Item{End: &record.DocumentEnd{Source: "/file", Chunks: len(items)}})
				if _, err := w.Commit(items); err != nil {
					t.Fatal(err)
				}
			}
		case k < 10 && len(ids) > 0:
			if id := ids[rng.IntN(len(ids))]; hasLeaf(s, id) {
				if err := summarize.Remove(context.Background(), s, id); err != nil {
					t.Fatal(err)
				}
			}
		default:
			if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: k == 11}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func hasLeaf(s *store.Store, id string) bool {
	_, err := s.Leaf(id)
	return err == nil
}

// whole is all that a memory holds once it is rebuilt: leaves, tombstones,
// branches, tables and the timeline.
func whole(t *testing.T, dir string) string {
	t.Helper()
	s := open(t, rebuilt(t, dir))
	var b strings.Builder
	if err := s.Each(func(l *store.Leaf) error {
		header, err := json.Marshal(l)
		fmt.Fprintf(&b, "%s %q\n", header, l.Content)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	tombstones := map[string]string{}
	data, _ := os.ReadFile(filepath.Join(dir, "tombstones.jsonl"))
	for line := range strings.Lines(string(data)) {
		var stone struct{ Leaf_id, Removed_at string }
		if err := json.Unmarshal([]byte(line), &stone); err != nil {
			t.Fatal(err)
		}
		tombstones[stone.Leaf_id] = max(tombstones[stone.Leaf_id], stone.Removed_at)
	}
	for _, id := range slices.Sorted(maps.Keys(tombstones)) {
		fmt.Fprintln(&b, "removed", id, tombstones[id])
	}
	branches, err := filepath.Glob(filepath.Join(dir, "layers", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range branches {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", filepath.Base(file), data)
	}
	trunk, err := s.Trunk()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range trunk.Tables {
		fmt.Fprintln(&b, "table", table.Leaves, table.Checksum, table.Retired, table.Dead)
	}
	fmt.Fprintf(&b, "%+v\n", trunk.Domains)
	fmt.Fprintln(&b, timelineOf(t, s))
	return b.String()
}

func timelineOf(t *testing.T, s *store.Store) []record.Fact {
	t.Helper()
	timeline, err := ledger.Timeline(s)
	if err != nil {
		t.Fatal(err)
	}
	return timeline.At("2026-12-31")
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("got  %s\nwant %s", g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

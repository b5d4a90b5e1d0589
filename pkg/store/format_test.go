package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/terms"
)

var sample = Leaf{ID: "L-a.b-0003-0123456789", Timestamp: "2026-02-03", SavedAt: "2026-02-04T00:00:00.000000Z", DataType: record.TypeGeneric, Domain: "a.b",
	Tags: []string{"x"}, Span: &record.Span{StartLine: 1, EndLine: 2}, Extra: Extra{Source: "s", Title: "t", Position: 3}}

// TestContentSurvives writes and reads leaves whose text looks like their own
// format.
func TestContentSurvives(t *testing.T) {
	for _, content := range []string{"", "plain\n", "\xef\xbb\xbfbom\r\n", markerStart + "{}" + markerEnd, markerEnd, "\x00\x1b[31m", `"parent_id": null`} {
		l := sample
		l.Content, l.Checksum = content, Checksum(content)
		l.Extra.Title = content
		got, err := parseLeaf(l.format())
		if err != nil || got.Content != content || got.Checksum != l.Checksum || strings.ToValidUTF8(got.Extra.Title, "\ufffd") != strings.ToValidUTF8(content, "\ufffd") {
			t.Errorf("%q came back as %q, %v", content, got.Content, err)
		}
	}
}

// TestStampChangesOnlyTheBranches fills in, changes and clears the branches of
// a leaf's file in place.
func TestStampChangesOnlyTheBranches(t *testing.T) {
	l := sample
	l.Content = `"parent_id": null, "grandparent_id": null,`
	l.Extra.Title = l.Content
	file := l.format()
	size := len(file)
	for _, ids := range [][2]string{{"N1-a.b-0123456789", ""}, {"N1-a.b-0123456789", "N2-a.b-9876543210"}, {"", ""}} {
		if !stamp(file, ids[0], ids[1]) {
			t.Fatal("no room")
		}
		got, err := parseLeaf(file)
		if err != nil || len(file) != size || got.Content != l.Content || got.Extra.Title != l.Extra.Title {
			t.Fatalf("%v: %q, %v", ids, file, err)
		}
		if id(got.ParentID) != ids[0] || id(got.Extra.GrandparentID) != ids[1] {
			t.Errorf("got %q and %q, want %q", id(got.ParentID), id(got.Extra.GrandparentID), ids)
		}
	}
	if stamp(file, "N1-a.b-"+strings.Repeat("0", 64), "") {
		t.Error("an id wider than its room was written")
	}
}

// TestTornStampIsHarmless cuts a stamp off after every byte, as a power cut may
// where the names cross the end of a disk block.
func TestTornStampIsHarmless(t *testing.T) {
	l := sample
	l.Content = "text"
	before, after := l.format(), l.format()
	if !stamp(after, "N1-a.b-0123456789", "N2-a.b-9876543210") {
		t.Fatal("no room")
	}
	for cut := range before {
		for _, torn := range [][]byte{append(bytes.Clone(before[:cut]), after[cut:]...), append(bytes.Clone(after[:cut]), before[cut:]...)} {
			got, err := parseLeaf(torn)
			if err != nil || got.ID != l.ID || got.Content != l.Content || got.Extra.Source != l.Extra.Source {
				t.Fatalf("cut at %d: %v\n%s", cut, err, torn)
			}
		}
	}
}

func id(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func TestIdsThatAreNone(t *testing.T) {
	for _, bad := range []string{"", "L-", "L-a", "L-../x-0000-0123456789", "L-a-0000-01/2", "L-a-0000-0\x00", "N1-a-0123456789", "L-.a-0000-0123456789", "L-A-0000-0123456789", "L-a-0000-" + strings.Repeat("0", 200)} {
		if CheckID(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
	if err := CheckID("L-software.go-0012-0123456789abcdef"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "N", "N1-", "N1-../a-0123456789", "N1/../2-a-0123456789", "Nx-a-0123456789", "N1-a-0/1"} {
		if _, err := BranchPath(bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestWeightOfATermInAList(t *testing.T) {
	list := terms.JoinWeights(map[string]int{"deploy": 2, "~deploy": 1, "deployment": 4, "source:deploy:5": 1, "a": 1})
	for term, want := range map[string]int32{"deploy": 2, "~deploy": 1, "deployment": 4, "a": 1, "ploy": 0, "dep": 0, "source:deploy:5": 1, "source": 0, "5": 0} {
		if got := Weight(list, term); got != want {
			t.Errorf("%q in %q: got %d, want %d", term, list, got, want)
		}
	}
}

func FuzzLeaf(f *testing.F) {
	f.Add(sample.format())
	f.Add([]byte("<<<IHMT-META\n{\"leaf_id\": \"x\",\n \"tags\": null}\nIHMT-META>>>\ntext"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parseLeaf(data)
		if err != nil {
			return
		}
		again, err := parseLeaf(l.format())
		if err != nil || again.Content != l.Content || again.ID != l.ID || !bytes.Equal(again.format(), l.format()) {
			t.Fatalf("%q became %q, %v", data, l.format(), err)
		}
	})
}

func FuzzEntry(f *testing.F) {
	e := Entry{Op: opStore, Leaf: terms.Leaf{ID: sample.ID, Timestamp: "2026-02-03", SavedAt: sample.SavedAt, Source: "s", Position: 3, Length: 9, Question: true}, Terms: "a b:2", Known: true}
	f.Add(e.append(nil))
	f.Add([]byte(`{"kind":"journal","op":"remove","leaf_id":"L-a-0000-0123456789"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseEntry(line)
		if err != nil {
			return
		}
		again, err := parseEntry(e.append(nil))
		if err != nil || again.ID != e.ID || again.Op != e.Op || again.Length != e.Length {
			t.Fatalf("%q became %+v, %v", line, again, err)
		}
	})
}

func FuzzTrunk(f *testing.F) {
	f.Add([]byte(`{"format":1,"journal":{"part":1,"offset":0},"tables":[{"name":"a.terms","leaves":1}],` + "\n" + ` "domains": [{"name":"d","closed":[{"id":"N1-d-0"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, whole := range []bool{true, false} {
			if trunk, err := parseTrunk(data, whole); err == nil {
				trunk.Closed("d")
			}
		}
	})
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"branch_factor":4,"languages":["en","zh"],"rules":["a"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseSettings(data); err == nil && s.Validate() != nil {
			t.Fatalf("%q passed but is not valid", data)
		}
	})
}

func TestTimestamps(t *testing.T) {
	for _, good := range []string{"2026-02-03", "2026-02-03T09:31:07Z", "2026-02-03T09:31:07.123456+01:00", "2026-02-03T09:31:07.123456", "2026-02-03 09:31", "2026-02-03T09:31+02:00"} {
		if err := CheckTimestamp(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "2026", "2026-02", "2026-02-30", "2026-02-03T", "2026-02-03T25:00:00Z", "2026-02-03 yesterday", "2026-02-03T09:31:07Z\n", "2026-02-03T09:31:07." + strings.Repeat("0", 99) + "Z"} {
		if CheckTimestamp(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

// Every byte of a branch's file counts, and one that an earlier version wrote
// without a checksum is as good as it ever was.
func TestABranchIsIntactOrNot(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := &record.Branch{NodeID: "N1-d-0123456789", Layer: 1, Domain: "d", Title: "Harbour", Summary: "Of ships, and \"checksum\": too.", Keywords: []string{"ship"},
		Children: []record.Child{{NodeID: "L-d-0000-0123456789", Title: "One", Timestamp: "2026-02-03"}}}
	if err := s.WriteBranch(b); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir(), "layers", "1", b.NodeID+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if !intact(data) {
		t.Errorf("not intact: %s", data)
	}
	for i := range data {
		for _, flip := range []byte{0x01, 0x20} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			if intact(damaged) {
				t.Errorf("byte %d: %q for %q does not show", i, damaged[i], data[i])
			}
		}
	}
	old := append(data[:bytes.LastIndex(data, []byte(seal))], "\n}\n"...)
	if !intact(old) || intact(bytes.Replace(old, []byte("summary"), []byte("sXmmary"), 1)) {
		t.Errorf("an earlier version's: %s", old)
	}
}

package project

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/detect"
)

// A state that can be read is one that can be used, and is written as it was.
func FuzzState(f *testing.F) {
	s := &state{dir: "/src", analyzer: "ihmt-1 en", tables: []table{{"a.terms", 10, 3}}, folders: []place{{path: ".", stamp: stamp{0, 1, 2, 3}}},
		asked: []place{{path: "/src/.git", stamp: folder}}, files: []file{{path: "a.go", sum: "ab", language: "go", entries: 3}, {path: "b\n.go", reason: "binary", stamp: untrusted}}}
	f.Add(body(s))
	f.Add("file\t1 2 3 4\t-\tgo\tab\t1\t0\t5\t9\t1\ta.go\n")
	f.Fuzz(func(t *testing.T, data string) {
		s, err := parseState(data)
		if err != nil {
			return
		}
		again, err := parseState(body(s))
		if err != nil || !bytes.Equal(again.encode(), s.encode()) {
			t.Errorf("%q is read, but not again: %v", data, err)
		}
		for i := range s.files {
			if f := &s.files[i]; f.entries > 0 && f.first+f.entries > s.tables[f.table].entries {
				t.Errorf("%q names entries that no table has", data)
			}
		}
	})
}

// body is a state without the line of its checksum.
func body(s *state) string {
	text := string(s.encode())
	return text[:strings.LastIndex(text, "end\t")]
}

// Whatever a file holds, its entries are lines of it, and their ids are read
// back.
func FuzzEntries(f *testing.F) {
	f.Add("a.go", pool)
	f.Add("a.java", stock)
	f.Add("a.py", "class A:\n  '''x'''\n  def f(): pass\n")
	f.Add("a.md", "# a\n\nb\n")
	f.Add("a.ts", "export namespace a.b { interface C { d(): void } }\r\nconst e = () => 1")
	f.Fuzz(func(t *testing.T, name, text string) {
		text, _, err := detect.Decode([]byte(text))
		if err != nil {
			return
		}
		g := detect.ClassifyByName(name, text)
		l := newLines(text)
		x := newIndexer(analyzer(t), 1)
		for i, e := range entriesOf(g.DataType, g.Domain, g.Language, text) {
			if e.lines.first < 1 || e.lines.last < e.lines.first || e.lines.last > len(l.starts) || e.header.first > e.header.last {
				t.Fatalf("entry %d of %q: lines %v, header %v", i, text, e.lines, e.header)
			}
			back, ok := parseID(e.id())
			if !ok || back.lines != e.lines || back.header != e.header || back.kind != e.kind {
				t.Fatalf("id %q", e.id())
			}
			x.add(i, &e, text, pathWords(name))
		}
	})
}

// Every query is answered without a panic, and its mentions are of it.
func FuzzMentions(f *testing.F) {
	f.Add("where is Transport.RoundTrip() in server.go")
	f.Add("a::b->c #d $e")
	f.Fuzz(func(t *testing.T, query string) {
		for _, m := range mentionsOf(analyzer(t), query) {
			if m.strength <= 0 || m.strength > 1 {
				t.Errorf("%q: %+v", query, m)
			}
		}
	})
}

package project

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// open returns the project of a folder with an index of its own.
func open(t *testing.T, dir string) *Project {
	t.Helper()
	p, err := Open(t.TempDir(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, dir, file, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, p *Project, q Query) *Answer {
	t.Helper()
	a, err := p.Find(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// first is the place of the first result: "pool.go:3-5 Get".
func first(a *Answer) string {
	if len(a.Results) == 0 {
		return ""
	}
	r := a.Results[0]
	return fmt.Sprintf("%s:%d-%d %s", r.File, r.FirstLine, r.LastLine, r.Title)
}

const pool = `// Package pool keeps connections.
package pool

import "sync"

// A Pool holds idle connections until somebody borrows one.
type Pool struct {
	mu   sync.Mutex
	idle []int
}

// Get borrows the connection that has waited longest.
func (p *Pool) Get() int {
	return p.idle[0]
}

// Limit is how many may wait.
const Limit = 8
`

const stock = `package shop;

import java.util.Map;

/** Counts what the warehouse holds. */
public class Stock {
    private int free;

    /** Promises units to an order. */
    public int reserve(int wanted) {
        return free - wanted;
    }

    static class Shelf {
        /** Says how deep it is. */
        int depth() { return 3; }
    }
}
`

func TestSymbolsAreFound(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pool/pool.go", pool)
	write(t, dir, "src/Stock.java", stock)
	write(t, dir, "src/StockTest.java", strings.ReplaceAll(stock, "Stock", "StockTest"))
	write(t, dir, "tools.py", "def greet(name):\n    \"\"\"Welcomes a guest at the door.\"\"\"\n    return name\n")
	write(t, dir, "README.md", "# Manual\n\nHow to install it.\n\n## Frobnication\n\nTurn the wheel twice.\n")
	p := open(t, dir)
	for _, c := range []struct{ query, want string }{
		{"Pool.Get", "pool/pool.go:12-15 Pool.Get"},
		{"Get", "pool/pool.go:12-15 Pool.Get"},
		{"where is Limit defined", "pool/pool.go:17-18 Limit"},
		{"borrows waited longest", "pool/pool.go:12-15 Pool.Get"},
		{"idle connections until somebody borrows", "pool/pool.go:6-10 Pool"},
		{"reserve", "src/Stock.java:9-12 Stock.reserve"},
		{"promises units to an order", "src/Stock.java:9-12 Stock.reserve"},
		{"class Stock", "src/Stock.java:5-18 Stock"},
		{"Stock.java depth", "src/Stock.java:15-16 Stock.Shelf.depth"},
		{"welcome guests", "tools.py:1-3 greet"},
		{"turn the wheel", "README.md:5-7 Manual: Frobnication"},
		{"import sync", "pool/pool.go:1-4 imports"},
	} {
		a := find(t, p, Query{Query: c.query})
		if got := first(a); got != c.want && !(strings.HasPrefix(c.want, "README") && strings.HasPrefix(got, "README")) {
			t.Errorf("%q: %s %+v, want %s", c.query, got, a.Clue, c.want)
		}
	}
	r := find(t, p, Query{Query: "depth", Scope: ScopeMain}).Results[0]
	if r.Header != "    static class Shelf {" {
		t.Errorf("header %q", r.Header)
	}
	if want := "        /** Says how deep it is. */\n        int depth() { return 3; }\n"; r.Content != want {
		t.Errorf("content %q, want %q", r.Content, want)
	}
	if got := first(find(t, p, Query{Query: "reserve", Scope: ScopeTest})); got != "src/StockTest.java:9-12 StockTest.reserve" {
		t.Errorf("in tests: %s", got)
	}
	if a := find(t, p, Query{Query: "reserve", Subpath: "pool"}); len(a.Results) != 0 {
		t.Errorf("below another path: %s", first(a))
	}
	if a := find(t, p, Query{Query: "zeppelin"}); len(a.Results) != 0 || !slices.Equal(a.Search.Missing, []string{"zeppelin"}) {
		t.Errorf("what is not there: %s, missing %v", first(a), a.Search.Missing)
	}
}

func TestOneNameInSeveralFilesIsAmbiguous(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"disk", "tape", "card"} {
		write(t, dir, name+".go", "package store\n\nfunc (d *"+strings.ToUpper(name[:1])+name[1:]+") Rewind() {}\n")
	}
	p := open(t, dir)
	a := find(t, p, Query{Query: "Rewind"})
	if a.Clue == nil || len(a.Clue.Options) != 3 || len(a.Results) != 0 {
		t.Fatalf("clue %+v, results %d", a.Clue, len(a.Results))
	}
	for _, q := range []Query{{Query: "Rewind", Clue: "tape"}, {Query: "Rewind", Clue: "Tape"}, {Query: "Tape.Rewind"}, {Query: "Rewind tape.go"}} {
		if got := first(find(t, p, q)); got != "tape.go:3-3 Tape.Rewind" {
			t.Errorf("%+v: %s", q, got)
		}
	}
}

// A query that is the name of nothing says so, whatever is like it.
func TestNamesThatNothingHas(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"disk", "tape", "card"} {
		write(t, dir, name+".go", "package store\n\n// parseHeader reads six bytes.\nfunc (d *"+strings.ToUpper(name[:1])+name[1:]+") parseHeader() {}\n")
	}
	write(t, dir, "drum_test.go", "package store\n\nfunc spin() {}\n")
	p := open(t, dir)
	for query, unnamed := range map[string]string{
		"parseHeaders6": "parseHeaders6", "func parseHeaderz": "parseHeaderz", "where is parseHeaderz()": "parseHeaderz", "bytes": "bytes",
		"parseHeader": "", "PARSEHEADER": "", "Tape.parseHeader": "", "tape": "", "spin": "", "six bytes": "", "parseHeader of the tape": "", "tape.go": "",
	} {
		a := find(t, p, Query{Query: query})
		if a.Search.Unnamed != unnamed || unnamed != "" && (a.Clue != nil || len(a.Results) == 0) {
			t.Errorf("%q: unnamed %q, want %q; clue %+v, %d results", query, a.Search.Unnamed, unnamed, a.Clue, len(a.Results))
		}
	}
	if a := find(t, p, Query{Query: "spin", Scope: ScopeTest}); a.Search.Unnamed != "" {
		t.Errorf("spin is among the tests")
	}
	if a := find(t, p, Query{Query: "parseHeader", Scope: ScopeTest}); a.Search.Unnamed != "parseHeader" {
		t.Errorf("parseHeader is not among the tests")
	}
	if a := find(t, p, Query{Query: "Drum.parseHeader"}); a.Search.Unnamed != "Drum.parseHeader" || a.Clue == nil || a.Clue.Reason != "no symbol is named Drum.parseHeader, and 3 files have one like it" {
		t.Errorf("Drum.parseHeader: %+v, %+v", a.Search, a.Clue)
	}
	for _, query := range []string{"headerZebraQuaggaOkapi", "zebra quagga okapi lemur header"} {
		if a := find(t, p, Query{Query: query}); a.Clue != nil || len(a.Results) != 0 {
			t.Errorf("%q: clue %+v, %d results", query, a.Clue, len(a.Results))
		}
	}
}

func TestAnswersAreCutByWholeLines(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "long.go", "package long\n\nfunc Long() {\n"+strings.Repeat("\tprintln(1)\n", 1000)+"}\n")
	r := find(t, open(t, dir), Query{Query: "Long", MaxTokens: 100}).Results[0]
	lines := strings.Count(r.Content, "\n")
	if !strings.HasSuffix(r.Content, "\n") || lines+r.Omitted != 1002 || lines < 10 || lines > 60 {
		t.Errorf("%d lines, %d omitted", lines, r.Omitted)
	}
}

func TestRefusals(t *testing.T) {
	p := open(t, t.TempDir())
	for _, q := range []Query{{}, {Query: "x", Scope: "some"}, {Query: "x", Subpath: "../y"}, {Query: "x", K: -1}} {
		if _, err := p.Find(context.Background(), q); err == nil {
			t.Errorf("%+v is answered", q)
		}
	}
	if _, err := Open(t.TempDir(), "/does/not/exist"); err == nil {
		t.Error("a folder that is not there is opened")
	}
	if a := find(t, p, Query{Query: "anything"}); len(a.Results) != 0 {
		t.Error("something is found in an empty tree")
	}
}

// dump is all that an index says: each term with the entries that have it.
func dump(t *testing.T, p *Project) map[string]bool {
	t.Helper()
	v, _, err := p.view(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	said := map[string]bool{fmt.Sprintf("%d entries of length %.6f", v.live, v.length): true}
	names := map[string]bool{}
	for _, table := range v.tables {
		table.Terms("", func(term string, _ int) bool { names[term] = true; return true })
	}
	for term := range names {
		for _, h := range v.hits(term) {
			e, err := v.entry(h.ref)
			if err != nil {
				t.Fatal(err)
			}
			said[fmt.Sprintf("%s %s %s %d %.0f", term, v.file(h.ref).path, e.id(), h.count, v.lengthOf(h.ref))] = true
		}
	}
	for i := range v.files {
		f := &v.files[i]
		said[fmt.Sprintf("%s %s %s %d %d %v", f.path, f.reason, f.language, f.lines, f.entries, f.test)] = true
	}
	return said
}

// Whatever happens to a tree, the index that follows it is the one that would
// be made from nothing.
func TestIndexFollowsTheTree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for round := range 4 {
		dir := t.TempDir()
		p := open(t, dir)
		p.settling = 20 * time.Millisecond
		for step := range 25 {
			for range 1 + random.IntN(3) {
				disturb(t, random, dir)
			}
			if random.IntN(3) == 0 {
				time.Sleep(25 * time.Millisecond) // so that times are trusted
			}
			got, want := dump(t, p), dump(t, open(t, dir))
			if !maps.Equal(got, want) {
				for line := range want {
					if !got[line] {
						t.Errorf("missing: %s", line)
					}
				}
				for line := range got {
					if !want[line] {
						t.Errorf("too much: %s", line)
					}
				}
				t.Fatalf("round %d, step %d", round, step)
			}
		}
	}
}

// disturb does one thing to a tree that people do to theirs.
func disturb(t *testing.T, random *rand.Rand, dir string) {
	file := []string{"a.go", "b/b.py", "b/c/d.java", "b/c/e.md", "x/y/z.ts", "x/n.txt", "b2/test_q.py", "a.go.orig"}[random.IntN(8)]
	path := filepath.Join(dir, filepath.FromSlash(file))
	switch random.IntN(10) {
	case 0:
		os.Remove(path)
	case 1:
		os.RemoveAll(filepath.Dir(path))
		os.MkdirAll(dir, 0o700)
	case 2:
		os.Rename(path, filepath.Join(dir, "moved"+filepath.Ext(path)))
	case 3:
		os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "x", "b"))
	case 4:
		write(t, dir, []string{".gitignore", "b/.gitignore", ".ihmtignore"}[random.IntN(3)], []string{"", "*.py\n", "c/\n!c/e.md\n", "/b\n"}[random.IntN(4)])
	case 5: // the same size and time, other bytes
		info, err := os.Stat(path)
		data, _ := os.ReadFile(path)
		if err != nil || len(data) == 0 || info.IsDir() {
			return
		}
		for i := range data {
			if data[i] == '1' || data[i] == '2' {
				data[i] ^= 3
			}
		}
		os.WriteFile(path, data, 0o600)
		os.Chtimes(path, info.ModTime(), info.ModTime())
	case 6:
		os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour))
	case 7:
		os.Mkdir(filepath.Join(dir, ".git"), 0o700)
	default:
		n := random.IntN(3)
		write(t, dir, file, map[string]string{
			".go": fmt.Sprintf("package a%d\n\n// Walk takes %d steps.\nfunc Walk%d() {}\n", n, n, n), ".py": fmt.Sprintf("def run%d():\n    return %d\n", n, n),
			".java": strings.Replace(stock, "free", fmt.Sprint("free", n), 1), ".md": fmt.Sprintf("# Title %d\n\ntext %d\n", n, n),
			".ts": fmt.Sprintf("export const jump%d = () => %d;\n", n, n), ".txt": fmt.Sprintf("plain %d\n", n), ".orig": "old1\n",
		}[filepath.Ext(file)])
	}
}

// A file that changes after the index was brought up to date is not printed as
// it was.
func TestNoStaleCode(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", "package a\n\nfunc Old() {}\n")
	p := open(t, dir)
	v, _, err := p.view(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	info, _ := os.Stat(filepath.Join(dir, "a.go"))
	write(t, dir, "a.go", "package a\n\nfunc New() {}\n")
	os.Chtimes(filepath.Join(dir, "a.go"), info.ModTime(), info.ModTime())
	w := &writer{Project: p, view: v, left: 100, texts: map[string]*lines{}}
	if _, err := w.text(&v.files[0]); err != errStale {
		t.Errorf("error %v, want %v", err, errStale)
	}
	if a := find(t, p, Query{Query: "New"}); first(a) != "a.go:3-3 New" || a.Results[0].Content != "func New() {}\n" {
		t.Errorf("%+v", a.Results)
	}
}

// What is put in place of an index makes it new, and never fails.
func TestBrokenIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", pool)
	p := open(t, dir)
	find(t, p, Query{Query: "Pool.Get"})
	files, err := filepath.Glob(filepath.Join(p.index, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Base(file) == "lock" {
			continue
		}
		for _, harm := range []func(string){
			func(f string) { os.Remove(f) },
			func(f string) { os.Truncate(f, 100) },
			func(f string) { os.WriteFile(f, []byte("no index\n"), 0o600) },
			func(f string) { os.WriteFile(f, nil, 0o600) },
			func(f string) { info, _ := os.Stat(f); os.WriteFile(f, make([]byte, info.Size()), 0o600) },
			func(f string) {
				data, _ := os.ReadFile(f)
				copy(data[len(data)/20:], bytes.Repeat([]byte("?\n"), len(data)/4))
				os.WriteFile(f, data, 0o600)
			},
		} {
			current, _ := filepath.Glob(filepath.Join(p.index, "*"+filepath.Ext(file)))
			harm(current[0])
			if got := first(find(t, p, Query{Query: "Pool.Get"})); got != "a.go:12-15 Pool.Get" {
				t.Errorf("after harm to %s: %s", filepath.Base(file), got)
			}
			if _, err := p.Map(context.Background(), Request{Detail: DetailSymbols}); err != nil {
				t.Errorf("after harm to %s: %v", filepath.Base(file), err)
			}
		}
	}
}

func TestMapFoldsWhatHasNoRoom(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		write(t, dir, fmt.Sprintf("a/b%d/f%02d.go", i%4, i), "package a\n\nfunc F() {}\n")
	}
	write(t, dir, "main.go", pool)
	p := open(t, dir)
	m, err := p.Map(context.Background(), Request{MaxTokens: 200})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, i := range m.Items {
		total += max(i.Files, 1)
	}
	if m.Files != 41 || total != 41 || len(m.Items) != 5 {
		t.Errorf("%d files, %d told of in %d items", m.Files, total, len(m.Items))
	}
	m, err = p.Map(context.Background(), Request{Detail: DetailSymbols, Subpath: "main.go"})
	if err != nil || len(m.Items) != 1 {
		t.Fatal(m, err)
	}
	if want := []Symbol{{"struct", "Pool", 6, 10}, {"method", "Pool.Get", 12, 15}}; !slices.Equal(m.Items[0].Outline, want) {
		t.Errorf("outline %v, want %v", m.Items[0].Outline, want)
	}
}

package summarize

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/record"
)

func nodesOf(texts ...string) []Node {
	nodes := make([]Node, len(texts))
	for i, t := range texts {
		nodes[i].Text = t
	}
	return nodes
}

func summarizeTexts(t testing.TB, domain string, texts ...string) Summary {
	t.Helper()
	s, err := heuristic{}.Summarize(context.Background(), domain, 1, nodesOf(texts...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var journal = []string{
	"2024-03-11: vivo en Madrid desde hace tres años, cerca de la estación de Atocha. Luis trabaja conmigo en Nimbus Labs.",
	"Hoy hemos comido con Luis en Lavapiés; me contó que se va de Nimbus Labs.",
	"Mudanza a Valencia. El piso nuevo está junto al río Turia y Luis me ayudó con las cajas.",
	"Primer día en Valencia. El mar está cerca.",
}

func TestWhatSeveralChildrenSayComesFirst(t *testing.T) {
	s := summarizeTexts(t, "personal", journal...)
	if !slices.Contains(s.Keywords[:3], "Luis") || !slices.Contains(s.Keywords[:3], "Valencia") {
		t.Errorf("keywords %q", s.Keywords)
	}
	zh := summarizeTexts(t, "notes", "我们的库存服务使用乐观锁来避免超卖。今天上线了新版本。", "库存服务在凌晨发生死锁，回滚到旧版本。", "我住在瓦伦西亚，离海很近。")
	if zh.Keywords[0] != "库存服务" {
		t.Errorf("keywords %q", zh.Keywords)
	}
}

func TestTheSummaryIsTakenFromTheMaterial(t *testing.T) {
	material := strings.Join(journal, " ")
	s := summarizeTexts(t, "personal", journal...)
	for sentence := range strings.SplitSeq(s.Summary, ". ") {
		if !strings.Contains(material, strings.TrimSuffix(sentence, ".")) {
			t.Errorf("%q is not in the material", sentence)
		}
	}
	for _, k := range s.Keywords {
		if !strings.Contains(strings.ToLower(material), strings.ToLower(k)) {
			t.Errorf("keyword %q is not in the material", k)
		}
	}
}

func TestContrastTellsSiblingsApart(t *testing.T) {
	got := Contrast("personal", nodesOf(journal...))
	for i, want := range []string{"Atocha", "Lavapiés", "Turia", "primer"} {
		if !slices.Contains(got[i], want) {
			t.Errorf("child %d: %q, want %q among them", i, got[i], want)
		}
	}
}

func TestNamesKeepTheirCapitalsAndTheDomainIsNoKeyword(t *testing.T) {
	s := summarizeTexts(t, "zoekt.query", "The query parser drops an AndQuery.", "Zoekt now keeps one AndQuery for each shard.")
	if !slices.Contains(s.Keywords, "AndQuery") {
		t.Errorf("keywords %q, want AndQuery", s.Keywords)
	}
	for _, k := range s.Keywords {
		if k == "zoekt" || k == "Zoekt" || k == "query" {
			t.Errorf("keyword %q is the domain's name", k)
		}
	}
}

func TestCodeIsSummarisedByItsSymbols(t *testing.T) {
	s, _ := heuristic{}.Summarize(context.Background(), "software.java", 1, []Node{{
		Child: record.Child{Title: "InventoryService.reserveStock", Tags: []string{"type:code", "lang:java", "method:reserveStock", "class:InventoryService"}},
		Text:  "public int reserveStock(int zzzzzzzz) { return zzzzzzzz; }",
	}})
	if s.Summary != "InventoryService.reserveStock." || !slices.Contains(s.Keywords, "reserveStock") || slices.Contains(s.Keywords, "zzzzzzzz") {
		t.Errorf("%+v", s)
	}
}

func TestNothingToSayIsNoFailure(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"\xff\xfe", " "}, {"1234"}, {"|a|b|\n|-|-|"}} {
		if s := summarizeTexts(t, "", texts...); s.Keywords == nil {
			t.Errorf("%q: no keywords is an empty list, not null", texts)
		}
	}
}

// words counts as a person would: by spaces, two characters of a script
// without them being a word.
func words(s string) int {
	n := 0
	for w := range strings.FieldsSeq(s) {
		runs := 0
		for _, r := range w {
			if unspaced(r) {
				runs++
			}
		}
		n += max(1, (runs+1)/2)
	}
	return n
}

func FuzzHeuristic(f *testing.F) {
	for _, s := range journal {
		f.Add(s, "库存服务在凌晨发生死锁，回滚到旧版本。サーバーが落ちた。")
	}
	f.Add("# Title\n- a\n- b\n```\nx\n```\n| t |", "\x1b[31mred\u202e")
	f.Fuzz(func(t *testing.T, a, b string) {
		s := summarizeTexts(t, "d", a, b, a)
		if again := summarizeTexts(t, "d", a, b, a); !reflect.DeepEqual(s, again) {
			t.Fatalf("%+v, then %+v", s, again)
		}
		if n := words(s.Summary); utf8.ValidString(a+b) && !strings.ContainsAny(a+b, "\u00a0'-./_,;:") && n > summaryWords+8 {
			t.Errorf("%d words: %q", n, s.Summary)
		}
		if len(s.Keywords) > keywordCount {
			t.Errorf("keywords %q", s.Keywords)
		}
		for _, part := range append(s.Keywords, s.Title, s.Summary) {
			if !utf8.ValidString(part) || strings.ContainsFunc(part, unicode.IsControl) || strings.ContainsRune(part, '\u202e') {
				t.Errorf("unsafe: %q", part)
			}
		}
	})
}

func BenchmarkHeuristic(b *testing.B) {
	text := "Read indexed sections generically in the reader of the shard, so that new sections can be added.\n\nUse a map rather than binary search for finding the index. This makes looking up rare trigrams about twice as fast, at the price of some memory while a shard is open."
	nodes := nodesOf(text, text, text, text, text, text, text, text)
	b.ReportAllocs()
	for b.Loop() {
		heuristic{}.Summarize(context.Background(), "d", 1, nodes)
	}
}

// BenchmarkNotes summarises the notes of $NOTES, JSON lines with a text, by
// eights.
func BenchmarkNotes(b *testing.B) {
	f, err := os.Open(os.Getenv("NOTES"))
	if err != nil {
		b.Skip("NOTES names no file")
	}
	defer f.Close()
	var nodes []Node
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var n Node
		if json.Unmarshal(lines.Bytes(), &n) == nil {
			nodes = append(nodes, n)
		}
	}
	i := 0
	for b.Loop() {
		heuristic{}.Summarize(context.Background(), "d", 1, nodes[i:i+8])
		if i += 8; i+8 > len(nodes) {
			i = 0
		}
	}
}

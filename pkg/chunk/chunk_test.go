package chunk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

var allTypes = []string{record.TypeCode, record.TypeNarrative, record.TypeClinical, record.TypePersonal, record.TypeProcess, record.TypeGeneric, ""}

// checkChunks states what holds for every document: the contents are the
// text, the lines are right, and no size is passed but by a single block.
func checkChunks(t *testing.T, doc record.Document, opt Options) []record.Chunk {
	t.Helper()
	made := Split(doc, opt)
	var all strings.Builder
	newlines := 0
	for i, c := range made {
		startLine := 1 + newlines
		newlines += strings.Count(c.Content, "\n")
		all.WriteString(c.Content)
		endLine := startLine + strings.Count(c.Content[:max(0, len(c.Content)-1)], "\n")
		if c.Position != i || c.Content == "" || *c.Span != (record.Span{StartLine: startLine, EndLine: endLine}) {
			t.Fatalf("%s %q: chunk %d has position %d, span %v, want %d-%d", doc.DataType, doc.Text, i, c.Position, *c.Span, startLine, endLine)
		}
		if c.Tokens != text.Tokens(c.Content) || c.Oversized != (c.Tokens > opt.MaxTokens) {
			t.Fatalf("chunk %d: %d tokens, oversized %v", i, c.Tokens, c.Oversized)
		}
	}
	if all.String() != doc.Text {
		t.Fatalf("%s: the chunks of %q are %q", doc.DataType, doc.Text, all.String())
	}
	return made
}

func checkEveryType(t *testing.T, s string) {
	t.Helper()
	for _, dataType := range allTypes {
		for _, language := range []string{"", "markdown", "go"} {
			doc := record.Document{Source: "s", DataType: dataType, Language: language, Text: s}
			checkChunks(t, doc, Options{TargetTokens: 6, MaxTokens: 9})
		}
	}
}

func TestChunksAreTheText(t *testing.T) {
	pieces := []string{"\n", "\n", "\n\n", "\r\n", " ", "\t", "word ", "One. ", "Two! ", "今天。", "# Head\n", "## 2024-03-12\n", "2024-03-13: x\n", "---\n", "***\n", "===\n",
		"Chapter 3\n", "第三章\n", "- item\n", "1. step\n", "```\n", "> q\n", "| a | b |\n|---|---|\n", "[12/03/24, 21:05] Ana: hi\n", "\xff", "\u2028", "    code\n", "<div>\n", "[a]: b\n", "\ufeff"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(14) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		checkEveryType(t, b.String())
	}
}

func FuzzSplit(f *testing.F) {
	examples, _ := filepath.Glob("../../testdata/examples/*")
	for _, name := range examples {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(string(data[:min(len(data), 400)]))
		}
	}
	f.Add("---\ntitle: x\n---\n# A\n\ntext\n---\n")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 1<<12 {
			checkEveryType(t, s)
		}
	})
}

// show prints chunks as a test can state them: title | date | author | content.
func show(chunks []record.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "%s|%s|%s|%q\n", c.Title, c.Timestamp, c.Author, c.Content)
	}
	return b.String()
}

func TestWhatIsCutWhere(t *testing.T) {
	for _, c := range []struct {
		name, dataType, language, text string
		target, max                    int
		want                           string
	}{
		{"paragraphs are packed up to the target", "GENERIC", "", "one two\n\nthree four\n\nfive six\n\n", 6, 9,
			"one two|||\"one two\\n\\nthree four\\n\\n\"\nfive six|||\"five six\\n\\n\"\n"},
		{"a paragraph above the maximum stays whole", "GENERIC", "", "One two three. Four five six. Seven.", 2, 3,
			"One two three. Four five six. Seven.|||\"One two three. Four five six. Seven.\"\n"},
		{"but in a story it is split at sentences", "NARRATIVE", "", "One two three. Four five six. Seven.", 5, 6,
			"One two three.|||\"One two three. \"\nFour five six.|||\"Four five six. \"\nSeven.|||\"Seven.\"\n"},
		{"chapters and scenes are boundaries", "NARRATIVE", "", "Chapter 1\n\nHe came.\n\n***\n\nShe left.\n\nCapítulo 2: El mar\nVino.\n\n第三章 归来\n他来了。\n", 100, 200,
			"Chapter 1|||\"Chapter 1\\n\\nHe came.\\n\\n***\\n\\n\"\nChapter 1: She left.|||\"She left.\\n\\n\"\n" +
				"Capítulo 2: El mar|||\"Capítulo 2: El mar\\nVino.\\n\\n\"\n第三章 归来|||\"第三章 归来\\n他来了。\\n\"\n"},
		{"a sentence is no chapter", "NARRATIVE", "", "He saw\nPart two of the plan was simple.\n\nChapter one in hand, he went.\n", 100, 200,
			"He saw|||\"He saw\\nPart two of the plan was simple.\\n\\nChapter one in hand, he went.\\n\"\n"},
		{"entries of other dates never join, of the same do", "PERSONAL", "", "2024-03-12: a\n2024-03-12: b\nmore of b\n\n2024-03-13: c\n", 100, 200,
			"2024-03-12: a|2024-03-12||\"2024-03-12: a\\n2024-03-12: b\\nmore of b\\n\\n\"\n2024-03-13: c|2024-03-13||\"2024-03-13: c\\n\"\n"},
		{"an entry stays whole", "CLINICAL", "", "2024-03-12: One two three. Four five.\n\nSix seven.\n", 2, 3,
			"2024-03-12: One two three. Four five.|2024-03-12||\"2024-03-12: One two three. Four five.\\n\\nSix seven.\\n\"\n"},
		{"a date in a sentence starts no entry", "PERSONAL", "", "2024-03-12: the trial ends\non 2026-05-01 and\n2026-05-01 is near\n\nOn 2026-05-01 it ends.\n", 100, 200,
			"2024-03-12: the trial ends|2024-03-12||\"2024-03-12: the trial ends\\non 2026-05-01 and\\n2026-05-01 is near\\n\\nOn 2026-05-01 it ends.\\n\"\n"},
		{"headings date what is under them", "PERSONAL", "markdown", "# Diario\n\n## 3 de febrero de 2026\n\nNieva.\n\n- 2025-01-01: recuerdo\n\n## Martes 4 de febrero de 2026\n\nSol.\n\n# Ideas\n\nUna.\n", 100, 200,
			"2026-02-03: 3 de febrero de 2026|2026-02-03||\"# Diario\\n\\n## 3 de febrero de 2026\\n\\nNieva.\\n\\n- 2025-01-01: recuerdo\\n\\n\"\n" +
				"2026-02-04: Martes 4 de febrero de 2026|2026-02-04||\"## Martes 4 de febrero de 2026\\n\\nSol.\\n\\n\"\nIdeas|||\"# Ideas\\n\\nUna.\\n\"\n"},
		{"headings that are dates date a story too", "NARRATIVE", "markdown", "# Log\n\n## 2024-03-12\n\nOne two three. Four five six.\n\n### Noon\n\nSun.\n\n## 2024-03-13\n\nRain.\n\n2024-03-20: is a line.\n\n# End\n\nAll.\n", 5, 6,
			"Log: 2024-03-12|2024-03-12||\"# Log\\n\\n## 2024-03-12\\n\\nOne two three. \"\nLog: 2024-03-12: Four five six.|2024-03-12||\"Four five six.\\n\\n\"\nNoon|2024-03-12||\"### Noon\\n\\nSun.\\n\\n\"\n" +
				"2024-03-13|2024-03-13||\"## 2024-03-13\\n\\nRain.\\n\\n\"\n2024-03-13: 2024-03-20: is a line.|2024-03-13||\"2024-03-20: is a line.\\n\\n\"\nEnd|||\"# End\\n\\nAll.\\n\"\n"},
		{"and steps and notes", "PROCESS", "markdown", "## 12 March 2024\n\n1. Mix\n\n## 13 March 2024\n\n1. Bake\n", 100, 200,
			"12 March 2024|2024-03-12||\"## 12 March 2024\\n\\n1. Mix\\n\\n\"\n13 March 2024|2024-03-13||\"## 13 March 2024\\n\\n1. Bake\\n\"\n"},
		{"but no code", "CODE", "", "# 2024-03-12\n\nx = 1\n", 100, 200, "2024-03-12, x = 1|||\"# 2024-03-12\\n\\nx = 1\\n\"\n"},
		{"who speaks in a chat is the author", "PERSONAL", "", "[3/4/24, 21:05] Ana: hi\nthere\n[3/4/24, 21:06] Ana: you?\n[3/4/24, 21:07] Luis: yes\n[3/25/24, 9:00] Luis: no\n", 100, 200,
			"2024-03-04 Ana|2024-03-04|Ana|\"[3/4/24, 21:05] Ana: hi\\nthere\\n[3/4/24, 21:06] Ana: you?\\n\"\n2024-03-04 Luis|2024-03-04|Luis|\"[3/4/24, 21:07] Luis: yes\\n\"\n" +
				"2024-03-25 Luis|2024-03-25|Luis|\"[3/25/24, 9:00] Luis: no\\n\"\n"},
		{"who a record is about is the context of its entries", "CLINICAL", "", "Patient: Ann\n\n2024-03-12: ill\n\n2024-03-13: well\n", 100, 200,
			"Patient: Ann|||\"Patient: Ann\\n\\n\"\n2024-03-12: ill|2024-03-12||\"2024-03-12: ill\\n\\n\"\n2024-03-13: well|2024-03-13||\"2024-03-13: well\\n\"\n"},
		{"the head of a record stays with its date", "CLINICAL", "", "Patient: Ann\nDate: 2024-03-12\nill\n\nPatient: Ben\nDate: 2024-03-13\nwell\n", 100, 200,
			"2024-03-12: ill|2024-03-12||\"Patient: Ann\\nDate: 2024-03-12\\nill\\n\\n\"\n2024-03-13: well|2024-03-13||\"Patient: Ben\\nDate: 2024-03-13\\nwell\\n\"\n"},
		{"the title of a book stays with its first chapter", "NARRATIVE", "", "THE SEA\n\nChapter 1\n\nWaves.\n\nChapter 2\n\nSand.\n", 100, 200,
			"THE SEA: Chapter 1|||\"THE SEA\\n\\nChapter 1\\n\\nWaves.\\n\\n\"\nChapter 2|||\"Chapter 2\\n\\nSand.\\n\"\n"},
		{"personal without dates is as other text", "PERSONAL", "", "One.\n\nTwo.\n", 2, 9, "One.|||\"One.\\n\\n\"\nTwo.|||\"Two.\\n\"\n"},
		{"a list stays with its heading", "PROCESS", "", "# Bread\n\nGood.\n\n## Steps\n\nDo this:\n\n1. Mix\n2. Knead\n\n   long\n3. Bake\n\nEnjoy.\n", 8, 40,
			"Bread|||\"# Bread\\n\\nGood.\\n\\n\"\nBread > Steps|||\"## Steps\\n\\nDo this:\\n\\n1. Mix\\n2. Knead\\n\\n   long\\n3. Bake\\n\\n\"\nBread > Steps: Enjoy.|||\"Enjoy.\\n\"\n"},
		{"code with headings inside stays whole", "GENERIC", "markdown", "# A\n\n```sh\n# not a heading\n\nmake\n```\n\n# B\n\nx\n", 4, 40,
			"A|||\"# A\\n\\n```sh\\n# not a heading\\n\\nmake\\n```\\n\\n\"\nB|||\"# B\\n\\nx\\n\"\n"},
		{"a table stays with its heading", "GENERIC", "markdown", "# A\n\nwords\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n", 4, 40,
			"A|||\"# A\\n\\nwords\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n\"\nA: end|||\"end\\n\"\n"},
	} {
		doc := record.Document{Source: "s", DataType: c.dataType, Language: c.language, Text: c.text}
		got := show(checkChunks(t, doc, Options{TargetTokens: c.target, MaxTokens: c.max}))
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestChunkFieldsComeFromTheDocument(t *testing.T) {
	doc := record.Document{Source: "s", DataType: "NARRATIVE", Domain: "d", Language: "en", Timestamp: "2024-01-01", Author: "A", Tags: []string{"x", "x"}, Project: "p", Agent: "g", Text: "Hi."}
	c := Split(doc, Options{})[0]
	if c.Domain != "d" || c.Language != "en" || c.Timestamp != "2024-01-01" || c.Author != "A" || c.Project != "p" || c.Agent != "g" || fmt.Sprint(c.Tags) != "[x type:narrative]" {
		t.Errorf("%+v", c)
	}
}

func TestEntriesCarryTheHeadAsContext(t *testing.T) {
	made := Split(record.Document{DataType: "CLINICAL", Text: "Patient: Ann\n\n2024-03-12: ill\n"}, Options{})
	if len(made) != 2 || made[0].Context != "" || made[1].Context != "Patient: Ann" {
		t.Errorf("%+v", made)
	}
}

func ExampleSplit() {
	doc := record.Document{DataType: record.TypePersonal, Text: "2024-03-12: moved to Madrid\n2026-02-03: now in Valencia\n"}
	for _, c := range Split(doc, Options{}) {
		fmt.Printf("%s %q\n", c.Timestamp, c.Content)
	}
	// Output:
	// 2024-03-12 "2024-03-12: moved to Madrid\n"
	// 2026-02-03 "2026-02-03: now in Valencia\n"
}

package chunk

import (
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/record"
)

func TestOversizedClassSplitsPerMember(t *testing.T) {
	method := "    /** Takes {some}. */\n    void take(int n) {\n        stock = stock - n; // and no more than there is, which the caller checks\n    }\n\n"
	text := "import a.B;\nimport a.C;\n\n/** All stock. */\n@Service\npublic class Stock {\n    int stock;\n\n" + method + strings.Replace(method, "take", "give", 1) + "}\n"
	doc := record.Document{Source: "s", DataType: record.TypeCode, Language: "java", Text: text}
	made := checkChunks(t, doc, Options{TargetTokens: 50, MaxTokens: 50})
	last := made[len(made)-1]
	if last.Context != "@Service\npublic class Stock {" || last.Title != "Stock.give" || !strings.HasPrefix(last.Content, "    /** Takes") {
		t.Errorf("the last chunk is %q in %q: %q", last.Title, last.Context, last.Content)
	}
	if got := last.Symbols; len(got) != 1 || got[0] != (record.Symbol{Kind: code.Method, Name: "give", Line: 15, EndLine: 17}) {
		t.Errorf("its symbols are %v", got)
	}
	whole := checkChunks(t, doc, Options{TargetTokens: 2000, MaxTokens: 3000})
	if len(whole) != 1 || whole[0].Context != "" {
		t.Fatalf("%d chunks, want 1 without context", len(whole))
	}
	if got := strings.Join(whole[0].Tags, " "); got != "type:code lang:java class:Stock method:take method:give" {
		t.Errorf("tags are %s", got)
	}
}

func FuzzCode(f *testing.F) {
	f.Add("class A { int x; /* } */ void m() {} }\nint f() {}")
	f.Add("namespace a {\nimport b\n// c\n\nfunction d() {}\n}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range code.Languages() {
			for _, mode := range []string{CodePack, CodeSymbol} {
				doc := record.Document{Source: "s", DataType: record.TypeCode, Language: language, Text: text}
				checkChunks(t, doc, Options{TargetTokens: 4, MaxTokens: 6, CodeMode: mode})
			}
		}
	})
}

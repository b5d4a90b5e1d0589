package facts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatements reads the sentences in testdata/*.tsv: what each states, a
// tab, and the text.
func TestStatements(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatal("no sentences", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for number, line := range strings.Split(string(data), "\n") {
			want, text, ok := strings.Cut(line, "\t")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			text = strings.ReplaceAll(text, `\n`, "\n")
			if got := written(Bundled().Extract(text, "2026-06-01")); got != want {
				t.Errorf("%s:%d: %q\n\tgot  %s\n\twant %s", file, number+1, text, got, want)
			}
		}
	}
}

// written writes statements as testdata does.
func written(statements []Statement) string {
	if len(statements) == 0 {
		return "-"
	}
	var parts []string
	for _, s := range statements {
		mark, who, when := "=", "", ""
		if s.Ends {
			mark = "!"
		}
		if s.Subject != User {
			who = s.Subject + ":"
		}
		if s.Date != "2026-06-01" {
			when = "@" + s.Date
		}
		parts = append(parts, who+s.Attribute+mark+s.Value+when)
	}
	return strings.Join(parts, ";")
}

func ExampleRules_Extract() {
	for _, s := range Bundled().Extract("I used to live in Cork, but now I live in Dublin and work at Acme, Inc.", "2026-02-03") {
		fmt.Println(s.Date, s.Subject, s.Attribute, "=", s.Value)
	}
	// Output:
	// 2026-02-03 user location = Dublin
	// 2026-02-03 user employer = Acme, Inc.
}

func TestAChatLineIsItsSpeakers(t *testing.T) {
	leaf := Leaf{Timestamp: "2024-03-12", Author: "Ana", Text: "[12/03/24, 21:05] Ana: I live in Cork"}
	got := Bundled().Read(leaf).Statements
	if len(got) != 1 || got[0].Subject != "ana" || got[0].Value != "Cork" {
		t.Errorf("got %+v", got)
	}
	leaf.Author = ""
	if got := Bundled().Read(leaf).Statements; len(got) != 0 {
		t.Errorf("somebody's line in a text without an author: got %+v", got)
	}
}

func TestCodeStatesNothing(t *testing.T) {
	if got := Bundled().Read(Leaf{Type: "CODE", Text: "# I live in Cork"}); len(got.Statements) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsSaidOutrightComesBack(t *testing.T) {
	text, err := Say("Marta  Ruiz", "diagnosis", "tension-type headache = mild")
	if err != nil {
		t.Fatal(err)
	}
	got := Bundled().Read(Leaf{Timestamp: "2026-06-01", Tags: []string{FactTag}, Text: text + "\n"}).Statements
	if written(got) != "marta ruiz:diagnosis=tension-type headache = mild" {
		t.Errorf("got %+v", got)
	}
	for _, bad := range [][3]string{{"", "a", "b"}, {"user", "two words", "b"}, {"user", "a", " "}, {"a = b", "c", "d"}} {
		if _, err := Say(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestOwnRulesAddToTheBundledOnes(t *testing.T) {
	r, err := With("mine", "[pet]\nvalue name\nsays my (dog|cat) is [called] _\n[list technology]\nOxyrad\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := written(r.Extract("My dog is called Rex. We use Oxyrad.", "2026-06-01")); got != "pet=Rex;stack=Oxyrad" {
		t.Errorf("got %s", got)
	}
}

func TestBadRulesAreNamed(t *testing.T) {
	for rules, want := range map[string]string{
		"says I _":                        "mine, line 1: stands before",
		"[pet]\nsays my dog":              "mine, line 2: ",
		"[pet]\n\nsay my dog _":           "mine, line 3: \"say\" is none of",
		"[pet]\nsays my (dog _":           "line 2",
		"[pet]\nsays (a|) _":              "an alternative is empty",
		"[pet]\nsays [my] _":              "must start with a word",
		"[pet]\nsays * dog _":             "must start with a word",
		"[pet\nsays my dog _":             "lacks its ]",
		"[pet]\nsays my dog] is _":        "closes what it did not open",
		"[list x]\n!!":                    "has no words",
		"[pet]\nsays <role my dog is _":   "lacks its >",
		"[pet]\nsays my _ is _":           "one _",
		"[pet]\nvalue nothing\nsays my _": "value \"nothing\"",
	} {
		_, err := With("mine", rules)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", rules, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"I live in Porto.", "Patient: A B\nDiagnosis: x", "¿Vivo en \"Madrid\"?", "我住在苏州，", "```\nx\n", "don't I'm “a” 'b", "2026-02-03: I'm", "> q\n- I moved from a b c to X on 2 May 2024"} {
		f.Add(s, "2026-02-03")
	}
	f.Fuzz(func(t *testing.T, text, timestamp string) {
		for _, s := range Bundled().Read(Leaf{Text: text, Timestamp: timestamp}).Statements {
			if s.Attribute == "" || s.Value == "" && !s.Ends || strings.Contains(s.Value, "\n") {
				t.Errorf("%q states %+v", text, s)
			}
		}
	})
}

func FuzzRules(f *testing.F) {
	f.Add("[pet]\nvalue name\nsays my (dog|cat) [is] _ .\nnever Rex | @calendar\n[list x]\na b | c")
	f.Fuzz(func(t *testing.T, rules string) {
		if len(rules) > 2000 {
			return
		}
		newRules().read("mine", rules)
	})
}

func TestHostileTextsCostNoMoreThanOthers(t *testing.T) {
	const size = 1 << 20
	for _, part := range []string{"I live in Porto and ", "I ", "“", "\"I moved to A", "> ", "```\n", "a", "I'm", "我", "我住在", "1 ", "Patient: A. ", "I moved from a ", "“\n", "2024-01-01 ", "I moved to Aaaa on 1 ", "\n\n", "I moved to Aaaa          "} {
		text := strings.Repeat(part, size/len(part))
		Bundled().Extract(text, "2026-06-01")
	}
}

func TestADateThatReadsTwoWaysIsReadAsTheLeafs(t *testing.T) {
	for _, day := range []string{"2026-03-04", "2026-04-03"} {
		got := Bundled().Read(Leaf{Timestamp: day, Text: "03/04/2026: I live in Porto."}).Statements
		if len(got) != 1 || got[0].Date != day {
			t.Errorf("%s: got %+v", day, got)
		}
	}
}

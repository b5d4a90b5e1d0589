package detect

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
)

type labelled struct{ dataType, domain, language, name, text string }

func readLabelled(t *testing.T) []labelled {
	data, err := os.ReadFile("testdata/labelled.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for part := range strings.SplitSeq("\n"+string(data), "\n=== ") {
		head, body, _ := strings.Cut(part, "\n")
		fields := append(strings.Fields(head), "", "", "", "")
		if fields[0] == "" || strings.HasPrefix(part, "\n#") {
			continue
		}
		all = append(all, labelled{fields[0], fields[1], fields[2], fields[3], body + "\n"})
	}
	return all
}

// The labels were written by a person, not by Classify. Of what is wrong,
// little may have been said with confidence.
func TestLabelledTexts(t *testing.T) {
	right, sure, total := 0, 0, 0
	for _, l := range readLabelled(t) {
		g := Classify(l.name, l.text)
		total++
		if g.DataType == l.dataType && (l.domain == "*" || g.Domain == l.domain) && (l.language == "*" || g.Language == l.language) {
			right++
			continue
		}
		if g.Confidence > 0.8 {
			sure++
		}
		t.Logf("want %s %s %s, got %s %s %s %.2f %q: %.60q", l.dataType, l.domain, l.language, g.DataType, g.Domain, g.Language, g.Confidence, g.Signals, l.text)
	}
	t.Logf("%d of %d right (%.1f %%), %d wrong above 0.8", right, total, 100*float64(right)/float64(total), sure)
	if float64(right) < 0.95*float64(total) {
		t.Errorf("only %d of %d right", right, total)
	}
	if sure*50 > total {
		t.Errorf("%d of %d wrong with a confidence above 0.8", sure, total)
	}
}

// TestDatesAsHeadingsAreAJournal has journals whose words are those of no
// type: what stands under dates is no story, however it reads.
func TestDatesAsHeadingsAreAJournal(t *testing.T) {
	words := strings.Fields("he said whispered the old gate stone lamp she her his eyes suddenly door night wind sail bell quince heron oak river")
	rng := rand.New(rand.NewPCG(1, 2))
	for _, perEntry := range []int{5, 40, 400} {
		var b strings.Builder
		b.WriteString("# Log\n")
		for day := range 28 {
			fmt.Fprintf(&b, "\n## 2024-02-%02d\n\n", day+1)
			for range perEntry {
				b.WriteString(words[rng.IntN(len(words))] + " ")
			}
			b.WriteString("end.\n")
		}
		if g := Classify("log.md", b.String()); g.DataType != record.TypePersonal {
			t.Errorf("%d words an entry: %+v", perEntry, g)
		}
	}
}

func TestShebang(t *testing.T) {
	for line, want := range map[string]string{
		"#!/bin/sh": "shell", "#! /usr/bin/python3.11 -u": "python", "#!/usr/bin/env -S FOO=1 node --x": "javascript", "#!/usr/bin/perl\r": "perl",
		"#!/opt/odd/tool": "shell", "#![feature(x)]": "", "#!": "", "# !/bin/sh": "", "#!/usr/bin/env": "shell",
	} {
		if got, _ := shebang(line + "\n"); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, seed := range []string{"", "\ufeff", "#!", "#! ", "```", "\xff\n\xff", "2026-02-03: I live in Valencia", "def f():\n  return 1\n", "主诉：咳嗽", "z" + strings.Repeat("\x98", 500), strings.Repeat(" ", 500) + "x"} {
		f.Add("", seed)
		f.Add("a.h", seed)
	}
	f.Fuzz(func(t *testing.T, name, content string) {
		g := Classify(name, content)
		if !(g.Confidence > 0 && g.Confidence <= 1) || !slices.Contains(types, g.DataType) {
			t.Errorf("%+v", g)
		}
		if slug, err := Domain(g.Domain); err != nil || slug != g.Domain {
			t.Errorf("domain %q: %v", g.Domain, err)
		}
		if again := Classify(name, content); !reflect.DeepEqual(again, g) {
			t.Errorf("%+v, then %+v", g, again)
		}
	})
}

// The data files are read lazily; here every name and pattern is.
func TestDataFiles(t *testing.T) {
	c := wordCues()
	topics := (&sample{}).scores("")
	for _, q := range slices.Concat(c.lines, c.numbers, c.han, c.signs) {
		if topics[q.topic] == nil {
			t.Errorf("%s: no topic %q", q.name, q.topic)
		}
		if q.pattern != nil {
			q.pattern()
		}
	}
	for first, phrases := range c.phrases {
		for _, p := range phrases {
			s := newSample(strings.ToUpper(p.cue.name))
			if topics[p.cue.topic] == nil || !slices.Equal(s.words, append([]string{first}, p.rest...)) {
				t.Errorf("%s %q is read as %q and never found", p.cue.topic, p.cue.name, s.words)
			}
		}
	}
	for name, k := range nameTables().exact {
		if slug, err := Domain(cmp.Or(k.domain, "general")); err != nil || slug != cmp.Or(k.domain, "general") {
			t.Errorf("%s: domain %q: %v", name, k.domain, err)
		}
		if name != strings.ToLower(name) {
			t.Errorf("%s is not in lower case and never found", name)
		}
	}
	for _, q := range syntaxCues() {
		if domainOf(q.language) == "" {
			t.Errorf("no domain for %s", q.language)
		}
	}
}

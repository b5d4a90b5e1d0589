package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	for _, want := range [][]string{
		{},
		{"one"},
		{"One. ", "Two! ", "Three?"},
		{"Dr. Smith met Sra. López at 3.15 p.m. yesterday. ", "They spoke."},
		{"It costs 3.50 euros. ", "See v1.2.3 for more."},
		{"J. R. R. Tolkien wrote it. ", "So did I. ", "Then he left."},
		{"Bring fruit, e.g. Apples, i.e. good ones. ", "Done."},
		{"Milk, eggs, etc. ", "Then bake."},
		{"¿Qué tal? ", "¡Bien! ", "—Vale —dijo."},
		{"«Ya voy.» ", "Y se fue…  ", "Nadie volvió."},
		{"¡Ay! gritó ella. ", "Luego nada."},
		{"今天下雨。", "我们没出门！", "“好吗？”", "他问。"},
		{"昨日は雨。\n", "今日は晴れ。"},
		{"A line\nbroken in two. ", "End."},
		{"Title\n\n", "Text."},
		{"List:\n", "- one\n", "- two\n", "1. Three"},
		{"It was 2024. ", "Then came 2025."},
		{"Wait... what? ", "Yes."},
		{"यह है। ", "वह नहीं।"},
	} {
		s := strings.Join(want, "")
		var got []string
		start := 0
		for _, end := range Sentences(s) {
			got = append(got, s[start:end])
			start = end
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("Dr. Smith. ¿Qué? 今天。\n\n- a\n")
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, end := range Sentences(s) {
			if end <= last || end > len(s) {
				t.Fatalf("end %d after %d in %d", end, last, len(s))
			}
			last = end
		}
		if last != len(s) {
			t.Fatalf("ends at %d of %d", last, len(s))
		}
	})
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "ñandú": 2, "猫": 1, "猫と犬。": 4, "한국": 2, "abcd猫": 2, "\xff\xff": 1} {
		if got := Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
}

func ExampleSentences() {
	s := "Dr. Ruiz paid 3.50. ¿Volverá? 明天见。"
	start := 0
	for _, end := range Sentences(s) {
		fmt.Printf("%q\n", s[start:end])
		start = end
	}
	// Output:
	// "Dr. Ruiz paid 3.50. "
	// "¿Volverá? "
	// "明天见。"
}

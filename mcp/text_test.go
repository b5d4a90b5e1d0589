package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/text"
)

func TestCutKeepsWholeLines(t *testing.T) {
	all := "first line\nsecond line\nthird line"
	for tokens, want := range map[int]string{100: all, 6: "first line\nsecond line", 4: "first line", 1: "firs"} {
		if kept, left := cut(all, tokens); kept != want || (left > 0) != (want != all) {
			t.Errorf("%d tokens: %q, %d left, want %q", tokens, kept, left, want)
		}
	}
}

func TestAroundFindsTheExcerpt(t *testing.T) {
	all := strings.Repeat("the crane was moved by night\n", 50) + "the crane was\tmoved by the harbour master\n" + strings.Repeat("the crane was moved by day\n", 50)
	got := around(all, "…ed by night the crane was moved by the harbour master the crane was mo…", 60)
	if !strings.Contains(got, "harbour master") || text.Tokens(got) > 65 {
		t.Errorf("got %q", got)
	}
	if got := around("short", "another text", 60); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestLead(t *testing.T) {
	for in, want := range map[string]string{"## 2025-03-28: The doors": "The doors", "2025-03-28 · Digestivo": "Digestivo", "The doors": "The doors", "2025-03-29 on": "2025-03-29 on"} {
		if got := lead(in, "2025-03-28"); got != want {
			t.Errorf("%q leads %q, want %q", in, got, want)
		}
	}
}

func TestWithoutNulls(t *testing.T) {
	for in, want := range map[string]string{`{"a":null,"b":1}`: `{"b":1}`, `null`: `{}`, `{}`: `{}`, `[]`: `[]`, ``: ``} {
		if got := string(withoutNulls([]byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

func FuzzAround(f *testing.F) {
	f.Add("one two three\nfour five six", "…two three four…", 5)
	f.Add("", "…", 1)
	f.Add("\xff\xfe 会议\u2028x", "会议", 2)
	f.Fuzz(func(t *testing.T, s, excerpt string, tokens int) {
		if tokens < 1 || tokens > 1000 {
			tokens = 1
		}
		s = strings.ToValidUTF8(s, "")
		got := around(s, excerpt, tokens)
		if text.Tokens(got) > tokens+2 || !utf8.ValidString(got) {
			t.Errorf("%q about %q in %d tokens: %q", s, excerpt, tokens, got)
		}
		if inner := strings.Trim(got, "…"); !strings.Contains(s, inner) {
			t.Errorf("%q is no part of %q", inner, s)
		}
	})
}

package text

import "testing"

func TestTitlesThatOnlyRepeatTheTextCountOnce(t *testing.T) {
	a, _ := NewAnalyzer([]string{"en", "es"})
	for _, c := range []struct {
		title, content string
		want           int // frequency of "boiler"
	}{
		{"", "Boiler pressure is low.", 1},
		{"Boiler pressure is low.", "Boiler pressure is low.", 1},
		{"Boiler pressure…", "Boiler pressure is low.", 1},
		{"Boiler press…", "Boiler pressure is low.\nCalled the plumber.", 1},
		{"2026-02-03: Boiler pressure…", "Feb 3, 2026: boiler pressure is low", 1},
		{"Boiler", "# Boiler\n\nThe pressure is low.", 4},
		{"Boiler", "The pressure is low.", 3},
		{"Boiler manual", "Boiler pressure", 4},
	} {
		if got := a.Profile(Fields{Title: c.title, Content: c.content}).Terms["boiler"]; got != c.want {
			t.Errorf("%q over %q: boiler %d times, want %d", c.title, c.content, got, c.want)
		}
	}
}

func TestTagsAreIndexedByTheirNames(t *testing.T) {
	a, _ := NewAnalyzer([]string{"en"})
	p := a.Profile(Fields{Content: "x", Tags: []string{"type:code", "class:StockService", "urgent"}})
	for term, want := range map[string]int{"type": 0, "code": 0, "class": 0, "stock": 2, "stockservice": 2, "urgent": 2} {
		if p.Terms[term] != want {
			t.Errorf("%s: %d, want %d", term, p.Terms[term], want)
		}
	}
}

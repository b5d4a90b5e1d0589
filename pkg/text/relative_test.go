package text

import (
	"fmt"
	"testing"
)

func TestFindRelative(t *testing.T) {
	today := Date{2026, 11, 30} // a Monday
	for in, want := range map[string]string{
		"where did I live last year?":   "2025-01-01 2025-12-31 last year",
		"what did we decide last month": "2026-10-01 2026-10-31 last month",
		"last week's meeting":           "2026-11-23 2026-11-29 last week",
		"Yesterday":                     "2026-11-29 2026-11-29 Yesterday",
		"the day before yesterday":      "2026-11-28 2026-11-28 the day before yesterday",
		"3 days ago":                    "2026-11-27 2026-11-27 3 days ago",
		"two weeks ago":                 "2026-11-16 2026-11-22 two weeks ago",
		"a month ago":                   "2026-10-01 2026-10-31 a month ago",
		"12 months ago":                 "2025-11-01 2025-11-30 12 months ago",
		"2 years ago, where did I work": "2024-01-01 2024-12-31 2 years ago",
		"¿dónde vivía el año pasado?":   "2025-01-01 2025-12-31 año pasado",
		"el mes pasado":                 "2026-10-01 2026-10-31 mes pasado",
		"la semana pasada":              "2026-11-23 2026-11-29 semana pasada",
		"ayer":                          "2026-11-29 2026-11-29 ayer",
		"hace 2 años":                   "2024-01-01 2024-12-31 hace 2 años",
		"hace tres semanas":             "2026-11-09 2026-11-15 hace tres semanas",
		"我去年住在哪里":                       "2025-01-01 2025-12-31 去年",
		"前年我在哪里工作":                      "2024-01-01 2024-12-31 前年",
		"我上个月住在哪里":                      "2026-10-01 2026-10-31 上个月",
		"昨天":                            "2026-11-29 2026-11-29 昨天",
		"3天前":                           "2026-11-27 2026-11-27 3天前",
		"两年前我住在哪":                       "2024-01-01 2024-12-31 两年前",
		"in the last year":              "",
		"the last of the year":          "",
		"the laptop lasted a year":      "",
		"años":                          "",
		"the chicago week":              "",
		"":                              "",
	} {
		got := ""
		for _, p := range FindRelative(in, today) {
			got += fmt.Sprintf("%v %v %s", p.First, p.Last, in[p.Start:p.End])
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestMonthsAreCountedOverTheYear(t *testing.T) {
	if p := FindRelative("last month", Date{2026, 1, 31}); p[0].First != (Date{2025, 12, 1}) || p[0].Last != (Date{2025, 12, 31}) {
		t.Errorf("got %v", p)
	}
	if p := FindRelative("last week", Date{2026, 11, 29}); p[0].First != (Date{2026, 11, 16}) { // from a Sunday
		t.Errorf("got %v", p)
	}
}

func FuzzFindRelative(f *testing.F) {
	f.Add("hace 2 años, 3天前")
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, p := range FindRelative(s, Date{2026, 11, 30}) {
			if p.Start < end || p.End > len(s) || p.Last.Compare(p.First) < 0 {
				t.Fatalf("%q: %v", s, p)
			}
			end = p.End
		}
	})
}

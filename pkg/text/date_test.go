package text

import (
	"fmt"
	"testing"
	"time"
)

func TestLeadingDate(t *testing.T) {
	for _, c := range []struct{ in, date, time, speaker, rest string }{
		{"2026-02-03: I live in Valencia", "2026-02-03", "", "", "I live in Valencia"},
		{"2026-02-03 I live in Valencia", "2026-02-03", "", "", "I live in Valencia"},
		{"2026-02-03", "2026-02-03", "", "", ""},
		{"2026/2/3 - x", "2026-02-03", "", "", "x"},
		{"Feb 3, 2026 - agreed", "2026-02-03", "", "", "agreed"},
		{"Feb 3, 2026: agreed", "2026-02-03", "", "", "agreed"},
		{"February 3rd, 2026. Agreed.", "2026-02-03", "", "", "Agreed."},
		{"3rd of February 2026: x", "2026-02-03", "", "", "x"},
		{"Tuesday, 3 February 2026\nDear diary", "2026-02-03", "", "", "Dear diary"},
		{"martes, 3 de febrero de 2026\n\nQuerido diario", "2026-02-03", "", "", "Querido diario"},
		{"## 3 de febrero de 2026\nx", "2026-02-03", "", "", "x"},
		{"## Martes 3 de febrero del 2026\nx", "2026-02-03", "", "", "x"},
		{"**2026-02-03** — x", "2026-02-03", "", "", "x"},
		{"# 1.º de mayo de 2025", "2025-05-01", "", "", ""},
		{"2024年3月12日：猫", "2024-03-12", "", "", "猫"},
		{"2024年3月12日 星期二\n猫", "2024-03-12", "", "", "猫"},
		{"2024年03月12号，猫", "2024-03-12", "", "", "猫"},
		{"2024 年 3 月 12 日，猫", "2024-03-12", "", "", "猫"},
		{"日期：2024-03-12\n猫", "2024-03-12", "", "", "猫"},
		{"Fecha: 12/03/2024\nPaciente: Ana", "2024-03-12", "", "", "Paciente: Ana"},
		{"Visit 2: 2024-03-12\nx", "2024-03-12", "", "", "x"},
		{"Consulta del 12 de marzo de 2024: x", "2024-03-12", "", "", "x"},
		{"## Entry for Bob, 12 March 2024\nx", "2024-03-12", "", "", "x"},
		{"## Visita de control (12/03/2024)\nx", "2024-03-12", "", "", "x"},
		{"Patient: Marta Ruiz\nDate: 2024-05-14\nDiagnosis: x", "2024-05-14", "", "", "Patient: Marta Ruiz\nDate: 2024-05-14\nDiagnosis: x"},
		{"25/03/2024 x", "2024-03-25", "", "", "x"},
		{"03/25/2024 x", "2024-03-25", "", "", "x"},
		{"12.03.24: x", "2024-03-12", "", "", "x"},
		{"12-Mar-24: x", "2024-03-12", "", "", "x"},
		{"- 2024-03-12: x", "2024-03-12", "", "", "x"},
		{"\ufeff\n 2024-03-12: x", "2024-03-12", "", "", "x"},
		{"El 12 de mayo de 2025, x", "2025-05-12", "", "", "x"},
		{"[12/03/24, 21:05] Ana: hi", "2024-03-12", "21:05", "Ana", "hi"},
		{"[12/03/24, 21:05:17] Ana María: hi", "2024-03-12", "21:05:17", "Ana María", "hi"},
		{"\u200e[12/03/24, 9:05:17\u202fPM] ~ Ana: hi", "2024-03-12", "21:05:17", "Ana", "hi"},
		{"12/03/2024, 21:05 - Ana: hi", "2024-03-12", "21:05", "Ana", "hi"},
		{"12/3/24, 9:05\u00a0p.\u00a0m. - +34 600 11 22 33: hi", "2024-03-12", "21:05", "+34 600 11 22 33", "hi"},
		{"[2024/3/12 下午9:05:12] 小王: 你好", "2024-03-12", "21:05:12", "小王", "你好"},
		{"2024-03-12 21:05 Ana: hi", "2024-03-12", "21:05", "Ana", "hi"},
		{"2024-03-12 21:05 <ana> hi", "2024-03-12", "21:05", "ana", "hi"},
		{"2024-03-12T21:05:00+01:00 Ana: hi", "2024-03-12", "21:05:00", "Ana", "hi"},
		{"[21:05, 12/3/2024] Ana: hi", "2024-03-12", "21:05", "Ana", "hi"},
		{"1:56 pm on 8 May, 2023: x", "2023-05-08", "13:56", "", "x"},
		{"12/03/2024, 21:05 - Messages are end-to-end encrypted.", "2024-03-12", "21:05", "", "Messages are end-to-end encrypted."},
		{"2024-03-12 21:05 see http://x.org", "2024-03-12", "21:05", "", "see http://x.org"},
	} {
		got, ok := LeadingDate(c.in, DMY)
		if !ok || got.Date.String() != c.date || got.Time != c.time || got.Speaker != c.speaker || c.in[got.Length:] != c.rest {
			t.Errorf("%q: %v %+v, rest %q", c.in, ok, got, c.in[min(got.Length, len(c.in)):])
		}
	}
}

func TestNoDateLeads(t *testing.T) {
	for _, in := range []string{
		"", "x", "the trial ends on 2026-05-01", "2026-05-01 is the deadline", "2026-05-01 es la fecha límite",
		"31/02/2024: x", "2024-02-30: x", "2023-02-29 x", "February 30, 2024: x", "2024年2月30日：x", "2024-13-01 x", "0/0/2024 x",
		"2024-03-12-notes.md holds it", "12024-03-12 x", "192.168.10.24: x", "1.2.24: x", "2024-03", "March 2024", "2024: x",
		"On 2026-05-01 the trial ends", "Fecha de nacimiento: 12/03/1960", "Born 12 March 1960", "## Roadmap until 2026-05-01",
		"99999999999999999999/1/1", "10:30 standup", "3 apples", "15/8 bar", "x\n2024-03-12: y", "Paciente: Ana\n\nFecha: 2024-03-12", "x\nDate: 2024-03-12", "Name: Ana\nBorn: 2024-03-12",
	} {
		if got, ok := LeadingDate(in, DMY); ok {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

func TestAmbiguousNumericDates(t *testing.T) {
	for _, c := range []struct {
		in        string
		order     DateOrder
		date      string
		ambiguous bool
	}{
		{"03/04/2026: x", DMY, "2026-04-03", true},
		{"03/04/2026: x", MDY, "2026-03-04", true},
		{"04/04/2026: x", DMY, "2026-04-04", false},
		{"13/04/2026: x", MDY, "2026-04-13", false},
		{"04/13/2026: x", DMY, "2026-04-13", false},
		{"2026-04-03: x", MDY, "2026-04-03", false},
	} {
		if got, ok := LeadingDate(c.in, c.order); !ok || got.Date.String() != c.date || got.Ambiguous != c.ambiguous {
			t.Errorf("%q %v: %+v", c.in, c.order, got)
		}
	}
}

func TestOrderThatTheTextProves(t *testing.T) {
	if got := ProvenOrder("3/4/24, 9:05 - Ana: a\n3/25/24, 9:05 - Ana: b\n", DMY); got != MDY {
		t.Error(got)
	}
	if got := ProvenOrder("3/4/24: a\n", MDY); got != MDY {
		t.Error(got)
	}
	if got := ProvenOrder("25/3/24: a\n3/25/24: b\n", DMY); got != DMY {
		t.Error(got)
	}
}

func TestFindDates(t *testing.T) {
	for in, want := range map[string]string{
		"what happened on 2025-03-14?":                "[2025-03-14@17-27]",
		"¿qué hicimos el 12 de mayo de 2025?":         "[2025-05-12@18-36]",
		"what did we agree on 3 February 2026":        "[2026-02-03@21-36]",
		"in March 2024":                               "[2024-03@3-13]",
		"en marzo de 2024":                            "[2024-03@3-16]",
		"en 2024":                                     "[2024@3-7]",
		"we met in 2024.":                             "[2024@10-14]",
		"2024年3月":                                     "[2024-03@0-11]",
		"2024年的计划":                                    "[2024@0-7]",
		"在2024年3月12日发生":                               "[2024-03-12@3-19]",
		"between 2024-03-01 and 2024-03-10":           "[2024-03-01@8-18 2024-03-10@23-33]",
		"from 2024-03 to 2024-04":                     "[2024-03@5-12 2024-04@16-23]",
		"May 3rd, 2024 (or 03/04/2024)":               "[2024-05-03@0-13 2024-04-03?@18-28]",
		"error 2024 in build 1.2.2024.3":              "[]",
		"uses 2000 tokens of 4096":                    "[]",
		"id 12345-01-02 and 550e8400-2024-01-02":      "[]",
		"31/02/2024 2024-02-31 30 de febrero de 2024": "[]",
		"v2024-01-02":                                 "[]",
		"call 600-12-2024 then":                       "[]",
		"BenchmarkRead/1000-10 up to 2048 bytes":      "[]",
		"summer 2023":                                 "[2023@7-11]",
	} {
		var got []string
		for _, d := range FindDates(in, DMY) {
			mark := ""
			if d.Ambiguous {
				mark = "?"
			}
			got = append(got, fmt.Sprintf("%v%s@%d-%d", d.Date, mark, d.Start, d.End))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", in, got, want)
		}
	}
}

// Every day of some years, in every spelling, reads back as itself; package
// time is the judge of which days there are.
func TestEverySpellingOfEveryDay(t *testing.T) {
	spanish := []string{"", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}
	for d := time.Date(1999, 12, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2029; d = d.AddDate(0, 0, 5) {
		want := d.Format("2006-01-02")
		for _, spelling := range []string{
			want, d.Format("2006/1/2"), d.Format("2/1/2006"), d.Format("02.01.2006"), d.Format("2 January 2006"), d.Format("2 Jan 2006"),
			d.Format("January 2, 2006"), d.Format("Jan. 2 2006"), d.Format("2-Jan-06"), d.Format("2006年1月2日"),
			fmt.Sprintf("%d de %s de %d", d.Day(), spanish[d.Month()], d.Year()),
		} {
			if got, ok := LeadingDate(spelling+": x", DMY); !ok || got.Date.String() != want || !got.SetOff {
				t.Fatalf("%q: %v %+v", spelling, ok, got)
			}
			in := "so on " + spelling + " it was"
			if got := FindDates(in, DMY); len(got) != 1 || got[0].Date.String() != want || in[got[0].Start:got[0].End] != spelling {
				t.Fatalf("%q: %+v", in, got)
			}
		}
	}
}

func TestParseDate(t *testing.T) {
	for in, want := range map[string]string{
		"2024-03-12": "2024-03-12", "2024-03": "2024-03", "2024": "2024",
		"2024-03-12T21:05:00+02:00": "2024-03-12", "2024-02-30": "", "12/03/2024": "", "": "", "2024-03-12x": "",
	} {
		got, ok := ParseDate(in)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q: %v %v", in, got, ok)
		}
	}
	feb := Date{2024, 2, 0}
	if feb.First().String() != "2024-02-01" || feb.Last().String() != "2024-02-29" || (Date{2024, 0, 0}).Last().String() != "2024-12-31" {
		t.Error("bounds of a month or year")
	}
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{"[12/03/24, 21:05] Ana: hi", "## 3 de febrero de 2026", "2024年3月12日：x", "in March 2024", "1:56 pm on 8 May, 2023", "Visit 2: 12.03.24 下午9:05 <a> x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, order := range []DateOrder{DMY, MDY} {
			if lead, ok := LeadingDate(s, order); ok {
				if lead.Length < 0 || lead.Length > len(s) {
					t.Fatalf("length %d of %d", lead.Length, len(s))
				}
				if _, err := time.Parse(time.DateOnly, lead.Date.String()); err != nil {
					t.Fatal(err)
				}
			}
			last := 0
			for _, d := range FindDates(s, order) {
				if d.Start < last || d.End <= d.Start || d.End > len(s) {
					t.Fatalf("span %d-%d after %d in %d", d.Start, d.End, last, len(s))
				}
				if _, err := time.Parse(time.DateOnly, d.First().String()); err != nil {
					t.Fatal(err)
				}
				if _, err := time.Parse(time.DateOnly, d.Last().String()); err != nil {
					t.Fatal(err)
				}
				last = d.End
			}
		}
		ProvenOrder(s, DMY)
	})
}

func ExampleLeadingDate() {
	lead, _ := LeadingDate("[12/03/24, 21:05] Ana: see you at nine", DMY)
	fmt.Println(lead.Date, lead.Time, lead.Speaker)
	// Output: 2024-03-12 21:05 Ana
}

func ExampleFindDates() {
	for _, d := range FindDates("from March 2024 to 3 February 2026", DMY) {
		fmt.Println(d.First(), d.Last())
	}
	// Output:
	// 2024-03-01 2024-03-31
	// 2026-02-03 2026-02-03
}

package text

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Period is a run of days that a text names by its distance from today, and
// where: "yesterday", "last week", "hace dos meses", "去年".
type Period struct {
	First, Last Date // days, both inclusive
	Start, End  int  // bytes
}

// A span is the length of time that a period is counted in.
type span int

const (
	noSpan span = iota
	daySpan
	weekSpan // Monday to Sunday
	monthSpan
	yearSpan
)

// FindRelative returns the days, weeks, months and years that s names by their
// distance from a day, in order.
func FindRelative(s string, today Date) []Period {
	var found []Period
	add := func(unit span, back, start, end int) {
		first, last := unit.back(today, back)
		found = append(found, Period{first, last, start, end})
	}
	words := spacedWords(s)
	for i := 0; i < len(words); {
		unit, back, n := relativeAt(words[i:])
		if n > 0 && !(i > 0 && words[i-1].text == "the" && words[i].text == "last") { // "in the last year" is no calendar year
			add(unit, back, words[i].start, words[i+n-1].end)
		}
		i += max(n, 1)
	}
	for i, r := range s {
		if !isIdeograph(r) || len(found) > 0 && i < found[len(found)-1].End {
			continue
		}
		if unit, back, n := ideographsAgo(s[i:]); n > 0 {
			add(unit, back, i, i+n)
		}
	}
	for i := 0; i < len(s); i++ { // 3天前: the number may be in digits
		if n, width := digits(s[i:]); width > 0 {
			if unit, length := ideographUnit(s[i+width:]); unit != noSpan && n > 0 && n < 1000 {
				add(unit, n, i, i+width+length)
			}
			i += width - 1
		}
	}
	slices.SortFunc(found, func(a, b Period) int { return cmp.Compare(a.Start, b.Start) })
	end := 0
	return slices.DeleteFunc(found, func(p Period) bool { // as 前天 in 1天前天
		overlaps := p.Start < end
		end = max(end, p.End)
		return overlaps
	})
}

// FindDatesFrom returns what [FindDates] does and the days, months and years
// that s names by their distance from today, in order.
func FindDatesFrom(s string, order DateOrder, today Date) []DateRange {
	found := FindDates(s, order)
	for _, p := range FindRelative(s, today) {
		if d, ok := p.date(); ok {
			found = append(found, DateRange{Date: d, Start: p.Start, End: p.End})
		}
	}
	slices.SortStableFunc(found, func(a, b DateRange) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// date returns the day, month or year that a period is; a week is none.
func (p Period) date() (Date, bool) {
	for _, d := range []Date{p.First, {Year: p.First.Year, Month: p.First.Month}, {Year: p.First.Year}} {
		if d.First() == p.First && d.Last() == p.Last {
			return d, true
		}
	}
	return Date{}, false
}

// back returns the first and last day of the span that lies so many before
// that of today.
func (unit span) back(today Date, n int) (first, last Date) {
	t := today.Time()
	switch unit {
	case daySpan:
		first = DateOf(t.AddDate(0, 0, -n))
		return first, first
	case weekSpan:
		monday := t.AddDate(0, 0, -(int(t.Weekday())+6)%7-7*n)
		return DateOf(monday), DateOf(monday.AddDate(0, 0, 6))
	case monthSpan:
		first = DateOf(time.Date(today.Year, today.Month-time.Month(n), 1, 0, 0, 0, 0, time.UTC))
		return first, Date{first.Year, first.Month, 0}.Last()
	}
	year := Date{Year: today.Year - n}
	return year.First(), year.Last()
}

type spacedWord struct {
	text       string // small letters
	start, end int
}

// spacedWords are the runs of letters and digits that are no ideographs.
func spacedWords(s string) []spacedWord {
	var words []spacedWord
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		if !isAlnum(r) || isIdeograph(r) {
			i += w
			continue
		}
		n := tokenLength(s[i:])
		words = append(words, spacedWord{strings.ToLower(s[i : i+n]), i, i + n})
		i += n
	}
	return words
}

// relativeAt reads the period that words begin with; n is how many of them it
// takes, 0 where they begin with none.
func relativeAt(words []spacedWord) (unit span, back, n int) {
	at := func(i int) string {
		if i < len(words) {
			return words[i].text
		}
		return ""
	}
	units := unitWords()
	number := func(i int) int {
		if n, width := digits(at(i)); width > 0 && width == len(at(i)) && n < 1000 {
			return n
		}
		return smallNumbers()[at(i)]
	}
	switch at(0) {
	case "yesterday", "ayer":
		return daySpan, 1, 1
	case "anteayer", "antier":
		return daySpan, 2, 1
	case "the":
		if at(1) == "day" && at(2) == "before" && at(3) == "yesterday" {
			return daySpan, 2, 4
		}
	case "last", "previous":
		if at(1) == "night" {
			return daySpan, 1, 2
		}
		if unit := units[at(1)]; unit > daySpan {
			return unit, 1, 2
		}
	case "hace":
		if unit, n := units[at(2)], number(1); unit != noSpan && n > 0 {
			return unit, n, 3
		}
	}
	if unit := units[at(0)]; unit > daySpan && slices.Contains([]string{"pasado", "pasada", "anterior"}, at(1)) {
		return unit, 1, 2
	}
	if unit, n := units[at(1)], number(0); unit != noSpan && n > 0 && at(2) == "ago" {
		return unit, n, 3
	}
	return noSpan, 0, 0
}

var unitWords = sync.OnceValue(func() map[string]span {
	return map[string]span{
		"day": daySpan, "days": daySpan, "día": daySpan, "días": daySpan, "dia": daySpan, "dias": daySpan,
		"week": weekSpan, "weeks": weekSpan, "semana": weekSpan, "semanas": weekSpan,
		"month": monthSpan, "months": monthSpan, "mes": monthSpan, "meses": monthSpan,
		"year": yearSpan, "years": yearSpan, "año": yearSpan, "años": yearSpan,
	}
})

var smallNumbers = sync.OnceValue(func() map[string]int {
	numbers := map[string]int{"a": 1, "an": 1, "un": 1, "una": 1}
	for _, list := range []string{"one two three four five six seven eight nine ten eleven twelve",
		"uno dos tres cuatro cinco seis siete ocho nueve diez once doce", "一 二 三 四 五 六 七 八 九 十 十一 十二"} {
		for i, word := range strings.Fields(list) {
			numbers[word] = i + 1
		}
	}
	numbers["两"] = 2
	return numbers
})

// ideographsAgo reads the period that a text begins with in Chinese.
func ideographsAgo(s string) (unit span, back, length int) {
	for _, p := range []struct {
		text string
		unit span
		back int
	}{{"去年", yearSpan, 1}, {"前年", yearSpan, 2}, {"上个月", monthSpan, 1}, {"上月", monthSpan, 1}, {"上上个月", monthSpan, 2},
		{"上周", weekSpan, 1}, {"上星期", weekSpan, 1}, {"上个星期", weekSpan, 1}, {"上礼拜", weekSpan, 1}, {"昨天", daySpan, 1}, {"昨日", daySpan, 1}, {"前天", daySpan, 2}} {
		if strings.HasPrefix(s, p.text) {
			return p.unit, p.back, len(p.text)
		}
	}
	for _, width := range []int{2, 1} {
		number := firstRunes(s, width)
		if n := smallNumbers()[number]; n > 0 {
			if unit, length := ideographUnit(s[len(number):]); unit != noSpan {
				return unit, n, len(number) + length
			}
		}
	}
	return noSpan, 0, 0
}

// ideographUnit reads what follows a number: 天前, 个月前.
func ideographUnit(s string) (unit span, length int) {
	rest := strings.TrimPrefix(strings.TrimLeft(s, " "), "个")
	for _, u := range []struct {
		text string
		unit span
	}{{"天", daySpan}, {"日", daySpan}, {"周", weekSpan}, {"星期", weekSpan}, {"礼拜", weekSpan}, {"月", monthSpan}, {"年", yearSpan}} {
		for _, ago := range []string{"以前", "之前", "前"} {
			if after, ok := strings.CutPrefix(rest, u.text+ago); ok {
				return u.unit, len(s) - len(after)
			}
		}
	}
	return noSpan, 0
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

package text

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A scanned date is what dateAt finds at the start of a text.
type scanned struct {
	Date
	length    int // bytes
	ambiguous bool
	forced    bool      // a numeric date that only one order can read
	order     DateOrder // the order it was read in, where numeric
}

// dateAt reads the date that s starts with. A bare year counts: who calls it
// judges whether the number is one. What is written as a date and is none
// (31 February) has a length and is not ok.
func dateAt(s string, order DateOrder) (scanned, bool) {
	var d scanned
	var ok bool
	switch _, width := digits(s); width {
	case 0:
		d, ok = monthFirst(s)
	case 1, 2:
		if d, ok = numeric(s, order); !ok {
			d, ok = dayFirst(s)
		}
	case 4:
		d, ok = yearFirst(s)
	}
	if !ok {
		return scanned{}, false
	}
	return d, d.isReal() && endsToken(s[:d.length], s[d.length:])
}

// endsToken tells whether a token may end between before and after: a number
// does not go on in digits, nor a Latin word in letters.
func endsToken(before, after string) bool {
	if len(after) > 1 && after[0] == 'T' && after[1] >= '0' && after[1] <= '9' {
		return true // the time of ISO 8601
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !isAlnum(last) || isIdeograph(last) || !isAlnum(next) || isIdeograph(next)
}

func isAlnum(r rune) bool     { return unicode.IsLetter(r) || unicode.IsDigit(r) }
func isIdeograph(r rune) bool { return unicode.Is(unicode.Han, r) }

// digits reads the digits that s starts with; width is 0 where there are none
// or too many to be part of a date.
func digits(s string) (n, width int) {
	for width < len(s) && s[width] >= '0' && s[width] <= '9' {
		if width == 4 {
			return 0, 0
		}
		n = n*10 + int(s[width]-'0')
		width++
	}
	return n, width
}

// yearFirst reads 2026-02-03, 2026/2/3, 2026.02.03, 2026年2月3日, 2026-02,
// 2026年2月 and 2026.
func yearFirst(s string) (scanned, bool) {
	year, width := digits(s)
	d := scanned{Date: Date{Year: year}, length: width}
	rest := s[width:]
	if after, ok := cutMark(rest, "年"); ok {
		return ideographic(s, after, d)
	}
	if rest == "" || !strings.ContainsRune("-/.", rune(rest[0])) {
		return d, true
	}
	sep := rest[:1]
	month, width := digits(rest[1:])
	if width == 0 || width > 2 {
		return d, sep == "." && width == 0 // "in 2024."
	}
	rest = rest[1+width:]
	if after, ok := strings.CutPrefix(rest, sep); ok {
		if day, w := digits(after); w == 1 || w == 2 {
			d.Month, d.Day = time.Month(month), day
			d.length = len(s) - len(after) + w
			return d, month > 0 && day > 0
		}
	}
	if width != 2 || sep == "." || !isLikelyYear(year) {
		return d, false
	}
	d.Month = time.Month(month)
	d.length = len(s) - len(rest)
	return d, month > 0
}

// ideographic reads what follows 年 in s.
func ideographic(s, rest string, d scanned) (scanned, bool) {
	d.length = len(s) - len(rest)
	month, width := digits(strings.TrimLeft(rest, " "))
	after, ok := cutMark(skipNumber(rest, width), "月")
	if !ok || width > 2 {
		return d, true
	}
	d.Month, d.length = time.Month(month), len(s)-len(after)
	day, width := digits(strings.TrimLeft(after, " "))
	afterDay := skipNumber(after, width)
	for _, mark := range []string{"日", "号", "號"} {
		if end, ok := cutMark(afterDay, mark); ok && width > 0 && width <= 2 {
			d.Day, d.length = day, len(s)-len(end)
			return d, month > 0 && day > 0
		}
	}
	return d, month > 0
}

func cutMark(s, mark string) (string, bool) {
	return strings.CutPrefix(strings.TrimLeft(s, " "), mark)
}

func skipNumber(s string, width int) string {
	s = strings.TrimLeft(s, " ")
	return s[width:]
}

// numeric reads 3/2/2026, 03.02.2026 and 3-2-26 in the order given, or in the
// other where the numbers allow only that.
func numeric(s string, order DateOrder) (scanned, bool) {
	a, aw := digits(s)
	if len(s) <= aw || !strings.ContainsRune("-/.", rune(s[aw])) {
		return scanned{}, false
	}
	sep, rest := s[aw:aw+1], s[aw+1:]
	b, bw := digits(rest)
	if bw == 0 || bw > 2 || !strings.HasPrefix(rest[bw:], sep) {
		return scanned{}, false
	}
	rest = rest[bw+1:]
	year, yw := digits(rest)
	switch {
	case yw == 2 && (sep != "." || aw == 2 && bw == 2):
		year = century(year)
	case yw != 4:
		return scanned{}, false
	}
	rest = rest[yw:]
	if strings.HasPrefix(rest, sep) && len(rest) > 1 && isAlnum(rune(rest[1])) {
		return scanned{}, false // a version, an address
	}
	if a > 12 && b <= 12 {
		order = DMY
	} else if b > 12 && a <= 12 {
		order = MDY
	}
	day, month := a, b
	if order == MDY {
		day, month = b, a
	}
	d := scanned{Date: Date{year, time.Month(month), day}, length: len(s) - len(rest), order: order}
	d.ambiguous = a <= 12 && b <= 12 && a != b
	d.forced = !d.ambiguous && a != b
	return d, day > 0 && month > 0
}

// century completes a year of two digits as POSIX strptime does: 69 to 99 are
// of the twentieth century, 0 to 68 of the twenty-first.
func century(year int) int {
	if year >= 69 {
		return 1900 + year
	}
	return 2000 + year
}

// dayFirst reads 3 February 2026, 3rd of Feb. 2026, 3 de febrero de 2026 and
// 3-Feb-26.
func dayFirst(s string) (scanned, bool) {
	day, width := digits(s)
	rest := skipOrdinal(s[width:])
	rest = skipLink(rest)
	month, rest := monthName(rest)
	if month == 0 {
		return scanned{}, false
	}
	hyphen := strings.HasPrefix(rest, "-")
	rest = skipLink(rest)
	year, width := digits(rest)
	switch {
	case width == 2 && hyphen:
		year = century(year)
	case width != 4:
		return scanned{}, false
	}
	rest = rest[width:]
	return scanned{Date: Date{year, month, day}, length: len(s) - len(rest)}, day > 0
}

// monthFirst reads February 3, 2026, Feb. 3rd 2026, febrero 3 de 2026 and,
// without a day, March 2024 and marzo de 2024.
func monthFirst(s string) (scanned, bool) {
	month, rest := monthName(s)
	if month == 0 {
		return scanned{}, false
	}
	rest = skipLink(rest)
	n, width := digits(rest)
	switch width {
	case 4:
		return scanned{Date: Date{Year: n, Month: month}, length: len(s) - len(rest) + 4}, isLikelyYear(n)
	case 1, 2:
		rest = skipLink(skipOrdinal(rest[width:]))
		if year, width := digits(rest); width == 4 {
			return scanned{Date: Date{year, month, n}, length: len(s) - len(rest) + 4}, n > 0
		}
	}
	return scanned{}, false
}

func isLikelyYear(n int) bool { return n >= 1900 && n <= 2100 }

// skipOrdinal drops what makes a number an ordinal: 3rd, 1.º, 1ero.
func skipOrdinal(s string) string {
	for _, suffix := range []string{"st", "nd", "rd", "th", "ero", "er", "ro", "º", "°", ".º", "ª", "."} {
		if rest, ok := cutFold(s, suffix); ok && !startsLetter(rest) {
			return rest
		}
	}
	return s
}

// skipLink drops what stands between the parts of a date.
func skipLink(s string) string {
	s = strings.TrimLeft(s, blankSet)
	for _, link := range []string{",", "-", "del ", "de ", "of "} {
		if rest, ok := cutFold(s, link); ok {
			return strings.TrimLeft(rest, blankSet)
		}
	}
	return s
}

// blankSet are the blanks that dates are written with, among them the narrow
// no-break space of chat exports.
const blankSet = " \t\u00a0\u202f"

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// monthName reads an English or Spanish month, whole or short, and the full
// stop after a short one; 0 is none.
func monthName(s string) (time.Month, string) {
	word := letters(s, len("septiembre"))
	month := months()[strings.ToLower(word)]
	if month == 0 {
		return 0, s
	}
	rest := s[len(word):]
	if len(word) <= 4 {
		rest = strings.TrimPrefix(rest, ".")
	}
	return month, rest
}

// letters is the ASCII word that s starts with, "" where it is longer than
// most bytes.
func letters(s string, most int) string {
	n := 0
	for n < len(s) && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		if n++; n > most {
			return ""
		}
	}
	return s[:n]
}

var months = sync.OnceValue(func() map[string]time.Month {
	return map[string]time.Month{
		"january": 1, "jan": 1, "enero": 1, "ene": 1,
		"february": 2, "feb": 2, "febrero": 2,
		"march": 3, "mar": 3, "marzo": 3,
		"april": 4, "apr": 4, "abril": 4, "abr": 4,
		"may": 5, "mayo": 5,
		"june": 6, "jun": 6, "junio": 6,
		"july": 7, "jul": 7, "julio": 7,
		"august": 8, "aug": 8, "agosto": 8, "ago": 8,
		"september": 9, "sep": 9, "sept": 9, "septiembre": 9, "setiembre": 9, "set": 9,
		"october": 10, "oct": 10, "octubre": 10,
		"november": 11, "nov": 11, "noviembre": 11,
		"december": 12, "dec": 12, "diciembre": 12, "dic": 12,
	}
})

// FindDates returns the dates, months and years that s names, in order:
// "what happened on 2025-03-14", "el 12 de mayo de 2025", "in March 2024",
// "en 2024", "2024年3月". A bare number is a year only after a word such as
// in, since, en or año.
func FindDates(s string, order DateOrder) []DateRange {
	var found []DateRange
	word := ""     // the ASCII word before, in lower case
	glued := false // the position is inside a token
	for i := 0; i < len(s); {
		r, w := utf8.DecodeRuneInString(s[i:])
		if !isAlnum(r) {
			glued = strings.ContainsRune("-/.:_@#", r) && glued && i > 0 && s[i-1] >= '0' && s[i-1] <= '9'
			if r != ' ' {
				word = ""
			}
			i += w
			continue
		}
		if !glued {
			d, ok := dateAt(s[i:], order)
			if d.Month != 0 || ok && yearIsMeant(s[i:i+d.length], word, d.Year) {
				if ok {
					found = append(found, DateRange{d.Date, i, i + d.length, d.ambiguous})
				}
				i += d.length
				word, glued = "", !ok
				continue
			}
		}
		n := tokenLength(s[i:])
		word = ""
		if n <= 12 {
			word = strings.ToLower(s[i : i+n])
		}
		i += n
		last, _ := utf8.DecodeLastRuneInString(s[:i])
		glued = !isIdeograph(last)
	}
	return found
}

// tokenLength is the length of the run of letters and digits that s starts
// with; an ideograph is a token by itself.
func tokenLength(s string) int {
	for i, r := range s {
		if !isAlnum(r) || i > 0 && isIdeograph(r) {
			return i
		}
		if isIdeograph(r) {
			return i + utf8.RuneLen(r)
		}
	}
	return len(s)
}

// yearIsMeant tells whether a number after a word is a year.
func yearIsMeant(spelling, word string, year int) bool {
	return strings.HasSuffix(spelling, "年") || isLikelyYear(year) && yearWords()[word]
}

var yearWords = sync.OnceValue(func() map[string]bool {
	return wordSet("in since during year of from until till before after early late mid through " +
		"spring summer autumn fall winter en desde durante año del de hasta antes tras primavera verano otoño invierno")
})

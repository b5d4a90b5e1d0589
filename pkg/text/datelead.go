package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// headBytes bounds the part of a first line in which a date may lead.
const headBytes = 320

// LeadingDate finds the date that leads a text or its heading: "2026-02-03: …",
// "Feb 3, 2026 - …", "## 3 de febrero de 2026", "2024年3月12日：…",
// "[12/03/24, 21:05] Ana: …", "Fecha: 12/03/2024". A date later in a sentence,
// or one that the sentence speaks about ("2026-05-01 is the deadline"), does
// not lead. The first line that is not blank is read and, where it begins a head
// of lines with colons ("Patient: Ana"), the date that such a line is labelled
// with.
func LeadingDate(s string, order DateOrder) (LeadingResult, bool) {
	if lead, _, ok := leading(s, order); ok {
		return lead, true
	}
	return headDate(s, order)
}

// headLines is how far down a head the date may stand.
const headLines = 8

func headDate(s string, order DateOrder) (LeadingResult, bool) {
	s = strings.TrimSpace(s[:min(len(s), headLines*headBytes)])
	for n := 0; n < headLines && s != ""; n++ {
		line := firstLine(s)
		if n > 0 {
			if lead, _, ok := leading(line, order); ok && lead.Labelled {
				lead.Length = 0
				return lead, true
			}
		}
		if !strings.ContainsAny(line, ":：") {
			break
		}
		s = strings.TrimPrefix(s[len(line):], "\r")
		s = strings.TrimPrefix(s, "\n")
	}
	return LeadingResult{}, false
}

// ProvenOrder is the order that the numeric dates leading the lines of s
// prove: a line that leads with 03/25/24 makes 03/04/24 beside it 4 March.
// Where they prove none, or both, it is order.
func ProvenOrder(s string, order DateOrder) DateOrder {
	var proven [2]bool
	for line := range strings.Lines(s) {
		if _, d, ok := leading(line, order); ok && d.forced {
			proven[d.order] = true
		}
	}
	switch {
	case proven[DMY] && !proven[MDY]:
		return DMY
	case proven[MDY] && !proven[DMY]:
		return MDY
	}
	return order
}

func leading(s string, order DateOrder) (LeadingResult, scanned, bool) {
	body := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isInvisible(r) })
	start := len(s) - len(body)
	line := firstLine(body)
	marks := len(line) - len(strings.TrimLeft(line, "#>*_~-+•–—=[(【（《「『<"+blankSet))
	p := lead{s: line, at: marks, order: order}
	found := p.date()
	if !found && strings.HasPrefix(line, "#") {
		found = p.headingDate(marks)
	}
	if !found {
		return LeadingResult{}, scanned{}, false
	}
	r := LeadingResult{Date: p.found.Date, Time: p.time, Speaker: p.speaker, Ambiguous: p.found.ambiguous, SetOff: p.setOff, Labelled: p.labelled}
	rest := strings.TrimLeftFunc(body[p.at:], unicode.IsSpace)
	r.Length = start + len(body) - len(rest)
	return r, p.found, true
}

// firstLine is the start of s up to a line break, at most headBytes long.
func firstLine(s string) string {
	if len(s) > headBytes {
		s = s[:headBytes]
	}
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	return s
}

// isInvisible tells of the marks that exports put before a line.
func isInvisible(r rune) bool {
	return r == '\ufeff' || r == '\u200e' || r == '\u200f' || r == '\u200b'
}

// A lead reads a line from its start on.
type lead struct {
	s        string
	at       int // bytes read
	order    DateOrder
	found    scanned
	time     string
	speaker  string
	setOff   bool
	labelled bool
}

func (p *lead) rest() string { return p.s[p.at:] }

// date reads a date that only a time, a weekday or a label precedes, and what
// goes with it.
func (p *lead) date() bool {
	if p.readTime() {
		p.skip(",-–— ")
	}
	linked := false
	for range 6 {
		d, ok := dateAt(p.rest(), p.order)
		if ok && d.Day > 0 {
			p.found = d
			p.at += d.length
			return p.after(linked)
		}
		word, isLink := leadWord(p.rest())
		if word == 0 {
			return false
		}
		linked = isLink
		p.at += word
		label := strings.TrimLeft(p.rest(), blankSet+"*_")
		p.labelled = p.labelled || strings.HasPrefix(label, ":") || strings.HasPrefix(label, "：")
		p.skip(":：,，.#-–—()*_" + blankSet)
		if p.at > len(p.s) {
			return false
		}
	}
	return false
}

func (p *lead) skip(set string) {
	p.at = len(p.s) - len(strings.TrimLeft(p.rest(), set+blankSet))
}

// leadWord is the length of the word that may stand before a leading date: a
// weekday, a label such as Date or Visit 2, or (a link) on, el. 0 is none.
func leadWord(s string) (length int, isLink bool) {
	if n, width := digits(s); width > 0 && width <= 2 && n > 0 {
		return width, false // the number of a visit or session
	}
	for _, label := range []string{"日期", "就诊日期", "就诊", "复诊", "初诊", "门诊", "入院", "出院", "时间", "记录", "日记", "星期", "周", "礼拜"} {
		if rest, ok := strings.CutPrefix(s, label); ok {
			if _, w := utf8.DecodeRuneInString(rest); isWeekdayMark(label) {
				rest = rest[w:]
			}
			return len(s) - len(rest), false
		}
	}
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(s)
	}
	word := strings.ToLower(s[:end])
	if word == "follow" && strings.HasPrefix(strings.ToLower(s[end:]), "-up") {
		return end + 3, false
	}
	switch {
	case leadLabels()[word]:
		return end, false
	case leadLinks()[word]:
		return end, true
	}
	return 0, false
}

func isWeekdayMark(label string) bool {
	return label == "星期" || label == "周" || label == "礼拜"
}

// after reads what follows the date: weekday, time, marks and speaker. It
// fails where the date turns out to be what the sentence speaks about.
func (p *lead) after(linked bool) bool {
	if p.goesOn() {
		return false
	}
	p.weekday()
	at := p.at
	p.skip("T,，.·|-–—")
	if p.time != "" || !p.readTime() {
		p.at = at
	}
	p.weekday()
	before := p.rest()
	p.skip("])】）》」』>*_~:：,，.。;；–—-|·、=#")
	marks := before[:len(before)-len(p.rest())]
	comma := strings.Trim(marks, blankSet) != ""
	p.setOff = p.rest() == "" || strings.Trim(marks, ",，、"+blankSet) != ""
	if !p.setOff && (linked && !comma || isSpokenAbout(p.rest())) {
		return false
	}
	if p.time != "" {
		p.readSpeaker()
	}
	return true
}

// goesOn tells whether the token of the date goes on: 2024-03-12-notes.
func (p *lead) goesOn() bool {
	rest := p.rest()
	return len(rest) > 1 && strings.ContainsRune("-_/.", rune(rest[0])) && isAlnum(rune(rest[1]))
}

// weekday skips the name of the day after a date.
func (p *lead) weekday() {
	rest := strings.TrimLeft(p.rest(), "(（,，"+blankSet)
	word, _ := leadWord(rest)
	if word == 0 {
		return
	}
	name := strings.ToLower(rest[:word])
	if weekdays()[name] || strings.HasPrefix(name, "星期") || strings.HasPrefix(name, "周") || strings.HasPrefix(name, "礼拜") {
		p.at = len(p.s) - len(strings.TrimLeft(rest[word:], ")）."))
	}
}

// isSpokenAbout tells whether rest says something of the date before it.
func isSpokenAbout(rest string) bool {
	if strings.HasPrefix(rest, "是") {
		return true
	}
	switch strings.ToLower(letters(rest, 8)) {
	case "is", "was", "will", "would", "should", "es", "fue", "era", "to", "and", "or", "hasta", "y", "o":
		return true
	}
	return false
}

// readTime reads 21:05, 9:05:30 PM, 9:05 p. m., 下午9:05, and the zone after
// it.
func (p *lead) readTime() bool {
	rest, afternoon := strings.CutPrefix(p.rest(), "下午")
	rest, morning := strings.CutPrefix(rest, "上午")
	hour, w := digits(rest)
	if w == 0 || w > 2 || hour > 24 || !strings.HasPrefix(rest[w:], ":") {
		return false
	}
	minutes := rest[w:]
	n := 0
	for n+2 < len(minutes) && n < 6 && minutes[n] == ':' && isSixty(minutes[n+1:]) {
		n += 3
	}
	if n == 0 {
		return false
	}
	rest = minutes[n:]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		if digits := strings.TrimLeft(fraction, "0123456789"); len(digits) < len(fraction) {
			rest = digits
		}
	}
	trimmed := strings.TrimLeft(rest, blankSet)
	for _, half := range []string{"pm", "p.m.", "p. m.", "p.\u00a0m.", "p.\u202fm.", "am", "a.m.", "a. m.", "a.\u00a0m.", "a.\u202fm."} {
		if after, ok := cutFold(trimmed, half); ok && !startsLetter(after) {
			afternoon, morning = half[0] == 'p', half[0] == 'a'
			rest = after
			break
		}
	}
	switch {
	case afternoon && hour < 12:
		hour += 12
	case morning && hour == 12:
		hour = 0
	}
	p.time = string([]byte{'0' + byte(hour/10), '0' + byte(hour%10)}) + minutes[:n]
	p.at = len(p.s) - len(skipZone(rest))
	return true
}

func isSixty(s string) bool {
	return len(s) >= 2 && s[0] >= '0' && s[0] <= '5' && s[1] >= '0' && s[1] <= '9'
}

// skipZone drops Z, h, hs, UTC or +02:00.
func skipZone(s string) string {
	for _, zone := range []string{"Z", "h", "hs", " h", " UTC", " GMT", "UTC"} {
		if rest, ok := strings.CutPrefix(s, zone); ok && !startsLetter(rest) {
			return rest
		}
	}
	if len(s) >= 5 && (s[0] == '+' || s[0] == '-') {
		if _, w := digits(s[1:]); w == 4 || w == 2 && s[3] == ':' {
			return strings.TrimLeft(s[1:], "0123456789:")
		}
	}
	return s
}

// readSpeaker reads "Ana: " or "<Ana> " where a chat line names who speaks.
func (p *lead) readSpeaker() {
	rest := p.rest()
	if end := strings.IndexByte(rest, '>'); strings.HasPrefix(rest, "<") && end > 0 {
		p.takeSpeaker(rest[1:end], end+1)
		return
	}
	end := strings.IndexAny(rest, ":：")
	if end <= 0 {
		return
	}
	_, w := utf8.DecodeRuneInString(rest[end:])
	if w == 1 && len(rest) > end+1 && !startsBlank(rest[end+1:]) {
		return
	}
	p.takeSpeaker(rest[:end], end+w)
}

func (p *lead) takeSpeaker(name string, length int) {
	name = strings.TrimFunc(name, func(r rune) bool { return unicode.IsSpace(r) || isInvisible(r) || r == '~' || r == '*' })
	if !isName(name) {
		return
	}
	p.speaker, p.setOff = name, true
	p.at += length
	p.skip("")
}

// isName tells whether s can be the name or number of who speaks: few words,
// no punctuation of a sentence, and no word in lower case first.
func isName(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if strings.HasPrefix(s, "+") {
		return strings.Trim(s, "+0123456789-() \u00a0") == ""
	}
	return s != "" && len(strings.Fields(s)) <= 5 && utf8.RuneCountInString(s) <= 40 &&
		!strings.ContainsAny(s, "?!;,\"“”¿¡/=<>{}。，、") && isAlnum(first) &&
		(!unicode.IsLower(first) || !strings.Contains(s, " "))
}

// headingDate reads the day at the end of a heading: "## Visit on 3 May 2024".
// A heading about a deadline ("until …") is none.
func (p *lead) headingDate(start int) bool {
	dates := FindDates(p.s[start:], p.order)
	if len(dates) != 1 || dates[0].Day == 0 {
		return false
	}
	begin, end := start+dates[0].Start, start+dates[0].End
	if strings.Trim(p.s[end:], ")]）】*_#.:： ") != "" {
		return false
	}
	before := strings.ToLower(strings.TrimRight(p.s[start:begin], " "))
	last := before[strings.LastIndexByte(before, ' ')+1:]
	if deadlines()[last] || strings.HasSuffix(before, "截止") {
		return false
	}
	d, ok := dateAt(p.s[begin:], p.order)
	p.found, p.at, p.time, p.setOff = d, len(p.s), "", true
	return ok
}

// weekdayNames serve as labels too: "martes, 3 de febrero".
const weekdayNames = "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun " +
	"lunes martes miércoles miercoles jueves viernes sábado sabado domingo lun mié mie jue vie sáb sab dom"

var (
	weekdays   = sync.OnceValue(func() map[string]bool { return wordSet(weekdayNames) })
	leadLabels = sync.OnceValue(func() map[string]bool {
		return wordSet(weekdayNames + " date dated fecha day día dia visit visita consulta consultation control revisión revision " +
			"appointment cita entry entrada session sesión sesion note nota journal diario diary log evolución evolucion evolution " +
			"ingreso admission alta discharge urgencias")
	})
	leadLinks = sync.OnceValue(func() map[string]bool { return wordSet("on the el del de of") })
	deadlines = sync.OnceValue(func() map[string]bool {
		return wordSet("until till before by due deadline hasta antes para plazo since desde from")
	})
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

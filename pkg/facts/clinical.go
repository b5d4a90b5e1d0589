package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// patientLabel is the name of the header section that names the subject.
const patientLabel = "patient"

// hasHeaders is a cheap test for lines such as "Patient: …".
func (r *Rules) hasHeaders(s string) bool {
	for line := range strings.Lines(s) {
		if label, _, ok := splitLabel(line); ok && r.labels[label] != "" {
			return true
		}
	}
	return false
}

// headers reads the header lines of a clinical text. The value of a header is
// its whole line, or reaches to the next header in the line; the subject is
// the patient named last, "" before any is.
func (r *Rules) headers(s, day string) Reading {
	var out Reading
	section, fenced := day, false
	for line := range strings.Lines(s) {
		trimmed := strings.TrimLeft(line, " \t")
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(trimmed, ">") {
			continue
		}
		date := section
		if lead, ok := leadingDate(line, day); ok {
			date = lead.Date.String()
			if strings.TrimSpace(line[min(lead.Length, len(line)):]) == "" || trimmed[0] == '#' {
				section = date
			}
			if lead.Length < len(line) {
				line = line[lead.Length:]
			}
		}
		for _, h := range r.headersOf(line) {
			if h.attribute == patientLabel {
				if name := patientName(h.value); name != "" {
					out.Patient = name
				}
				continue
			}
			if st, ok := r.clinical(h, out.Patient, date); ok {
				out.Statements = append(out.Statements, st)
			}
		}
	}
	return out
}

type header struct{ attribute, value string }

// headersOf takes a line apart into its headers.
func (r *Rules) headersOf(line string) []header {
	if len(line) > 4000 {
		return nil
	}
	var found []header
	open := false // the last part goes on in the next
	for part := range strings.SplitAfterSeq(strings.NewReplacer("; ", ";", "；", ";", "|", ";", ". ", ".;", "。", "。;").Replace(line), ";") {
		label, value, ok := splitLabel(part)
		attribute := r.labels[label]
		switch {
		case ok && attribute != "":
			found = append(found, header{attribute, strings.TrimSuffix(value, ";")})
			open = true
		case ok && len(strings.Fields(label)) <= 3:
			open = false // another header
		case open && len(found) > 0:
			found[len(found)-1].value += " " + strings.TrimSuffix(part, ";")
		}
	}
	for i := range found {
		found[i].value = headerValue(found[i].value)
	}
	return found
}

// splitLabel parts "**Diagnosis:** migraine" into its folded label and value.
func splitLabel(line string) (label, value string, ok bool) {
	i := strings.IndexAny(line[:min(len(line), 80)], ":：")
	if i <= 0 {
		return "", "", false
	}
	_, w := utf8.DecodeRuneInString(line[i:])
	return foldLabel(line[:i]), line[i+w:], true
}

// foldLabel is a label without marks, accents and capitals.
func foldLabel(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != ')' })
	return strings.Join(strings.Fields(accents.Replace(strings.ToLower(s))), " ")
}

var accents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u")

func headerValue(s string) string {
	s = strings.Join(strings.Fields(strings.NewReplacer("**", "", "__", "", "`", "").Replace(s)), " ")
	return strings.TrimRight(strings.Trim(s, " *;；"), " .。")
}

// patientName is a name in lower case, without what follows it in the header:
// age, sex, number.
func patientName(s string) string {
	s, _, _ = strings.Cut(s, "(")
	s = s[:firstOf(s, ",，、;；（[|/#0123456789")]
	for _, dash := range []string{" - ", " – ", " — "} {
		s, _, _ = strings.Cut(s, dash)
	}
	return FoldName(strings.Trim(s, " .*_:-–—"))
}

func firstOf(s, marks string) int {
	if i := strings.IndexAny(s, marks); i >= 0 {
		return i
	}
	return len(s)
}

// clinical tells what a header states: nothing where it is unsure, an end
// where it says none.
func (r *Rules) clinical(h header, patient, date string) (Statement, bool) {
	st := Statement{Subject: patient, Attribute: h.attribute, Value: h.value, Date: date}
	if h.value == "" || len(h.value) > 500 || strings.HasSuffix(h.value, "?") || strings.HasSuffix(h.value, "？") || strings.HasPrefix(h.value, "?") {
		return st, false
	}
	s := scanner{rules: r, text: h.value}
	for s.next() {
		if n := r.longest(s.tokens, 0, r.classOf["none"]); n > 0 && (n == len(s.tokens) || !s.tokens[n].isWord()) {
			return Statement{Subject: patient, Attribute: h.attribute, Date: date, Ends: true}, true
		}
		for i := range s.tokens {
			if r.longest(s.tokens, i, r.classOf["unsure"]) > 0 {
				return st, false
			}
		}
	}
	return st, true
}

package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lower returns a word in lower case with compatible characters unified
// (NFKC): full-width letters, ligatures, composed accents. What no term may
// hold is left out: a few letters are compatible with a blank and a mark.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if r == ':' || unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(strings.ToValidUTF8(s, "")))
	return norm.NFC.String(strings.ToLower(s))
}

// fold returns a word that [lower] made without the accents of Latin, Greek
// and Cyrillic letters. Marks of other scripts are part of their letters and
// stay.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var base rune
	for _, r := range norm.NFD.String(s) {
		if unicode.Is(unicode.Mn, r) && dropsMark(base, r) {
			continue
		}
		base = r
		if plain, ok := unaccented[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// dropsMark tells whether folding drops a mark on a letter. Of Cyrillic only
// the stress and the dots of ё go: й is a letter of its own.
func dropsMark(base, mark rune) bool {
	switch {
	case unicode.Is(unicode.Latin, base), unicode.Is(unicode.Greek, base):
		return true
	case unicode.Is(unicode.Cyrillic, base):
		return mark == 0x300 || mark == 0x301 || mark == 0x308 && base == 'е'
	}
	return false
}

// unaccented are the letters that do not decompose.
var unaccented = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d",
	'þ': "th", 'ı': "i", 'ħ': "h", 'ŋ': "n", 'ς': "σ",
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

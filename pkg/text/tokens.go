package text

// Tokens estimates how many tokens a language model makes of s: one for each
// character of the wide scripts (Han, Kana, Hangul, their punctuation, emoji),
// a quarter for any other character, rounded up. Every size in the project is
// measured with it. The ratios are the usual rules of thumb, not a tokenizer's
// count.
func Tokens(s string) int {
	quarters := 0
	for _, r := range s {
		if isWide(r) {
			quarters += 4
		} else {
			quarters++
		}
	}
	return (quarters + 3) / 4
}

// isWide tells whether r belongs to a script whose characters are about as
// much text as a word elsewhere.
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11ff, // Hangul Jamo
		0x2e80 <= r && r <= 0xa4cf,   // CJK, Kana, Bopomofo, Yi
		0xac00 <= r && r <= 0xd7ff,   // Hangul syllables
		0xf900 <= r && r <= 0xfaff,   // CJK compatibility
		0xff00 <= r && r <= 0xffef,   // full and half width forms
		0x1f000 <= r && r <= 0x1faff, // emoji
		0x20000 <= r && r <= 0x3ffff: // CJK extensions
		return true
	}
	return false
}

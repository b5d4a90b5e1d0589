package summarize

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/text"
)

// scan calls do for each word of s, a run of letters, marks and digits, and
// for each run of a script without spaces, which is joined. The address of a
// page is one word.
func scan(s string, do func(start, end int, joined bool)) {
	start, joined := -1, false
	inAddress := false
	for i, r := range s {
		class := classOf(r)
		if inAddress && !strings.ContainsRune(" )]>\"'", r) {
			continue
		}
		if inAddress = start >= 0 && !inAddress && r == ':' && strings.HasPrefix(s[i:], "://"); inAddress {
			continue
		}
		if start >= 0 && (class == other || joined != (class == run)) {
			do(start, i, joined)
			start = -1
		}
		if start < 0 && class != other {
			start, joined = i, class == run
		}
	}
	if start >= 0 {
		do(start, len(s), joined)
	}
}

type class int

const (
	other class = iota
	letter
	run
)

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' {
			return letter
		}
		return other
	case unspaced(r):
		return run
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
		return letter
	}
	return other
}

// unspaced tells whether r belongs to a script that puts no spaces between
// words.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// length is how many words a word or run counts for: two characters of a run
// are about a word.
func length(word string, joined bool) int {
	if joined {
		return (utf8.RuneCountInString(word) + 1) / 2
	}
	return 1
}

func fold(dst []byte, word string) []byte {
	for _, r := range word {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

// prose is a sentence on one line, without control codes and without the
// marks of headings, lists and quotes; a table row or a fence is none.
func prose(s string) string {
	s = strings.TrimLeft(strings.TrimSpace(s), "#>*-+• \t")
	if strings.HasPrefix(s, "|") || strings.HasPrefix(s, "```") {
		return ""
	}
	return oneLine(s)
}

// oneLine joins the words of s with single spaces and drops control codes and
// bidirectional overrides.
func oneLine(s string) string {
	if isPlainLine(s) {
		return s
	}
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}

// isPlainLine tells, cheaply, that there is nothing for oneLine to do.
func isPlainLine(s string) bool {
	blank := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank
}

// visible drops what oneLine drops.
func visible(r rune) rune {
	if unicode.IsControl(r) && !unicode.IsSpace(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}

// clipBytes is the start of s, at most n bytes, cut between characters.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// says tells whether a word, folded, can say what a text is about.
func says(word []byte) bool {
	return !text.IsCommon(string(word)) && !vague()[string(word)]
}

// vague are the verbs of notes and the remains of English contractions.
var vague = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`
		use used uses using get gets got make makes made put said
		don didn doesn isn aren wasn weren won wouldn shouldn couldn hasn haven hadn ll ve`) {
		words[w] = true
	}
	return words
})

// isParticle tells whether r parts the words of a run: Chinese particles,
// pronouns and auxiliaries, and the kana of Japanese endings.
func isParticle(r rune) bool {
	if unicode.Is(unicode.Hiragana, r) {
		return true
	}
	return strings.ContainsRune("的了是在我你他她它们有和与及或就不没都也很到说要去会着这那个之其而但被把对从让给于以为吗呢吧啊又再还已将可能", r)
}

package text

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachWord calls do with the byte range of every word of s: a run of letters
// and digits, with what joins them inside an identifier, a path, a number or
// a contraction; or a run of a script that is written without spaces.
func eachWord(s string, do func(start, end int)) {
	start := -1 // of the word being read
	spaceless := false
	var last rune // of the word
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case isWordRune(r) && (start >= 0 || !unicode.Is(unicode.M, r)):
			dense := isSpaceless(r)
			if start >= 0 && dense != spaceless && !unicode.Is(unicode.M, r) {
				do(start, i)
				start = -1
			}
			if start < 0 {
				start, spaceless = i, dense
			}
			last = r
		case start >= 0 && !spaceless && i-start < maxWord && joins(last, r, s[i+size:]):
			last = r
		case start >= 0:
			if n := operatorSuffix(s[start:i], s[i:]); n > 0 {
				size = n // the sign is ASCII and part of the word
				do(start, i+n)
			} else {
				do(start, i)
			}
			start = -1
		}
		i += size
	}
	if start >= 0 {
		do(start, len(s))
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r))
}

// isSpaceless tells whether a rune's script is written without spaces between
// words, or, as Hangul, with endings that only its parts tell apart.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// joins tells whether r, between the rune before and the text after it, holds
// a word together.
func joins(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '_':
		return isWordRune(next) && !isSpaceless(next) || next == '_'
	case '\'', '’', '-', '.', '/', '@', '‐', '‑', '\\':
		return isWordRune(before) && isWordRune(next) && !isSpaceless(next)
	case ':':
		return isDigit(before) && isDigit(next)
	}
	return false
}

// operatorSuffix is the length of the signs that belong to a letter before
// them: C++, C#.
func operatorSuffix(word, after string) int {
	if len(word) != 1 || isDigit(rune(word[0])) {
		return 0
	}
	n := 0
	if strings.HasPrefix(after, "++") {
		n = 2
	} else if strings.HasPrefix(after, "#") {
		n = 1
	}
	if next, _ := utf8.DecodeRuneInString(after[n:]); isWordRune(next) {
		return 0
	}
	return n
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// A token is what the analyzer remembers of a word of the text.
type token struct {
	folded string   // the word itself
	terms  []string // index terms, distinct
	length int      // words that it counts as
}

// maxWord is the length in bytes above which a word is not joined to more, and
// is data, not language: it gets one term and is not taken apart.
const maxWord = 256

// maxSeen bounds the words that an analyzer remembers.
const maxSeen = 1 << 16

// isRun tells whether a word that eachWord found is a run of characters.
func isRun(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return isSpaceless(first)
}

// folded returns a word that eachWord found as one term.
func (a *Analyzer) folded(word string) string {
	if isRun(word) {
		return lower(word)
	}
	return a.token(word).folded
}

// token returns the index terms of a word that eachWord found and that is no
// run of characters.
func (a *Analyzer) token(word string) token {
	if t, ok := a.seen[word]; ok {
		return t
	}
	t := a.newToken(word)
	t.folded = bounded(fold(lower(trimApostrophes(word))))
	if len(word) > maxWord {
		return t
	}
	if len(a.seen) >= maxSeen {
		clear(a.seen)
	}
	a.seen[strings.Clone(word)] = t
	return t
}

// newToken is token, but for the word itself, where it is not remembered.
func (a *Analyzer) newToken(word string) (t token) {
	for _, p := range pieces(word) {
		for _, term := range a.indexTerms(p) {
			if !slices.Contains(t.terms, term) {
				t.terms = append(t.terms, term)
			}
		}
		if p.kind != wholePiece && p.kind != shorterPiece {
			t.length++
		}
	}
	return t
}

// A piece is a part of a word that is looked up by itself.
type piece struct {
	text string // in lower case, as written
	kind pieceKind
}

type pieceKind int

const (
	wordPiece    pieceKind = iota // a word: letters
	numberPiece                   // digits, a date, a version, a mix that is no identifier
	shorterPiece                  // the beginning of a version: only leaves are found by it
	wholePiece                    // an identifier or path with its parts following
	charPiece                     // one character of a script without spaces
	pairPiece                     // two of them
)

// pieces takes a word apart: an identifier or path into itself as a whole and
// its parts, a run of a script without spaces into characters and pairs.
func pieces(word string) []piece {
	if isRun(word) {
		return characters(word)
	}
	if len(word) > maxWord {
		return []piece{{word, numberPiece}}
	}
	if isPlain(word) {
		return []piece{{lower(word), wordPiece}}
	}
	word = strings.TrimRight(trimApostrophes(word), "_")
	if isNumeric(word) {
		return numbers(lower(word))
	}
	if version, ok := strings.CutPrefix(word, "v"); ok && isNumeric(version) && strings.Contains(version, ".") {
		return numbers(lower(version))
	}
	parts := split(word)
	if len(parts) == 1 {
		return []piece{{lower(word), kindOf(word)}}
	}
	out := []piece{{wholeOf(word), wholePiece}}
	for _, signs := range []string{`/\@`, `/\@.`} {
		for segment := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune(signs, r) }) {
			p := piece{wholeOf(segment), wholePiece}
			if len(split(segment)) > 1 && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	for _, p := range parts {
		switch {
		case isNumeric(p):
			out = append(out, numbers(lower(p))...)
		case utf8.RuneCountInString(p) > 1:
			out = append(out, piece{lower(p), kindOf(p)})
		}
	}
	return out
}

// isPlain tells of a word of ASCII letters with no capital but the first, which
// has no parts.
func isPlain(word string) bool {
	for i := 0; i < len(word); i++ {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(word) > 1
}

// trimApostrophes drops an English 's, a French or Italian article before an
// apostrophe, and other apostrophes: "Ana's" ana, "l'eau" eau, "don't" dont.
func trimApostrophes(word string) string {
	word = strings.ReplaceAll(word, "’", "'")
	if !strings.Contains(word, "'") {
		return word
	}
	for _, end := range []string{"'s", "'S"} {
		word = strings.TrimSuffix(word, end)
	}
	if head, tail, ok := strings.Cut(word, "'"); ok && len(tail) > 2 && isElided(head) {
		word = tail
	}
	return strings.ReplaceAll(word, "'", "")
}

func isElided(head string) bool {
	switch strings.ToLower(head) {
	case "l", "d", "j", "m", "n", "s", "t", "c", "qu", "un", "dell", "dall", "nell", "sull", "all":
		return true
	}
	return false
}

func kindOf(part string) pieceKind {
	if strings.ContainsFunc(part, unicode.IsNumber) {
		return numberPiece
	}
	return wordPiece
}

// isNumeric tells whether a word is digits and what joins them.
func isNumeric(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || r == '_' })
}

// numbers are a number, date or version as a whole, and the shorter versions
// that it is one of: 8.15.1 is found by 8.15.
func numbers(word string) []piece {
	word = strings.ReplaceAll(word, ":", "h")
	out := []piece{{word, numberPiece}}
	for strings.Count(word, ".") > 1 && len(out) < 4 {
		word = word[:strings.LastIndexByte(word, '.')]
		out = append(out, piece{word, shorterPiece})
	}
	return out
}

// wholeOf writes an identifier as one word whatever its style:
// refreshAccessToken, refresh_access_token and refresh-access-token alike.
// The dots and slashes of names and paths stay.
func wholeOf(word string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '‐', '‑', ':':
			return -1
		case '\\':
			return '/'
		}
		return r
	}, lower(word))
}

// split cuts a word at its joints: signs, CamelCase, between letters and
// digits. HTTPServer is HTTP, Server.
func split(word string) []string {
	var parts []string
	runes := []rune(word)
	start := 0
	cut := func(i int) {
		if i > start {
			parts = append(parts, string(runes[start:i]))
		}
	}
	for i, r := range runes {
		switch {
		case !isWordRune(r) && !isPoint(runes, i):
			cut(i)
			start = i + 1
		case i > start && isJoint(runes, i):
			cut(i)
			start = i
		}
	}
	cut(len(runes))
	return parts
}

// isPoint tells whether the rune at i is the point of a number.
func isPoint(runes []rune, i int) bool {
	return runes[i] == '.' && i > 0 && isDigit(runes[i-1]) && i+1 < len(runes) && isDigit(runes[i+1])
}

// isJoint tells whether a part of an identifier begins at i, inside letters
// and digits.
func isJoint(runes []rune, i int) bool {
	before, r := runes[i-1], runes[i]
	lowerAt := func(j int) bool { return j < len(runes) && unicode.IsLower(runes[j]) }
	inNumber := func(r rune) bool { return r == '.' || unicode.IsNumber(r) }
	switch {
	case r == 'v' && i+1 < len(runes) && isDigit(runes[i+1]):
		return unicode.IsLetter(before)
	case before == 'v' && isDigit(r), unicode.Is(unicode.M, r):
		return false
	case inNumber(before) != inNumber(r):
		return true
	case unicode.IsUpper(r):
		return unicode.IsLower(before) || unicode.IsUpper(before) && lowerAt(i+1) && lowerAt(i+2)
	}
	return false
}

// characters are the characters and pairs of a run of a script without
// spaces; a mark belongs to the character before it.
func characters(run string) []piece {
	var out []piece
	eachCharacter(lower(run), func(char, pair string) {
		out = append(out, piece{char, charPiece})
		if pair != "" {
			out = append(out, piece{pair, pairPiece})
		}
	})
	return out
}

// eachCharacter calls do for every character of a run in lower case, with the
// pair that it begins, "" at the end.
func eachCharacter(run string, do func(char, pair string)) {
	before, start := -1, 0 // of the last two characters
	for i, r := range run {
		if i == 0 || unicode.Is(unicode.M, r) {
			continue
		}
		if before >= 0 {
			do(run[before:start], run[before:i])
		}
		before, start = start, i
	}
	if before >= 0 {
		do(run[before:start], run[before:])
	}
	do(run[start:], "")
}

// indexTerms are the terms that a piece of a leaf's text is indexed under.
func (a *Analyzer) indexTerms(p piece) []string {
	if p.kind != wordPiece {
		return []string{bounded(fold(p.text))}
	}
	terms, ok := a.pieces[p.text]
	if !ok {
		if len(a.pieces) >= maxSeen {
			clear(a.pieces)
		}
		terms = a.wordTerms(p)
		a.pieces[strings.Clone(p.text)] = terms
	}
	return terms
}

func (a *Analyzer) wordTerms(p piece) []string {
	folded := fold(p.text)
	terms := []string{bounded(folded)}
	if a.isStop(folded) {
		return terms
	}
	for _, s := range a.stems(p.text, folded) {
		if s != folded {
			terms = append(terms, bounded(stemMark+s))
		}
	}
	return terms
}

// forms are the terms under which a piece of a query is looked up, grouped as
// [Word] says: a word is found by its stems and by the words that are them.
func (a *Analyzer) forms(p piece) [][]string {
	folded := fold(p.text)
	if p.kind != wordPiece || a.isStop(folded) {
		return [][]string{{bounded(folded)}}
	}
	var groups [][]string
	for _, s := range a.stems(p.text, folded) {
		if a.isStop(s) {
			groups = append(groups, []string{bounded(stemMark + s)})
		} else {
			groups = append(groups, []string{bounded(s), bounded(stemMark + s)})
		}
	}
	if !slices.ContainsFunc(groups, func(g []string) bool { return g[0] == bounded(folded) }) {
		groups = append(groups, []string{bounded(folded)})
	}
	return groups
}

// stemMark begins a stem that is no word of the text.
const stemMark = "~"

// bounded cuts a term that is too long and tells it from others alike.
func bounded(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	h := fnv.New64a()
	h.Write([]byte(term))
	end := MaxTerm - 17
	for !utf8.RuneStart(term[end]) {
		end--
	}
	return fmt.Sprintf("%s~%016x", term[:end], h.Sum64())
}

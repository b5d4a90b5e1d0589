package detect

import (
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// sampleSize is how much of a long text is judged, in bytes: its first half,
// and a quarter each from its middle and its end.
const sampleSize = 32 << 10

// maxLine is how much of a line is matched against patterns, in bytes.
const maxLine = 400

// A sample is what is read of a text.
type sample struct {
	lines  []string // that are not blank, of prose and the marks of fences
	prose  string   // without fenced code, folded
	words  []string // of prose
	first  []int    // the words that lines begin with
	length float64  // of prose: words, and two signs of a script without blanks for one
	han    int
	fenced bool
}

func newSample(content string) *sample {
	s := &sample{}
	var prose strings.Builder
	inFence := false
	for line := range strings.Lines(cutSample(strings.TrimPrefix(content, "\ufeff"))) {
		line = strings.TrimRight(line, "\r\n")
		short := cut(line, maxLine)
		blank := strings.TrimSpace(short)
		fence := strings.HasPrefix(blank, "```") || strings.HasPrefix(blank, "~~~")
		if fence {
			inFence, s.fenced = !inFence, true
		}
		if blank == "" || inFence && !fence {
			continue
		}
		s.lines = append(s.lines, short)
		if !fence {
			folded := fold(line)
			prose.WriteString(folded)
			prose.WriteByte('\n')
			s.addWords(folded, strings.Contains(line, "I"))
		}
	}
	s.prose = prose.String()
	for _, r := range s.prose {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Han, r) {
			s.han++
		}
	}
	s.length = float64(len(s.words)) + float64(s.han)/2
	return s
}

// addWords adds those of a line, and which begins it after its number or
// bullet, "Step 3:" too. An i is a word only where it was a capital, else a
// variable or a number.
func (s *sample) addWords(line string, capital bool) {
	begun := false
	for w := range strings.FieldsFuncSeq(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	}) {
		if w == "i" && !capital {
			continue
		}
		if c := w[0]; !begun && w != "step" && w != "paso" && c != '-' && (c < '0' || c > '9') {
			begun = true
			s.first = append(s.first, len(s.words))
		}
		s.words = append(s.words, w)
	}
}

// cutSample returns the parts of a long text that are judged, whole lines
// where these are not too long.
func cutSample(content string) string {
	if len(content) <= sampleSize {
		return content
	}
	middle, end := len(content)/2, len(content)-sampleSize/4
	return cut(content, sampleSize/2) + "\n" +
		cut(afterLine(content[middle:]), sampleSize/4) + "\n" +
		afterLine(content[end:])
}

// cut returns at most n bytes of s, whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for range utf8.UTFMax - 1 {
		if n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
	}
	return s[:n]
}

// afterLine returns s from its second line on, or as it is from a character's
// start where the first line is long.
func afterLine(s string) string {
	if i := strings.IndexByte(s[:min(len(s), 1<<10)], '\n'); i >= 0 {
		return s[i+1:]
	}
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// fold returns s in lower case without the accents of the Latin script, with
// straight apostrophes.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36f:
			return -1
		case r == '’':
			return '\''
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
}

// scripts tell a language by themselves, or by the first of them that a text
// has: Japanese is written with Han too.
var scripts = []struct {
	language string
	table    *unicode.RangeTable
	share    float64 // of the letters
}{
	{"ja", unicode.Hiragana, 0.1}, {"ja", unicode.Katakana, 0.2}, {"ko", unicode.Hangul, 0.3},
	{"zh", unicode.Han, 0.3}, {"ru", unicode.Cyrillic, 0.5}, {"el", unicode.Greek, 0.5},
	{"ar", unicode.Arabic, 0.5}, {"he", unicode.Hebrew, 0.5}, {"hi", unicode.Devanagari, 0.5},
	{"th", unicode.Thai, 0.5}, {"ta", unicode.Tamil, 0.5}, {"bn", unicode.Bengali, 0.5},
}

// language returns the language that the prose is written in, "" where that
// is not clear.
func (s *sample) language() string {
	letters, count := 0, make([]int, len(scripts))
	for _, r := range s.prose {
		if r < utf8.RuneSelf {
			if r >= 'a' && r <= 'z' {
				letters++
			}
			continue
		}
		if unicode.IsLetter(r) {
			letters++
			for i := range scripts {
				if unicode.Is(scripts[i].table, r) {
					count[i]++
				}
			}
		}
	}
	for i, n := range count {
		if n > 0 && float64(n) >= scripts[i].share*float64(letters) {
			return scripts[i].language
		}
	}
	return s.latin()
}

// latin returns the language of which the most common words stand in the
// prose, a word that several languages share counting its part for each; ""
// where that is unclear. Other languages than English and Spanish need more;
// where there are few, the other words of data/words.txt tell these two apart.
func (s *sample) latin() string {
	c := wordCues()
	points, most := make([]float64, len(c.latin)), 0
	for _, w := range s.words {
		for _, i := range c.stop[w] {
			points[i] += 1 / float64(len(c.stop[w]))
		}
	}
	for i, p := range points {
		if p > points[most] {
			most = i
		}
	}
	least := max(0.3, float64(len(s.words))/30)
	if most > 1 {
		least = max(1, least)
	}
	if points[most] < least {
		return s.languageOfCues()
	}
	return c.latin[most]
}

// languageOfCues returns the language of most of the phrases that say
// something of the type, if one leads.
func (s *sample) languageOfCues() string {
	count := map[string]int{}
	for i, word := range s.words {
		for _, p := range wordCues().phrases[word] {
			if follows(s.words[i+1:], p.rest) {
				count[p.cue.language]++
			}
		}
	}
	switch {
	case count["en"] > count["es"]+1:
		return "en"
	case count["es"] > count["en"]+1:
		return "es"
	}
	return ""
}

// markdown tells whether the text is clearly written in Markdown.
func (s *sample) markdown() bool {
	headings, items := 0, 0
	for _, line := range s.lines {
		rest := strings.TrimLeft(line, "#")
		switch n := len(line) - len(rest); {
		case n >= 1 && n <= 6 && strings.HasPrefix(rest, " "):
			headings++
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "), strings.HasPrefix(line, "|"), strings.HasPrefix(line, "1. "), strings.HasPrefix(line, "2. "):
			items++
		}
	}
	return s.fenced || headings >= 2 || headings == 1 && items >= 2
}

// interpreters are the languages whose interpreters have other names.
var interpreters = map[string]string{
	"sh": "shell", "bash": "shell", "zsh": "shell", "ksh": "shell", "dash": "shell", "ash": "shell", "fish": "shell", "bats": "shell",
	"node": "javascript", "nodejs": "javascript", "bun": "javascript", "deno": "typescript", "ts-node": "typescript", "tsx": "typescript",
	"pypy": "python", "rscript": "r", "make": "make", "gawk": "awk", "mawk": "awk", "wish": "tcl", "tclsh": "tcl", "luajit": "lua",
	"python": "python", "ruby": "ruby", "jruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "awk": "awk", "groovy": "groovy",
	"scala": "scala", "kotlin": "kotlin", "swift": "swift", "julia": "julia", "elixir": "elixir", "escript": "erlang", "runghc": "haskell",
}

// shebang returns the language of the interpreter that a first line #! names,
// shell where it is unknown.
func shebang(content string) (string, bool) {
	content = strings.TrimPrefix(content, "\ufeff")
	if !strings.HasPrefix(content, "#!") {
		return "", false
	}
	line, _, _ := strings.Cut(cut(content, maxLine), "\n")
	words := strings.Fields(line[2:])
	if len(words) == 0 || words[0][0] != '/' { // "#![feature]" of Rust, or a note
		return "", false
	}
	program := path.Base(words[0])
	for _, w := range words[1:] {
		if program != "env" {
			break
		}
		if w[0] != '-' && !strings.Contains(w, "=") {
			program = path.Base(w)
		}
	}
	program = strings.TrimRight(strings.ToLower(program), "0123456789.")
	return cmp.Or(interpreters[program], "shell"), true
}

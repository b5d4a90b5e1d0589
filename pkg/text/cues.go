package text

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed cues.txt
var cueFile string

// Cues are what a line of cues.txt may be about.
const (
	asksWhen = "asks-when"
	saysWhen = "says-when"
)

// A cueSet holds the cues of one kind in every language: a question in French
// is one whatever languages a memory is set up for.
type cueSet struct {
	byLast map[string][][]string // the words of each cue, by the last of them
	inside []string              // cues of scripts without spaces
}

// longestCue is the number of words of the longest cue.
const longestCue = 4

// cues are the cue sets by name.
var cues = sync.OnceValue(func() map[string]*cueSet {
	sets := map[string]*cueSet{}
	for line := range strings.Lines(cueFile) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] == "#" {
			continue
		}
		set := sets[words[0]]
		if set == nil {
			set = &cueSet{byLast: map[string][][]string{}}
			sets[words[0]] = set
		}
		for _, cue := range words[2:] {
			if r, _ := utf8.DecodeRuneInString(cue); isSpaceless(r) {
				set.inside = append(set.inside, cue)
				continue
			}
			parts := strings.Split(cue, "_")
			last := parts[len(parts)-1]
			set.byLast[last] = append(set.byLast[last], parts)
		}
	}
	return sets
})

// A cueFinder looks for cues in a text that it is given word by word.
type cueFinder struct {
	set    *cueSet
	recent [longestCue]string // the last words, newest at the end
	found  bool
}

// word takes the next word of the text, folded.
func (f *cueFinder) word(w string) {
	if f.found || w == "" {
		return
	}
	copy(f.recent[:], f.recent[1:])
	f.recent[longestCue-1] = w
	f.found = f.endsIn(f.set.byLast[w]) || isDigit(rune(w[0])) && f.endsIn(f.set.byLast["#"])
}

func (f *cueFinder) endsIn(cues [][]string) bool {
next:
	for _, cue := range cues {
		for i, want := range cue {
			w := f.recent[longestCue-len(cue)+i]
			if w != want && !(want == "#" && w != "" && isDigit(rune(w[0]))) {
				continue next
			}
		}
		return true
	}
	return false
}

// stands tells whether a cue was among the words, or is part of the text in a
// script without spaces.
func (f *cueFinder) stands(s string) bool {
	if f.found || isASCII(s) {
		return f.found
	}
	for _, cue := range f.set.inside {
		if strings.Contains(s, cue) {
			return true
		}
	}
	return false
}

// endsInQuestion tells whether a text ends in a question mark, a closing
// remark in brackets, quotation marks and space aside.
func endsInQuestion(s string) bool {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	if strings.HasSuffix(s, "]") {
		if i := strings.LastIndexByte(s, '['); i > 0 {
			s = s[:i]
		}
	}
	s = strings.TrimRightFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'”’»)」』）", r)
	})
	last, _ := utf8.DecodeLastRuneInString(s)
	return last == '?' || last == '？' || last == '؟'
}

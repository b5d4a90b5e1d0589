package detect

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/words.txt
var wordsFile string

//go:embed data/syntax.txt
var syntaxFile string

// A cue is one clue of data/words.txt to a topic.
type cue struct {
	topic, language string
	name            string // a phrase, or the name of a line's pattern
	rest            []string
	weight          float64
	pattern         *regexp.Regexp
}

// cues are those of data/words.txt by how they are looked for.
type cues struct {
	words map[string][]*cue // phrases by their first word
	signs []*cue            // phrases of a script without blanks
	lines []*cue            // patterns of lines
	prose []*cue            // patterns that are counted in the text
	latin []string          // languages, English and Spanish first
	stop  map[string][]int  // common words, of which of these languages
}

var wordCues = sync.OnceValue(func() *cues {
	c := &cues{words: map[string][]*cue{}, stop: map[string][]int{}}
	for section, line := range sections(wordsFile) {
		topic, in, _ := strings.Cut(section, " ")
		number, list, _ := strings.Cut(line, " ")
		weight := mustFloat(number)
		if in == "lines" || in == "prose" {
			name, expr, _ := strings.Cut(list, " ")
			q := &cue{topic: topic, name: name, weight: weight, pattern: regexp.MustCompile(expr)}
			if in == "lines" {
				c.lines = append(c.lines, q)
			} else {
				c.prose = append(c.prose, q)
			}
			continue
		}
		for phrase := range strings.SplitSeq(list, ", ") {
			c.addPhrase(&cue{topic: topic, language: in, name: fold(phrase), weight: weight})
		}
	}
	return c
})

func (c *cues) addPhrase(q *cue) {
	words := strings.Fields(q.name)
	switch {
	case q.topic == "stopwords":
		if !slices.Contains(c.latin, q.language) {
			c.latin = append(c.latin, q.language)
		}
		c.stop[q.name] = append(c.stop[q.name], slices.Index(c.latin, q.language))
	case q.language == "zh":
		c.signs = append(c.signs, q)
	default:
		q.rest = words[1:]
		c.words[words[0]] = append(c.words[words[0]], q)
	}
}

// A syntaxCue is one line of data/syntax.txt.
type syntaxCue struct {
	language string
	weight   float64
	line     *regexp.Regexp
}

var syntaxCues = sync.OnceValue(func() []syntaxCue {
	var all []syntaxCue
	for _, line := range sections(syntaxFile) {
		part := strings.SplitN(line, " ", 3)
		all = append(all, syntaxCue{part[0], mustFloat(part[1]), regexp.MustCompile(part[2])})
	}
	return all
})

// mustFloat reads a number of the package's own data.
func mustFloat(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return f
}

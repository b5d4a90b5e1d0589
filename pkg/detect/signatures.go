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
	name            string
	weight          float64
	pattern         func() *regexp.Regexp // of lines, compiled when one is tried
}

// A phrase stands for a cue: the words after its first.
type phrase struct {
	rest []string
	cue  *cue
}

// An ending stands for a cue.
type ending struct {
	letters string
	cue     *cue
}

// cues are those of data/words.txt by how they are looked for.
type cues struct {
	phrases map[string][]phrase // by their first word
	first   map[string][]phrase // that a line begins with, by their first word
	signs   []*cue              // phrases of a script without blanks
	endings []ending
	lines   []*cue
	numbers []*cue
	han     []*cue
	latin   []string         // languages, English and Spanish first
	stop    map[string][]int // common words, of which of these languages
}

var wordCues = sync.OnceValue(func() *cues {
	c := &cues{phrases: map[string][]phrase{}, first: map[string][]phrase{}, stop: map[string][]int{}}
	var last *cue
	for section, line := range sections(wordsFile) {
		topic, in, _ := strings.Cut(section, " ")
		number, list, _ := strings.Cut(line, " ")
		q := &cue{topic: topic, weight: mustFloat(number)}
		switch in {
		case "lines", "numbers", "han", "first", "endings":
			q.name, list, _ = strings.Cut(list, " ")
			if last != nil && last.name == q.name && last.topic == q.topic { // a list goes on
				q = last
			}
			c.addNamed(in, q, list)
			last = q
		default:
			q.language = in
			c.addPhrases(q, strings.Split(list, ", "))
		}
	}
	return c
})

func (c *cues) addNamed(in string, q *cue, list string) {
	switch in {
	case "lines":
		c.lines = append(c.lines, q)
		q.pattern = compiled(list)
	case "numbers":
		c.numbers = append(c.numbers, q)
		q.pattern = compiled(list)
	case "han":
		c.han = append(c.han, q)
		q.pattern = compiled(list)
	case "first":
		for p := range strings.SplitSeq(list, ", ") {
			words := strings.Fields(p)
			c.first[words[0]] = append(c.first[words[0]], phrase{words[1:], q})
		}
	case "endings":
		for e := range strings.SplitSeq(list, ", ") {
			c.endings = append(c.endings, ending{e, q})
		}
	}
}

func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func (c *cues) addPhrases(q *cue, phrases []string) {
	for _, name := range phrases {
		own := *q
		own.name = name
		words := strings.Fields(name)
		switch {
		case q.topic == "stopwords":
			c.addStopWord(name, q.language)
		case q.language == "zh":
			c.signs = append(c.signs, &own)
		default:
			c.phrases[words[0]] = append(c.phrases[words[0]], phrase{words[1:], &own})
		}
	}
}

func (c *cues) addStopWord(word, language string) {
	if !slices.Contains(c.latin, language) {
		c.latin = append(c.latin, language)
	}
	c.stop[word] = append(c.stop[word], slices.Index(c.latin, language))
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

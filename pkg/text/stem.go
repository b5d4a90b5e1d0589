package text

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// A language has the Snowball stemmer of its code and a script.
type language struct {
	code   string
	script *unicode.RangeTable
	stem   func(*snowballstem.Env) bool
}

var languages = map[string]language{
	"ar": {"ar", unicode.Arabic, arabic.Stem},
	"da": {"da", unicode.Latin, danish.Stem},
	"de": {"de", unicode.Latin, german.Stem},
	"en": {"en", unicode.Latin, english.Stem},
	"es": {"es", unicode.Latin, spanish.Stem},
	"fi": {"fi", unicode.Latin, finnish.Stem},
	"fr": {"fr", unicode.Latin, french.Stem},
	"hu": {"hu", unicode.Latin, hungarian.Stem},
	"it": {"it", unicode.Latin, italian.Stem},
	"nl": {"nl", unicode.Latin, dutch.Stem},
	"no": {"no", unicode.Latin, norwegian.Stem},
	"pt": {"pt", unicode.Latin, portuguese.Stem},
	"ro": {"ro", unicode.Latin, romanian.Stem},
	"ru": {"ru", unicode.Cyrillic, russian.Stem},
	"sv": {"sv", unicode.Latin, swedish.Stem},
	"ta": {"ta", unicode.Tamil, tamil.Stem},
	"tr": {"tr", unicode.Latin, turkish.Stem},
}

// scriptLanguages are stemmed for wherever their script stands and no
// configured language is written in it.
var scriptLanguages = []string{"ru", "ar", "ta"}

// KnownLanguages are the codes that [NewAnalyzer] takes, sorted.
func KnownLanguages() []string { return slices.Sorted(maps.Keys(languages)) }

// stems returns the distinct folded stems of a word, given in lower case as
// written and folded. An accented word is stemmed as written and as it would
// be typed without accents, so that either finds the other.
func (a *Analyzer) stems(written, folded string) []string {
	var out []string
	add := func(l language, word string) {
		env := snowballstem.NewEnv(word)
		l.stem(env)
		if s := fold(env.Current()); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, l := range a.languages {
		if !startsIn(written, l.script) {
			continue
		}
		if written != folded {
			add(l, written)
		}
		add(l, l.restore(folded))
	}
	return out
}

// restore gives a word typed without accents those of its ending that the
// stemmer needs.
func (l language) restore(folded string) string {
	if l.code == "es" && (strings.HasSuffix(folded, "cion") || strings.HasSuffix(folded, "sion")) {
		return folded[:len(folded)-2] + "ón"
	}
	return folded
}

func startsIn(s string, script *unicode.RangeTable) bool {
	for _, r := range s {
		return unicode.Is(script, r)
	}
	return false
}

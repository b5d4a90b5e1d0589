package text

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// analysis is the version of the rules that turn text into index terms. It
// changes whenever any text would get other terms than before.
const analysis = "ihmt-1"

// An Analyzer turns texts and questions into index terms.
//
// An index term is a folded word ("reunion" of "Reunión"), a stem that is no
// word of the text ("~deploy" of "deployments"; a word that is its own stem
// is not repeated), the whole of an identifier ("refreshaccesstoken"), a
// number, a date or a version ("2025-03-14"), or one or two characters of a
// script without spaces ("電", "電話"). Terms hold no white space, control
// characters or ':', and are at most [MaxTerm] bytes long.
//
// An Analyzer remembers the terms of words that it has seen. It may be used by
// several goroutines at once.
type Analyzer struct {
	name      string
	languages []language
	stop      func() map[string]bool

	mu     sync.Mutex
	seen   map[string]token    // by word
	pieces map[string][]string // index terms, by part of a word
}

// MaxTerm is the length in bytes of the longest index term; longer words are
// cut and end in a hash.
const MaxTerm = 64

// NewAnalyzer returns an analyzer that knows the stems and stop words of the
// given languages, ISO 639-1 codes. Words of scripts that none of them is
// written in (Cyrillic, Arabic, Tamil) are stemmed for the language that the
// script suggests. An unknown code is an error that lists the known ones.
func NewAnalyzer(codes []string) (*Analyzer, error) {
	a := &Analyzer{seen: map[string]token{}, pieces: map[string][]string{}}
	var names []string
	for _, code := range codes {
		code = strings.ToLower(strings.TrimSpace(code))
		if slices.Contains(names, code) {
			continue
		}
		l, ok := languages[code]
		if !ok {
			return nil, fmt.Errorf("unknown language %q: known are %s", code, strings.Join(KnownLanguages(), ", "))
		}
		names = append(names, code)
		a.languages = append(a.languages, l)
	}
	for _, code := range scriptLanguages {
		l := languages[code]
		if !slices.ContainsFunc(a.languages, func(o language) bool { return o.script == l.script }) {
			a.languages = append(a.languages, l)
		}
	}
	slices.Sort(names)
	a.stop = sync.OnceValue(func() map[string]bool { return stopWords(a.languages) })
	a.name = strings.Join(append([]string{analysis}, names...), " ")
	return a, nil
}

// Name says which terms the analyzer makes, "ihmt-1 en es": indexes made under
// another name have to be made anew.
func (a *Analyzer) Name() string { return a.name }

// Terms calls do with each index term of a text, as often as it stands there,
// and returns the length in words: a [Profile] of nothing but content, for
// those who count themselves, and who remember what they have asked.
func (a *Analyzer) Terms(s string, do func(term string)) (length int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	eachWord(s, func(start, end int) {
		word := s[start:end]
		if !isRun(word) {
			t := a.newToken(word)
			length += t.length
			for _, term := range t.terms {
				do(term)
			}
			return
		}
		eachCharacter(lower(word), func(char, pair string) {
			for _, term := range []string{char, pair} {
				if term != "" {
					length++
					do(bounded(term))
				}
			}
		})
	})
	return length
}

// IsStop tells whether a word is a stop word of the analyzer's languages.
func (a *Analyzer) IsStop(word string) bool { return a.isStop(fold(lower(word))) }

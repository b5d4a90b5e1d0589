package project

import (
	"path"
	"strings"

	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// Exact terms: what an entry is called, what encloses it, and what it is.
const (
	namePrefix  = "name:"
	scopePrefix = "in:"
	importTerm  = "is:import"
)

// What a word counts in a comment, in a name and in the file's path, where one
// in the code counts 1.
const (
	docWeight  = 3
	nameWeight = 3
	pathWeight = 1
)

// An indexer counts the terms of entries. A word of code is what stands between
// signs; its index terms are asked of the analyzer once.
type indexer struct {
	analyzer *text.Analyzer
	words    map[string]word
	ids      map[string]int32
	terms    []string  // by id
	found    []posting // in the file at hand

	counts  []int32 // of the entry at hand, by id
	touched []int32 // ids with counts
	length  int
}

// A word is what is known of a word of code: its index terms, each as often as
// it counts, and how many words they are.
type word struct {
	ids    []int32
	length int
}

// A posting is a term, by its id, of the entry with a number in its file.
type posting struct{ id, entry, weight int32 }

// newIndexer returns an indexer for about so many files.
func newIndexer(a *text.Analyzer, files int) *indexer {
	size := min(32*files, 1<<15)
	return &indexer{analyzer: a, words: make(map[string]word, size), ids: make(map[string]int32, size)}
}

// add takes an entry in and returns its length in words.
func (x *indexer) add(number int, e *entry, source string, pathWords []string) int {
	x.length = 0
	for _, s := range e.own {
		x.count(source[s.start:s.end], 1)
	}
	for _, s := range e.doc {
		x.count(source[s.start:s.end], docWeight-1)
	}
	for _, name := range e.scope {
		x.count(name, nameWeight-1)
		x.touch(x.id(terms.Exact(scopePrefix, nameKey(name))), 1)
	}
	x.count(e.title, nameWeight)
	if e.name != "" {
		x.touch(x.id(terms.Exact(namePrefix, nameKey(e.name))), 1)
	}
	for _, w := range pathWords {
		x.count(w, pathWeight)
	}
	if e.kind == code.Import {
		x.touch(x.id(importTerm), 1)
	}
	for _, id := range x.touched {
		x.found = append(x.found, posting{id, int32(number), x.counts[id]})
		x.counts[id] = 0
	}
	x.touched = x.touched[:0]
	return x.length
}

// nameKey is a name as it is compared: in lower case, without the signs that
// some languages put before or behind.
func nameKey(name string) string { return strings.ToLower(strings.Trim(name, "$_@!?#~`'\" ")) }

// maxWord is the length in bytes of the longest word; longer ones are data.
const maxWord = 100

func (x *indexer) count(s string, weight int32) {
	eachWord(s, func(w string) {
		if len(w) > maxWord {
			return
		}
		known, ok := x.words[w]
		if !ok {
			known = x.learn(w)
		}
		x.length += int(weight) * known.length
		for _, id := range known.ids {
			x.touch(id, weight)
		}
	})
}

func (x *indexer) touch(id, weight int32) {
	if x.counts[id] == 0 {
		x.touched = append(x.touched, id)
	}
	x.counts[id] += weight
}

func (x *indexer) learn(w string) word {
	w = strings.Clone(w)
	var known word
	known.length = x.analyzer.Terms(w, func(term string) { known.ids = append(known.ids, x.id(term)) })
	x.words[w] = known
	return known
}

func (x *indexer) id(term string) int32 {
	id, ok := x.ids[term]
	if !ok {
		id = int32(len(x.terms))
		x.ids[term] = id
		x.terms = append(x.terms, term)
		x.counts = append(x.counts, 0)
	}
	return id
}

// eachWord calls do for each run of letters, digits and _ . All that is not
// ASCII counts as letters; the analyzer takes such runs apart.
func eachWord(s string, do func(string)) {
	start := -1
	for i := 0; i < len(s); i++ {
		if wordBytes[s[i]] {
			if start < 0 {
				start = i
			}
		} else if start >= 0 {
			do(s[start:i])
			start = -1
		}
	}
	if start >= 0 {
		do(s[start:])
	}
}

var wordBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()

// spaced is a query in the words that eachWord finds.
func spaced(s string) string {
	var words []string
	eachWord(s, func(w string) { words = append(words, w) })
	return strings.Join(words, " ")
}

// pathWords are the words of a file's name and of the folder that it is in.
func pathWords(file string) []string {
	name := path.Base(file)
	if i := strings.IndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return []string{name, path.Base(path.Dir(file))}
}

// A part is what an indexer found in one file.
type part struct {
	*indexer
	found []posting
	first int // ordinal of the file's first entry
}

// runOf joins parts, in ascending order of ordinals.
func runOf(parts []part, leaves []terms.Leaf) *terms.Run {
	ids, global := map[string]int32{}, map[*indexer][]int32{}
	var counts []int
	for _, p := range parts {
		if global[p.indexer] == nil {
			global[p.indexer] = make([]int32, len(p.terms))
			for i, term := range p.terms {
				id, ok := ids[term]
				if !ok {
					id = int32(len(ids))
					ids[term] = id
				}
				global[p.indexer][i] = id
			}
			counts = append(counts, make([]int, len(ids)-len(counts))...)
		}
		for _, f := range p.found {
			counts[global[p.indexer][f.id]]++
		}
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	all := make([]terms.Posting, total)
	lists := make([][]terms.Posting, len(ids))
	for i, n := range counts {
		lists[i], all = all[:0:n], all[n:]
	}
	for _, p := range parts {
		for _, f := range p.found {
			list := &lists[global[p.indexer][f.id]]
			*list = append(*list, terms.Posting{Ordinal: int32(p.first) + f.entry, Weight: f.weight})
		}
	}
	index := make(map[string][]terms.Posting, len(ids))
	for term, id := range ids {
		if len(lists[id]) > 0 {
			index[term] = lists[id]
		}
	}
	return terms.RunOf(leaves, index)
}

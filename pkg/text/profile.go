package text

import "strings"

// Fields are what is indexed of a leaf.
type Fields struct {
	Title, Content, Author string
	Tags                   []string
}

// A Profile is all that scoring needs to know of a leaf's text.
type Profile struct {
	// Terms are the index terms with their weighted frequency:
	// 3·title + 2·tags + 1·content.
	Terms map[string]int
	// Length is the number of words, weighted in the same way; a character of
	// a script without spaces is one, and so is each of its pairs.
	Length int
	// Author are the folded words of the author's name.
	Author []string
	// Question: the content ends in a question mark.
	Question bool
	// Temporal: the content says when ("yesterday", "next week", "in 2024").
	Temporal bool
}

const (
	titleWeight   = 3
	tagWeight     = 2
	contentWeight = 1
)

// Profile analyses a leaf.
func (a *Analyzer) Profile(f Fields) Profile {
	p := Profile{Terms: make(map[string]int, 16+min(len(f.Content)/5, 1<<16)), Question: endsInQuestion(f.Content)}
	when := cueFinder{set: cues()[saysWhen]}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isHeading(f.Title, f.Content) {
		a.count(&p, f.Title, titleWeight, nil)
	}
	for _, tag := range f.Tags {
		a.count(&p, tagName(tag), tagWeight, nil)
	}
	a.count(&p, f.Content, contentWeight, &when)
	p.Temporal = when.stands(f.Content)
	p.Author = nameWords(f.Author)
	return p
}

// isHeading tells whether a title says more than the first words of the
// content would: it is not among them, or it is the whole of their line and
// text follows. Words that merely begin a note are worth no more than others.
func (a *Analyzer) isHeading(title, content string) bool {
	title, cut := strings.CutSuffix(withoutDate(title), "…")
	content = withoutDate(content)
	var words []string
	eachWord(title, func(start, end int) { words = append(words, a.folded(title[start:end])) })
	begins, n, after := true, 0, 0
	eachWord(content[:min(len(content), 4*len(title)+maxWord)], func(start, end int) {
		if n < len(words) {
			folded := a.folded(content[start:end])
			begins = begins && (folded == words[n] || cut && n+1 == len(words) && strings.HasPrefix(folded, words[n]))
			n, after = n+1, end
		}
	})
	if !begins || n < len(words) {
		return true
	}
	line, rest, _ := strings.Cut(content[after:], "\n")
	return !cut && !strings.ContainsFunc(line, isWordRune) && strings.ContainsFunc(rest, isWordRune)
}

func withoutDate(s string) string {
	if lead, ok := LeadingDate(s, DMY); ok {
		return s[lead.Length:]
	}
	return s
}

// tagName is what a tag names: InventoryService of "class:InventoryService".
// The type of content names nothing that anybody would look for.
func tagName(tag string) string {
	key, name, ok := strings.Cut(tag, ":")
	switch {
	case !ok:
		return tag
	case key == "type":
		return ""
	}
	return name
}

// count adds the terms of a text to a profile, and shows its words to a cue
// finder where there is one.
func (a *Analyzer) count(p *Profile, s string, weight int, cue *cueFinder) {
	eachWord(s, func(start, end int) {
		word := s[start:end]
		if isRun(word) {
			eachCharacter(lower(word), func(char, pair string) {
				p.Terms[bounded(char)] += weight
				p.Length += weight
				if pair != "" {
					p.Terms[bounded(pair)] += weight
					p.Length += weight
				}
			})
			return
		}
		t := a.token(word)
		p.Length += weight * t.length
		for _, term := range t.terms {
			p.Terms[term] += weight
		}
		if cue != nil {
			cue.word(t.folded)
		}
	})
}

// nameWords are the folded words of a person's name.
func nameWords(name string) []string {
	var out []string
	eachWord(name, func(start, end int) {
		for _, p := range pieces(name[start:end]) {
			if p.kind == wordPiece || p.kind == pairPiece {
				out = append(out, bounded(fold(p.text)))
			}
		}
	})
	return out
}

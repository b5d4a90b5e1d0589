package text

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
	// Length is the number of words, weighted in the same way.
	Length int
	// Author are the folded words of the author's name.
	Author []string
	// Question: the content ends in a question mark.
	Question bool
	// Temporal: the content says when ("yesterday", "next week", "in 2024").
	Temporal bool
	// Proper: the content names somebody or something, as far as capitals
	// inside a sentence tell.
	Proper bool
}

const (
	titleWeight   = 3
	tagWeight     = 2
	contentWeight = 1
)

// Profile analyses a leaf.
func (a *Analyzer) Profile(f Fields) Profile {
	p := Profile{Terms: make(map[string]int, 16+len(f.Content)/6)}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(&p, f.Title, titleWeight)
	for _, tag := range f.Tags {
		a.count(&p, tag, tagWeight)
	}
	a.count(&p, f.Content, contentWeight)
	p.Author = a.nameWords(f.Author)
	p.Question = endsInQuestion(f.Content)
	p.Temporal = a.saysWhen(f.Content)
	p.Proper = namesSomething(f.Content)
	return p
}

func (a *Analyzer) count(p *Profile, s string, weight int) {
	eachWord(s, func(start, end int) {
		t := a.token(s[start:end])
		p.Length += weight * t.length
		for _, term := range t.terms {
			p.Terms[term] += weight
		}
	})
}

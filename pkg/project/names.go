package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ihmt/ihmt/pkg/terms"
	"github.com/ihmt/ihmt/pkg/text"
)

// A mention is a word of a query that may be the name of a symbol.
type mention struct {
	whole    string   // as typed: Transport.RoundTrip
	text     string   // its last part: RoundTrip
	scope    []string // what it is said to belong to: Transport of Transport.RoundTrip
	strength float64  // how much it looks like a name, 0..1
}

// How much a word looks like a name.
const (
	surelyName  = 1.0  // it is written as only names are, or stands alone
	likelyName  = 0.7  // it has a capital that no sentence asks for
	maybeName   = 0.5  // there is but one word beside it
	hintedName  = 0.3  // there are two
	perhapsName = 0.12 // a word like any other
)

// What it is worth that a symbol belongs to what the query says.
const (
	rightScope = 0.4
	wrongScope = -0.4
	rightFile  = 0.5
)

// mentionsOf are the words of a query that may be names. Words such as "the"
// are none, unless they are written as names.
func mentionsOf(a *text.Analyzer, query string) []mention {
	tokens := tokensOf(query)
	telling := 0
	for _, t := range tokens {
		if !a.IsStop(t) && kindWords[strings.ToLower(t)] == nil {
			telling++
		}
	}
	var mentions []mention
	for i, t := range tokens {
		name, call := strings.CutSuffix(t, "()")
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == ':' || r == '#' || r == '>' })
		if len(parts) == 0 || isFile(t) {
			continue
		}
		m := mention{whole: name, text: strings.TrimRight(parts[len(parts)-1], "-"), scope: parts[:len(parts)-1]}
		switch {
		case call || len(parts) > 1 || looksLikeName(m.text) || len(tokens) == 1 || telling == 1 && !a.IsStop(t):
			m.strength = surelyName
		case a.IsStop(t):
			continue
		case startsUpper(m.text) && (i > 0 || telling == 2):
			m.strength = likelyName
		case telling <= 2:
			m.strength = maybeName
		case telling == 3:
			m.strength = hintedName
		default:
			m.strength = perhapsName
		}
		mentions = append(mentions, m)
	}
	return mentions
}

// tokensOf are the words of a query with the signs that names have.
func tokensOf(query string) []string {
	var tokens []string
	for field := range strings.FieldsSeq(query) {
		call := strings.HasSuffix(strings.TrimRight(field, ".,;:?!"), "()")
		field = strings.TrimFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '$' })
		if i := strings.IndexByte(field, '('); i > 0 {
			field, call = field[:i], true
		}
		if call && field != "" {
			field += "()"
		}
		if field != "" {
			tokens = append(tokens, field)
		}
	}
	return tokens
}

// looksLikeName tells of what no language writes but code: capitals within,
// joints, digits after letters.
func looksLikeName(s string) bool {
	lower := false
	for i, r := range s {
		switch {
		case r == '_' || r == '$':
			return true
		case unicode.IsUpper(r) && lower, unicode.IsNumber(r) && i > 0:
			return true
		case unicode.IsLower(r) && i > 1 && unicode.IsUpper(rune(s[0])) && unicode.IsUpper(rune(s[1])):
			return true // HTTPServer
		}
		lower = lower || unicode.IsLower(r)
	}
	return false
}

func startsUpper(s string) bool {
	for _, r := range s {
		return unicode.IsUpper(r)
	}
	return false
}

// isFile tells of what names a file or a path.
func isFile(token string) bool {
	if strings.Contains(token, "/") {
		return true
	}
	ext := path.Ext(token)
	return len(ext) > 1 && len(ext) <= 6 && strings.ToLower(ext) == ext && len(token) > len(ext) && knownExtension(ext)
}

func knownExtension(ext string) bool { return strings.Contains(extensions, ext+" ") }

const extensions = ".go .py .java .js .mjs .cjs .jsx .ts .mts .cts .tsx .c .h .cc .cpp .cxx .hpp .hh .rs .php .rb .kt .kts .swift .scala .cs .lua .sh .sql .md .txt .json .yaml .yml .toml .xml .html .css .vue .proto .gradle "

// name finds what the query names: symbols by their names, and files.
func (s *scorer) name(a *text.Analyzer, query string) {
	tokens := tokensOf(query)
	mentions := mentionsOf(a, query)
	scopes := scopes{s.view, map[string][]hit{}}
	for _, m := range mentions {
		for _, h := range s.hits(terms.Exact(namePrefix, nameKey(m.text))) {
			worth := m.strength
			for _, scope := range m.scope {
				if scopes.have(scope, h.ref) {
					worth += rightScope / float64(len(m.scope))
				} else {
					worth += wrongScope / float64(len(m.scope))
				}
			}
			for _, other := range mentions {
				if other.text != m.text && len(m.scope) == 0 && scopes.have(other.text, h.ref) {
					worth += rightScope * m.strength
					break
				}
			}
			at := s.at(h.ref)
			at.named = max(at.named, worth)
		}
	}
	for _, t := range tokens {
		if isFile(t) {
			s.nameFile(strings.ToLower(t))
		}
	}
}

// scopes tells what entries belong to.
type scopes struct {
	*view
	known map[string][]hit
}

// have tells whether an entry stands in a symbol, a file or a folder of a
// name.
func (s scopes) have(scope string, r ref) bool {
	key := nameKey(scope)
	hits, ok := s.known[key]
	if !ok {
		hits = s.hits(terms.Exact(scopePrefix, key))
		s.known[key] = hits
	}
	return has(hits, r) || fileNamed(path.Join(filepath.Base(s.dir), s.file(r).path), key)
}

// unnamed returns the name that a query consists of, where nothing that the
// query allows is called so; else "".
func (v *view) unnamed(a *text.Analyzer, q Query) string {
	m, ok := soleName(a, q.Query)
	if !ok {
		return ""
	}
	scopes := scopes{v, map[string][]hit{}}
	for _, h := range v.hits(terms.Exact(namePrefix, nameKey(m.text))) {
		outside := func(scope string) bool { return !scopes.have(scope, h.ref) }
		if v.factor(v.file(h.ref), q) > 0 && !slices.ContainsFunc(m.scope, outside) {
			return ""
		}
	}
	key := nameKey(m.whole)
	if slices.ContainsFunc(v.files, func(f file) bool { return fileNamed(f.path, key) }) {
		return ""
	}
	return m.whole
}

// soleName is the name that a query consists of, if need be beside words such
// as "the" and "function".
func soleName(a *text.Analyzer, query string) (mention, bool) {
	mentions := mentionsOf(a, query)
	mentions = slices.DeleteFunc(mentions, func(m mention) bool { return kindWords[strings.ToLower(m.text)] != nil })
	if len(mentions) != 1 || mentions[0].strength < surelyName || len(tokensOf(query)) > 1 && !mentions[0].isCode() {
		return mention{}, false
	}
	return mentions[0], true
}

// isCode tells of a name that no sentence has.
func (m *mention) isCode() bool { return len(m.scope) > 0 || looksLikeName(m.text) }

// exactness tells how far a title has the name in the case that was typed, and
// what it is said to belong to: 0, 1 or 2 times the mention's strength.
func (m *mention) exactness(title string) float64 {
	exact := 0.0
	if strings.HasSuffix("."+title, "."+m.text) {
		exact++
		if len(m.scope) > 0 && strings.HasSuffix("."+title, "."+strings.Join(m.scope, ".")+"."+m.text) {
			exact++
		}
	}
	return exact * m.strength
}

// fileNamed tells whether a file, or its folder, is called so.
func fileNamed(file, key string) bool {
	file = strings.ToLower(file)
	name := path.Base(file)
	stem, _, _ := strings.Cut(name, ".")
	return key == stem || key == name || key == path.Base(path.Dir(file))
}

// nameFile raises what stands in a file that the query names.
func (s *scorer) nameFile(name string) {
	for i := range s.files {
		f := &s.files[i]
		if lower := strings.ToLower(f.path); lower != name && !strings.HasSuffix(lower, "/"+name) {
			continue
		}
		for n := range f.entries {
			s.at(ref(s.starts[f.table] + f.first + n)).named += rightFile
		}
	}
}

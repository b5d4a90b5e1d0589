package code

import (
	"cmp"
	"strings"
)

// A scope is what encloses a run of statements.
type scope struct {
	kind  string // "" for the file, object for an object literal
	depth int
}

// object is the scope of the entries of an object literal.
const object = "object"

func (s scope) inType() bool { return s.kind != "" && s.kind != Namespace && s.kind != Module }

func (s scope) function() string {
	if s.inType() {
		return Method
	}
	return Function
}

// A scanner divides the tokens of a text into statements and says what each
// defines.
type scanner struct {
	*lexer
	guesses int // tokens that may still be spent on "<" that opened nothing
	made    int // symbols
}

func newScanner(lang *language, text string) (s *scanner, ok bool) {
	l, ok := lex(lang, text)
	if !ok {
		return nil, false
	}
	return &scanner{lexer: l, guesses: 8*len(l.tokens) + 1<<16}, true
}

func (lang *language) parse(text string) []Symbol {
	s, ok := newScanner(lang, text)
	if ok && lang == c_ && s.isCPP() {
		s, ok = newScanner(cpp, text)
	}
	if !ok {
		return nil
	}
	symbols := s.statements(0, len(s.tokens), scope{}, 0)
	if s.made > maxSymbols {
		return nil
	}
	return symbols
}

// isCPP tells of a header that its name leaves open whether it is C.
func (s *scanner) isCPP() bool {
	for k := range s.tokens {
		if !s.isWord(k) {
			continue
		}
		switch next := s.mark(k + 1); s.str(k) {
		case "template":
			if next == '<' {
				return true
			}
		case "namespace", "class":
			if after := s.mark(k + 2); next == '{' || s.isWord(k+1) && (after == '{' || after == ':') {
				return true
			}
		}
	}
	return false
}

// str returns the text of a token.
func (s *scanner) str(k int) string {
	if k < 0 || k >= len(s.tokens) {
		return ""
	}
	return s.text[s.tokens[k].start:s.tokens[k].end]
}

// mark returns the byte of a punctuation mark, 0 for other tokens.
func (s *scanner) mark(k int) byte {
	if k < 0 || k >= len(s.tokens) || s.tokens[k].kind != mark {
		return 0
	}
	return s.text[s.tokens[k].start]
}

func (s *scanner) isWord(k int) bool {
	return k >= 0 && k < len(s.tokens) && s.tokens[k].kind == word
}

// adjoins tells whether nothing stands between a token and the one before.
func (s *scanner) adjoins(k int) bool {
	return k > 0 && k < len(s.tokens) && s.tokens[k].start == s.tokens[k-1].end
}

// skip returns the token after k, or after the bracket's partner where k opens
// one.
func (s *scanner) skip(k, end int) int {
	if s.opens(k, end) {
		return int(s.tokens[k].match) + 1
	}
	return k + 1
}

// opens tells whether a token is a bracket that is closed before end.
func (s *scanner) opens(k, end int) bool {
	m := int(s.tokens[k].match)
	return m > k && m < end
}

// skipAngles returns the token after the ">" that closes the "<" at k, or k+1
// where none does.
func (s *scanner) skipAngles(k, end int) int {
	depth := 0
	if s.guesses <= 0 {
		return k + 1
	}
	spent := 0
	defer func() {
		if depth > 0 {
			s.guesses -= spent
		}
	}()
	for i := k; i < end && spent < 4000; i = s.skip(i, end) {
		spent++
		switch s.mark(i) {
		case '<':
			depth++
		case '>':
			if c := s.mark(i - 1); (c == '=' || c == '-') && s.adjoins(i) {
				continue
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ';':
			return k + 1
		}
	}
	return k + 1
}

// statements returns the symbols of the tokens from i to end.
func (s *scanner) statements(i, end int, in scope, after int) []Symbol {
	var symbols []Symbol
	for i < end && s.made <= maxSymbols {
		j := s.statementEnd(i, end, in)
		for _, sym := range s.define(i, j, end, in, after) {
			if sym.Start < sym.End {
				after = sym.End
				n := len(symbols)
				symbols = joined(symbols, sym)
				s.made += len(symbols) - n
			}
		}
		i = j
	}
	return symbols
}

// statementEnd returns the token after the statement that starts at i.
func (s *scanner) statementEnd(i, end int, in scope) int {
	if kind := s.tokens[i].kind; kind == directive || kind == markup {
		return i + 1
	}
	if in.kind == Enum && s.constantsFirst(i) {
		return s.constantsEnd(i, end)
	}
	if next := s.afterLabel(i, end); next > i {
		return next
	}
	h, k := s.newHead(i, end), i
	if s.lang == c_ || s.lang == cpp {
		k = min(h.first, end-1)
	}
	for k < end {
		if k > i && s.lang.newlines && s.tokens[k].newline && s.endsAtNewline(i, k, h, in) {
			return k
		}
		switch c := s.mark(k); {
		case s.tokens[k].kind == markup && k > i:
			return k
		case c == ';':
			if s.lang == c_ && s.oldParameters(h, k, end) {
				k++
				continue
			}
			return k + 1
		case c == ',' && in.kind == object:
			return k + 1
		case c == '{' && s.opens(k, end):
			ends := s.endsAtBrace(i, k, h, in)
			k = int(s.tokens[k].match) + 1
			h.braces++
			if ends && !s.goesOn(k, end) {
				if s.mark(k) == ';' && k < end || in.kind == object && k < end && s.mark(k) == ',' {
					k++
				}
				return k
			}
		default:
			k = s.note(h, k, end)
		}
	}
	return end
}

// afterLabel returns the token after a label such as "public:" of C++.
func (s *scanner) afterLabel(i, end int) int {
	if s.lang != cpp || !s.isWord(i) || !hasWord("public protected private signals Q_SIGNALS", s.str(i)) {
		return i
	}
	k := i + 1
	if s.isWord(k) {
		k++
	}
	if k < end && s.mark(k) == ':' && s.mark(k+1) != ':' {
		return k + 1
	}
	return i
}

// afterMacro returns the token after a macro of C or C++ that stands in lines
// of its own without a semicolon: it belongs to what follows.
func (s *scanner) afterMacro(i, end int) int {
	k := i + 1
	if s.lang != c_ && s.lang != cpp || !s.isWord(i) || k >= end || s.mark(k) != '(' || !s.opens(k, end) || s.hasAttribute(i) {
		return i
	}
	next := s.skip(k, end)
	if next < end && s.tokens[next].newline && s.isWord(next) && !s.hasAttribute(next) &&
		!hasWord("const try override final", s.str(next)) && !s.oldParameters(&head{params: k}, next, end) {
		return next
	}
	return i
}

// A head is what has been seen of a statement.
type head struct {
	first    int // the first token after annotations and modifiers
	modified int // up to here they end with their line
	keyword  string
	assigned bool
	params   int // the last "(" that may hold parameters, -1
	colon    bool
	braces   int
}

func (s *scanner) newHead(i, end int) *head {
	h := &head{first: s.afterModifiers(i, end), params: -1}
	if h.first < end {
		h.keyword = s.str(h.first)
	}
	return h
}

// note takes one token, or one group, into the head and returns the next.
func (s *scanner) note(h *head, k, end int) int {
	switch c := s.mark(k); c {
	case '=':
		if !s.isComparison(k) && s.str(k-1) != "operator" {
			h.assigned = true
		}
	case '(':
		if !s.isAttribute(k-1, h) {
			h.params, h.colon = k, false
		}
	case ':':
		h.colon = h.params >= 0 && s.mark(k-1) != ':' && s.mark(k+1) != ':'
	}
	if s.isWord(k) && s.lang.typed {
		if text := s.str(k); text == "template" && s.mark(k+1) == '<' {
			return s.skipAngles(k+1, end)
		} else if text == "operator" && s.isOperatorName(k) {
			return s.operatorEnd(k, end)
		} else if kind := s.lang.keywords[text]; kind != "" && s.lang.keywords[h.keyword] == "" && h.params < 0 && !h.assigned {
			h.keyword = text
		}
	}
	return s.skip(k, end)
}

// isOperatorName tells "operator+" from "operator int".
func (s *scanner) isOperatorName(k int) bool { return s.mark(k+1) != 0 }

// operatorEnd returns the token after the name of an operator.
func (s *scanner) operatorEnd(k, end int) int {
	if s.mark(k+1) == '(' || s.mark(k+1) == '[' {
		return min(k+3, end)
	}
	for k++; k < end && s.mark(k) != 0 && s.mark(k) != '(' && s.mark(k) != ';'; k++ {
	}
	return k
}

func (s *scanner) isComparison(k int) bool {
	if s.mark(k+1) == '=' && s.adjoins(k+1) {
		return true
	}
	c := s.mark(k - 1)
	return s.adjoins(k) && (c == '=' || c == '!' || c == '<' || c == '>')
}

const attributeWords = "__attribute__ __attribute __declspec alignas noexcept throw decltype requires __asm__ asm __asm _Alignas explicit"

// hasAttribute tells whether a word is an attribute that takes arguments.
func (s *scanner) hasAttribute(k int) bool {
	return (s.lang == c_ || s.lang == cpp) && (hasWord(attributeWords, s.str(k)) || strings.HasPrefix(s.str(k), "__"))
}

// isAttribute tells whether the word before a parenthesis makes its content
// something other than parameters.
func (s *scanner) isAttribute(k int, h *head) bool {
	if !s.isWord(k) {
		return false
	}
	if s.hasAttribute(k) {
		return true
	}
	kind := s.lang.keywords[h.keyword]
	return s.lang.typed && (kind == Struct || kind == Class || kind == Union) && s.str(k-1) == h.keyword
}

// endsAtBrace tells whether the braces that open at k are the last of the
// statement.
func (s *scanner) endsAtBrace(i, k int, h *head, in scope) bool {
	switch {
	case k == i:
		return in.kind != object
	case s.lang.script():
		return s.scriptEndsAtBrace(k, h, in)
	case s.lang.newlines:
		return s.lang.keywords[h.keyword] != "" && !h.assigned && !hasWord("val var let", h.keyword)
	case !s.lang.typed:
		return !hasWord(s.lang.values, h.keyword) && !(s.lang.markup && (h.assigned || h.keyword == "return"))
	case h.assigned:
		return false
	case s.lang == java || s.lang == csharp:
		return true
	}
	return s.cEndsAtBrace(k, h)
}

// goesOn tells whether the token after braces continues their statement.
func (s *scanner) goesOn(k, end int) bool {
	if k >= end {
		return false
	}
	if s.isWord(k) {
		return hasWord("else elseif catch finally", s.str(k))
	}
	return s.lang == csharp && s.mark(k) == '='
}

func (s *scanner) cEndsAtBrace(k int, h *head) bool {
	kind := s.lang.keywords[h.keyword]
	switch {
	case kind == Namespace || h.keyword == "extern" || s.tokens[k-1].kind == literal && s.str(k-2) == "extern":
		return true
	case s.str(k-1) == "requires", s.mark(k-1) == ')' && s.str(int(s.tokens[k-1].match)-1) == "requires":
		return false
	case h.params >= 0 && h.colon:
		return !(s.isWord(k-1) && s.str(k-1) != "try") && s.mark(k-1) != '>'
	}
	return h.params >= 0
}

// oldParameters tells whether the semicolon at k ends the declaration of a
// parameter in the style before ANSI C: int f(a) int a; {…}.
func (s *scanner) oldParameters(h *head, k, end int) bool {
	if h.params < 0 || h.assigned || !s.opens(h.params, end) || h.braces > 0 || !s.listsNames(h.params) {
		return false
	}
	next := int(s.tokens[h.params].match) + 1
	if !s.isWord(next) || next > k || s.hasAttribute(next) || s.str(h.params-1) == "" {
		return false
	}
	ended := s.mark(k) == ';'
	for n := k + 1; n < end && n < k+200; n = s.skip(n, end) {
		switch c := s.mark(n); {
		case c == '{':
			return ended
		case c == ';':
			ended = true
		case c == ',' || c == '*' || c == '[' || c == '(' || s.isWord(n):
		default:
			return false
		}
		if s.tokens[n].kind == directive {
			return false
		}
	}
	return false
}

// listsNames tells whether a parenthesis holds names and commas only.
func (s *scanner) listsNames(k int) bool {
	for n := k + 1; n < int(s.tokens[k].match); n++ {
		if isName := (n-k)%2 == 1; isName != s.isWord(n) || !isName && s.mark(n) != ',' {
			return false
		}
	}
	return true
}

// constantsFirst tells whether an enumeration starts with its constants at i,
// so that they end with a semicolon.
func (s *scanner) constantsFirst(i int) bool {
	return (s.lang == java || s.lang == kotlin) && s.mark(i-1) == '{'
}

func (s *scanner) constantsEnd(i, end int) int {
	for k := i; k < end; k = s.skip(k, end) {
		if s.mark(k) == ';' {
			return k + 1
		}
	}
	return end
}

// afterModifiers returns the first token that is no annotation, attribute or
// modifier.
func (s *scanner) afterModifiers(i, end int) int {
	for i < end {
		next := s.afterAnnotation(i, end)
		if next == i {
			next = s.afterMacro(i, end)
		}
		if next == i {
			next = s.afterModifier(i, end)
		}
		if next == i {
			return i
		}
		i = next
	}
	return i
}

func (s *scanner) afterAnnotation(i, end int) int {
	switch s.mark(i) {
	case '#':
		k := i + 1
		if s.mark(k) == '!' {
			k++
		}
		if k < end && s.mark(k) == '[' {
			return s.skip(k, end)
		}
	case '[':
		if s.lang == csharp || s.lang == cpp {
			return s.skip(i, end)
		}
	case '@':
		if !s.isWord(i+1) || s.str(i+1) == "interface" && s.lang == java || i+1 >= end {
			return i
		}
		k := i + 2
		for k+1 < end && (s.mark(k) == '.' || s.mark(k) == ':') && s.isWord(k+1) {
			k += 2
		}
		if k < end && s.mark(k) == '[' && s.lang == kotlin {
			return s.skip(k, end)
		}
		if k < end && s.mark(k) == '(' && (s.adjoins(k) || s.lang == java) {
			return s.skip(k, end)
		}
		return k
	}
	return i
}

func (s *scanner) afterModifier(i, end int) int {
	if !s.isWord(i) || !hasWord(s.lang.modifiers, s.str(i)) {
		if s.lang == swift && s.str(i) == "class" && i+1 < end && hasWord("func var let subscript", s.str(i+1)) {
			return i + 1
		}
		return i
	}
	k := i + 1
	if k >= end {
		return i
	}
	switch text := s.str(i); {
	case text == "extern" && s.lang == rust && s.tokens[k].kind == literal:
		return k + 1
	case text == "const" && s.lang == rust && !hasWord("fn unsafe async extern", s.str(k)):
		return i
	case text == "fun" && s.str(k) != "interface":
		return i
	case text == "enum" && s.lang == kotlin && s.str(k) != "class", text == "package" && s.str(k) != "object":
		return i
	case (s.lang == rust || s.lang == swift) && s.mark(k) == '(', s.lang == scala && s.mark(k) == '[':
		return s.skip(k, end)
	case s.lang == java && s.mark(k) == '-': // non-sealed
		return k + 1
	case s.mark(k) != 0 && strings.IndexByte("=(:;,.)", s.mark(k)) >= 0:
		return i // a name after all
	}
	return k
}

// symbol places a definition of the tokens from i to j that is named by a
// token.
func (s *scanner) symbol(kind string, name, i, j, after int) Symbol {
	sym := Symbol{Kind: kind, Name: s.str(name)}
	at := name
	if name < i || name >= j {
		at, sym.Name = i, ""
	}
	sym.Line = s.line(int(s.tokens[at].start))
	s.place(&sym, int(s.tokens[i].start), int(s.tokens[j-1].end), after)
	return sym
}

// give adds to a symbol what stands in the braces that open at body.
func (s *scanner) give(sym *Symbol, i, body int, in scope) {
	if body < 0 || in.depth > maxNesting {
		return
	}
	open, end := s.tokens[body], int(s.tokens[body].match)
	sym.Header = headerOf(s.text[s.tokens[i].start:open.end])
	sym.Members = s.statements(body+1, end, scope{kind: in.kind, depth: in.depth + 1}, s.lineEnd(int(open.end)))
}

// bodyOf returns the braces that end the statement, -1 where none do.
func (s *scanner) bodyOf(i, j int) int {
	k := j - 1
	for k > i && (s.mark(k) == ';' || s.mark(k) == ',') {
		k--
	}
	if s.mark(k) == '}' && int(s.tokens[k].match) > i {
		return int(s.tokens[k].match)
	}
	return -1
}

// define returns what the statement of the tokens from i to j defines: one
// symbol, or several where it declares several names.
func (s *scanner) define(i, j, end int, in scope, after int) []Symbol {
	one := func(sym Symbol) []Symbol { return []Symbol{sym} }
	if s.tokens[i].kind == directive {
		return one(s.directiveSymbol(i, after))
	}
	if in.kind == Enum && s.constantsFirst(i) {
		return one(s.symbol(Statement, -1, i, j, after))
	}
	first := s.afterModifiers(i, j)
	if first >= j {
		return one(s.symbol(Statement, -1, i, j, after))
	}
	if s.isWord(first) && hasWord(s.lang.imports, s.str(first)) && s.mark(first+1) != '(' && s.mark(first+1) != '.' && !in.inType() {
		return one(s.symbol(Import, -1, i, j, after))
	}
	switch {
	case s.lang.typed:
		return one(s.defineTyped(i, first, j, in, after))
	case s.lang.script():
		return s.defineScript(i, j, in, after)
	}
	return one(s.defineByKeyword(i, first, j, in, after))
}

func (s *scanner) directiveSymbol(i, after int) Symbol {
	sym := s.symbol(Statement, -1, i, i+1, after)
	switch name, rest := directiveName(s.str(i)); name {
	case "include", "import":
		sym.Kind = Import
	case "define":
		sym.Kind, sym.Name = Macro, leadingWord(rest)
	}
	return sym
}

// defineByKeyword serves the languages in which a keyword opens every
// definition.
func (s *scanner) defineByKeyword(i, first, j int, in scope, after int) Symbol {
	keyword := s.str(first)
	kind := s.lang.keywords[keyword]
	body := s.bodyOf(first, j)
	if !s.isWord(first) || kind == "" {
		sym := s.symbol(Statement, -1, i, j, after)
		switch {
		case body == first && s.str(first-1) != "" && i < first: // extern "C" {…}
			s.give(&sym, i, body, scope{kind: Module, depth: in.depth})
		case s.lang.markup && hasWord("if else elseif", keyword):
			s.giveDefinitions(&sym, first, j, in)
		}
		return sym
	}
	name := s.nameAfter(first, j)
	switch {
	case kind == Import:
		return s.symbol(Import, -1, i, j, after)
	case kind == Function:
		kind = in.function()
	case keyword == "enum" && s.lang == scala:
		kind = Enum
	}
	if s.lang == kotlin && i < first && s.str(first-1) == "enum" {
		kind = Enum
	}
	sym := s.symbol(kind, name, i, j, after)
	if name == first-1 || name < 0 {
		sym.Name, sym.Line = "", s.line(int(s.tokens[first].start))
		if kind == Method {
			sym.Name = keyword
		} else if s.lang == kotlin && keyword == "object" {
			sym.Name = "Companion"
		}
	} else if c := s.mark(name); c != 0 {
		sym.Name = s.operatorText(name, j)
	} else if kind == Impl {
		sym.Line = s.line(int(s.tokens[first].start))
	}
	switch {
	case hasWord(s.lang.bodies, kind):
		s.give(&sym, i, body, scope{kind: kind, depth: in.depth})
	case s.lang == rust && body >= 0 && (kind == Function || kind == Method):
		s.giveDefinitions(&sym, body, j, scope{depth: in.depth})
	}
	return sym
}

// giveDefinitions gives a statement what its blocks define: PHP defines
// functions under a condition, Rust implements traits inside functions.
func (s *scanner) giveDefinitions(sym *Symbol, i, j int, in scope) {
	if in.depth > maxNesting {
		return
	}
	after := sym.Start
	for k := i; k < j; k = s.skip(k, j) {
		if s.mark(k) != '{' || !s.opens(k, j) {
			continue
		}
		for _, m := range s.statements(k+1, int(s.tokens[k].match), scope{kind: in.kind, depth: in.depth + 1}, max(after, s.lineEnd(int(s.tokens[k].end)))) {
			if m.Kind != Var && m.Kind != Const && (m.Name != "" || m.Members != nil) {
				sym.Members = append(sym.Members, m)
			}
			after = m.End
		}
	}
}

// nameAfter returns the token that a definition names itself by, after its
// keyword; -1 where it has no name.
func (s *scanner) nameAfter(keyword, j int) int {
	k := keyword + 1
	for k < j && strings.IndexByte("!&*", max(s.mark(k), 1)) >= 0 && s.lang != swift && s.lang != scala {
		k++
	}
	if k < j && s.mark(k) == '<' && s.lang != swift && s.lang != scala {
		k = s.skipAngles(k, j)
	}
	if s.lang == golang && k < j && s.mark(k) == '(' { // a receiver
		k = s.skip(k, j)
	}
	if s.str(keyword) == "impl" {
		return s.implName(k, j)
	}
	if hasWord("init deinit subscript constructor", s.str(keyword)) && s.lang.keywords[s.str(keyword)] == Method {
		return -1
	}
	if k >= j {
		return -1
	}
	if s.mark(k) != 0 {
		if (s.lang == swift || s.lang == scala) && s.mark(k) != '{' && s.mark(k) != '(' {
			return k
		}
		return -1
	}
	for k+1 < j {
		switch {
		case s.mark(k+1) == '.' && s.isWord(k+2), s.mark(k+1) == '?' && s.mark(k+2) == '.' && s.isWord(k+3):
			k = k + 2
			if s.mark(k) == '.' {
				k++
			}
		case s.mark(k+1) == '\\' && s.isWord(k+2):
			k += 2
		case s.mark(k+1) == '<' && s.str(keyword) == "fun" && s.mark(s.skipAngles(k+1, j)) == '.':
			k = s.skipAngles(k+1, j) + 1
		default:
			return k
		}
	}
	return k
}

// operatorText returns the punctuation that names an operator.
func (s *scanner) operatorText(k, j int) string {
	from := k
	for k < j && s.mark(k) != 0 && s.mark(k) != '(' && (k == from || s.adjoins(k)) {
		k++
	}
	return s.text[s.tokens[from].start:s.tokens[k-1].end]
}

// implName returns the type that an impl is for; of a tuple or another type
// without a name, the last one in it, and the trait where there is none.
func (s *scanner) implName(k, j int) int {
	name, trait := -1, -1
	for k < j {
		switch c := s.mark(k); {
		case c == '{' || c == ';' || s.str(k) == "where":
			return cmp.Or(max(name, 0), max(trait, 0), -1)
		case c == '<':
			k = s.skipAngles(k, j)
			continue
		case s.str(k) == "for" && s.mark(k+1) != '<':
			name, trait = -1, name
		case s.isWord(k) && !hasWord("dyn mut const unsafe extern fn for", s.str(k)) && s.mark(k-1) != '\'':
			name = k
		}
		k++
	}
	return name
}

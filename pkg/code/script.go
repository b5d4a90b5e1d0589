package code

import "strings"

// script tells of JavaScript and TypeScript.
func (lang *language) script() bool { return lang == javascript || lang == typescript }

// endsAtNewline tells whether the statement that starts at i ends before k,
// the first token of a line.
func (s *scanner) endsAtNewline(i, k int, h *head, in scope) bool {
	if h.first >= k {
		if h.modified = s.afterModifiers(max(h.modified, i), k); h.modified >= k {
			return false // annotations and modifiers belong to what follows
		}
	}
	if in.kind == object {
		return false
	}
	if s.lang.script() {
		return s.scriptEndsAtNewline(i, k, h, in)
	}
	before, next := s.mark(k-1), s.mark(k)
	switch {
	case strings.IndexByte("=,+-*/%&|<(.", max(before, 1)) >= 0, strings.IndexByte("{.?:=&|)]},", max(next, 1)) >= 0:
		return false
	case next == '-' && s.mark(k+1) == '>':
		return false
	case s.isWord(k) && hasWord("else catch finally where extends with by get set throws yield constructor do while", s.str(k)):
		return false
	}
	return s.column(k) <= s.column(i)
}

// column returns how far a token's line is indented.
func (s *scanner) column(k int) int {
	start := int(s.tokens[k].start)
	begin := 1 + strings.LastIndexByte(s.text[max(0, start-300):start], '\n') + max(0, start-300)
	n := 0
	for _, c := range []byte(s.text[begin:start]) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

func (s *scanner) scriptEndsAtNewline(i, k int, h *head, in scope) bool {
	before, next := s.mark(k-1), s.mark(k)
	switch {
	case before == '>':
		if s.mark(k-2) == '=' {
			return false
		}
	case before == '+' || before == '-':
		if s.mark(k-2) != before {
			return false
		}
	case before != 0 && strings.IndexByte("=,*/%&|^<?:.!~", before) >= 0:
		return false
	case s.isWord(k-1) && hasWord("export default extends implements else do new in of instanceof typeof keyof await async function class interface", s.str(k-1)) && !in.inType():
		return false
	case before == ')' && hasWord("if for while with", h.keyword) && s.closesHead(h.first, k):
		return false
	}
	if in.inType() {
		return strings.IndexByte("=:?{|&).,", max(next, 1)) < 0 && !(next == '<' && s.isWord(k-1)) && !(next == '(' && s.mark(k-1) == '>')
	}
	if next != 0 && next != '@' && next != '!' && next != '~' && next != '#' && next != ';' {
		return (next == '+' || next == '-') && s.mark(k+1) == next || next == '}'
	}
	return !(s.isWord(k) && hasWord("else catch finally instanceof in of extends implements as satisfies from is", s.str(k)) ||
		s.str(k) == "while" && h.keyword == "do")
}

// closesHead tells whether the parenthesis before k closes the condition of
// the control statement whose keyword stands at first.
func (s *scanner) closesHead(first, k int) bool {
	n := first + 1
	if s.str(n) == "await" {
		n++
	}
	return int(s.tokens[k-1].match) == n
}

// scriptEndsAtBrace tells whether the braces at k are the body of a function
// or type, and not a value or a type themselves.
func (s *scanner) scriptEndsAtBrace(k int, h *head, in scope) bool {
	if h.assigned || s.inTypePosition(k) {
		return false
	}
	if in.inType() {
		return in.kind != object && (h.params >= 0 || s.str(k-1) == "static") || in.kind == object && h.params >= 0 && !h.colon
	}
	for n := h.first; n < k && n < h.first+6; n++ {
		if hasWord("export default async declare abstract const", s.str(n)) {
			continue
		}
		kind := s.lang.keywords[s.str(n)]
		return kind != "" && kind != Type
	}
	return false
}

// inTypePosition tells whether braces open a type: f(): {a: string} {…}.
func (s *scanner) inTypePosition(k int) bool {
	c := s.mark(k - 1)
	if c == '>' && s.mark(k-2) == '=' {
		return true
	}
	return c != 0 && strings.IndexByte(":|&<,=", c) >= 0 || s.isWord(k-1) && hasWord("is extends keyof readonly asserts", s.str(k-1)) && s.str(k-2) != "class"
}

const (
	scriptModifiers = "export default declare abstract async const"
	memberModifiers = "static async get set public private protected readonly abstract override declare accessor export default"
)

// defineScript serves JavaScript and TypeScript.
func (s *scanner) defineScript(i, j int, in scope, after int) []Symbol {
	if in.inType() {
		return []Symbol{s.defineMember(i, j, in, after)}
	}
	k := s.afterModifiers(i, j)
	for k < j && s.isWord(k) && hasWord(scriptModifiers, s.str(k)) && !(s.str(k) == "const" && s.str(k+1) != "enum") && s.mark(k+1) != '=' {
		k++
		k = s.afterModifiers(k, j)
	}
	switch {
	case k >= j:
	case s.isWord(k) && s.scriptKeyword(k, j):
		return []Symbol{s.defineScriptKeyword(i, k, j, in, after)}
	case s.isWord(k) && hasWord("const let var", s.str(k)):
		return s.declarators(i, k, j, in, after)
	case s.str(k) == "global" && s.mark(k+1) == '{':
		sym := s.symbol(Namespace, k, i, j, after)
		s.give(&sym, i, s.bodyOf(k, j), scope{kind: Namespace, depth: in.depth})
		return []Symbol{sym}
	case k > i && s.str(k-1) == "default" || k > i && s.str(k-1) == "async":
		sym := s.symbol(Statement, -1, i, j, after)
		s.valueOf(&sym, i, k, j, in)
		return []Symbol{sym}
	}
	return []Symbol{s.defineExpression(i, min(k, j-1), j, in, after)}
}

// scriptKeyword tells whether the word at k opens a definition: most keywords
// of TypeScript are names elsewhere.
func (s *scanner) scriptKeyword(k, j int) bool {
	switch text := s.str(k); s.lang.keywords[text] {
	case "":
		return false
	case Function, Class:
		return true
	case Namespace:
		return k+1 < j && (s.isWord(k+1) || s.tokens[k+1].kind == literal)
	}
	return k+1 < j && s.isWord(k+1)
}

func (s *scanner) defineScriptKeyword(i, k, j int, in scope, after int) Symbol {
	kind := s.lang.keywords[s.str(k)]
	name := k + 1
	if s.mark(name) == '*' {
		name++
	}
	for s.mark(name+1) == '.' && s.isWord(name+2) {
		name += 2
	}
	if s.tokens[min(name, j-1)].kind == literal {
		sym := s.symbol(kind, name, i, j, after)
		sym.Name = strings.Trim(sym.Name, "\"'`")
		s.give(&sym, i, s.bodyOf(k, j), scope{kind: Namespace, depth: in.depth})
		return sym
	}
	if !s.isWord(name) || s.str(name) == "extends" {
		name = -1
	}
	sym := s.symbol(kind, name, i, j, after)
	if kind != Function && kind != Type && kind != Enum {
		s.give(&sym, i, s.bodyOf(k, j), scope{kind: kind, depth: in.depth})
	}
	return sym
}

// declarators serves var a = …, b = …: each is a symbol.
func (s *scanner) declarators(i, k, j int, in scope, after int) []Symbol {
	kind := Var
	if s.str(k) == "const" {
		kind = Const
	}
	var symbols []Symbol
	from, name := i, k+1
	for name < j {
		end := name
		for end < j && s.mark(end) != ',' {
			if s.mark(end) == '<' && s.mark(end-1) == ':' {
				end = s.skipAngles(end, j)
			} else if next := s.skip(end, j); s.mark(end) == '<' && s.isWord(end-1) && s.lang == typescript {
				end = s.skipAngles(end, j)
			} else {
				end = next
			}
		}
		end = min(end+1, j)
		sym := s.symbol(kind, name, from, end, after)
		if !s.isWord(name) {
			sym.Name = ""
		}
		if value := s.valueAt(name, end); value > 0 {
			s.valueOf(&sym, from, value, end, in)
		}
		after = sym.End
		symbols = append(symbols, sym)
		from, name = end, end
	}
	if symbols == nil {
		return []Symbol{s.symbol(Statement, -1, i, j, after)}
	}
	return symbols
}

// valueAt returns the token after the "=" that gives a value, -1 where none
// does.
func (s *scanner) valueAt(k, end int) int {
	for ; k < end; k = s.skip(k, end) {
		if s.mark(k) == '=' && !s.isComparison(k) && !(s.mark(k+1) == '>' && s.adjoins(k+1)) {
			return k + 1
		}
	}
	return -1
}

// valueOf makes a symbol a function or a class where its value, the tokens
// from k to j, is one, and gives it the entries of an object.
func (s *scanner) valueOf(sym *Symbol, i, k, j int, in scope) {
	for s.isWord(k) && s.mark(k+1) == '=' && !s.isComparison(k+1) && s.mark(k+2) != '>' && k+2 < j { // a = b = …
		k += 2
	}
	if s.str(k) == "async" && s.isWord(k) {
		k++
	}
	switch {
	case k >= j:
	case s.str(k) == "function" && s.isWord(k):
		if body := s.called(k, j); body >= 0 {
			s.give(sym, i, body, scope{depth: in.depth})
			break
		}
		sym.Kind = in.function()
		if name := s.functionNameAt(k); name >= 0 && (sym.Name == "" || sym.Name == "exports") {
			sym.Name = s.str(name)
		}
	case s.str(k) == "class" && s.isWord(k):
		sym.Kind = Class
		s.give(sym, i, s.bodyOf(k, j), scope{kind: Class, depth: in.depth})
	case s.mark(k) == '{' && s.opens(k, j) && s.bodyOf(k-1, j) == k:
		s.give(sym, i, k, scope{kind: object, depth: in.depth})
	case s.isArrow(k, j):
		sym.Kind = in.function()
	case s.mark(k) == '(' && s.opens(k, j):
		if body := s.wrapped(k, j); body >= 0 {
			s.give(sym, i, body, scope{depth: in.depth})
		}
	}
}

// functionNameAt returns the name of the function expression at k, -1 where it
// has none.
func (s *scanner) functionNameAt(k int) int {
	name := k + 1
	if s.mark(name) == '*' {
		name++
	}
	if s.isWord(name) {
		return name
	}
	return -1
}

// called returns the body of the function expression at k where the value is
// not the function but what it returns, else -1.
func (s *scanner) called(k, j int) int {
	for k < j && s.mark(k) != '{' {
		k = s.skip(k, j)
	}
	if k < j && s.opens(k, j) {
		if next := s.skip(k, j); next < j && s.mark(next) == '(' {
			return k
		}
	}
	return -1
}

// isArrow tells whether an arrow function starts at k.
func (s *scanner) isArrow(k, j int) bool {
	if s.mark(k) == '<' {
		k = s.skipAngles(k, j)
	}
	if !s.isWord(k) && (s.mark(k) != '(' || !s.opens(k, j)) {
		return false
	}
	k = s.skip(k, j)
	if s.mark(k) == ':' {
		for k < j && !(s.mark(k) == '=' && s.mark(k+1) == '>') && s.mark(k) != ';' {
			k = s.skip(k, j)
		}
	}
	return k+1 < j && s.mark(k) == '=' && s.mark(k+1) == '>'
}

// defineExpression serves a.b = function …, module.exports = {…} and the
// functions that wrap a module.
func (s *scanner) defineExpression(i, k, j int, in scope, after int) Symbol {
	name, n := -1, k
	for n < j && (s.isWord(n) || s.mark(n) == '.' || s.mark(n) == '[') {
		if s.isWord(n) {
			name = n
		}
		n = s.skip(n, j)
	}
	if name >= 0 && n < j && s.mark(n) == '=' && !s.isComparison(n) && s.mark(n+1) != '>' {
		sym := s.symbol(Statement, name, i, j, after)
		if s.valueOf(&sym, i, n+1, j, in); sym.Kind == Statement {
			sym.Kind = Var
		} else if sym.Kind == Function && s.mark(name-1) == '.' {
			sym.Kind = Method
		}
		return sym
	}
	sym := s.symbol(Statement, -1, i, j, after)
	if body := s.wrapped(k, j); body >= 0 {
		if name := s.nameOfBody(body, k); name >= 0 {
			return s.symbol(Function, name, i, j, after)
		}
		sym.Kind = Module
		s.give(&sym, i, body, scope{depth: in.depth})
		sym.Header = headerOf(s.text[s.tokens[i].start:s.tokens[body].end])
	} else if hasWord("if else for while do try switch with", s.str(k)) || s.mark(k) == '{' {
		s.giveDefinitions(&sym, k, j, in)
	}
	return sym
}

// nameOfBody returns the name of the function expression whose body opens at
// body, -1 where it has none.
func (s *scanner) nameOfBody(body, first int) int {
	if s.mark(body-1) != ')' {
		return -1
	}
	name := int(s.tokens[body-1].match) - 1
	if name > first && s.isWord(name) && (s.str(name-1) == "function" || s.mark(name-1) == '*' && s.str(name-2) == "function") {
		return name
	}
	return -1
}

// wrapped returns the braces of the largest function that an expression calls
// or hands over, -1 where it has none.
func (s *scanner) wrapped(k, j int) int {
	best, size := -1, 0
	for n := k; n < j; {
		if s.mark(n) == '{' && s.opens(n, j) {
			if m := int(s.tokens[n].match); m-n > size && (s.mark(n-1) == ')' || s.mark(n-1) == '>' && s.mark(n-2) == '=') {
				best, size = n, m-n
			}
			n = s.skip(n, j)
			continue
		}
		n++
	}
	return best
}

// defineMember serves the members of classes, interfaces and objects.
func (s *scanner) defineMember(i, j int, in scope, after int) Symbol {
	k := s.afterModifiers(i, j)
	for k+1 < j && s.isWord(k) && hasWord(memberModifiers, s.str(k)) && strings.IndexByte("=(:;,?<!}", max(s.mark(k+1), 1)) < 0 {
		k++
	}
	if s.mark(k) == '*' {
		k++
	}
	name := k
	if s.mark(k) == '#' {
		name, k = k+1, k+1
	}
	if k >= j || s.mark(k) != 0 && s.mark(k) != '[' || s.tokens[k].kind == directive {
		return s.symbol(Statement, -1, i, j, after)
	}
	next := s.skip(k, j)
	for next < j && (s.mark(next) == '?' || s.mark(next) == '!') {
		next++
	}
	sym := s.symbol(Var, name, i, j, after)
	switch {
	case s.mark(name) == '[':
		sym.Name = s.text[s.tokens[name].start:s.tokens[next-1].end]
	case s.tokens[name].kind == literal:
		sym.Name = strings.Trim(sym.Name, "\"'`")
	}
	switch c := s.mark(next); {
	case next >= j:
	case c == '(' || c == '<':
		sym.Kind = Method
	case c == ':' && in.kind == object:
		s.valueOf(&sym, i, next+1, j, scope{kind: object, depth: in.depth})
	case s.valueAt(next, j) > 0:
		s.valueOf(&sym, i, s.valueAt(next, j), j, scope{kind: Class, depth: in.depth})
	}
	if sym.Kind == Statement {
		sym.Kind = Var
	}
	return sym
}

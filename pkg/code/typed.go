package code

// defineTyped serves C, C++, Java and C#, in which a function is known by its
// parameters.
func (s *scanner) defineTyped(i, first, j int, in scope, after int) Symbol {
	if kind, keyword := s.typeKeyword(first, j, in); kind != "" {
		if sym, ok := s.defineType(kind, keyword, i, j, in, after); ok {
			return sym
		}
	}
	body := s.bodyOf(i, j)
	if s.str(first) == "extern" && body >= 0 || body > 0 && s.str(body-2) == "extern" && s.tokens[body-1].kind == literal {
		sym := s.symbol(Statement, -1, i, j, after)
		s.give(&sym, i, body, scope{depth: in.depth})
		return sym
	}
	name, params := s.functionName(first, j)
	if name >= 0 && s.isFunction(params, body, j, in) {
		kind := in.function()
		if s.mark(name-1) == ':' && s.mark(name-2) == ':' || s.mark(name-1) == '~' {
			kind = Method
		}
		sym := s.symbol(kind, name, i, j, after)
		if s.str(name) == "operator" {
			sym.Name = s.text[s.tokens[name].start:s.tokens[params-1].end]
		} else if s.mark(name-1) == '~' {
			sym.Name = "~" + sym.Name
		}
		return sym
	}
	if isTypedef := s.hasTypedef(i, first); isTypedef {
		if name := s.declared(first, j); name >= 0 {
			return s.symbol(Type, name, i, j, after)
		}
	}
	if name := s.declared(first, j); name > first {
		return s.symbol(Var, name, i, j, after)
	}
	return s.symbol(Statement, -1, i, j, after)
}

func (s *scanner) hasTypedef(i, first int) bool {
	for k := i; k <= first; k++ {
		if s.str(k) == "typedef" {
			return true
		}
	}
	return false
}

// isFunction tells a function from a declaration without a body, which counts
// in Java and C# only.
func (s *scanner) isFunction(params, body, j int, in scope) bool {
	if body > params {
		return true
	}
	return (s.lang == java || s.lang == csharp) && in.inType() && s.mark(j-1) == ';'
}

// typeKeyword returns the kind and the keyword of a type or namespace that
// the statement defines, "" where it defines none.
func (s *scanner) typeKeyword(first, j int, in scope) (string, int) {
	for k := first; k < j; {
		switch c := s.mark(k); {
		case c == '(' && !s.hasAttribute(k-1), c == '=', c == '{':
			return "", -1
		case c == '@' && s.str(k+1) == "interface":
			return Interface, k + 1
		case s.str(k) == "template" && s.mark(k+1) == '<':
			k = s.skipAngles(k+1, j)
			continue
		case c == '<' && k > first:
			k = s.skipAngles(k, j)
			continue
		}
		if kind := s.lang.keywords[s.str(k)]; kind != "" && s.isWord(k) && s.names(k, j, in) {
			return kind, k
		}
		k = s.skip(k, j)
	}
	return "", -1
}

// names tells whether the keyword at k is one here: some are names elsewhere.
func (s *scanner) names(k, j int, in scope) bool {
	switch s.str(k) {
	case "record":
		return s.isWord(k+1) && k+2 < j && s.mark(k+2) != ';' && s.mark(k+2) != '='
	case "module":
		return in.kind == "" && s.isWord(k+1)
	case "concept":
		return s.isWord(k+1) && s.mark(k+2) == '='
	}
	return true
}

// defineType serves classes, structures, enumerations and namespaces. In C a
// statement may go on to name variables or types after the braces.
func (s *scanner) defineType(kind string, keyword, i, j int, in scope, after int) (Symbol, bool) {
	body, name := -1, -1
	k := keyword + 1
	for k < j && s.isWord(k) && hasWord("class struct", s.str(k)) { // enum class, record struct
		k++
	}
	named := false
	for ; k < j && body < 0; k = s.skip(k, j) {
		switch c := s.mark(k); {
		case c == '{' && s.opens(k, j):
			body = k
		case c == '<' && k > keyword+1:
			named = named || name >= 0
			k = s.skipAngles(k, j) - 1
		case c == ':' && s.mark(k+1) == ':':
			k++
		case c == ':' && s.mark(k-1) != ':', c == ';', c == '=', s.str(k) == "extends", s.str(k) == "implements", s.str(k) == "permits", s.str(k) == "where":
			named = true
		case c == '(' && !s.isAttribute(k-1, &head{keyword: s.str(keyword)}):
			if s.lang == c_ || s.lang == cpp {
				return Symbol{}, false // it returns one
			}
			named = true
			if s.str(keyword) == "delegate" {
				name = k - 1
			}
		case s.isWord(k) && !named && s.str(k) != "final" && !s.hasAttribute(k):
			name = k
		}
	}
	simple := s.lang == java || s.lang == csharp || kind == Namespace && s.lang != cpp || s.str(keyword) == "concept"
	switch {
	case body < 0 && !simple:
		return Symbol{}, false
	case simple || kind == Namespace:
		sym := s.symbol(kind, name, i, j, after)
		s.give(&sym, i, body, scope{kind: kind, depth: in.depth})
		return sym, true
	}
	if hasWord(s.lang.bodies, kind) || kind == Enum || s.lang == c_ {
		close := int(s.tokens[body].match)
		alias := s.declared(close+1, j)
		if s.hasTypedef(i, keyword) && alias >= 0 {
			return s.aliased(kind, keyword, name, alias, body, i, j, in, after), true
		}
		sym := s.symbol(kind, name, i, j, after)
		if hasWord(s.lang.bodies, kind) {
			s.give(&sym, i, body, scope{kind: kind, depth: in.depth})
		}
		return sym, true
	}
	return Symbol{}, false
}

// aliased serves typedef struct name {…} alias: the structure is a member of
// the alias.
func (s *scanner) aliased(kind string, keyword, name, alias, body, i, j int, in scope, after int) Symbol {
	sym := s.symbol(Type, alias, i, j, after)
	if name >= 0 {
		inner := Symbol{Kind: kind, Name: s.str(name), Line: s.line(int(s.tokens[name].start))}
		inner.Start, inner.End = int(s.tokens[keyword].start), int(s.tokens[s.tokens[body].match].end)
		inner.EndLine = s.line(inner.End - 1)
		if hasWord(s.lang.bodies, kind) {
			s.give(&inner, i, body, scope{kind: kind, depth: in.depth})
		}
		sym.Members = []Symbol{inner}
	} else if hasWord(s.lang.bodies, kind) {
		s.give(&sym, i, body, scope{kind: kind, depth: in.depth})
	}
	return sym
}

// declared returns the name that a declaration without parameters declares:
// the last word before its value, its dimensions or its end.
func (s *scanner) declared(k, j int) int {
	name := -1
	for k < j {
		switch c := s.mark(k); {
		case c == '=' || c == ';' || c == ',' || c == '[' && name >= 0 || c == '{' || c == ':' && s.mark(k+1) != ':' && s.mark(k-1) != ':':
			return name
		case c == '<' && name >= 0:
			k = s.skipAngles(k, j)
			continue
		case c == '(' && s.mark(k+1) == '*' && s.opens(k, j): // a pointer to a function
			for n := k + 1; n < int(s.tokens[k].match); n++ {
				if s.isWord(n) {
					name = n
				} else if s.mark(n) == '(' {
					break
				}
			}
			return name
		case c == '(' && !s.hasAttribute(k-1):
			return name
		case s.isWord(k) && !s.hasAttribute(k):
			name = k
		}
		k = s.skip(k, j)
	}
	return name
}

// functionName returns the name of the function that the statement defines
// and the parenthesis of its parameters; -1 where there is none.
func (s *scanner) functionName(first, j int) (name, params int) {
	name, params = -1, -1
	for k := first; k < j; {
		switch c := s.mark(k); {
		case c == '=' && !s.isComparison(k), c == '{', c == ';', c == ':' && params >= 0 && s.mark(k+1) != ':' && s.mark(k-1) != ':':
			return name, params
		case s.str(k) == "template" && s.mark(k+1) == '<':
			k = s.skipAngles(k+1, j)
			continue
		case s.str(k) == "operator" && s.isWord(k) && (s.lang == cpp || s.lang == csharp):
			return s.operatorName(k, j)
		case c == '<' && k > first:
			k = s.skipAngles(k, j)
			continue
		case c == '-' && s.mark(k+1) == '>' && params >= 0:
			return name, params
		case c == '(' && s.opens(k, j):
			if at := s.returnsPointer(k); at >= 0 && params < 0 {
				return at, at + 1
			}
			if at := s.wordBefore(k, first); at >= 0 && !s.annotates(at, params) {
				name, params = at, k
				if s.lang == java || s.lang == csharp {
					return name, params
				}
			} else if at < 0 && s.isWord(k+1) && s.mark(k+2) == ')' && s.mark(k+3) == '(' && params < 0 { // int (f)(int a)
				name, params = k+1, k+3
			}
		}
		k = s.skip(k, j)
	}
	return name, params
}

// returnsPointer returns the name in int (*f(int a))(int), -1 where the
// parenthesis opens something else.
func (s *scanner) returnsPointer(k int) int {
	n := k + 1
	for s.mark(n) == '(' || s.mark(n) == '*' {
		n++
	}
	if s.mark(k+1) == '*' && s.isWord(n) && s.mark(n+1) == '(' {
		return n
	}
	return -1
}

// annotates tells whether a word and its parenthesis, standing after those at
// params, only qualify the function there: int f(int a) LOCKED(x) {…}.
func (s *scanner) annotates(at, params int) bool {
	if s.hasAttribute(at) {
		return true
	}
	return params >= 0 && int(s.tokens[params].match) == at-1
}

func (s *scanner) operatorName(k, j int) (name, params int) {
	n := k + 1
	if s.isOperatorName(k) {
		n = s.operatorEnd(k, j)
	}
	for n < j && s.mark(n) != '(' && s.mark(n) != ';' && s.mark(n) != '{' {
		n++
	}
	if n < j && s.mark(n) == '(' {
		return k, n
	}
	return -1, -1
}

// wordBefore returns the name before a parenthesis, over type arguments where
// they stand between.
func (s *scanner) wordBefore(k, first int) int {
	n := k - 1
	if s.mark(n) == '>' {
		depth := 0
		for ; n > first && n > k-500; n-- {
			if s.guesses--; s.guesses < 0 {
				break
			}
			if c := s.mark(n); c == '>' {
				depth++
			} else if c == '<' {
				if depth--; depth == 0 {
					n--
					break
				}
			}
		}
	}
	if n < first || !s.isWord(n) || hasWord("return if while for switch else sizeof", s.str(n)) {
		return -1
	}
	return n
}

package code

import "strings"

// parseSQL divides a script at its semicolons, outside strings, comments,
// dollar quotes and the BEGIN … END of routines; a line GO or / ends a
// statement too.
func parseSQL(text string) []Symbol {
	s := &sqlFile{source: newSource(text)}
	var symbols []Symbol
	after := 0
	for {
		start, end := s.statement()
		if start == end {
			return symbols
		}
		sym := Symbol{Kind: Statement, Line: s.line(start)}
		s.define(&sym, text[start:min(end, start+400)])
		s.place(&sym, start, end, after)
		after = sym.End
		if symbols = joined(symbols, sym); len(symbols) > maxSymbols || len(s.comments) > maxNotes {
			return nil
		}
	}
}

type sqlFile struct {
	source
	i int
}

func (s *sqlFile) statement() (start, end int) {
	start, depth := -1, 0
	routine := false
	for s.i < len(s.text) && len(s.comments) <= maxNotes {
		c, at := s.text[s.i], s.i
		rest := s.text[s.i:]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.i++
			continue
		case strings.HasPrefix(rest, "--"):
			s.i = lineOf(s.text, s.i)
			s.comments = append(s.comments, span{at, s.i})
			continue
		case strings.HasPrefix(rest, "/*"):
			s.i = blockCommentEnd(s.text, s.i, false)
			s.comments = append(s.comments, span{at, s.i})
			continue
		case c == '\'' || c == '"' || c == '`':
			s.i = s.stringEnd(c)
		case c == '$':
			s.i = s.dollarEnd()
		case c == ';':
			s.i++
			if depth <= 0 {
				if start < 0 {
					start = at
				}
				return start, s.i
			}
		case isWordByte(c):
			text := leadingWord(rest)
			s.i += len(text)
			switch strings.ToUpper(text[:min(len(text), 10)]) {
			case "PROCEDURE", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT":
				routine = true
			case "BEGIN":
				if routine || start >= 0 {
					depth++
				}
			case "CASE", "IF", "LOOP", "WHILE":
				if depth > 0 && !s.afterEnd(at) {
					depth++
				}
			case "END":
				depth = max(depth-1, 0)
			case "GO":
				if start >= 0 && depth == 0 && (at == 0 || s.text[at-1] == '\n') && isBlank(s.text[s.i:lineOf(s.text, s.i)]) {
					return start, s.i
				}
			}
		default:
			s.i++
		}
		if start < 0 {
			start = at
		}
		end = s.i
	}
	return max(start, 0), max(end, 0)
}

// afterEnd tells whether the word before is END, as in END IF.
func (s *sqlFile) afterEnd(at int) bool {
	before := strings.TrimRight(s.text[max(0, at-20):at], " \t")
	return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "END")
}

func (s *sqlFile) stringEnd(quote byte) int {
	for i := s.i + 1; i < len(s.text); i++ {
		if s.text[i] == quote {
			return i + 1
		}
	}
	return len(s.text)
}

// dollarEnd returns the end of PostgreSQL's $tag$ … $tag$.
func (s *sqlFile) dollarEnd() int {
	tag := leadingWord(s.text[s.i+1:])
	from := s.i + 1 + len(tag)
	if from >= len(s.text) || s.text[from] != '$' {
		return s.i + 1
	}
	tag = "$" + tag + "$"
	if n := strings.Index(s.text[from+1:], tag); n >= 0 {
		return from + 1 + n + len(tag)
	}
	return len(s.text)
}

// define names what a CREATE statement creates.
func (s *sqlFile) define(sym *Symbol, text string) {
	words := strings.Fields(strings.ReplaceAll(text, "(", " ( "))
	if len(words) == 0 || !strings.EqualFold(words[0], "create") {
		return
	}
	kinds := map[string]string{"TABLE": Struct, "VIEW": Type, "FUNCTION": Function, "PROCEDURE": Function, "TRIGGER": Function, "TYPE": Type, "INDEX": Var}
	for i, word := range words[1:] {
		kind := kinds[strings.ToUpper(word)]
		if kind == "" {
			continue
		}
		for _, name := range words[i+2:] {
			switch strings.ToUpper(name) {
			case "IF", "NOT", "EXISTS":
				continue
			}
			sym.Kind, sym.Name = kind, strings.Trim(name, "\"`[];")
			return
		}
	}
}

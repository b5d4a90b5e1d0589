package chunk

import (
	"strings"

	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// codeBlocks divides code at its symbols: a function, method or type is a
// block; imports are one; other statements are joined while they are few.
// Namespaces are opened, and so is a type above maxTokens: its members are
// blocks then, with its header as their context. Of a language that package
// code does not know there are none.
func codeBlocks(s, language string, maxTokens int) []Block {
	symbols := code.Parse(language, s)
	if len(symbols) == 0 {
		return nil
	}
	c := coder{text: s, max: maxTokens, language: "lang:" + language}
	c.divide(symbols, region{end: len(s)})
	return closed(c.blocks, len(s))
}

type coder struct {
	text     string
	max      int
	language string
	blocks   []Block
	plain    plainRun
}

// A region is the inside of what encloses a run of symbols.
type region struct {
	start, end int
	scope      string // names before a member's: "InventoryService."
	context    string
}

// A plainRun is the block, the last one so far, of statements that define no
// function and no type.
type plainRun struct {
	open    bool
	imports bool
	tokens  int
}

// divide makes the blocks of a region. The first starts where the region does:
// what opens it, such as the header of a class, belongs to its first member.
func (c *coder) divide(symbols []code.Symbol, in region) {
	at := in.start
	for i, sym := range symbols {
		end := in.end
		if i+1 < len(symbols) {
			end = c.afterBlankLines(sym.End, symbols[i+1].Start)
		}
		c.add(sym, region{at, end, in.scope, in.context})
		at = end
	}
}

// afterBlankLines returns where the first line with something in it starts,
// between the end of one symbol and the start of the next.
func (c *coder) afterBlankLines(from, to int) int {
	gap := c.text[from:to]
	rest := strings.TrimLeft(gap, " \t\r\n\f\v")
	if line := strings.LastIndexByte(gap[:len(gap)-len(rest)], '\n'); line >= 0 {
		return from + line + 1
	}
	if rest == "" {
		return to
	}
	return from
}

func (c *coder) add(sym code.Symbol, at region) {
	if plain(sym) {
		c.addPlain(sym, at)
		return
	}
	c.plain.open = false
	if divisible(sym) && (opened(sym.Kind) || c.exceeds(c.text[at.start:at.end])) {
		inner := at
		if !opened(sym.Kind) && sym.Header != "" {
			inner.context = lastLines(strings.TrimLeft(at.context+"\n"+sym.Header, "\n"), maxContext)
			inner.scope = at.scope + sym.Name + "."
			if len(inner.scope) > maxContext {
				inner.scope = sym.Name + "."
			}
		}
		first := len(c.blocks)
		c.divide(sym.Members, inner)
		c.plain.open = false
		c.open(first, sym, at)
		return
	}
	b := Block{Start: at.start, Title: titleOf(sym, at.scope), Tags: []string{c.language}, Context: at.context}
	c.note(&b, sym, at.scope == "")
	c.blocks = append(c.blocks, b)
}

// maxContext bounds what a block repeats of what encloses it, in bytes: each
// of the many members of deeply nested types repeats it.
const maxContext = 1600

// lastLines are the last lines of s that have room in n bytes.
func lastLines(s string, n int) string {
	if len(s) <= n {
		return s
	}
	_, s, _ = strings.Cut(s[len(s)-n:], "\n")
	return s
}

// exceeds tells whether s has more than the most tokens, without counting more
// of it than that takes: a character has four bytes at most and is a quarter
// of a token at least.
func (c *coder) exceeds(s string) bool {
	if enough := 16*c.max + 16; enough > 0 && len(s) > enough {
		s = s[:enough]
	}
	return text.Tokens(s) > c.max
}

// open names the symbol that a run of blocks comes from in the first of them,
// which holds its header and needs no context for it.
func (c *coder) open(first int, sym code.Symbol, at region) {
	b := &c.blocks[first]
	b.Start, b.Context = at.start, at.context
	if sym.Name == "" {
		return
	}
	b.Title = sym.Name + titleTail(b.Title, sym.Name)
	b.Tags = append(b.Tags, sym.Kind+":"+sym.Name)
	b.Symbols = append([]record.Symbol{symbolOf(sym)}, b.Symbols...)
}

func titleTail(title, name string) string {
	title = strings.TrimPrefix(title, name+".")
	if title == "" || title == name {
		return ""
	}
	return ": " + title
}

// divisible tells of what may be cut between its members.
func divisible(sym code.Symbol) bool {
	return len(sym.Members) > 0 && sym.Kind != code.Function && sym.Kind != code.Method
}

// opened tells of what holds definitions only to hold them together.
func opened(kind string) bool {
	return kind == code.Namespace || kind == code.Module || kind == code.Statement
}

func plain(sym code.Symbol) bool {
	switch sym.Kind {
	case code.Import, code.Statement, code.Const, code.Var, code.Macro:
		return len(sym.Members) == 0
	}
	return false
}

// addPlain adds a statement to the run of statements before it, or starts
// one. Imports join imports, and what stands before them.
func (c *coder) addPlain(sym code.Symbol, at region) {
	size := text.Tokens(c.text[at.start:at.end])
	imports := sym.Kind == code.Import
	joins := c.plain.open && c.plain.tokens+size <= c.max && (imports || !c.plain.imports) &&
		(imports || c.plain.tokens+size <= c.max/4)
	if !joins {
		c.blocks = append(c.blocks, Block{Start: at.start, Tags: []string{c.language}, Context: at.context})
		c.plain = plainRun{open: true}
	}
	b := &c.blocks[len(c.blocks)-1]
	c.plain.tokens += size
	c.plain.imports = c.plain.imports || imports
	c.note(b, sym, true)
	switch {
	case imports:
		b.Title = "imports"
	case sym.Name != "" && len(b.Title) < titleRunes:
		if b.Title != "" {
			b.Title += ", "
		}
		b.Title = short(b.Title+at.scope+sym.Name, titleRunes)
	}
}

// note names a symbol and its members in the tags and symbols of a block.
// Variables and constants are worth a tag where they stand in the file itself.
func (c *coder) note(b *Block, sym code.Symbol, outside bool) {
	if sym.Name != "" {
		if outside || !plain(sym) {
			b.Tags = append(b.Tags, sym.Kind+":"+sym.Name)
		}
		b.Symbols = append(b.Symbols, symbolOf(sym))
	}
	for _, m := range sym.Members {
		c.note(b, m, sym.Name == "")
	}
}

func symbolOf(sym code.Symbol) record.Symbol {
	return record.Symbol{Kind: sym.Kind, Name: sym.Name, Line: sym.Line, EndLine: sym.EndLine}
}

// titleOf names a symbol with what encloses it, and after a type the members
// for which there is room.
func titleOf(sym code.Symbol, scope string) string {
	var names []string
	for _, m := range sym.Members {
		if m.Name != "" && !plain(m) && len(names) < 16 {
			names = append(names, m.Name)
		}
	}
	members := strings.Join(names, ", ")
	switch {
	case sym.Name == "":
		return short(members, titleRunes)
	case members == "":
		return short(scope+sym.Name, titleRunes)
	}
	return short(scope+sym.Name+": "+members, titleRunes)
}

// runSymbols are the symbols of a run of blocks.
func runSymbols(run []Block) []record.Symbol {
	var symbols []record.Symbol
	for _, b := range run {
		symbols = append(symbols, b.Symbols...)
	}
	return symbols
}

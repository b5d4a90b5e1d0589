package code

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// parseGo reads a file with go/parser. A file that is broken, of which that
// would leave out all that follows the error, is read as the other languages
// with braces are.
func parseGo(text string) []Symbol {
	if len(text) > maxGo {
		return golang.parse(text)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return golang.parse(text)
	}
	g := goFile{source: newSource(text), file: files.File(file.FileStart)}
	if g.file == nil {
		return nil
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			g.comments = append(g.comments, g.span(comment))
		}
	}
	var symbols []Symbol
	after := 0
	add := func(sym Symbol, at span) {
		if at.start < after || at.end <= at.start {
			return // what an error left of a declaration
		}
		g.place(&sym, at.start, at.end, after)
		after = sym.End
		symbols = append(symbols, sym)
	}
	if file.Name != nil && file.Package.IsValid() {
		add(Symbol{Kind: Statement, Line: g.lineOf(file.Package)}, span{g.offset(file.Package), g.offset(file.Name.End())})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			kind := Function
			if d.Recv != nil {
				kind = Method
			}
			add(Symbol{Kind: kind, Name: d.Name.Name, Line: g.lineOf(d.Name.Pos())}, g.span(d))
		case *ast.GenDecl:
			add(g.general(d), g.span(d))
		}
	}
	return symbols
}

// maxGo is the largest file for go/parser, whose tree takes much more memory
// than tokens do.
const maxGo = 8 << 20

type goFile struct {
	source
	file *token.File
}

func (g *goFile) offset(p token.Pos) int {
	if !p.IsValid() {
		return 0
	}
	return min(max(int(p)-g.file.Base(), 0), len(g.text))
}

// lineOf returns the line in the text itself, whatever //line comments say.
func (g *goFile) lineOf(p token.Pos) int { return g.line(g.offset(p)) }

func (g *goFile) span(n ast.Node) span { return span{g.offset(n.Pos()), g.offset(n.End())} }

func (g *goFile) general(d *ast.GenDecl) Symbol {
	group := Symbol{Kind: map[token.Token]string{token.IMPORT: Import, token.CONST: Const, token.VAR: Var, token.TYPE: Type}[d.Tok], Line: g.lineOf(d.Pos())}
	if d.Tok == token.IMPORT {
		return group
	}
	after := g.offset(d.Pos())
	for _, spec := range d.Specs {
		var sym Symbol
		switch s := spec.(type) {
		case *ast.TypeSpec:
			sym = g.typeSpec(s)
		case *ast.ValueSpec:
			if len(s.Names) == 0 {
				continue
			}
			sym = Symbol{Kind: group.Kind, Name: s.Names[0].Name, Line: g.lineOf(s.Names[0].Pos())}
		}
		if !d.Lparen.IsValid() {
			return sym
		}
		at := g.span(spec)
		g.place(&sym, at.start, at.end, after)
		after = sym.End
		group.Members = append(group.Members, sym)
	}
	if d.Lparen.IsValid() {
		group.Header = headerOf(g.text[g.offset(d.Pos()) : g.offset(d.Lparen)+1])
	}
	return group
}

func (g *goFile) typeSpec(s *ast.TypeSpec) Symbol {
	sym := Symbol{Kind: Type, Name: s.Name.Name, Line: g.lineOf(s.Name.Pos())}
	switch t := s.Type.(type) {
	case *ast.StructType:
		sym.Kind = Struct
	case *ast.InterfaceType:
		sym.Kind = Interface
		g.methods(&sym, s, t)
	}
	return sym
}

// methods gives an interface the methods that it names.
func (g *goFile) methods(sym *Symbol, s *ast.TypeSpec, t *ast.InterfaceType) {
	if t.Methods == nil || !t.Methods.Opening.IsValid() {
		return
	}
	after := g.offset(t.Methods.Opening) + 1
	sym.Header = headerOf(g.text[g.offset(s.Pos()):after])
	for _, f := range t.Methods.List {
		at := g.span(f)
		if at.start < after {
			continue
		}
		m := Symbol{Kind: Statement, Line: g.lineOf(f.Pos())}
		if len(f.Names) > 0 {
			m.Kind, m.Name = Method, f.Names[0].Name
		}
		g.place(&m, at.start, at.end, after)
		after = m.End
		sym.Members = append(sym.Members, m)
	}
}

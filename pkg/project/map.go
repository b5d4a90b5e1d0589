package project

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/ihmt/ihmt/pkg/code"
	"github.com/ihmt/ihmt/pkg/text"
)

// A Request asks for a map of a tree.
type Request struct {
	Detail    string // DetailFiles or DetailSymbols; "" is DetailFiles
	Subpath   string // only what is at or below it, relative to the tree
	MaxTokens int    // of all that is printed; 0 is no limit
}

// How much a map tells.
const (
	DetailFiles   = "files"
	DetailSymbols = "symbols"
)

// A Map lists what is in a tree, in path order. Where there is no room for all
// files, the deeper ones are told by folder.
type Map struct {
	Items   []Item
	Files   int // in the tree, or below the subpath
	Symbols int
	Omitted int // files for which there was no room
}

// An Item is a file, or a folder with all that is below it.
type Item struct {
	File     string   `json:"file,omitempty"`
	Folder   string   `json:"folder,omitempty"`
	Language string   `json:"language,omitempty"` // of a file
	Lines    int      `json:"lines"`
	Files    int      `json:"files,omitempty"` // of a folder
	Symbols  int      `json:"symbols"`         // how many
	Outline  []Symbol `json:"outline,omitempty"`
}

// A Symbol is a line of an outline.
type Symbol struct {
	Kind      string `json:"symbol_kind"`
	Title     string `json:"title"`
	FirstLine int    `json:"first_line"`
	LastLine  int    `json:"last_line"`
}

// Label is the line that tells of an item.
func (i *Item) Label() string {
	size := text.Counted(i.Lines, "line", "lines") + ", " + text.Counted(i.Symbols, "symbol", "symbols")
	if i.Folder != "" {
		return fmt.Sprintf("%s/  %s, %s", i.Folder, text.Counted(i.Files, "file", "files"), size)
	}
	return i.File + "  " + size
}

// Label is the line that tells of a symbol.
func (s *Symbol) Label() string {
	return fmt.Sprintf("%d-%d  %s %s", s.FirstLine, s.LastLine, s.Kind, s.Title)
}

func (i *Item) tokens() int {
	n := text.Tokens(i.Label()) + 1
	for k := range i.Outline {
		n += text.Tokens(i.Outline[k].Label()) + 1
	}
	return n
}

// Map tells what is in the tree as it is now.
func (p *Project) Map(ctx context.Context, r Request) (*Map, error) {
	subpath, err := p.cleanSubpath(r.Subpath)
	if err != nil {
		return nil, err
	}
	if r.Detail != "" && r.Detail != DetailFiles && r.Detail != DetailSymbols {
		return nil, fmt.Errorf("detail %q: want %s or %s", r.Detail, DetailFiles, DetailSymbols)
	}
	var m *Map
	err = p.again(ctx, func(bool) (err error) {
		m, err = p.list(ctx, r, subpath)
		return err
	})
	return m, err
}

// list makes a map of what is below a clean subpath.
func (p *Project) list(ctx context.Context, r Request, subpath string) (*Map, error) {
	v, _, err := p.view(ctx)
	if err != nil {
		return nil, err
	}
	defer v.close()
	m := &Map{}
	var items []Item
	for i := range v.files {
		f := &v.files[i]
		if f.reason != "" || !below(f.path, subpath) {
			continue
		}
		item := Item{File: f.path, Language: f.language, Lines: f.lines, Symbols: f.entries}
		if r.Detail == DetailSymbols {
			if item.Outline, err = v.outline(f); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
		m.Files++
		m.Symbols += f.entries
	}
	m.Items, m.Omitted = fitted(items, r, strings.Count(subpath, "/"))
	return m, nil
}

// outline lists what can be asked for by name in a file, but its constants and
// variables.
func (v *view) outline(f *file) ([]Symbol, error) {
	var symbols []Symbol
	for n := range f.entries {
		e, err := v.entry(ref(v.starts[f.table] + f.first + n))
		if err != nil {
			return nil, err
		}
		switch e.kind {
		case code.Import, code.Statement, code.Const, code.Var:
			continue
		case block:
			if e.title == "" {
				continue
			}
		}
		symbols = append(symbols, Symbol{e.kind, e.title, e.lines.first, e.lines.last})
	}
	return symbols, nil
}

// fitted are the items for which there is room: all, or those above some depth
// and the folders there, or as many as fit.
func fitted(items []Item, r Request, shallowest int) (kept []Item, omitted int) {
	cost := func(items []Item) (n int) {
		for i := range items {
			n += items[i].tokens()
		}
		return n
	}
	if r.MaxTokens == 0 || cost(items) <= r.MaxTokens {
		return items, 0
	}
	deepest := 0
	for i := range items {
		deepest = max(deepest, strings.Count(items[i].File, "/"))
	}
	folded := items
	if r.Detail != DetailSymbols {
		for depth := deepest; depth > shallowest; depth-- {
			if folded = foldedAt(items, depth); cost(folded) <= r.MaxTokens {
				return folded, 0
			}
		}
	}
	left := r.MaxTokens
	for i := range folded {
		if left -= folded[i].tokens(); left < 0 {
			for _, item := range folded[i:] {
				omitted += max(item.Files, 1)
			}
			return folded[:i], omitted
		}
	}
	return folded, 0
}

// foldedAt puts the files below folders of a depth together.
func foldedAt(items []Item, depth int) []Item {
	var folded []Item
	for _, item := range items {
		if strings.Count(item.File, "/") < depth {
			folded = append(folded, item)
			continue
		}
		folder := path.Dir(item.File)
		for strings.Count(folder, "/") >= depth {
			folder = path.Dir(folder)
		}
		if n := len(folded); n == 0 || folded[n-1].Folder != folder {
			folded = append(folded, Item{Folder: folder})
		}
		f := &folded[len(folded)-1]
		f.Files++
		f.Lines += item.Lines
		f.Symbols += item.Symbols
	}
	return folded
}

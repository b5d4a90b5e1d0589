// Package chunk splits documents into chunks without cutting what belongs
// together.
//
// It works in two steps. First a text is divided into blocks, runs that must
// not be cut: an entry of a journal, a step with its list, a function with its
// comment. Then consecutive blocks are packed up to a target size. Chunks
// therefore end only between blocks, and the contents of a document's chunks,
// one after the other, are its text byte for byte.
package chunk

import (
	"cmp"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// Options say how large chunks become and how dates are read.
type Options struct {
	TargetTokens int    // pack up to this many, by text.Tokens; 0 is 2000
	MaxTokens    int    // a larger block is flagged oversized; 0 is 3000
	CodeMode     string // CodePack or CodeSymbol; "" is CodePack
	DateOrder    text.DateOrder
}

// How code is packed.
const (
	CodePack   = "pack"   // symbols are packed up to the target
	CodeSymbol = "symbol" // each symbol is a chunk of its own
)

// Split returns the chunks of a document in order. An empty text has none.
// Its type says how it is divided: code by symbols, narrative by paragraphs
// and chapters, personal and clinical texts by dated entries, processes and
// Markdown by their elements, all else by paragraphs. Below headings that are
// dates these hold for all but code.
func Split(doc record.Document, opt Options) []record.Chunk {
	if doc.Text == "" {
		return nil
	}
	opt.TargetTokens = cmp.Or(opt.TargetTokens, 2000)
	opt.MaxTokens = cmp.Or(opt.MaxTokens, 3000)
	blocks := blocksOf(doc, opt)
	alone := doc.DataType == record.TypeCode && opt.CodeMode == CodeSymbol
	return chunks(doc, pack(doc.Text, blocks, opt.TargetTokens, alone), opt.MaxTokens)
}

func blocksOf(doc record.Document, opt Options) []Block {
	prose := paragraphBlocks
	switch {
	case doc.DataType == record.TypeNarrative:
		prose = func(s string) []Block { return narrativeBlocks(s, opt.MaxTokens) }
	case doc.DataType == record.TypeProcess || doc.Language == "markdown":
		prose = func(s string) []Block { return markdownBlocks(s, opt.MaxTokens) }
	}
	switch doc.DataType {
	case record.TypeCode:
		if blocks := codeBlocks(doc.Text, doc.Language, opt.MaxTokens); len(blocks) > 0 {
			return blocks
		}
		return paragraphBlocks(doc.Text)
	case record.TypePersonal, record.TypeClinical:
		if blocks := temporalBlocks(doc.Text, opt.DateOrder, prose); blocks != nil {
			return blocks
		}
	}
	return datedSections(doc.Text, opt.DateOrder, prose)
}

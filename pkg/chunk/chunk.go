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
func Split(doc record.Document, opt Options) []record.Chunk {
	return nil
}

package chunk

// A Block is a run of bytes of a text that must not be cut. The blocks of a
// text tile it: each starts where the one before ends.
type Block struct {
	Start, End int      // bytes
	Title      string   // what names it: a heading, a symbol, a date
	Tags       []string // "method:reserveStock"
	Context    string   // what encloses it and is not part of it: a class header
	Timestamp  string   // the date it gives itself, YYYY-MM-DD
	Author     string   // who speaks
	Break      bool     // packing may not join it to the block before
}

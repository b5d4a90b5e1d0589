package terms

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An Input of a merge holds leaves with their terms: a [Table] or a [Run].
type Input interface {
	// Leaf returns what is kept of the leaf at an ordinal.
	Leaf(ordinal int) (Leaf, error)
	// lines returns the term lines from the first on.
	lines() *lineReader
}

// An Entry of a layout names a leaf of an input.
type Entry struct {
	Input   int // index of the input
	Ordinal int // in that input
	Retired bool
}

// A Group is a branch of a layout over the next Size leaves, or branches of
// the layer below. ID is "" while it is provisional.
type Group struct {
	ID   string
	Size int
}

// A Layout says which leaves a new table holds, in tree order, and which
// branches they form. Leaves of the inputs that it leaves out are dropped.
type Layout struct {
	Leaves []Entry
	L1     []Group         // tile the leaves
	L2     []Group         // tile L1
	Shared map[uint32]bool // hashes of sources that may have leaves in other tables too
}

// A Run is an [Input] in memory: leaves that are not in a table yet.
type Run struct {
	leaves []Leaf
	text   [][]byte // term lines, in parts
}

// NewRun indexes leaves. The terms of leaf i are separated by spaces, each
// followed by a colon and its weighted frequency where that is not 1.
func NewRun(leaves []Leaf, terms func(i int) string) (*Run, error) {
	index := map[string][]Posting{}
	for i := range leaves {
		for entry := range strings.FieldsSeq(terms(i)) {
			term, weight, err := SplitWeight(entry)
			if err != nil {
				return nil, fmt.Errorf("leaf %s: %w", leaves[i].ID, err)
			}
			list := index[term]
			if n := len(list); n > 0 && list[n-1].Ordinal == int32(i) {
				list[n-1].Weight += weight
				continue
			}
			index[term] = append(list, Posting{int32(i), weight})
		}
	}
	return RunOf(leaves, index), nil
}

// RunOf returns a run of leaves whose postings are known, by term and in
// ascending order.
func RunOf(leaves []Leaf, index map[string][]Posting) *Run {
	names := make([]string, 0, len(index))
	for term := range index {
		names = append(names, term)
	}
	slices.Sort(names)
	run := &Run{leaves: leaves}
	parts := slices.Collect(slices.Chunk(names, len(names)/runtime.GOMAXPROCS(0)+1))
	run.text = make([][]byte, len(parts))
	var writing sync.WaitGroup
	for i, part := range parts {
		writing.Go(func() { run.text[i] = termLines(part, index) })
	}
	writing.Wait()
	return run
}

// termLines are the lines of some terms.
func termLines(names []string, index map[string][]Posting) []byte {
	size := 0
	for _, term := range names {
		size += len(term) + 8 + 6*len(index[term])
	}
	lines := make([]byte, 0, size)
	for _, term := range names {
		lines = appendLine(lines, term, index[term])
	}
	return lines
}

// Leaf returns what is kept of a leaf.
func (r *Run) Leaf(ordinal int) (Leaf, error) { return r.leaves[ordinal], nil }

// Len is the number of leaves.
func (r *Run) Len() int { return len(r.leaves) }

func (r *Run) lines() *lineReader {
	parts := make([]io.Reader, len(r.text))
	for i, text := range r.text {
		parts[i] = bytes.NewReader(text)
	}
	return &lineReader{r: bufio.NewReaderSize(io.MultiReader(parts...), 64<<10), limit: len(r.leaves)}
}

// JoinWeights writes terms in the form that [NewRun] reads, in byte order.
func JoinWeights(terms map[string]int) string {
	names := make([]string, 0, len(terms))
	size := 0
	for term := range terms {
		names = append(names, term)
		size += len(term) + 3
	}
	slices.Sort(names)
	b := make([]byte, 0, size)
	for i, term := range names {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, term...)
		if n := terms[term]; n != 1 {
			b = append(b, ':')
			b = strconv.AppendInt(b, int64(n), 10)
		} else if strings.IndexByte(term, ':') >= 0 {
			b = append(b, ":1"...)
		}
	}
	return string(b)
}

// SplitWeight takes an entry of a list of terms apart. A term that holds a
// colon itself, as the exact ones do, always carries its weight.
func SplitWeight(entry string) (term string, weight int32, err error) {
	i := strings.LastIndexByte(entry, ':')
	if i < 0 {
		return entry, 1, nil
	}
	n, err := strconv.ParseInt(entry[i+1:], 10, 32)
	if err != nil || n < 1 || i == 0 {
		return "", 0, fmt.Errorf("%q is no term with a weight", entry)
	}
	return entry[:i], int32(n), nil
}

func appendLine(dst []byte, term string, postings []Posting) []byte {
	dst = append(dst, term...)
	dst = append(dst, '\t')
	dst = strconv.AppendInt(dst, int64(len(postings)), 10)
	dst = append(dst, '\t')
	return append(appendPostings(dst, postings), '\n')
}

// A lineReader reads term lines one after the other.
type lineReader struct {
	r        *bufio.Reader
	limit    int // of ordinals
	term     string
	postings []Posting
	long     []byte
}

// next reads the next line; io.EOF is the end.
func (l *lineReader) next() error {
	line, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = l.r.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	if err == io.EOF && len(line) == 0 {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("term line cut off: %w", err)
	}
	term, postings, ok := splitLine(line[:len(line)-1])
	if !ok {
		return fmt.Errorf("%.60q is no term line", line)
	}
	l.term = string(term)
	if l.postings, ok = parsePostings(l.postings[:0], postings, l.limit); !ok {
		return fmt.Errorf("the postings of %q cannot be read", l.term)
	}
	return nil
}

func splitLine(line []byte) (term, postings []byte, ok bool) {
	term, rest, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		return nil, nil, false
	}
	_, postings, ok = bytes.Cut(rest, []byte("\t"))
	return term, postings, ok
}

// Merge writes a table with the leaves of a layout. The analyzer's name goes
// into its head: a table made by another one must be rebuilt.
func Merge(w io.Writer, analyzer string, inputs []Input, layout Layout) error {
	out := &tableWriter{w: bufio.NewWriterSize(w, 256<<10)}
	out.printf("%s\t%s\n", magic, analyzer)
	ordinals, err := newOrdinals(inputs, layout.Leaves)
	if err != nil {
		return err
	}
	out.begin(sectionTerms)
	if err := mergeTerms(out, inputs, ordinals); err != nil {
		return err
	}
	leaves := make([]Leaf, len(layout.Leaves))
	for i, e := range layout.Leaves {
		if leaves[i], err = inputs[e.Input].Leaf(e.Ordinal); err != nil {
			return err
		}
		leaves[i].Retired = e.Retired
	}
	out.leaves(leaves, layout)
	out.groups(leaves, layout)
	out.shared(layout.Shared)
	out.fencesAndTrailer(leaves, layout)
	return out.w.Flush()
}

// newOrdinals maps, for each input, old ordinals to new ones; -1 is dropped.
func newOrdinals(inputs []Input, entries []Entry) ([][]int32, error) {
	sizes := make([]int, len(inputs))
	for i, in := range inputs {
		switch in := in.(type) {
		case *Table:
			sizes[i] = in.Len()
		case *Run:
			sizes[i] = in.Len()
		}
	}
	maps := make([][]int32, len(inputs))
	for i, n := range sizes {
		maps[i] = slices.Repeat([]int32{-1}, n)
	}
	for i, e := range entries {
		if e.Input >= len(maps) || e.Ordinal >= len(maps[e.Input]) || maps[e.Input][e.Ordinal] >= 0 {
			return nil, fmt.Errorf("layout entry %d names a leaf that does not exist, or names it twice", i)
		}
		maps[e.Input][e.Ordinal] = int32(i)
	}
	return maps, nil
}

func mergeTerms(out *tableWriter, inputs []Input, ordinals [][]int32) error {
	type head struct {
		*lineReader
		ordinals []int32
	}
	var heads []head
	for i, in := range inputs {
		h := head{in.lines(), ordinals[i]}
		if err := h.next(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		heads = append(heads, h)
	}
	var merged []Posting
	var line []byte
	for len(heads) > 0 {
		term := heads[0].term
		for _, h := range heads[1:] {
			term = min(term, h.term)
		}
		merged = merged[:0]
		for i := 0; i < len(heads); {
			h := heads[i]
			if h.term != term {
				i++
				continue
			}
			for _, p := range h.postings {
				if n := h.ordinals[p.Ordinal]; n >= 0 {
					merged = append(merged, Posting{n, p.Weight})
				}
			}
			if err := h.next(); err == io.EOF {
				heads = slices.Delete(heads, i, i+1)
				continue
			} else if err != nil {
				return err
			} else if h.term <= term {
				return fmt.Errorf("terms out of order: %q after %q", h.term, term)
			}
			i++
		}
		if len(merged) == 0 {
			continue
		}
		slices.SortFunc(merged, func(a, b Posting) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		line = appendLine(line[:0], term, merged)
		out.term(term, line)
	}
	return nil
}

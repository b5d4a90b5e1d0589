package terms

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// escapeSource makes a source fit into a line; unescapeSource undoes it.
func escapeSource(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == '%' || r == 0x7f }) < 0 {
		return s
	}
	return strings.NewReplacer("%", "%25", "\t", "%09", "\n", "%0A", "\r", "%0D").Replace(s)
}

func unescapeSource(s string) string {
	if u, err := url.PathUnescape(s); err == nil && strings.IndexByte(s, '%') >= 0 {
		return u
	}
	return s
}

// A Row is what every match of a search is scored by.
type Row struct {
	Length   int
	L1       int    // index of its layer-1 branch in the table
	Source   uint32 // Hash of the source
	Question bool
	Temporal bool
	Retired  bool
	Alone    bool // the table has no other leaf of its source
	First    bool // no leaf of its source has a lower rank
}

// A Detail is what only some searches need of a leaf.
type Detail struct {
	Rank     int // place in the order by (source, position)
	Day      int // YYYYMMDD, 0 for none
	Position int // in its source
	line     int64
}

// A Branch is a layer-1 or layer-2 branch of a table.
type Branch struct {
	Start  int // its first child: a leaf's ordinal, or a layer-1 branch's index
	End    int // one past its last child
	Parent int // for layer 1: the index of its layer-2 branch
	Length int64
	ID     string // "" while it is provisional
}

// A Span says where the leaves and branches of a domain stand in a table;
// ends are exclusive.
type Span struct {
	Domain               string
	Leaf, LeafEnd        int
	L1, L1End, L2, L2End int
}

// A Table is an open term table. Its methods read on demand and are not safe
// for concurrent use. Those that scoring calls by the thousand return zero
// values where the file cannot be read: ask Err when done.
type Table struct {
	Analyzer string
	L1s, L2s int
	Total    int64 // length of all leaves

	r       io.ReaderAt
	leaves  int
	starts  [sectionCount + 1]int64
	fences  []byte // the section as it stands: an offset and a term a line
	spans   []Span
	shared  map[uint32]bool
	windows [sectionCount]window
	block   []byte // the term lines read last
	blockAt int64
	read    int64
	err     error
}

// A window is the part of a section that was read last. Rows are read in
// ascending order, so each part is read once.
type window struct {
	buf  []byte
	from int64
}

// Open reads the trailer and the fences of a table of the given size in
// bytes. An error says that the file is no whole table.
func Open(r io.ReaderAt, size int64) (*Table, error) {
	t := &Table{r: r, blockAt: -1}
	tail := min(size, 64<<10)
	if size < trailerWidth {
		return nil, errors.New("too short for a term table")
	}
	end, err := t.readAt(size-tail, tail)
	if err != nil {
		return nil, err
	}
	if err := t.parseTrailer(string(end[len(end)-trailerWidth:]), size); err != nil {
		return nil, err
	}
	from := t.starts[sectionDomains]
	if from < size-tail {
		if end, err = t.readAt(from, size-from); err != nil {
			return nil, err
		}
	} else {
		end = end[from-(size-tail):]
	}
	section := func(i int) string { return string(end[t.starts[i]-from : t.starts[i+1]-from]) }
	if err := t.parseSpans(section(sectionDomains)); err != nil {
		return nil, err
	}
	t.shared = map[uint32]bool{}
	for line := range strings.Lines(section(sectionShared)) {
		h, err := strconv.ParseUint(strings.TrimSuffix(line, "\n"), 16, 32)
		if err != nil {
			return nil, fmt.Errorf("shared sources: %w", err)
		}
		t.shared[uint32(h)] = true
	}
	t.fences = end[t.starts[sectionFences]-from : t.starts[sectionCount]-from]
	return t, t.parseHead()
}

func (t *Table) parseTrailer(s string, size int64) error {
	fields := strings.Fields(s)
	if len(fields) != 5+sectionCount+1 || fields[0] != "end" {
		return errors.New("no trailer of a term table: the file is cut off or none")
	}
	n := make([]int64, len(fields)-1)
	for i, f := range fields[1:] {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil || v < 0 || v > size && i != 3 {
			return fmt.Errorf("trailer field %d: %q", i+1, f)
		}
		n[i] = v
	}
	t.leaves, t.L1s, t.L2s, t.Total = int(n[0]), int(n[1]), int(n[2]), n[3]
	copy(t.starts[:], n[4:])
	for i, want := range map[int]int64{sectionRows: int64(t.leaves) * rowWidth, sectionDetails: int64(t.leaves) * detailWidth, sectionSources: int64(t.leaves) * sourceWidth,
		sectionL1: int64(t.L1s) * groupWidth, sectionL2: int64(t.L2s) * groupWidth} {
		if t.starts[i+1]-t.starts[i] != want {
			return fmt.Errorf("section %d is %d bytes long, want %d", i, t.starts[i+1]-t.starts[i], want)
		}
	}
	if !slices.IsSorted(t.starts[:]) || t.starts[sectionCount] != size-trailerWidth {
		return errors.New("the trailer does not fit the file's size")
	}
	return nil
}

func (t *Table) parseHead() error {
	head, err := t.readAt(0, t.starts[sectionTerms])
	if err != nil {
		return err
	}
	name, analyzer, ok := strings.Cut(strings.TrimSuffix(string(head), "\n"), "\t")
	if !ok || name != magic {
		return fmt.Errorf("starts with %.40q, not with %q", head, magic)
	}
	t.Analyzer = analyzer
	return nil
}

func (t *Table) parseSpans(s string) error {
	for line := range strings.Lines(s) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 {
			return fmt.Errorf("domain line %.40q", line)
		}
		var n [6]int
		for i := range n {
			v, err := strconv.Atoi(f[i+1])
			if err != nil || v < 0 || v > t.leaves {
				return fmt.Errorf("domain line %.40q", line)
			}
			n[i] = v
		}
		t.spans = append(t.spans, Span{f[0], n[0], n[1], n[2], n[3], n[4], n[5]})
	}
	return nil
}

// Len is the number of leaves.
func (t *Table) Len() int { return t.leaves }

// Spans returns the domains in the order in which they stand.
func (t *Table) Spans() []Span { return t.spans }

// Shared holds the hashes of sources that may have leaves in other tables.
func (t *Table) Shared() map[uint32]bool { return t.shared }

// BytesRead is how much of the file has been read.
func (t *Table) BytesRead() int64 { return t.read }

// Err is the first failure of a method that returns none.
func (t *Table) Err() error { return t.err }

func (t *Table) fail(err error) {
	if t.err == nil && err != nil {
		t.err = err
	}
}

func (t *Table) readAt(from, n int64) ([]byte, error) {
	b := make([]byte, n)
	_, err := t.r.ReadAt(b, from)
	if err == io.EOF && n > 0 {
		err = io.ErrUnexpectedEOF
	}
	t.read += n
	return b, err
}

// A window starts small and grows fourfold for as long as the section is read
// on and on. A section that fits into the largest is kept from the second read
// on: the next word starts at its front again.
const (
	smallWindow = 4 << 10
	largeWindow = 256 << 10
)

// bytes returns n bytes of a section, at most a window; they are good until
// the next call for that section.
func (t *Table) bytes(section int, at, n int64) []byte {
	from := t.starts[section] + at
	w := &t.windows[section]
	if from < w.from || from+n > w.from+int64(len(w.buf)) {
		if at < 0 || from+n > t.starts[section+1] {
			t.fail(io.ErrUnexpectedEOF)
			return make([]byte, n)
		}
		t.fill(section, from)
		if from+n > w.from+int64(len(w.buf)) {
			return make([]byte, n)
		}
	}
	return w.buf[from-w.from:][:n]
}

// fill reads the window of a section that starts at an offset of the file.
func (t *Table) fill(section int, from int64) {
	w, size := &t.windows[section], int64(smallWindow)
	start, end := t.starts[section], t.starts[section+1]
	switch had := int64(len(w.buf)); {
	case had > 0 && end-start <= largeWindow:
		from, size = start, end-start
	case from > w.from && from < w.from+2*had:
		size = min(4*had, largeWindow)
	}
	size = min(size, end-from)
	if int64(cap(w.buf)) < size {
		w.buf = make([]byte, 0, size)
	}
	w.buf, w.from = w.buf[:size], from
	if _, err := t.r.ReadAt(w.buf, from); err != nil {
		t.fail(err)
		w.buf = w.buf[:0]
	}
	t.read += size
}

// line returns the line that starts at a place in a section, without its
// newline.
func (t *Table) line(section int, at int64) []byte {
	var line []byte
	for from := t.starts[section] + at; at >= 0 && from < t.starts[section+1]; {
		w := &t.windows[section]
		if from < w.from || from >= w.from+int64(len(w.buf)) {
			if t.fill(section, from); len(w.buf) == 0 {
				break
			}
		}
		part := w.buf[from-w.from:]
		if n := bytes.IndexByte(part, '\n'); n >= 0 {
			return append(line, part[:n]...)
		}
		line = append(line, part...)
		from += int64(len(part))
	}
	t.fail(io.ErrUnexpectedEOF)
	return nil
}

// Postings appends the postings of a term, in ascending order of ordinals.
func (t *Table) Postings(dst []Posting, term string) []Posting {
	block := t.between(term)
	for len(block) > 0 {
		line, rest, _ := bytes.Cut(block, []byte("\n"))
		name, postings, ok := splitLine(line)
		if !ok {
			t.fail(fmt.Errorf("%.60q is no term line", line))
			return dst
		}
		switch order := strings.Compare(string(name), term); {
		case order == 0:
			dst = slices.Grow(dst, len(postings)/3)
			if dst, ok = parsePostings(dst, postings, t.leaves); !ok {
				t.fail(fmt.Errorf("the postings of %q cannot be read", term))
			}
			return dst
		case order > 0:
			return dst
		}
		block = rest
	}
	return dst
}

// between returns the term lines from the last fence at or before a term to
// the next one.
func (t *Table) between(term string) []byte {
	at, next, ok := t.fence(term)
	if !ok {
		return nil
	}
	return t.fenced(at, next)
}

// fence finds the last fence at or before a term, by binary search as look(1)
// does it, and returns the offsets of its lines and of the next fence's.
func (t *Table) fence(term string) (at, next int64, ok bool) {
	low, high := 0, len(t.fences) // the fence sought starts in [low, high)
	var found []byte
	for low < high {
		middle := bytes.LastIndexByte(t.fences[low:low+(high-low)/2], '\n') + 1 + low
		line, _, _ := bytes.Cut(t.fences[middle:], []byte("\n"))
		_, name, _ := bytes.Cut(line, []byte("\t"))
		if string(name) > term {
			high = middle
			continue
		}
		found, low = line, middle+len(line)+1
	}
	if found == nil {
		return 0, 0, false
	}
	offset := func(line []byte) int64 {
		digits, _, _ := bytes.Cut(line, []byte("\t"))
		return int64(number(digits))
	}
	at, next = offset(found), t.starts[sectionTerms+1]
	if low < len(t.fences) {
		next = offset(t.fences[low:])
	}
	return at, next, true
}

// fenced returns the term lines between two offsets; they are good until the
// next call.
func (t *Table) fenced(at, next int64) []byte {
	if at == next {
		return nil
	}
	if at == t.blockAt {
		return t.block
	}
	if at < t.starts[sectionTerms] || next > t.starts[sectionTerms+1] || next < at {
		t.fail(errors.New("a fence points outside the terms"))
		return nil
	}
	if int64(cap(t.block)) < next-at {
		t.block = make([]byte, 0, max(next-at, 4*fenceEvery))
	}
	t.block, t.blockAt = t.block[:next-at], at
	if _, err := t.r.ReadAt(t.block, at); err != nil && err != io.EOF {
		t.fail(err)
		t.block, t.blockAt = t.block[:0], -1
	}
	t.read += next - at
	return t.block
}

// Terms calls do for each term from a prefix on, with the number of its
// leaves, until do returns false or the terms no longer start with it.
func (t *Table) Terms(prefix string, do func(term string, leaves int) bool) {
	at, next, ok := t.fence(prefix)
	if !ok {
		next = t.starts[sectionTerms]
	}
	for line := range bytes.Lines(t.fenced(max(at, t.starts[sectionTerms]), next)) {
		if !offer(line, prefix, do) {
			return
		}
	}
	r := bufio.NewReader(io.NewSectionReader(t.r, next, t.starts[sectionTerms+1]-next))
	for {
		line, err := r.ReadSlice('\n')
		t.read += int64(len(line))
		head := bytes.Clone(line[:min(len(line), 2*maxTerm)])
		for err == bufio.ErrBufferFull {
			line, err = r.ReadSlice('\n')
			t.read += int64(len(line))
		}
		if err != nil || !offer(head, prefix, do) {
			return
		}
	}
}

// offer hands a term line on if it has the prefix; false ends it.
func offer(line []byte, prefix string, do func(term string, leaves int) bool) bool {
	name, rest, _ := bytes.Cut(line, []byte("\t"))
	term := string(name)
	if !strings.HasPrefix(term, prefix) {
		return term < prefix
	}
	count, _, _ := bytes.Cut(rest, []byte("\t"))
	return do(term, number(count))
}

func (t *Table) lines() *lineReader {
	from := t.starts[sectionTerms]
	return &lineReader{r: bufio.NewReaderSize(io.NewSectionReader(t.r, from, t.starts[sectionTerms+1]-from), 64<<10), limit: t.leaves}
}

// Row returns what every match is scored by.
func (t *Table) Row(ordinal int) Row {
	b := t.bytes(sectionRows, int64(ordinal)*rowWidth, rowWidth)
	row := Row{Length: number(b[0:7]), L1: number(b[8:15]), Source: hex(b[20:28]),
		Question: b[16] == 'q', Temporal: b[17] == 't', Retired: b[18] == 'r', Alone: b[19] == placeAlone, First: b[19] != placeLater}
	if row.L1 < 0 || row.L1 >= t.L1s {
		t.fail(fmt.Errorf("row %d points outside the table", ordinal))
		return Row{Alone: true, First: true}
	}
	return row
}

// Detail returns what only some searches need of a leaf.
func (t *Table) Detail(ordinal int) Detail {
	b := t.bytes(sectionDetails, int64(ordinal)*detailWidth, detailWidth)
	d := Detail{line: int64(number(b[0:10])), Rank: number(b[11:18]), Day: number(b[19:27]), Position: number(b[28:35])}
	if d.Rank < 0 || d.Rank >= t.leaves || d.line < 0 {
		t.fail(fmt.Errorf("detail %d points outside the table", ordinal))
		return Detail{}
	}
	return d
}

// BySource returns the ordinal of the leaf at a rank in the order by (source,
// position); -1 where there is none.
func (t *Table) BySource(rank int) int {
	if rank < 0 || rank >= t.leaves {
		return -1
	}
	ordinal := number(t.bytes(sectionSources, int64(rank)*sourceWidth, sourceWidth)[:7])
	if ordinal < 0 || ordinal >= t.leaves {
		t.fail(fmt.Errorf("rank %d points outside the table", rank))
		return -1
	}
	return ordinal
}

// Leaf returns everything that is kept of a leaf.
func (t *Table) Leaf(ordinal int) (Leaf, error) {
	row := t.Row(ordinal)
	line := t.line(sectionLeaves, t.Detail(ordinal).line)
	f := strings.SplitN(string(line), "\t", 5)
	if t.err != nil {
		return Leaf{}, t.err
	}
	if len(f) != 5 {
		return Leaf{}, fmt.Errorf("leaf line %.60q", line)
	}
	position, err := strconv.Atoi(f[3])
	return Leaf{ID: f[0], Timestamp: unescapeSource(f[1]), SavedAt: f[2], Position: position, Source: unescapeSource(f[4]),
		Length: row.Length, Question: row.Question, Temporal: row.Temporal, Retired: row.Retired}, err
}

// Layer1 returns a layer-1 branch, Layer2 a layer-2 branch, by index.
func (t *Table) Layer1(i int) Branch { return t.group(sectionL1, i, t.L1s, t.leaves) }

// Layer2 returns a layer-2 branch by index.
func (t *Table) Layer2(i int) Branch { return t.group(sectionL2, i, t.L2s, t.L1s) }

// Parent returns the index of the layer-2 branch over a layer-1 branch.
func (t *Table) Parent(l1 int) int {
	parent := number(t.bytes(sectionL1, int64(l1)*groupWidth+8, 7))
	if parent < 0 || parent >= t.L2s {
		t.fail(fmt.Errorf("branch %d has a parent outside the table", l1))
		return 0
	}
	return parent
}

// Length1 returns the length of all leaves of a layer-1 branch.
func (t *Table) Length1(l1 int) int64 {
	return int64(number(t.bytes(sectionL1, int64(l1)*groupWidth+16, 10)))
}

// Length2 returns the length of all leaves of a layer-2 branch.
func (t *Table) Length2(l2 int) int64 {
	return int64(number(t.bytes(sectionL2, int64(l2)*groupWidth+16, 10)))
}

func (t *Table) group(section, i, count, children int) Branch {
	b := t.bytes(section, int64(i)*groupWidth, groupWidth)
	g := Branch{Start: number(b[0:7]), Parent: number(b[8:15]), Length: int64(number(b[16:26])), End: children}
	at := int64(number(b[27:37]))
	if i+1 < count {
		g.End = number(t.bytes(section, int64(i+1)*groupWidth, 7))
	}
	g.ID = string(t.line(sectionGroups, at))
	return g
}

func number(b []byte) int {
	n := 0
	for _, c := range b {
		n = n*10 + int(c-'0')
	}
	return n
}

func hex(b []byte) uint32 {
	n := uint32(0)
	for _, c := range b {
		if c >= 'a' {
			c -= 'a' - '0' - 10
		}
		n = n<<4 | uint32(c-'0')&15
	}
	return n
}

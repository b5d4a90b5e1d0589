package terms

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
)

// The sections of a table, in the order in which they stand. The trailer, the
// last trailerWidth bytes, gives their offsets.
const (
	sectionTerms   = iota // term lines
	sectionRows           // a row of fixed width a leaf: what every match is scored by
	sectionDetails        // a row of fixed width a leaf: what only some are
	sectionSources        // ordinals by (source, position), fixed width
	sectionLeaves         // a line of variable width a leaf
	sectionL1             // a row of fixed width a layer-1 branch
	sectionL2             // the same for layer 2
	sectionGroups         // the ids of the branches, a line each
	sectionDomains        // a line a domain: where its leaves and branches stand
	sectionShared         // hashes of shared sources, a line each
	sectionFences         // an offset and a term a line
	sectionCount
)

const (
	magic        = "ihmt-terms 1"
	trailerWidth = 512
	fenceEvery   = 4 << 10

	rowFormat    = "%07d %07d %s%08x\n" // length, layer-1 branch, flags, hash of the source
	rowWidth     = 7 + 1 + 7 + 1 + 4 + 8 + 1
	detailFormat = "%010d %07d %08d %07d\n" // offset of the line, rank, day, position
	detailWidth  = 10 + 1 + 7 + 1 + 8 + 1 + 7 + 1
	sourceFormat = "%07d\n"
	sourceWidth  = 8
	groupFormat  = "%07d %07d %010d %010d\n" // first child, parent or 0, length, offset of the id
	groupWidth   = 7 + 1 + 7 + 1 + 10 + 1 + 10 + 1

	// maxNumber is what seven digits hold: leaves of a table, the length of a
	// leaf that is told from others, its position.
	maxNumber = 9_999_999
)

// A tableWriter writes the sections of a table in order.
type tableWriter struct {
	w       *bufio.Writer
	offset  int64
	starts  [sectionCount]int64
	fences  []fence
	lastAt  int64
	scratch []byte
}

type fence struct {
	offset int64
	term   string
}

// Write errors stay in the bufio.Writer until its Flush reports them.
func (t *tableWriter) printf(format string, args ...any) {
	t.scratch = fmt.Appendf(t.scratch[:0], format, args...)
	t.write(t.scratch)
}

func (t *tableWriter) write(b []byte) {
	t.w.Write(b)
	t.offset += int64(len(b))
}

func (t *tableWriter) begin(section int) { t.starts[section] = t.offset }

func (t *tableWriter) term(term string, line []byte) {
	if len(t.fences) == 0 || t.offset-t.lastAt >= fenceEvery {
		t.fences = append(t.fences, fence{t.offset, term})
		t.lastAt = t.offset
	}
	t.write(line)
}

func (t *tableWriter) leaves(leaves []Leaf, layout Layout) {
	bySource := make([]int32, len(leaves))
	for i := range bySource {
		bySource[i] = int32(i)
	}
	slices.SortStableFunc(bySource, func(a, b int32) int {
		return cmp.Or(cmp.Compare(leaves[a].Source, leaves[b].Source), cmp.Compare(leaves[a].Position, leaves[b].Position))
	})
	rank := make([]int32, len(leaves))
	for r, i := range bySource {
		rank[i] = int32(r)
	}
	t.begin(sectionRows)
	l1, left := 0, 0
	for i := range leaves {
		for left == 0 && l1 < len(layout.L1) {
			left = layout.L1[l1].Size
			l1++
		}
		left--
		l := &leaves[i]
		t.printf(rowFormat, min(l.Length, maxNumber), l1-1, flags(l, place(leaves, bySource, int(rank[i]))), Hash(l.Source))
	}
	t.begin(sectionDetails)
	lineAt := int64(0)
	for i := range leaves {
		l := &leaves[i]
		t.printf(detailFormat, lineAt, rank[i], l.Day(), min(l.Position, maxNumber))
		lineAt += int64(len(leafLine(l)))
	}
	t.begin(sectionSources)
	for _, i := range bySource {
		t.printf(sourceFormat, i)
	}
	t.begin(sectionLeaves)
	for i := range leaves {
		t.write([]byte(leafLine(&leaves[i])))
	}
}

// Where a leaf stands in its source, as far as the table has it.
const (
	placeAlone = 'a'
	placeFirst = 'f'
	placeLater = '-'
)

func place(leaves []Leaf, bySource []int32, rank int) byte {
	same := func(other int) bool {
		return other >= 0 && other < len(bySource) && leaves[bySource[other]].Source == leaves[bySource[rank]].Source
	}
	switch {
	case same(rank - 1):
		return placeLater
	case same(rank + 1):
		return placeFirst
	}
	return placeAlone
}

func flags(l *Leaf, place byte) string {
	b := []byte{'-', '-', '-', place}
	for i, f := range []struct {
		set  bool
		mark byte
	}{{l.Question, 'q'}, {l.Temporal, 't'}, {l.Retired, 'r'}} {
		if f.set {
			b[i] = f.mark
		}
	}
	return string(b)
}

func leafLine(l *Leaf) string {
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\n", l.ID, Exact("", l.Timestamp), l.SavedAt, l.Position, escapeSource(l.Source))
}

func (t *tableWriter) groups(leaves []Leaf, layout Layout) {
	t.begin(sectionL1)
	idAt, leaf, l2, left := int64(0), 0, 0, 0
	l2Lengths := make([]int64, len(layout.L2))
	for _, g := range layout.L1 {
		for left == 0 && l2 < len(layout.L2) {
			left = layout.L2[l2].Size
			l2++
		}
		left--
		length := int64(0)
		for _, l := range leaves[leaf : leaf+g.Size] {
			length += int64(l.Length)
		}
		l2Lengths[l2-1] += length
		t.printf(groupFormat, leaf, l2-1, length, idAt)
		leaf += g.Size
		idAt += int64(len(g.ID)) + 1
	}
	t.begin(sectionL2)
	l1 := 0
	for i, g := range layout.L2 {
		t.printf(groupFormat, l1, 0, l2Lengths[i], idAt)
		l1 += g.Size
		idAt += int64(len(g.ID)) + 1
	}
	t.begin(sectionGroups)
	for _, groups := range [][]Group{layout.L1, layout.L2} {
		for _, g := range groups {
			t.printf("%s\n", g.ID)
		}
	}
	t.begin(sectionDomains)
	t.domains(leaves, layout)
}

// domains writes one line a run of leaves of the same domain.
func (t *tableWriter) domains(leaves []Leaf, layout Layout) {
	leaf, l1 := 0, 0
	start, startL1, startL2 := 0, 0, 0
	for l2, g := range layout.L2 {
		for range g.Size {
			leaf += layout.L1[l1].Size
			l1++
		}
		domain := Domain(leaves[leaf-1].ID)
		if leaf == len(leaves) || Domain(leaves[leaf].ID) != domain {
			t.printf("%s\t%d\t%d\t%d\t%d\t%d\t%d\n", domain, start, leaf, startL1, l1, startL2, l2+1)
			start, startL1, startL2 = leaf, l1, l2+1
		}
	}
}

func (t *tableWriter) shared(hashes map[uint32]bool) {
	t.begin(sectionShared)
	sorted := make([]uint32, 0, len(hashes))
	for h := range hashes {
		sorted = append(sorted, h)
	}
	slices.Sort(sorted)
	for _, h := range sorted {
		t.printf("%08x\n", h)
	}
}

func (t *tableWriter) fencesAndTrailer(leaves []Leaf, layout Layout) {
	t.begin(sectionFences)
	for _, f := range t.fences {
		t.printf("%d\t%s\n", f.offset, f.term)
	}
	end := t.offset
	total := int64(0)
	for i := range leaves {
		total += int64(leaves[i].Length)
	}
	trailer := fmt.Appendf(nil, "end %d %d %d %d", len(leaves), len(layout.L1), len(layout.L2), total)
	for _, at := range t.starts {
		trailer = fmt.Appendf(trailer, " %d", at)
	}
	trailer = fmt.Appendf(trailer, " %d", end)
	for len(trailer) < trailerWidth-1 {
		trailer = append(trailer, ' ')
	}
	t.write(append(trailer, '\n'))
}

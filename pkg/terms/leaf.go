// Package terms is the inverted index of a memory: sorted, immutable text
// files (tables) that hold, for the leaves of some branches, everything that
// ranking needs, so that a search opens leaves for its results only.
//
// A table lists its leaves in tree order; a leaf's place in it is its ordinal.
// One line a term gives the leaves that have it:
//
//	term TAB leaves-with-it TAB postings
//
// where a posting is the distance to the ordinal before it (the first one is
// the ordinal itself) and, after a colon, the weighted frequency where it is
// not 1. Lines are sorted by term in byte order and every 4 KiB or so of them
// has a fence, so a term costs one read. Below the postings stand rows of
// fixed width: leaf i is found by arithmetic. docs/FORMAT.md describes the
// sections.
//
// Tables are never changed: [Merge] writes a new one from old ones and from
// [Run]s, which hold the same for leaves that have just been journalled.
package terms

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Leaf is what a table keeps of one leaf, beside its terms.
type Leaf struct {
	ID        string
	Timestamp string // when it was true, as saved
	SavedAt   string // RFC 3339, UTC
	Source    string
	Position  int
	Length    int // in tokens, as text.Profile counts
	Question  bool
	Temporal  bool
	Retired   bool
}

// Day is the calendar day of the leaf's timestamp as YYYYMMDD, 0 where it has
// none.
func (l *Leaf) Day() int { return Day(l.Timestamp) }

// Day reads the date that a timestamp starts with, as YYYYMMDD; 0 is none.
func Day(timestamp string) int {
	if len(timestamp) < 10 || timestamp[4] != '-' || timestamp[7] != '-' {
		return 0
	}
	n, err := strconv.Atoi(timestamp[:4] + timestamp[5:7] + timestamp[8:10])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Before is the order of leaves in the tree: within a domain by timestamp,
// then source and position, then id.
func (l *Leaf) Before(m *Leaf) bool {
	switch {
	case l.Timestamp != m.Timestamp:
		return l.Timestamp < m.Timestamp
	case l.Source != m.Source:
		return l.Source < m.Source
	case l.Position != m.Position:
		return l.Position < m.Position
	}
	return l.ID < m.ID
}

// Domain returns the domain that a leaf or branch id names:
// L-<domain>-<position>-<hash>, N<layer>-<domain>-<hash>.
func Domain(id string) string {
	parts := 1
	if strings.HasPrefix(id, "L-") {
		parts = 2
	}
	_, domain, ok := strings.Cut(id, "-")
	for ; ok && parts > 0; parts-- {
		i := strings.LastIndexByte(domain, '-')
		if i < 0 {
			return ""
		}
		domain = domain[:i]
	}
	return domain
}

// Hash is the 32-bit FNV-1a hash of a source: rows carry it, so that leaves
// of sources that several tables share are told apart cheaply.
func Hash(source string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(source))
	return h.Sum32()
}

// maxTerm is the longest term in bytes. A longer one keeps its start and ends
// in a hash.
const maxTerm = 400

// Exact returns the index term for an exact value, such as "source:" and a
// path: white space, control characters and % become %XX, so that a term
// never holds what separates terms.
func Exact(prefix, value string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for i := 0; i < len(value); i++ {
		if c := value[i]; c <= ' ' || c == 0x7f || c == '%' {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	term := b.String()
	if len(term) <= maxTerm {
		return term
	}
	cut := maxTerm - 17
	for !utf8.RuneStart(term[cut]) {
		cut--
	}
	h := fnv.New64a()
	h.Write([]byte(value))
	return term[:cut] + "#" + strconv.FormatUint(h.Sum64(), 16)
}

// A Posting is one leaf of a term.
type Posting struct {
	Ordinal int32
	Weight  int32 // weighted term frequency, at least 1
}

// appendPostings writes postings in ascending order as text.
func appendPostings(dst []byte, postings []Posting) []byte {
	last := int32(0)
	for i, p := range postings {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(p.Ordinal-last), 10)
		if p.Weight != 1 {
			dst = append(dst, ':')
			dst = strconv.AppendInt(dst, int64(p.Weight), 10)
		}
		last = p.Ordinal
	}
	return dst
}

// parsePostings appends the postings of a line; ok is false where the text is
// none, or names an ordinal of limit or above.
func parsePostings(dst []Posting, text []byte, limit int) (_ []Posting, ok bool) {
	ordinal, before := int64(0), len(dst)
	for i := 0; i < len(text); {
		delta, weight := int64(0), int64(1)
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' && delta < 1<<32 {
			delta = delta*10 + int64(text[i]-'0')
			i++
		}
		if i == start {
			return dst, false
		}
		if i < len(text) && text[i] == ':' {
			i++
			start, weight = i, 0
			for i < len(text) && text[i] >= '0' && text[i] <= '9' && weight < 1<<31 {
				weight = weight*10 + int64(text[i]-'0')
				i++
			}
			if i == start || weight == 0 || weight >= 1<<31 {
				return dst, false
			}
		}
		if i < len(text) {
			if text[i] != ' ' {
				return dst, false
			}
			i++
		}
		if ordinal += delta; ordinal >= int64(limit) || (delta == 0 && len(dst) > before) {
			return dst, false
		}
		dst = append(dst, Posting{int32(ordinal), int32(weight)})
	}
	return dst, true
}

package chunk

import (
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

// An entry is what stands under one date of a journal, chat or record.
type entry struct {
	start   int
	at      int // where the line with the date starts
	lead    text.LeadingResult
	dated   bool
	heading int // its level, 0 where the date stands in no heading
}

// headTokens is the longest text before the first entry that the entries
// carry as their context: who the record is about.
const headTokens = 120

// temporalBlocks makes a block of each dated entry; what stands before the
// first and under headings without a date is split by rest. It is nil where
// no date leads a line.
func temporalBlocks(s string, order text.DateOrder, rest func(string) []Block) []Block {
	entries := entriesOf(s, text.ProvenOrder(s, order), false)
	chat := isChat(entries)
	var blocks []Block
	context := ""
	anyDated := false
	for i, e := range entries {
		end := len(s)
		if i+1 < len(entries) {
			end = entries[i+1].start
		}
		if !e.dated {
			undated := shifted(rest(s[e.start:end]), e.start)
			undated[0].Break = true
			blocks = append(blocks, undated...)
			if head := strings.TrimSpace(s[e.start:end]); i == 0 && text.Tokens(head) <= headTokens {
				context = head
			}
			continue
		}
		anyDated = true
		b := Block{Start: e.start, End: end, Timestamp: e.lead.Date.String(), Context: context}
		if chat {
			b.Author = e.lead.Speaker
		}
		b.Title = entryTitle(s[e.start:end], e, b.Author)
		b.Break = len(blocks) > 0 && blocks[len(blocks)-1].Timestamp != b.Timestamp
		blocks = append(blocks, b)
	}
	if !anyDated {
		return nil
	}
	return blocks
}

// datedSections splits what stands under each dated heading, and what does
// not, by split; the blocks under one have its date.
func datedSections(s string, order text.DateOrder, split func(string) []Block) []Block {
	var blocks []Block
	entries := entriesOf(s, text.ProvenOrder(s, order), true)
	for i, e := range entries {
		end := len(s)
		if i+1 < len(entries) {
			end = entries[i+1].start
		}
		section := shifted(split(s[e.start:end]), e.start)
		section[0].Break = section[0].Break || i > 0
		if e.dated {
			for j := range section {
				section[j].Timestamp = e.lead.Date.String()
			}
		}
		blocks = append(blocks, section...)
	}
	return blocks
}

// entriesOf divides a text at the lines, or only the headings, that a date leads. A heading without a
// date ends an entry under a heading of its level or a deeper one; headings
// before the first entry stay with it, and so do the lines above a labelled date
// (Patient: Ana, Date: 2024-03-12). Dates inside fenced code, and dated
// list items under a dated heading, start nothing.
func entriesOf(s string, order text.DateOrder, headings bool) []entry {
	var entries []entry
	at, wasBlank, fence := 0, true, ""
	paragraph := 0 // where the paragraph started
	heading := 0   // the level of the dated heading in force
	for line := range strings.Lines(s) {
		start := at
		at += len(line)
		if fence = fenceAfter(line, fence); fence != "" {
			continue
		}
		level := headingLevel(line)
		if wasBlank {
			paragraph = start
		}
		begin := start
		lead, ok := text.LeadingResult{}, false
		if level > 0 || !headings {
			lead, ok = text.LeadingDate(line, order)
		}
		switch {
		case ok && (lead.SetOff || wasBlank) && !(heading > 0 && isItem(line)):
			if n := len(entries); lead.Labelled && !wasBlank && n > 0 && (!entries[n-1].dated || paragraph > entries[n-1].at) {
				begin = max(paragraph, entries[n-1].start)
				if entries[n-1].start == begin {
					entries = entries[:n-1]
				}
			}
			entries = append(entries, entry{begin, start, lead, true, level})
			if level > 0 {
				heading = level
			}
		case level > 0 && heading > 0 && level <= heading:
			entries = append(entries, entry{start: start})
			heading = 0
		case len(entries) == 0 && !isBlank(line):
			entries = append(entries, entry{})
		}
		wasBlank = isBlank(line)
	}
	if len(entries) == 0 {
		return []entry{{}}
	}
	if len(entries) > 1 && !entries[0].dated && isOnlyHeadings(s[:entries[1].start]) {
		entries = entries[1:]
	}
	entries[0].start = 0
	return entries
}

// isChat tells whether lines name who speaks: a time and a word before a colon
// may stand once in a journal too.
func isChat(entries []entry) bool {
	speaking := 0
	for _, e := range entries {
		if e.lead.Speaker != "" {
			speaking++
		}
	}
	return speaking > 1 || speaking == 1 && len(entries) == 1
}

// entryTitle is the date of an entry and its heading, or who speaks, or how it
// begins.
func entryTitle(s string, e entry, author string) string {
	date := e.lead.Date.String()
	words := firstWords(s[min(e.at-e.start+e.lead.Length, len(s)):])
	switch head := bare(firstLine(s[e.at-e.start:])); {
	case author != "":
		return date + " " + short(author, 40)
	case e.heading == 0 || head == date:
		return headed(date, words)
	case strings.Contains(head, date):
		return head
	default:
		return headed(date, head)
	}
}

func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level == 0 || level > 6 || level < len(line) && !strings.ContainsRune(" \t\r\n", rune(line[level])) {
		return 0
	}
	return level
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return len(line) > 1 && strings.ContainsRune("-*+", rune(line[0])) && line[1] == ' '
}

func isOnlyHeadings(s string) bool {
	for line := range strings.Lines(s) {
		if !isBlank(line) && headingLevel(line) == 0 {
			return false
		}
	}
	return true
}

// fenceAfter is the fence of code that is open after a line, "" for none.
func fenceAfter(line, open string) string {
	line = strings.TrimLeft(line, " ")
	for _, fence := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, fence) {
			switch open {
			case "":
				return fence
			case fence:
				return ""
			}
		}
	}
	return open
}

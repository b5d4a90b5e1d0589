package chunk

import (
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/text"
)

// pack joins consecutive blocks up to the target. alone keeps each block a
// chunk of its own.
func pack(s string, blocks []Block, target int, alone bool) [][]Block {
	var runs [][]Block
	start, size := 0, 0
	for i, b := range blocks {
		tokens := text.Tokens(s[b.Start:b.End])
		if i > start && (alone || size+tokens > target || !joins(blocks[i-1], b)) {
			runs = append(runs, blocks[start:i])
			start, size = i, 0
		}
		size += tokens
	}
	return append(runs, blocks[start:])
}

// joins tells whether b may stand in one chunk with the block before it.
func joins(before, b Block) bool {
	return !b.Break && before.Timestamp == b.Timestamp && before.Author == b.Author && before.Context == b.Context
}

// A lineCounter numbers the lines of a text, from 1; it only moves forward.
type lineCounter struct {
	text     string
	at, line int
}

func (c *lineCounter) lineOf(offset int) int {
	c.line += strings.Count(c.text[c.at:offset], "\n")
	c.at = offset
	return c.line + 1
}

// chunks makes the chunks of a document from runs of its blocks.
func chunks(doc record.Document, runs [][]Block, maxTokens int) []record.Chunk {
	made := make([]record.Chunk, len(runs))
	lines := lineCounter{text: doc.Text}
	for i, run := range runs {
		first, last := run[0], run[len(run)-1]
		content := doc.Text[first.Start:last.End]
		tokens := text.Tokens(content)
		made[i] = record.Chunk{
			Source: doc.Source, Position: i,
			DataType: doc.DataType, Domain: doc.Domain, Language: doc.Language,
			Title: runTitle(doc, run), Tags: runTags(doc, run),
			Author: or(first.Author, doc.Author), Timestamp: or(first.Timestamp, doc.Timestamp),
			Span:   &record.Span{StartLine: lines.lineOf(first.Start), EndLine: lines.lineOf(last.End - 1)},
			Tokens: tokens, Oversized: tokens > maxTokens, Context: first.Context,
			Project: doc.Project, Agent: doc.Agent, Symbols: runSymbols(run), Content: content,
		}
	}
	return made
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// runTitle is the title of the first block, or the heading it stands under and
// how it begins; of code, the titles of all blocks as far as there is room.
func runTitle(doc record.Document, run []Block) string {
	if doc.DataType != record.TypeCode {
		return blockTitle(doc.Text, run[0])
	}
	var titles []string
	for _, b := range run[:min(len(run), 32)] {
		if title := blockTitle(doc.Text, b); title != "" && !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}
	return short(strings.Join(titles, ", "), 2*titleRunes)
}

func blockTitle(s string, b Block) string {
	if b.Title != "" {
		return b.Title
	}
	return headed(b.Under, firstWords(s[b.Start:b.End]))
}

// runTags are the document's tags, the type, and the tags of the blocks.
func runTags(doc record.Document, run []Block) []string {
	tags := slices.Clone(doc.Tags)
	if doc.DataType != "" {
		tags = append(tags, "type:"+strings.ToLower(doc.DataType))
	}
	for _, b := range run {
		tags = append(tags, b.Tags...)
	}
	seen := make(map[string]bool, len(tags))
	return slices.DeleteFunc(tags, func(tag string) bool {
		was := seen[tag]
		seen[tag] = true
		return was
	})
}

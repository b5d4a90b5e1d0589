package chunk

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ihmt/ihmt/pkg/text"
)

// narrativeBlocks makes a block of each paragraph of a story. A heading starts
// a chapter and stays with its first paragraph; a line of stars or dashes ends
// a scene and stays with what it ends. A paragraph of more than maxTokens
// becomes a block a sentence.
func narrativeBlocks(s string, maxTokens int) []Block {
	var blocks []Block
	chapter := ""
	open := false   // the last block waits for its paragraph
	breaks := false // the scene has ended
	units := unitsOf(s)
	for i, u := range units {
		end := len(s)
		if i+1 < len(units) {
			end = units[i+1].start
		}
		switch {
		case u.kind == heading && open:
			chapter = headed(chapter, u.title)
		case u.kind == heading:
			chapter = u.title
			blocks = append(blocks, Block{Start: u.start, Break: true})
		case u.kind == prose && !open:
			blocks = append(blocks, Block{Start: u.start, Under: chapter, Break: breaks})
		case len(blocks) == 0:
			blocks = append(blocks, Block{Start: u.start})
		}
		last := &blocks[len(blocks)-1]
		last.End = end
		if u.kind == heading {
			last.Title, last.Under = chapter, chapter
		}
		breaks = u.kind == sceneBreak && !open && i > 0
		open = u.kind == heading || u.kind == sceneBreak && !breaks
		if u.kind == prose && text.Tokens(s[u.start:end]) > maxTokens {
			blocks = append(blocks[:len(blocks)-1], sentenceBlocks(s, *last, u.start)...)
		}
	}
	return blocks
}

// sentenceBlocks splits a block, of which the prose starts at body, at the
// ends of sentences; a heading stays with the first.
func sentenceBlocks(s string, b Block, body int) []Block {
	var blocks []Block
	start := b.Start
	for _, end := range text.Sentences(s[body:b.End]) {
		end += body
		piece := Block{Start: start, End: end, Under: b.Under}
		if start == b.Start {
			piece.Break = b.Break
		}
		if start < body {
			piece.Title = b.Title
		}
		blocks = append(blocks, piece)
		start = end
	}
	return blocks
}

// A unit is a paragraph of a story, a heading or a line that ends a scene,
// with the empty lines after it.
type unit struct {
	start int
	kind  unitKind
	title string // of a heading
}

type unitKind int

const (
	prose unitKind = iota
	heading
	sceneBreak
)

func unitsOf(s string) []unit {
	var units []unit
	at, start, lines := 0, 0, 0 // lines: of the unit so far
	afterBlank, before := true, ""
	add := func(kind unitKind, title string) {
		if len(units) == 0 {
			start = 0 // with the empty lines before it
		}
		units = append(units, unit{start, kind, title})
		lines = 0
	}
	for line := range strings.Lines(s) {
		start = at
		at += len(line)
		if isBlank(line) {
			afterBlank = true
			continue
		}
		title := headingTitle(line, afterBlank)
		switch last := len(units) - 1; {
		case isUnderline(line) && lines == 1 && !afterBlank && units[last].kind != sceneBreak && isShort(before):
			units[last].kind, units[last].title = heading, bare(before)
		case isSceneBreak(line):
			add(sceneBreak, "")
		case title != "":
			add(heading, title)
		case afterBlank || last < 0 || units[last].kind != prose:
			add(prose, "")
		}
		lines++
		afterBlank, before = false, line
	}
	if len(units) == 0 {
		return []unit{{}}
	}
	if len(units) > 1 && units[0].kind == prose && units[1].kind == heading && isTitle(s[:units[1].start]) {
		units[0].kind, units[0].title = heading, bare(strings.TrimSpace(s[:units[1].start]))
	}
	return units
}

// isTitle tells whether the paragraph before a first chapter is the title of
// the whole: one short line that is no sentence.
func isTitle(paragraph string) bool {
	line := strings.TrimSpace(paragraph)
	return isShort(line) && !strings.Contains(line, "\n") && !strings.ContainsAny(line[max(0, len(line)-1):], ".!?:;,") && !strings.HasSuffix(line, "。")
}

func bare(line string) string {
	return short(strings.Trim(firstLine(line), "#*_=- \t　\ufeff"), titleRunes)
}

func isShort(line string) bool {
	return len(line) <= 4*titleRunes && utf8.RuneCountInString(line) <= titleRunes
}

// isUnderline tells of the line that makes a heading of the one above it.
func isUnderline(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	return len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// isSceneBreak tells whether a line is nothing but stars, dashes or the like.
func isSceneBreak(line string) bool {
	if !isShort(line) {
		return false
	}
	line = strings.Join(strings.Fields(line), "")
	return strings.Trim(line, "*-_~#=•⁂＊—") == "" && utf8.RuneCountInString(line) >= 3 || line == "⁂" || line == "＊"
}

// headingTitle returns the words of a line that is a heading of Markdown or
// of a chapter, "" of one that is none. What reads like a sentence is a
// chapter's heading only after an empty line.
func headingTitle(line string, afterBlank bool) string {
	if !isShort(line) {
		return ""
	}
	title := bare(line)
	if headingLevel(line) > 0 {
		return title
	}
	first, _ := utf8.DecodeRuneInString(title)
	if !strings.ContainsRune("cpbasetluúCPBASETLUÚ第序楔尾", first) {
		return "" // as most lines; matching is dear
	}
	match := chapterLine().FindStringSubmatch(title)
	if match == nil || match[1] != "" && !afterBlank {
		return ""
	}
	return title
}

// chapterLine matches the headings of chapters and larger parts: Chapter 3,
// CAPÍTULO II: La llegada, Prólogo, 第三章 归来. Its group is a title that no
// mark sets off.
var chapterLine = sync.OnceValue(func() *regexp.Regexp {
	const number = `(?:\d+|[ivxlcdm]+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
		`uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|` +
		`the (?:first|second|third|last)|primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|últim[oa])`
	return regexp.MustCompile(`(?i)^(?:` +
		`(?:(?:chapter|part|book|act|scene|cap[ií]tulo|parte|libro|acto|escena) ` + number +
		`|(?:primera|segunda|tercera|última) parte|prologue|epilogue|pr[óo]logo|ep[íi]logo)` +
		`(?:\s*[.:—–-].*|(\s+(?-i:[\p{Lu}"“«¿¡]).*[^.,;]))?` +
		`|(?:第\s*[\d〇零一二三四五六七八九十百千两]+\s*[章回节節卷部篇幕]|序章|楔子|尾声|尾聲)(?:[\s：:、.].*)?)$`)
})

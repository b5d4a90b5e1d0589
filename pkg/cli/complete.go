package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// completions are the words that may stand where a shell asks how to go on
// (bash's complete -C: the line in COMP_LINE, the place of the cursor, in
// bytes, in COMP_POINT): commands, flags, and the values of those flags that
// take one of a few. The shell itself completes file names.
func completions(parser *kong.Kong, line, point string) []string {
	if n, err := strconv.Atoi(point); err == nil && n >= 0 && n < len(line) {
		line = line[:n]
	}
	words := strings.Fields(line)
	if len(words) == 0 || strings.HasSuffix(line, " ") {
		words = append(words, "")
	}
	start := words[len(words)-1]
	node := parser.Model.Node
	var open *kong.Flag // takes the next word for its value
	for _, word := range words[min(1, len(words)-1) : len(words)-1] {
		if open != nil {
			open = nil
			continue
		}
		if open = valueFlag(node, word); open != nil || strings.HasPrefix(word, "-") {
			continue
		}
		if i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word }); i >= 0 {
			node = node.Children[i]
		}
	}
	var all []string
	switch {
	case open != nil:
		all = open.EnumSlice()
	case strings.HasPrefix(start, "-"):
		for _, f := range visibleFlags(node) {
			all = append(all, "--"+f.Name)
		}
	default:
		for _, c := range node.Children {
			if !c.Hidden {
				all = append(all, c.Name)
			}
		}
	}
	return slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, start) })
}

// valueFlag is the flag that a word names and that takes the word after it;
// nil where there is none.
func valueFlag(node *kong.Node, word string) *kong.Flag {
	for _, f := range visibleFlags(node) {
		if (word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)) && !f.IsBool() && !f.IsCounter() {
			return f
		}
	}
	return nil
}

func visibleFlags(node *kong.Node) []*kong.Flag { return slices.Concat(node.AllFlags(true)...) }

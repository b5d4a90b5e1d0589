package setup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// The lines between which the instructions stand in a file that an agent
// reads.
const (
	blockBegin = "<!-- ihmt:begin -->"
	blockEnd   = "<!-- ihmt:end -->"
)

// A block is a text that stands between two marked lines of a file.
type block struct {
	head string // what a new file begins with
	text string
}

// set puts the block in its place, at the end where there is none.
func (b block) set(data []byte) ([]byte, error) {
	newline := newlineOf(data)
	text := blockBegin + "\n" + strings.TrimSpace(b.text) + "\n" + blockEnd
	text = strings.ReplaceAll(text, "\n", newline)
	start, end, err := findBlock(data)
	switch {
	case err != nil:
		return nil, err
	case end > 0:
		return splice(data, start, end, text), nil
	case len(bytes.TrimSpace(data)) == 0:
		return []byte(strings.ReplaceAll(b.head, "\n", newline) + text + newline), nil
	case !bytes.HasSuffix(data, []byte("\n")):
		text = newline + text
	}
	return append(bytes.Clone(data), newline+text+newline...), nil
}

// unset takes the block out, with the blank line before it.
func (b block) unset(data []byte) ([]byte, error) {
	start, end, err := findBlock(data)
	if err != nil || end == 0 {
		return data, err
	}
	return cutLines(data, start, end), nil
}

func (b block) holds(data []byte) bool {
	_, end, err := findBlock(data)
	return err == nil && end > 0
}

func (b block) empty(data []byte) bool {
	return strings.TrimSpace(string(data)) == strings.TrimSpace(b.head)
}

// findBlock returns where the block stands; 0, 0 where there is none.
func findBlock(data []byte) (start, end int, err error) {
	if err := checkText(data); err != nil {
		return 0, 0, err
	}
	start = bytes.Index(data, []byte(blockBegin))
	end = bytes.LastIndex(data, []byte(blockEnd))
	switch {
	case start < 0 && end < 0:
		return 0, 0, nil
	case start < 0 || end < start:
		return 0, 0, fmt.Errorf("line %d: %q and %q do not belong together; take both out", lineOf(data, max(start, end)), blockBegin, blockEnd)
	case bytes.Count(data, []byte(blockBegin)) > 1 || bytes.Count(data, []byte(blockEnd)) > 1:
		return 0, 0, errors.New("the instructions stand in it twice; take one of them out, with the marked lines around it")
	}
	return start, end + len(blockEnd), nil
}

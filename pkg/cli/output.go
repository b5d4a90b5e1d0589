package cli

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"syscall"
	"unicode"

	"github.com/ihmt/ihmt/pkg/record"
)

// A Renderer prints one record for people. Whatever it takes from a record
// goes through [Clean] or [CleanLine] first.
type Renderer func(w io.Writer, r *record.Record)

// An Output takes the records that a tool writes: JSON lines in a pipe, text
// on a terminal.
type Output struct {
	People bool // text for people, not JSON lines
	render Renderer
	text   *bufio.Writer
	json   *record.Writer
}

func newOutput(w io.Writer, people bool, render Renderer) *Output {
	return &Output{People: people && render != nil, render: render, text: bufio.NewWriter(w), json: record.NewWriter(w)}
}

// Write prints one record.
func (o *Output) Write(r *record.Record) error {
	if o.People {
		o.render(o.text, r)
		return nil
	}
	return o.json.Write(r)
}

// Printf prints a line for people; in a pipe it prints nothing.
func (o *Output) Print(line string) {
	if o.People {
		o.text.WriteString(line)
		o.text.WriteByte('\n')
	}
}

// Flush hands everything to the reader.
func (o *Output) Flush() error {
	if err := o.text.Flush(); err != nil {
		return err
	}
	return o.json.Flush()
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// Clean returns text that is safe to print: no terminal control codes and no
// bidirectional overrides; newlines and tabs stay.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e || r == 0x200f || r == 0x061c:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// CleanLine is Clean for one line of at most n runes; what is cut ends in an
// ellipsis.
func CleanLine(s string, n int) string {
	s = Clean(strings.Join(strings.Fields(s), " "))
	count := 0
	for i := range s {
		if count++; count > n {
			return s[:i] + "…"
		}
	}
	return s
}

// Day is the calendar day of a timestamp, for people.
func Day(timestamp string) string { return Clean(timestamp[:min(len(timestamp), len("2006-01-02"))]) }

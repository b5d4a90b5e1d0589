package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLine is the longest line, in bytes, that a [Reader] takes: the text of a
// document stands in one line, so it is generous.
const MaxLine = 512 << 20

// A LineError says which line of a stream is not a record, and why.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// A Reader reads records from JSON lines; blank lines are skipped.
type Reader struct {
	r    *bufio.Reader
	line int
}

// NewReader returns a reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Line is the number, from 1, of the line read last.
func (r *Reader) Line() int { return r.line }

// Buffered tells whether a whole further line waits in memory, so that
// reading it cannot block. ihmt-store commits when its input pauses.
func (r *Reader) Buffered() bool {
	waiting, _ := r.r.Peek(r.r.Buffered())
	return bytes.IndexByte(waiting, '\n') >= 0
}

// Read returns the next record, io.EOF at the end, or a *LineError; after a
// *LineError it can be called again and goes on with the line after.
func (r *Reader) Read() (*Record, error) {
	for {
		line, own, err := r.readLine()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return nil, &LineError{r.line, errors.New("not valid UTF-8")}
		}
		if !own {
			line = bytes.Clone(line)
		}
		rec, err := parse(line)
		if err != nil {
			return nil, &LineError{r.line, err}
		}
		return rec, nil
	}
}

// readLine returns the next line; unless it is the caller's own, only until it
// is called again.
func (r *Reader) readLine() (line []byte, own bool, err error) {
	r.line++
	part, err := r.r.ReadSlice('\n')
	if err == nil || (errors.Is(err, io.EOF) && len(part) > 0) {
		return part, false, nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, false, err
	}
	whole, tooLong := bytes.Clone(part), false
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.r.ReadSlice('\n')
		if tooLong = tooLong || len(whole)+len(part) > MaxLine; !tooLong {
			whole = append(whole, part...)
		}
	}
	switch {
	case tooLong:
		return nil, false, &LineError{r.line, fmt.Errorf("longer than %d MiB", MaxLine>>20)}
	case err != nil && !errors.Is(err, io.EOF):
		return nil, false, err
	}
	return whole, true, nil
}

// LooksLikeRecords tells whether a stream that starts with head holds
// records; anything else is taken for plain text.
func LooksLikeRecords(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	rest, ok := bytes.CutPrefix(head, []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte(`"kind"`))
}

// A Writer writes records as JSON lines. It buffers; Flush when a reader may
// be waiting.
type Writer struct {
	w *bufio.Writer
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 64<<10)} }

// Write writes one record.
func (w *Writer) Write(r *Record) error {
	before := byte('{')
	for _, f := range r.fields {
		w.w.WriteByte(before)
		w.w.Write(encode(f.name))
		w.w.WriteByte(':')
		w.w.Write(f.value)
		before = ','
	}
	_, err := w.w.WriteString("}\n") // an error before stays
	return err
}

// Flush hands everything written to the underlying writer.
func (w *Writer) Flush() error { return w.w.Flush() }

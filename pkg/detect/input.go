package detect

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

const standardInput = "standard input"

// input takes standard input: records, or one plain text.
func (c *collector) input(in io.Reader) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if !record.LooksLikeRecords(head(buffered)) {
		return c.plain(buffered, standardInput)
	}
	r := record.NewReader(buffered)
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = c.record(rec, r.Line())
		}
		var bad *record.LineError
		if errors.As(err, &bad) {
			if !c.opt.KeepGoing {
				return fmt.Errorf("%s, %w; mend it, or skip such lines with --keep-going", standardInput, err)
			}
			err = c.miss(standardInput, bad.Error())
		}
		if err == nil && c.opt.Pause != nil && !r.Buffered() {
			err = c.opt.Pause()
		}
		if err != nil {
			return err
		}
	}
}

// record completes a document record and hands on any other.
func (c *collector) record(rec *record.Record, line int) error {
	if rec.Kind() != record.KindDocument {
		return c.do(rec)
	}
	doc, err := rec.Document()
	if err != nil {
		return &record.LineError{Line: line, Err: err}
	}
	if !rec.Has("text") {
		return &record.LineError{Line: line, Err: errors.New(`a document record needs the field "text"`)}
	}
	raw := rec.Raw("text") // as it was spelled
	if err := c.fill(&doc); err != nil {
		return &record.LineError{Line: line, Err: err}
	}
	doc.Text = ""
	rec.Merge(doc)
	rec.SetRaw("text", raw)
	return c.do(rec)
}

// fill completes a document that was not read from a file.
func (c *collector) fill(doc *record.Document) error {
	if doc.Domain != "" {
		if slug, err := Domain(doc.Domain); err != nil {
			return err
		} else if slug != doc.Domain {
			return fmt.Errorf("domain %q is not a slug; write %q", doc.Domain, slug)
		}
	}
	c.complete(doc, doc.Source, c.opt.Now().Format(time.RFC3339))
	return nil
}

// head returns the start of a stream, far enough to tell records from text:
// its first line that is not blank, or 4 KiB. It waits for no more than that,
// for the writer may be waiting too.
func head(r *bufio.Reader) []byte {
	for n := 1; ; n++ {
		_, err := r.Peek(n)
		n = r.Buffered()
		got, _ := r.Peek(n)
		line := bytes.TrimLeft(got, " \t\r\n")
		if err != nil || n >= 4<<10 || bytes.IndexByte(line, '\n') >= 0 || (len(line) > 0 && line[0] != '{') {
			return got
		}
	}
}

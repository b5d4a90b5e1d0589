package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ihmt/ihmt/pkg/record"
)

// Commits hold at most this many records or bytes of content. A commit also
// closes when the input pauses, so that a lone save is acknowledged at once.
const (
	batchRecords = 256
	batchBytes   = 8 << 20
	batchPause   = 2 * time.Millisecond
)

// PutOptions are what ihmt-store put was asked for.
type PutOptions struct {
	Replaces  string          // given to the first chunk
	KeepGoing bool            // skip what cannot be stored
	NoLeaves  bool            // do not hand on leaf records, which would read as stored
	Stop      <-chan struct{} // closed: a commit in hand is finished, and no other begins
}

// errStopped ends a run whose PutOptions.Stop was closed.
var errStopped = errors.New("interrupted; what was acknowledged is stored, and nothing is half stored")

// Totals count what a run of Put did.
type Totals struct {
	Stored, Unchanged, Retired, Skipped int
	Passed                              int // leaf records, which are another memory's
}

// Put stores the chunks of a stream of records and writes, in order, a leaf
// record for each once it is on the disk; other records pass through. What
// cannot be stored ends it, after everything before it is committed, with an
// error that names the line.
func (s *Store) Put(in *record.Reader, out func([]*record.Record) error, opt PutOptions) (Totals, error) {
	w, err := s.NewWriter()
	if err != nil {
		return Totals{}, err
	}
	defer w.Close()
	p := &putter{writer: w, out: out, opt: opt}
	lines := readAhead(in)
	for {
		batch, fatal := p.collect(lines)
		if err := p.commit(batch); err != nil {
			return p.totals, err
		}
		if fatal != nil {
			return p.totals, fatal
		}
		if batch == nil {
			return p.totals, nil
		}
	}
}

// A line is what was read of the input: a record, or why there is none.
type line struct {
	record *record.Record
	number int
	err    error
}

// replaces are the ids of the leaves that the line's chunk replaces.
func (l *line) replaces() (ids record.IDs) {
	if l.record != nil && l.record.Kind() == record.KindChunk {
		json.Unmarshal([]byte(l.record.Get("replaces").Raw), &ids) // item tells what is wrong
	}
	return ids
}

// readAhead reads records while others are being committed.
func readAhead(in *record.Reader) <-chan line {
	lines := make(chan line, batchRecords)
	go func() {
		defer close(lines)
		for {
			r, err := in.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			lines <- line{r, in.Line(), err}
			var bad *record.LineError
			if err != nil && !errors.As(err, &bad) {
				return
			}
		}
	}()
	return lines
}

// collect returns the next batch of lines, nil at the end of the input, and
// the error that ends the run after it.
func (p *putter) collect(lines <-chan line) (batch []line, fatal error) {
	size := 0
	if p.held != nil {
		batch, p.held = append(batch, *p.held), nil
	}
	pause := time.NewTimer(time.Hour)
	defer pause.Stop()
	for len(batch) < batchRecords && size < batchBytes {
		if len(batch) > 0 {
			pause.Reset(batchPause)
		}
		select {
		case l, open := <-lines:
			if !open {
				return batch, nil
			}
			if l.err != nil && !p.opt.KeepGoing {
				return batch, wrongLine(l.number, l.err)
			}
			if len(batch) > 0 && slices.ContainsFunc(l.replaces(), func(id string) bool { return !p.writer.s.has(id) }) {
				p.held = &l // what it replaces may be in this batch
				return batch, nil
			}
			if l.record != nil {
				size += len(l.record.Get("content").Raw)
			}
			batch = append(batch, l)
		case <-pause.C:
			return batch, nil
		case <-p.opt.Stop:
			return nil, errStopped
		}
	}
	return batch, nil
}

type putter struct {
	writer *Writer
	out    func([]*record.Record) error
	opt    PutOptions
	totals Totals
	held   *line // read, and the first of the next batch
}

// commit stores what a batch holds, up to the first record that cannot be
// stored, and writes what became of it.
func (p *putter) commit(batch []line) error {
	var items []Item
	var fatal error
	records := make([]*record.Record, 0, len(batch))
	place := make([]int, 0, len(batch)) // of a record's item, -1 for none
	for _, l := range batch {
		item, isItem, err := p.item(l)
		if err != nil {
			if !p.opt.KeepGoing {
				fatal = wrongLine(l.number, err)
				break
			}
			p.totals.Skipped++
			reason := fmt.Sprintf("line %d: %v", l.number, err)
			records, place = append(records, record.New(record.KindSkipped, record.Skipped{Source: "standard input", Reason: reason})), append(place, -1)
			continue
		}
		if l.record.Kind() == record.KindLeaf {
			p.totals.Passed++
			if p.opt.NoLeaves {
				continue
			}
		}
		records = append(records, l.record)
		if !isItem {
			place = append(place, -1)
			continue
		}
		place = append(place, len(items))
		items = append(items, item)
	}
	var outcomes []Outcome
	if len(items) > 0 {
		var err error
		if outcomes, err = p.writer.Commit(items); err != nil {
			return fmt.Errorf("%w; nothing of lines %d to %d of standard input%s was stored, everything before them is; mend that and run it again", err, batch[0].number, batch[len(batch)-1].number, sources(items))
		}
	}
	for i, at := range place {
		if at >= 0 && items[at].End == nil {
			records[i] = leafRecord(records[i], &items[at].Chunk, outcomes[at].Leaf)
		}
	}
	p.count(outcomes)
	if err := p.out(records); err != nil {
		return err
	}
	return fatal
}

// sources names where items are from.
func sources(items []Item) string {
	of := func(item Item) string {
		if item.End != nil {
			return item.End.Source
		}
		return item.Chunk.Source
	}
	first, last := of(items[0]), of(items[len(items)-1])
	if first == last {
		return " (" + first + ")"
	}
	return " (" + first + " to " + last + ")"
}

func (p *putter) count(outcomes []Outcome) {
	for _, o := range outcomes {
		p.totals.Retired += o.Retired
		if o.Warning != "" && p.writer.s.Notify != nil {
			p.writer.s.Notify("an earlier version was kept: " + o.Warning)
		}
		switch o.Status {
		case StatusStored, StatusReplaced:
			p.totals.Stored++
		case StatusUnchanged:
			p.totals.Unchanged++
		}
	}
}

func wrongLine(number int, err error) error {
	var bad *record.LineError
	if errors.As(err, &bad) {
		err = bad.Err
	}
	return fmt.Errorf("standard input, line %d: %w; mend it, or skip such lines with --keep-going", number, err)
}

// item makes an item of a line; isItem is false for records of other kinds.
func (p *putter) item(l line) (item Item, isItem bool, err error) {
	if l.err != nil {
		var bad *record.LineError
		if errors.As(l.err, &bad) {
			return item, false, bad.Err
		}
		return item, false, l.err
	}
	switch l.record.Kind() {
	case record.KindDocumentEnd:
		item.End = &record.DocumentEnd{}
		return item, true, l.record.Decode(item.End)
	case record.KindDocument:
		return item, false, errors.New("a document has to be split first: put ihmt-chunk before ihmt-store")
	case record.KindChunk:
	default:
		return item, false, nil
	}
	if err := l.record.Decode(&item.Chunk); err != nil {
		return item, false, err
	}
	if p.opt.Replaces != "" {
		item.Chunk.Replaces, p.opt.Replaces = record.IDs{p.opt.Replaces}, ""
	}
	item.Other = unknownFields(l.record)
	if err := Complete(&item.Chunk); err != nil {
		return item, true, err
	}
	if err := newLeaf(&item.Chunk, item.Other).checkHeader(); err != nil {
		return item, true, err
	}
	return item, true, p.writer.s.mayReplace(item.Chunk.Replaces, item.Chunk.Timestamp)
}

// leafRecord is the chunk's record as a leaf, with what the store added.
func leafRecord(r *record.Record, c *record.Chunk, l record.Leaf) *record.Record {
	leaf := r.Derive(record.KindLeaf, "similar")
	leaf.Merge(c)
	leaf.Merge(l)
	return leaf
}

// unknownFields are the fields of a chunk that a leaf's record does not name.
func unknownFields(r *record.Record) map[string]json.RawMessage {
	var other map[string]json.RawMessage
	r.Each(func(name string, value gjson.Result) {
		if !record.IsLeafField(name) {
			if other == nil {
				other = map[string]json.RawMessage{}
			}
			other[name] = json.RawMessage(value.Raw)
		}
	})
	return other
}

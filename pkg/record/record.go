// Package record is the contract between the tools: JSON lines, one record a
// line, UTF-8, "kind" first.
//
// A tool reads the kinds and fields that it knows and passes everything else
// through: a [Record] keeps its fields in order and their values as the exact
// bytes that were read, so a number keeps its spelling and an unknown field
// survives any number of tools. The structs in kinds.go name the known fields
// of each kind; docs/FORMAT.md describes them with units and examples.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

// MaxDepth is how deeply a record may nest; deeper input is refused before it
// can exhaust a parser's stack.
const MaxDepth = 256

// A Record is one JSON object of a stream.
type Record struct {
	fields []field
}

type field struct {
	name  string
	value []byte // raw JSON
}

// Parse reads one JSON object. The line is copied. Errors say what is wrong
// with it, not where it stood: a [Reader] adds the line number.
func Parse(line []byte) (*Record, error) { return parse(bytes.Clone(line)) }

// parse is Parse of a line that is the record's from now on.
func parse(line []byte) (*Record, error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0 || line[0] != '{':
		return nil, errors.New("not a JSON object")
	case TooDeep(line):
		return nil, fmt.Errorf("nested deeper than %d levels", MaxDepth)
	case !json.Valid(line):
		return nil, errors.New(invalidReason(line))
	}
	r := &Record{fields: make([]field, 0, 16)}
	var twice string
	gjson.ParseBytes(line).ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if len(r.fields) < 64 && r.find(name) != nil {
			twice = name
			return false
		}
		r.fields = append(r.fields, field{name, line[value.Index : value.Index+len(value.Raw)]})
		return true
	})
	if twice != "" {
		return nil, fmt.Errorf("field %q stands twice", twice)
	}
	return r, nil
}

// invalidReason asks encoding/json for its words, which name the offence.
func invalidReason(line []byte) string {
	var v json.RawMessage
	if err := json.Unmarshal(line, &v); err != nil {
		return "invalid JSON: " + err.Error()
	}
	return "invalid JSON"
}

// TooDeep tells whether a line nests deeper than MaxDepth. It must be asked
// before a line from outside goes to a parser that recurses.
func TooDeep(line []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// New returns a record of a kind with the fields of v, a struct of kinds.go.
func New(kind string, v any) *Record {
	r := &Record{}
	r.Set("kind", kind)
	r.Merge(v)
	return r
}

// Derive returns a copy of r under another kind, without the named fields:
// what a tool knows nothing about travels from document to chunk to leaf.
func (r *Record) Derive(kind string, without ...string) *Record {
	d := &Record{fields: make([]field, 0, len(r.fields)+8)}
	d.Set("kind", kind)
copying:
	for _, f := range r.fields {
		if f.name == "kind" {
			continue
		}
		for _, name := range without {
			if f.name == name {
				continue copying
			}
		}
		d.fields = append(d.fields, f)
	}
	return d
}

// Kind returns the record's kind, "" where it has none.
func (r *Record) Kind() string { return r.Str("kind") }

// Get returns a field's value; one that is missing does not exist.
func (r *Record) Get(name string) gjson.Result {
	if f := r.find(name); f != nil {
		return gjson.ParseBytes(f.value)
	}
	return gjson.Result{}
}

// Str returns a field as text, "" where it is missing or null.
func (r *Record) Str(name string) string { return r.Get(name).String() }

// Raw returns a field's JSON as it stands in the record, nil where it is
// missing. It must not be changed.
func (r *Record) Raw(name string) []byte {
	if f := r.find(name); f != nil {
		return f.value
	}
	return nil
}

// Has tells whether the record has the field.
func (r *Record) Has(name string) bool { return r.find(name) != nil }

// Set gives a field a value, in its place where it exists, else at the end.
func (r *Record) Set(name string, value any) { r.SetRaw(name, encode(value)) }

// SetRaw is Set with a value that is JSON already.
func (r *Record) SetRaw(name string, raw []byte) {
	if f := r.find(name); f != nil {
		f.value = raw
		return
	}
	r.fields = append(r.fields, field{name, raw})
}

// Merge sets every field that v, a struct of kinds.go, does not omit.
func (r *Record) Merge(v any) {
	gjson.ParseBytes(encode(v)).ForEach(func(key, value gjson.Result) bool {
		r.SetRaw(key.String(), []byte(value.Raw))
		return true
	})
}

// Decode fills v, a pointer to a struct of kinds.go. It fails where a known
// field has the wrong type, and names the field.
func (r *Record) Decode(v any) error {
	err := json.Unmarshal(r.Append(nil), v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("field %q of a %s record is a %s, want %s", wrong.Field, r.Kind(), wrong.Value, wrong.Type)
	}
	return err
}

// Append appends the record as JSON, without a newline.
func (r *Record) Append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, f := range r.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, encode(f.name)...)
		dst = append(dst, ':')
		dst = append(dst, f.value...)
	}
	return append(dst, '}')
}

// String returns the record as JSON.
func (r *Record) String() string { return string(r.Append(nil)) }

// MarshalJSON lets a record stand inside another value.
func (r *Record) MarshalJSON() ([]byte, error) { return r.Append(nil), nil }

func (r *Record) find(name string) *field {
	for i := range r.fields {
		if r.fields[i].name == name {
			return &r.fields[i]
		}
	}
	return nil
}

// encode returns v as JSON with HTML left alone. It is called with this
// package's structs and plain values only, which always encode.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Each calls do for each field, in order.
func (r *Record) Each(do func(name string, value gjson.Result)) {
	for _, f := range r.fields {
		do(f.name, gjson.ParseBytes(f.value))
	}
}

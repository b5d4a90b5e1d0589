package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A member is one name of a JSON object with its value, as JSON.
type member struct {
	name  string
	value json.RawMessage
}

// A jsonConfig is a configuration file in JSON, with or without comments, in
// which an object has one entry per server.
type jsonConfig struct {
	servers string                  // name of that object
	head    []member                // what a new file begins with
	entry   func(s Server) []member // what a server's entry has to say
}

func (c jsonConfig) get(data []byte) (Server, bool, error) {
	if onlyComments(data) {
		return Server{}, false, nil
	}
	root, err := parseJSON(data)
	if err != nil {
		return Server{}, false, err
	}
	var entry any
	v := find(root, c.servers, serverName)
	if v == nil || isNull(v) {
		return Server{}, false, nil
	}
	plain := hujson.Value{Value: v.Value}
	plain = plain.Clone()
	plain.Standardize()
	if err := json.Unmarshal(plain.Pack(), &entry); err != nil {
		return Server{}, false, err
	}
	return serverOf(entry), true, nil
}

func (c jsonConfig) set(data []byte, s Server) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = c.fresh()
	} else if onlyComments(data) {
		data = append(ended(data), c.fresh()...)
	}
	if root, err := parseJSON(data); err != nil {
		return nil, err
	} else if entry := find(root, c.servers, serverName); entry == nil || isNull(entry) {
		return c.add(data, s)
	}
	entry := c.entry(s)
	for _, m := range slices.Backward(entry) {
		var err error
		if data, err = setJSON(data, []string{c.servers, serverName}, m); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// fresh is a new file, without an entry.
func (c jsonConfig) fresh() []byte {
	data := []byte("{}\n")
	members := append(slices.Clone(c.head), member{c.servers, json.RawMessage("{}")})
	for _, m := range slices.Backward(members) {
		data, _ = setJSON(data, nil, m) // it is an object
	}
	return data
}

// add writes an entry where there is none.
func (c jsonConfig) add(data []byte, s Server) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	entry := member{serverName, object(c.entry(s))}
	if servers := find(root, c.servers); servers == nil || isNull(servers) {
		return setJSON(data, nil, member{c.servers, object([]member{entry})})
	}
	return setJSON(data, []string{c.servers}, entry)
}

// object is an object with some members, as JSON.
func object(members []member) json.RawMessage {
	parts := make([][]byte, len(members))
	for i, m := range members {
		parts[i] = fmt.Appendf(nil, "%s:%s", quoted(m.name), m.value)
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}

func (c jsonConfig) unset(data []byte) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 || onlyComments(data) {
		return data, nil
	}
	without, err := removeJSON(data, c.servers, serverName)
	if err != nil || len(without) == len(data) {
		return data, err
	}
	root, err := parseJSON(without)
	if err != nil {
		return nil, err
	}
	if servers := find(root, c.servers); servers != nil && isEmpty(servers) {
		return removeJSON(without, c.servers)
	}
	return without, nil
}

func (c jsonConfig) holds(data []byte) bool {
	s, ok, err := c.get(data)
	return err == nil && ok && s.isOurs()
}

func (c jsonConfig) empty(data []byte) bool {
	root, err := parseJSON(data)
	if err != nil {
		return false
	}
	for _, m := range c.head {
		data, err = removeJSON(data, m.name)
		if err != nil {
			return false
		}
	}
	root, err = parseJSON(data)
	return err == nil && isEmpty(&root)
}

// isEmpty tells whether a value is an object without members or comments.
func isEmpty(v *hujson.Value) bool {
	o, ok := v.Value.(*hujson.Object)
	return ok && len(o.Members) == 0 && len(bytes.TrimSpace(o.AfterExtra)) == 0
}

func isNull(v *hujson.Value) bool {
	l, ok := v.Value.(hujson.Literal)
	return ok && l.Kind() == 'n'
}

// onlyComments tells whether a file has comments and no value, which counts
// as an object without members.
func onlyComments(data []byte) bool {
	_, err := parseJSON(append(ended(data), "{}"...))
	return err == nil
}

// ended is a text whose last line has an end.
func ended(data []byte) []byte {
	if bytes.HasSuffix(data, []byte("\n")) {
		return bytes.Clone(data)
	}
	return append(bytes.Clone(data), newlineOf(data)...)
}

// maxDepth is how deeply a configuration may nest: parsers recurse.
const maxDepth = 512

// parseJSON parses a configuration whose offsets are those of data.
func parseJSON(data []byte) (hujson.Value, error) {
	if err := checkText(data); err != nil {
		return hujson.Value{}, err
	}
	if rest, ok := bytes.CutPrefix(data, []byte(bom)); ok { // blanks of the same length
		data = append([]byte("   "), rest...)
	}
	depth := 0
	for _, c := range data { // brackets in strings count too: no configuration has as many
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return hujson.Value{}, fmt.Errorf("it nests deeper than %d levels", maxDepth)
			}
		case '}', ']':
			depth--
		}
	}
	root, err := hujson.Parse(data)
	if err != nil { // maybe for a comment at the end whose line has no end
		var endless error
		if root, endless = hujson.Parse(ended(data)); endless == nil {
			err = nil
		}
	}
	if err != nil {
		return root, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, errors.New("it is no JSON object")
	}
	return root, nil
}

const bom = "\ufeff"

// checkText refuses what is not UTF-8, UTF-16 above all.
func checkText(data []byte) error {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == 0 || r == utf8.RuneError && n == 1 {
			return fmt.Errorf("line %d is not UTF-8", lineOf(data, i))
		}
		i += n
	}
	return nil
}

// find returns what stands under a path of names; of a name that stands
// twice, the last counts, as it does for the parsers of the agents.
func find(v hujson.Value, path ...string) *hujson.Value {
	for _, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := indexOf(o, name)
		if i < 0 {
			return nil
		}
		v = o.Members[i].Value
	}
	return &v
}

func indexOf(o *hujson.Object, name string) int {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if o.Members[i].Name.Value.(hujson.Literal).String() == name {
			return i
		}
	}
	return -1
}

// setJSON gives a member of the object under path its value. What is there
// already stays byte for byte: a new member is put in front of the others, so
// that no other line changes.
func setJSON(data []byte, path []string, m member) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	at := find(root, path...)
	o, ok := at.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q in line %d is no object", strings.Join(path, "."), lineOf(data, at.StartOffset))
	}
	if i := indexOf(o, m.name); i >= 0 {
		old := o.Members[i].Value
		if sameJSON(data[old.StartOffset:old.EndOffset], m.value) {
			return data, nil
		}
		return splice(data, old.StartOffset, old.EndOffset, pretty(m.value, layoutAt(data, o, at.StartOffset))), nil
	}
	l := layoutAt(data, o, at.StartOffset)
	text := fmt.Sprintf("%s%q: %s", l.lead, m.name, pretty(m.value, l))
	if len(o.Members) > 0 {
		text += ","
		if l.lead == "" && !bytes.HasPrefix(data[l.at:], []byte(" ")) {
			text += " "
		}
	} else if !bytes.Contains(o.AfterExtra, []byte("\n")) {
		text += l.close
	}
	return splice(data, l.at, l.at, text), nil
}

// A layout is how the members of an object are written.
type layout struct {
	at    int    // where a first member goes
	lead  string // what stands before a member: newline and indentation, or nothing
	close string // what stands before the bracket that closes
	unit  string // one step of indentation; "" where all is on one line
}

// layoutAt returns the layout of an object that starts at an offset.
func layoutAt(data []byte, o *hujson.Object, start int) layout {
	newline := newlineOf(data)
	outer := indentOf(data, start)
	extra := []byte(o.AfterExtra)
	if len(o.Members) > 0 {
		extra = o.Members[0].Name.BeforeExtra
	}
	l := layout{at: start + 1, unit: unitOf(data)}
	switch end := firstLineEnd(extra); {
	case end >= 0:
		l.at += end
		l.lead = newline + outer + l.unit
		if len(o.Members) > 0 {
			l.lead = newline + indentOf(data, o.Members[0].Name.StartOffset)
		}
	case len(o.Members) == 0:
		l.lead = newline + outer + l.unit
	default:
		l.unit = ""
	}
	l.close = newline + outer
	return l
}

// firstLineEnd returns where the first line of what stands between two tokens
// ends, outside block comments; -1 where it has one line.
func firstLineEnd(extra []byte) int {
	for i := 0; i < len(extra); i++ {
		switch {
		case bytes.HasPrefix(extra[i:], []byte("/*")):
			if i += 2 + bytes.Index(extra[i+2:], []byte("*/")) + 1; i >= len(extra) {
				return -1
			}
		case extra[i] == '\n':
			if i > 0 && extra[i-1] == '\r' {
				return i - 1
			}
			return i
		}
	}
	return -1
}

// indentOf returns the blanks that the line of an offset begins with.
func indentOf(data []byte, offset int) string {
	line := data[bytes.LastIndexByte(data[:offset], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitOf returns one step of a file's indentation, that of its first indented
// line; two blanks where it has none.
func unitOf(data []byte) string {
	for line := range bytes.Lines(data) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && n <= 8 && len(bytes.TrimSpace(rest)) > 0 {
			return string(line[:n])
		}
	}
	return "  "
}

// newlineOf returns how a file ends its first line.
func newlineOf(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	if bytes.HasSuffix(line, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// pretty writes a value as the file around it is written.
func pretty(value json.RawMessage, l layout) string {
	if l.unit == "" || value[0] != '{' {
		return spaced(value)
	}
	newline, indent, _ := strings.Cut(l.lead, "\n")
	newline += "\n"
	var b strings.Builder
	b.WriteString("{")
	root, _ := parseJSON(value)
	members := root.Value.(*hujson.Object).Members
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		inner := layout{lead: newline + indent + l.unit, unit: l.unit}
		fmt.Fprintf(&b, "%s%s: %s", inner.lead, m.Name.Pack(), pretty(m.Value.Pack(), inner))
	}
	if len(members) > 0 {
		b.WriteString(l.lead)
	}
	b.WriteString("}")
	return b.String()
}

// spaced writes a value on one line, with a blank after each comma and colon.
func spaced(value json.RawMessage) string {
	var b strings.Builder
	inString := false
	for i := 0; i < len(value); i++ {
		c := value[i]
		b.WriteByte(c)
		switch {
		case inString && c == '\\':
			i++
			b.WriteByte(value[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// removeJSON takes a member out, with the comma that it needed.
func removeJSON(data []byte, path ...string) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	parent := find(root, path[:len(path)-1]...)
	if parent == nil {
		return data, nil
	}
	object, ok := parent.Value.(*hujson.Object)
	if !ok {
		return data, nil
	}
	i := indexOf(object, path[len(path)-1])
	if i < 0 {
		return data, nil
	}
	m := object.Members[i]
	start, end := m.Name.StartOffset, m.Value.EndOffset
	last := i == len(object.Members)-1
	if !last || m.Value.AfterExtra != nil { // a comma follows
		end += len(m.Value.AfterExtra) + 1
	}
	start, end = withBlanks(data, start, end)
	data = splice(data, start, end, "")
	if last && m.Value.AfterExtra == nil && i > 0 {
		before := object.Members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		data = splice(data, comma, comma+1, "")
	}
	if len(object.Members) == 1 {
		return collapse(data, path[:len(path)-1])
	}
	return data, nil
}

// withBlanks widens a range by the blanks that go with it: those before it
// with their line break where the line ends after it, else those after it.
func withBlanks(data []byte, start, end int) (int, int) {
	before := bytes.TrimRight(data[:start], " \t")
	line := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	after := bytes.TrimLeft(data[end:], " \t\r")
	if len(line) < len(before) && bytes.HasPrefix(after, []byte("\n")) {
		return len(line), end
	}
	return start, end + len(data[end:]) - len(bytes.TrimLeft(data[end:], " \t"))
}

// collapse writes an object that has nothing in it but blanks as {}.
func collapse(data []byte, path []string) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if at := find(root, path...); isEmpty(at) {
		return splice(data, at.StartOffset, at.EndOffset, "{}"), nil
	}
	return data, nil
}

func splice(data []byte, start, end int, text string) []byte {
	return append(append(append(make([]byte, 0, len(data)+len(text)), data[:start]...), text...), data[end:]...)
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	standard, err := hujson.Standardize(bytes.Clone(a))
	return err == nil && json.Compact(&x, standard) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func lineOf(data []byte, offset int) int { return 1 + bytes.Count(data[:offset], []byte("\n")) }

// quoted is a text as JSON.
func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	return bytes.TrimSpace(b.Bytes())
}

// quotedAll is a list of texts as JSON.
func quotedAll(all []string) json.RawMessage {
	parts := make([][]byte, len(all))
	for i, s := range all {
		parts[i] = quoted(s)
	}
	return append(append([]byte("["), bytes.Join(parts, []byte(","))...), ']')
}

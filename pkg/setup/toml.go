package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlConfig is a configuration file in TOML in which every server has a
// table of its own below the table named servers.
type tomlConfig struct {
	servers string
	entry   func(s Server) []member // values are JSON strings and arrays of them, which are TOML too
}

func (c tomlConfig) get(data []byte) (Server, bool, error) {
	all, err := parseTOML(data)
	if err != nil {
		return Server{}, false, err
	}
	servers, _ := all[c.servers].(map[string]any)
	entry, ok := servers[serverName]
	return serverOf(entry), ok, nil
}

func (c tomlConfig) set(data []byte, s Server) ([]byte, error) {
	if _, err := parseTOML(data); err != nil {
		return nil, err
	}
	parts, err := expressions(data)
	if err != nil {
		return nil, err
	}
	if odd := c.elsewhere(parts); odd != nil {
		return nil, fmt.Errorf("line %d defines %s in a form that is not edited here; write it as [%s.%s]", lineOf(data, odd.start), strings.Join(odd.key, "."), c.servers, serverName)
	}
	header := slices.IndexFunc(parts, func(e expression) bool { return e.table && slices.Equal(e.key, c.path()) })
	if header < 0 {
		return c.add(data, s), nil
	}
	for _, m := range slices.Backward(c.entry(s)) {
		if data, err = c.setKey(data, m); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (c tomlConfig) path() []string { return []string{c.servers, serverName} }

// elsewhere returns what defines the server, or all servers, otherwise than by
// a table of its own.
func (c tomlConfig) elsewhere(parts []expression) *expression {
	var table []string
	for i, e := range parts {
		if e.table {
			table = e.key
			if e.array && (slices.Equal(e.key, c.path()) || slices.Equal(e.key, c.path()[:1])) {
				return &parts[i]
			}
			continue
		}
		full := slices.Concat(table, e.key)
		if len(table) < 2 && (slices.Equal(full, c.path()[:1]) || len(full) >= 2 && slices.Equal(full[:2], c.path())) {
			return &parts[i]
		}
	}
	return nil
}

// add writes the table at the end.
func (c tomlConfig) add(data []byte, s Server) []byte {
	newline := newlineOf(data)
	var b bytes.Buffer
	b.Write(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteString(newline)
	}
	if len(bytes.TrimSpace(data)) > 0 {
		b.WriteString(newline)
	}
	fmt.Fprintf(&b, "[%s.%s]%s", c.servers, serverName, newline)
	for _, m := range c.entry(s) {
		fmt.Fprintf(&b, "%s = %s%s", m.name, spaced(m.value), newline)
	}
	return b.Bytes()
}

// setKey gives a key of the server's table its value.
func (c tomlConfig) setKey(data []byte, m member) ([]byte, error) {
	all, err := parseTOML(data)
	if err != nil {
		return nil, err
	}
	parts, err := expressions(data)
	if err != nil {
		return nil, err
	}
	var want map[string]any
	line := fmt.Sprintf("%s = %s", m.name, spaced(m.value))
	if err := toml.Unmarshal([]byte(line), &want); err != nil {
		return nil, err
	}
	entry := all[c.servers].(map[string]any)[serverName].(map[string]any)
	if reflect.DeepEqual(entry[m.name], want[m.name]) {
		return data, nil
	}
	header := slices.IndexFunc(parts, func(e expression) bool { return e.table && slices.Equal(e.key, c.path()) })
	for _, e := range parts[header+1:] {
		if e.table {
			break
		}
		if e.key[0] == m.name {
			return splice(data, e.start, e.end, line), nil
		}
	}
	return splice(data, parts[header].end, parts[header].end, newlineOf(data)+line), nil
}

func (c tomlConfig) unset(data []byte) ([]byte, error) {
	if _, err := parseTOML(data); err != nil {
		return nil, err
	}
	for {
		parts, err := expressions(data)
		if err != nil {
			return nil, err
		}
		if odd := c.elsewhere(parts); odd != nil && len(odd.key) > 0 && odd.key[len(odd.key)-1] != c.servers {
			return nil, fmt.Errorf("line %d defines %s in a form that is not edited here; take it out by hand", lineOf(data, odd.start), strings.Join(odd.key, "."))
		}
		first := slices.IndexFunc(parts, func(e expression) bool {
			return e.table && len(e.key) >= 2 && slices.Equal(e.key[:2], c.path())
		})
		if first < 0 {
			return data, nil
		}
		last := first
		for last+1 < len(parts) && !parts[last+1].table {
			last++
		}
		data = cutLines(data, parts[first].start, parts[last].end)
	}
}

// cutLines takes whole lines out, and one of the blank lines that then meet.
func cutLines(data []byte, start, end int) []byte {
	if i := bytes.IndexByte(data[end:], '\n'); i >= 0 {
		end += i + 1
	} else {
		end = len(data)
	}
	before, after := data[:start], data[end:]
	blank := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	atBlank := len(bytes.TrimLeft(after, "\r")) == 0 || bytes.HasPrefix(bytes.TrimLeft(after, "\r"), []byte("\n"))
	if atBlank && (len(blank) == 0 || bytes.HasSuffix(blank, []byte("\n"))) {
		before = blank
	}
	return slices.Concat(before, after)
}

func (c tomlConfig) holds(data []byte) bool {
	s, ok, err := c.get(data)
	return err == nil && ok && s.isOurs()
}

func (c tomlConfig) empty(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

func parseTOML(data []byte) (map[string]any, error) {
	var all map[string]any
	err := toml.Unmarshal(data, &all)
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, column := bad.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(bad.Error(), "toml: "))
	}
	return all, err
}

// An expression is a table's header or a key with its value.
type expression struct {
	key          []string
	table, array bool
	start, end   int // a header's line, or the bytes of a key with its value
}

// expressions returns where every header and key of a document stands.
func expressions(data []byte) ([]expression, error) {
	var all []expression
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		node := p.Expression()
		e := expression{table: node.Kind != unstable.KeyValue, array: node.Kind == unstable.ArrayTable}
		e.start, e.end = int(node.Raw.Offset), int(node.Raw.Offset+node.Raw.Length)
		for key := node.Key(); key.Next(); {
			e.key = append(e.key, string(key.Node().Data))
			if e.table {
				e.start, e.end = lineAround(data, int(key.Node().Raw.Offset))
			}
		}
		all = append(all, e)
	}
	return all, p.Error()
}

// lineAround returns where the line of an offset begins and ends, without
// what separates it from the next.
func lineAround(data []byte, offset int) (start, end int) {
	start, end = bytes.LastIndexByte(data[:offset], '\n')+1, len(data)
	if i := bytes.IndexByte(data[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	return start, start + len(bytes.TrimRight(data[start:end], "\r"))
}

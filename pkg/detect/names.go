package detect

import (
	_ "embed"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

//go:embed data/names.txt
var namesFile string

// A kind is what a name says of a file.
type kind struct {
	language string
	domain   string // "" where the words decide
	code     bool
}

// names is data/names.txt, which says what each table is.
type names struct {
	exact      map[string]kind // extensions and whole names
	patterns   []pattern       // names with *
	vendored   map[string][]string
	vendoredAs []string // vendored names with *
	generated  []string
}

type pattern struct {
	glob string
	kind kind
}

var nameTables = sync.OnceValue(func() *names {
	n := &names{exact: map[string]kind{}, vendored: map[string][]string{}}
	for section, line := range sections(namesFile) {
		head, list, _ := strings.Cut(line, ":")
		switch section {
		case "code", "prose":
			n.addKind(strings.Fields(head), strings.Fields(list), section == "code")
		case "vendored":
			n.vendored[head] = strings.Fields(list)
			if strings.Contains(head, "*") {
				n.vendoredAs = append(n.vendoredAs, head)
			}
		case "generated":
			n.generated = append(n.generated, line)
		}
	}
	return n
})

func (n *names) addKind(head, list []string, code bool) {
	k := kind{language: head[0], code: code}
	switch {
	case len(head) > 1:
		k.domain = head[1]
	case code:
		k.domain = "software." + k.language
	}
	for _, name := range list {
		if strings.Contains(name, "*") {
			n.patterns = append(n.patterns, pattern{name, k})
		} else {
			n.exact[name] = k
		}
	}
}

// sections yields the lines of a data file with the section that they stand
// in; blank lines and comments are not yielded.
func sections(file string) func(yield func(section, line string) bool) {
	return func(yield func(section, line string) bool) {
		section := ""
		for line := range strings.Lines(file) {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || line[0] == '#':
			case line[0] == '[' && line[len(line)-1] == ']':
				section = line[1 : len(line)-1]
			case !yield(section, line):
				return
			}
		}
	}
}

// kindOf returns what a name says and the part of it that says so,
// "extension:.go" or "name:makefile".
func kindOf(name string) (k kind, signal string, ok bool) {
	name = strings.ToLower(name)
	n := nameTables()
	if k, ok = n.exact[name]; ok && !strings.HasPrefix(name, ".") {
		return k, "name:" + name, true
	}
	for _, p := range n.patterns {
		if ok, _ := path.Match(p.glob, name); ok {
			return p.kind, "name:" + p.glob, true
		}
	}
	for i := range len(name) {
		if name[i] == '.' {
			if k, ok = n.exact[name[i:]]; ok {
				return k, "extension:" + name[i:], true
			}
		}
	}
	return kind{}, "", false
}

// isVendored tells whether a folder holds other people's work or a build's
// results, by its name, what stands beside it and what marks it within.
func isVendored(dir, name string, beside map[string]bool) bool {
	for _, mark := range []string{"pyvenv.cfg", "CACHEDIR.TAG"} {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	name = strings.ToLower(name)
	n := nameTables()
	for _, glob := range n.vendoredAs {
		if ok, _ := path.Match(glob, name); ok {
			return true
		}
	}
	proofs, ok := n.vendored[name]
	if len(proofs) == 0 {
		return ok
	}
	for _, proof := range proofs {
		for other := range beside {
			if ok, _ := path.Match(proof, strings.ToLower(other)); ok {
				return true
			}
		}
	}
	return false
}

// generated returns why a file looks written by a program, "" if it does not.
func generated(name, content string) string {
	if reason := Opaque(name, content); reason != "" {
		return reason
	}
	if k, _, ok := kindOf(name); !ok || !k.code {
		return ""
	}
	top := content[:min(len(content), 2<<10)]
	for line := range strings.Lines(top) {
		line = strings.ToLower(line)
		if strings.Contains(line, "@generated") ||
			strings.Contains(line, "generated") && (strings.Contains(line, "do not edit") || strings.Contains(line, "do not modify")) {
			return "generated: it says so at its top"
		}
	}
	return ""
}

// Opaque returns why a file holds what nobody reads, such as minified code, ""
// if it does not. Code that a program wrote may well be read.
func Opaque(name, content string) string {
	lower := strings.ToLower(name)
	for _, glob := range nameTables().generated {
		if ok, _ := path.Match(glob, lower); ok {
			return "generated: its name is like " + glob
		}
	}
	k, _, ok := kindOf(name)
	if ok && k.code && (k.language == "javascript" || k.language == "css") && longLines(content) {
		return "generated: minified"
	}
	return ""
}

// longLines tells whether lines are far longer than people write them.
func longLines(content string) bool {
	return len(content) > 5000 && len(content)/(1+strings.Count(content, "\n")) > 1000
}

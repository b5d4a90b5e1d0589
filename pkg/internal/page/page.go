// Package page reads docs/FORMAT.md, for the tests that hold it to what the
// packages write.
package page

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Section is the part of the page below a heading of the third level or
// deeper, up to the next heading.
func Section(t testing.TB, heading string) string {
	t.Helper()
	page := read(t)
	at := regexp.MustCompile(`(?m)^###+ ` + regexp.QuoteMeta(heading) + `\n`).FindStringIndex(page)
	if at == nil {
		t.Fatalf("docs/FORMAT.md has no section %q", heading)
	}
	section := page[at[1]:]
	if end := regexp.MustCompile(`(?m)^##`).FindStringIndex(section); end != nil {
		section = section[:end[0]]
	}
	return section
}

func read(t testing.TB) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; root != filepath.Dir(root); root = filepath.Dir(root) {
		if page, err := os.ReadFile(filepath.Join(root, "docs", "FORMAT.md")); err == nil {
			return string(page)
		}
	}
	t.Fatal("no docs/FORMAT.md in any folder above")
	return ""
}

// Fields are the names of a struct's JSON fields, and whether each is always
// written.
func Fields(t reflect.Type) (names []string, always map[string]bool) {
	always = map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			inner, innerAlways := Fields(f.Type)
			names = append(names, inner...)
			for name, is := range innerAlways {
				always[name] = is
			}
		case name != "" && name != "-":
			names = append(names, name)
			always[name] = options != "omitempty"
		}
	}
	return names, always
}

var row = regexp.MustCompile("(?m)^\\| `([a-z_0-9]+)`( •)? \\| ([^|]+) \\|")

// Compare reports where the table of a section and the fields of a struct
// differ: in their names, their order, or in what is always written. Fields
// in besides are in the table and not in the struct.
func Compare(t testing.TB, heading string, v any, besides ...string) {
	t.Helper()
	want, always := Fields(reflect.TypeOf(v))
	var got []string
	for _, m := range row.FindAllStringSubmatch(Section(t, heading), -1) {
		if slices.Contains(besides, m[1]) {
			continue
		}
		got = append(got, m[1])
		if always[m[1]] != (m[2] != "") {
			t.Errorf("%s, %s: is written always: %v, documented so: %v", heading, m[1], always[m[1]], m[2] != "")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: documented are\n%v, the fields are\n%v", heading, got, want)
	}
}

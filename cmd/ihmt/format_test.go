package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
)

// Every example of docs/FORMAT.md is read by the tool that its block names,
// without a complaint; and where no tool reads the kind, it passes through as
// it is.
func TestFormatExamplesAreRead(t *testing.T) {
	arguments := map[string][]string{"ihmt-nav": {"search", "-"}}
	read := map[string]string{"document": "chunk", "chunk": "leaf", "leaf": "leaf", "query": "search", "document_end": "document_end"}
	for _, m := range regexp.MustCompile("(?s)```json (ihmt-[a-z]+)\n(.*?)```").FindAllStringSubmatch(formatPage(t), -1) {
		var line bytes.Buffer
		if err := json.Compact(&line, []byte(m[2])); err != nil {
			t.Fatal(err)
		}
		kind := mustParse(t, line.Bytes()).Kind()
		t.Run(kind, func(t *testing.T) {
			home := t.TempDir()
			run(t, home, "", "ihmt-store", "init")
			out := run(t, home, line.String()+"\n", m[1], arguments[m[1]]...)
			want, isRead := read[kind]
			if !isRead {
				if strings.TrimSpace(out) != line.String() {
					t.Errorf("%s did not pass it through: %s", m[1], out)
				}
				return
			}
			if got := mustParse(t, []byte(strings.Split(out, "\n")[0])).Kind(); got != want {
				t.Errorf("%s made a %s of it: %s", m[1], got, out)
			}
		})
	}
}

func TestFormatLeafFileIsRead(t *testing.T) {
	m := regexp.MustCompile("(?s)```text leaf file\n(.*?)```").FindStringSubmatch(formatPage(t))
	if m == nil {
		t.Fatal("no leaf file in docs/FORMAT.md")
	}
	id := regexp.MustCompile(`"leaf_id": "([^"]+)"`).FindStringSubmatch(m[1])[1]
	_, content, _ := strings.Cut(m[1], "IHMT-META>>>\n")
	home := t.TempDir()
	file := filepath.Join(home, "ihmt_memory", "layer_0", "personal", id+".txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(m[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, home, "", "ihmt-store", "rebuild")
	run(t, home, "", "ihmt-store", "verify")
	leaf := mustParse(t, []byte(run(t, home, "", "ihmt-store", "get", id, "--json")))
	if leaf.Str("content") != content {
		t.Errorf("content %q, want %q", leaf.Str("content"), content)
	}
}

func formatPage(t *testing.T) string {
	page, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func mustParse(t *testing.T, line []byte) *record.Record {
	t.Helper()
	r, err := record.Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return r
}

// run runs a tool on the memory in a folder and returns what it prints; a
// search that finds nothing is no failure.
func run(t *testing.T, home, stdin, tool string, args ...string) string {
	t.Helper()
	c := exec.Command(tool, append(args, "--path", home)...)
	c.Stdin = strings.NewReader(stdin)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil && c.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s %v: %v\n%s", tool, args, err, errs.String())
	}
	return string(out)
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// What README and GUIDE show is what the tools print: every console block is
// run, in order, and compared. go test ./cmd/ihmt -update writes it anew.
func TestPagesShowWhatToolsPrint(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	for _, page := range []string{"README.md", "docs/GUIDE.md"} {
		t.Run(page, func(t *testing.T) {
			file := filepath.Join("..", "..", filepath.FromSlash(page))
			shown, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sh := newShell(t)
			made := consoleBlock.ReplaceAllStringFunc(string(shown), sh.replay)
			if *update {
				if err := os.WriteFile(file, []byte(made), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, got := strings.Split(string(shown), "\n"), strings.Split(made, "\n")
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("line %d: the page shows\n%s\nbut the tools print\n%s\nwhere that is right: go test ./cmd/ihmt -update", i+1, want[i], strings.Join(got[i:min(i+3, len(got))], "\n"))
				}
			}
		})
	}
}

var consoleBlock = regexp.MustCompile("(?s)```console\n.*?\n```")

// A shell runs the commands of a page in a home of their own, with the
// examples in the folder notes.
type shell struct {
	t    *testing.T
	home string
}

func newShell(t *testing.T) *shell {
	home := t.TempDir()
	notes := filepath.Join(home, "notes")
	if err := writeExamples(notes); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	for _, name := range exampleNames() {
		if err := os.Chtimes(filepath.Join(notes, name), day, day); err != nil {
			t.Fatal(err)
		}
	}
	return &shell{t, home}
}

// replay returns a console block with the outputs that its commands have now.
func (s *shell) replay(block string) string {
	var b strings.Builder
	b.WriteString("```console\n")
	lines := strings.Split(block, "\n")
	for i := 1; i < len(lines)-1; i++ {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue
		}
		b.WriteString(lines[i] + "\n")
		for strings.HasSuffix(command, "\\") {
			i++
			b.WriteString(lines[i] + "\n")
			command += "\n" + strings.TrimPrefix(lines[i], "> ")
		}
		b.WriteString(s.run(command))
	}
	b.WriteString("```")
	return b.String()
}

func (s *shell) run(command string) string {
	c := exec.Command("sh", "-c", command)
	c.Dir = filepath.Join(s.home, "notes")
	c.Env = append(os.Environ(), "HOME="+s.home, "NO_COLOR=1", "TZ=UTC")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.Run() // pages show failures too
	text := strings.NewReplacer(s.home, "/home/ada", bin, "/home/ada/.local/bin").Replace(out.String())
	for _, v := range varying {
		text = v.what.ReplaceAllString(text, v.with)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// varying is what differs from run to run.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b([LN]\d*-[a-z0-9._-]+?)-[0-9a-f]{10,}\b`), "$1-…"},
	{regexp.MustCompile(`\b(text:|F-)[0-9a-f]{10,}\b`), "$1…"},
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "sha256:…"},
	{regexp.MustCompile(`\.ihmt-[0-9a-f]{16}\b`), ".ihmt-…"},
	{regexp.MustCompile(`"saved_at":"[^"]*"`), `"saved_at":"2026-02-03T09:31:07Z"`},
	{regexp.MustCompile(`"elapsed_ms":[0-9.e-]+`), `"elapsed_ms":1.9`},
	{regexp.MustCompile(`[0-9.]+ (ms|s)\b`), "… $1"},
}

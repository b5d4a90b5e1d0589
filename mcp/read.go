package mcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/text"
)

type readArgs struct {
	Path      string `json:"path" jsonschema:"Absolute, or from the project"`
	Force     bool   `json:"force,omitempty" jsonschema:"All of it, though it was read before"`
	StartLine int    `json:"start_line,omitempty" jsonschema:"First line, from 1"`
	EndLine   int    `json:"end_line,omitempty" jsonschema:"Last line"`
}

func describeRead(property func(string) *jsonschema.Schema) {
	atLeast(property("start_line"), 1)
	atLeast(property("end_line"), 1)
}

const (
	// maxHandedOut is the longest text that one call hands out, in tokens.
	maxHandedOut = 25_000
	// maxKept is how much a session keeps of what it has handed out, in bytes.
	maxKept = 32 << 20
)

// handed is what a session has been handed out: whole files and ranges of
// lines, each as it was then.
type handed struct {
	texts map[piece]string
	bytes int
}

type piece struct {
	path       string
	start, end int // 0, 0: the whole file
}

// keep remembers a piece. Where there is too much, all is forgotten: files
// are then handed out whole once more.
func (h *handed) keep(p piece, text string) {
	if h.bytes += len(text) - len(h.texts[p]); h.bytes > maxKept || h.texts == nil {
		h.texts, h.bytes = map[piece]string{}, len(text)
	}
	h.texts[p] = text
}

// A reading is what read_file answers, for programs.
type reading struct {
	Path   string `json:"path"`
	Status string `json:"status"` // whole, range, unchanged, diff
	Lines  int    `json:"lines"`  // of the whole file
	Start  int    `json:"start_line,omitempty"`
	End    int    `json:"end_line,omitempty"`
	Text   string `json:"text,omitempty"` // or the changes, as a unified diff
}

func readFile(c *call, in readArgs) (answer, error) {
	if in.Path == "" {
		return answer{}, errors.New("path is empty: name a file")
	}
	path := c.path(in.Path)
	p := piece{path, in.StartLine, in.EndLine}
	c.log(p.shell())
	whole, err := decoded(path)
	if err != nil {
		return answer{}, err
	}
	lines := strings.Count(whole, "\n")
	if whole != "" && !strings.HasSuffix(whole, "\n") {
		lines++
	}
	out, err := p.of(whole, lines)
	if err != nil {
		return answer{}, err
	}
	r := reading{Path: path, Status: "whole", Lines: lines}
	if p.ranged() {
		r.Status, r.Start, r.End = "range", max(in.StartLine, 1), in.EndLine
		if r.End == 0 || r.End > lines {
			r.End = lines
		}
	}

	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	before, known := c.session.handed.texts[p]
	full, wholeKnown := c.session.handed.texts[piece{path: path}]
	switch {
	case in.Force:
	case known && before == out, p.ranged() && wholeKnown && full == whole:
		r.Status = "unchanged"
		return answer{fmt.Sprintf("UNCHANGED since you read it: %s (%s). force=true shows it again.", cli.Clean(in.Path), text.Counted(lines, "line", "lines")), r}, nil
	case known:
		changes := string(diff.Diff("before", []byte(before), "now", []byte(out)))
		if text.Tokens(changes) < text.Tokens(out) {
			c.session.handed.keep(p, out)
			r.Status, r.Text = "diff", changes
			return answer{"CHANGED since you read it:\n" + changes, r}, nil
		}
	}
	if n := text.Tokens(out); n > maxHandedOut {
		return answer{}, fmt.Errorf("%s is too large to hand out at once: %s, about %d tokens; give start_line and end_line, or use find_code", in.Path, text.Counted(lines, "line", "lines"), n)
	}
	c.session.handed.keep(p, out)
	r.Text = out
	if r.Status == "range" {
		beyond := ""
		if in.EndLine > lines {
			beyond = fmt.Sprintf("; there is no line %d", in.EndLine)
		}
		return answer{fmt.Sprintf("lines %d to %d of %d%s\n%s", r.Start, r.End, lines, beyond, out), r}, nil
	}
	if out == "" {
		return answer{"The file is empty.", r}, nil
	}
	return answer{out, r}, nil
}

func (p piece) ranged() bool { return p.start != 0 || p.end != 0 }

// shell is the command that shows the piece.
func (p piece) shell() *pipeline.Pipeline {
	if !p.ranged() {
		return pipeline.New(pipeline.Tool("cat", "--", p.path))
	}
	end := "$"
	if p.end > 0 {
		end = strconv.Itoa(p.end)
	}
	return pipeline.New(pipeline.Tool("sed", "-n", fmt.Sprintf("%d,%sp", max(p.start, 1), end), p.path))
}

// of returns the piece of a text that has so many lines.
func (p piece) of(whole string, lines int) (string, error) {
	switch {
	case !p.ranged():
		return whole, nil
	case p.end > 0 && p.end < p.start:
		return "", fmt.Errorf("end_line %d is before start_line %d", p.end, p.start)
	case p.start > lines:
		return "", fmt.Errorf("start_line is %d, but the file has %s", p.start, text.Counted(lines, "line", "lines"))
	}
	all := strings.SplitAfter(whole, "\n")
	end := min(p.end, len(all))
	if end == 0 {
		end = len(all)
	}
	return strings.Join(all[max(p.start, 1)-1:end], ""), nil
}

// decoded reads a file as text, and says what cannot be.
func decoded(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s does not exist; project_map lists what does", path)
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder; project_map shows what is in it", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a plain file", path)
	case info.Size() > detect.MaxSize:
		return "", fmt.Errorf("%s is too large: %d MiB, where %d are read at most; use a tool that searches in it", path, info.Size()>>20, detect.MaxSize>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, detect.MaxSize))
	if err != nil {
		return "", err
	}
	content, _, err := detect.Decode(data)
	if errors.Is(err, detect.ErrBinary) {
		return "", fmt.Errorf("%s is binary (%d bytes), not text", path, info.Size())
	}
	return content, err
}

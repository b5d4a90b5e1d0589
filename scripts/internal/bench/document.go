package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"
	"time"

	"github.com/ihmt/ihmt/pkg/cli"
)

//go:embed BENCHMARKS.md.tmpl
var documentText string

// A report is what the template of docs/BENCHMARKS.md is filled with.
type report struct {
	bench   *bench
	all     []scaled
	About   string // what the notes are
	Command string
	Date    string
	Took    string
}

// writeDocument writes docs/BENCHMARKS.md.
func (b *bench) writeDocument(all []scaled, about string, took time.Duration) error {
	command := "scripts/bench"
	for _, arg := range os.Args[1:] {
		switch {
		case arg == b.notes && arg != "":
			arg = filepath.Base(arg)
		case strings.Contains(arg, " "):
			arg = `"` + arg + `"`
		}
		command += " " + arg
	}
	r := report{bench: b, all: all, About: about, Command: command, Date: time.Now().UTC().Format(time.DateOnly), Took: took.Round(time.Minute).String()}
	r.Took = strings.TrimSuffix(r.Took, "0s")
	t, err := template.New(document).Parse(documentText)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := t.Execute(&text, r); err != nil {
		return err
	}
	b.say("writing %s", document)
	return os.WriteFile(filepath.Join(b.root(), document), []byte(text.String()), 0o644)
}

// root is the folder of the project: this program is in its bin/internal.
func (b *bench) root() string { return filepath.Dir(filepath.Dir(filepath.Dir(b.self))) }

// firstLine is the first line that a command prints, or why there is none.
func (b *bench) firstLine(argv ...string) string {
	out, err := exec.CommandContext(b.ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		return err.Error()
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// Commit is what was measured.
func (r report) Commit() string {
	commit := r.bench.firstLine("git", "-C", r.bench.root(), "log", "-1", "--format=%h, %cs")
	if r.bench.firstLine("git", "-C", r.bench.root(), "status", "--porcelain", "--untracked-files=no", "--", "cmd", "pkg", "mcp", "go.mod") != "" {
		commit += ", and changes not committed"
	}
	return fmt.Sprintf("%s (%s)", cli.Version, commit)
}

// Machine is where it was measured.
func (r report) Machine() string {
	what := fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			what += " (" + strings.TrimSpace(model) + ")"
			break
		}
	}
	return what
}

// Tools are the versions of what is compared.
func (r report) Tools() string {
	sqlite, _, _ := strings.Cut(r.bench.firstLine("sqlite3", "--version"), " ")
	goVersion := runtime.Version()
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
	}
	return fmt.Sprintf("%s, SQLite %s, %s, %s", goVersion, sqlite, r.bench.firstLine("rg", "--version"), r.bench.firstLine("git", "--version"))
}

// Corpus says what the notes are.
func (r report) Corpus() string {
	if r.bench.notes == "" {
		return r.bench.origin + ", of invented words that are as common as words are"
	}
	what := fmt.Sprintf("%s real notes", thousands(r.bench.real))
	if r.About != "" {
		what += ", " + r.About
	}
	if r.bench.real < len(r.bench.texts) {
		what += "; above that number, texts of the same lengths made of their words, drawn at random, so that words stay as common and no two share a sentence (but no new words come in, as they would in life)"
	}
	return what
}

func (r report) Growth() string { return markdown(growth(r.all)) }
func (r report) Found() string  { return markdown(found(r.all)) }
func (r report) Costs() string  { return markdown(costs(r.all)) }

// Targets are all figures that were judged, and some that were not.
func (r report) Targets() string {
	rows := [][]string{{"measured", "figure", "target", ""}}
	for _, row := range r.bench.rows {
		rows = append(rows, []string{row.what, row.figure, row.target, row.verdict})
	}
	return markdown(rows)
}

// Missed says which targets were.
func (r report) Missed() string {
	judged, shown := 0, 0
	for _, row := range r.bench.rows {
		switch {
		case row.verdict != none:
			judged++
		case row.target != "":
			shown++
		}
	}
	rest := ""
	if shown > 0 {
		rest = fmt.Sprintf(" %d more are for larger memories: they are shown without a verdict.", shown)
	}
	if err := r.bench.missed(); err != nil {
		return fmt.Sprintf("Of %d targets not all were met; %v.%s", judged, err, rest)
	}
	return fmt.Sprintf("All %d targets were met.%s", judged, rest)
}

func (r report) first() scaled { return r.all[0] }
func (r report) last() scaled  { return r.all[len(r.all)-1] }

// Figures of the smallest and the largest memory, for the prose.

func (r report) Runs() int               { return r.bench.runs }
func (r report) Fills() int              { return r.bench.fills }
func (r report) SoughtNotes() int        { return soughtNotes }
func (r report) Least() string           { return thousands(r.first().notes) }
func (r report) Most() string            { return thousands(r.last().notes) }
func (r report) Session() string         { return thousands(r.first().cost.session) }
func (r report) Answer() string          { return thousands(r.first().cost.answer) }
func (r report) SmallSearch() string     { return short(r.first().search) }
func (r report) SmallRipgrep() string    { return short(r.first().ripgrep) }
func (r report) LargeSearch() string     { return short(r.last().search) }
func (r report) LargeRipgrep() string    { return short(r.last().ripgrep) }
func (r report) LargeIngest() string     { return short(r.last().ingest) }
func (r report) SmallIngest() string     { return short(r.first().ingest) }
func (r report) LargeSearchPeak() string { return fmt.Sprintf("%.0f MiB", r.last().searchPeak) }

// BreakEven is how many notes cost as much to paste as a session with the
// server in which three things are asked.
func (r report) BreakEven() string {
	s := r.first()
	perNote := float64(s.cost.paste) / float64(s.notes)
	return thousands(int(float64(s.cost.session+3*s.cost.answer) / perNote))
}

// PaidBack is after how many searches of the largest memory ripgrep has taken
// longer than filling and searching it.
func (r report) PaidBack() string {
	s := r.last()
	if s.ripgrep <= s.search {
		return "any number of"
	}
	return thousands(int(s.ingest/(s.ripgrep-s.search)) + 1)
}

// DiskOfText is how much larger the memory is than its texts.
func (r report) DiskOfText() string {
	s := r.last()
	return fmt.Sprintf("%.0f", float64(s.disk)/float64(s.textBytes))
}

// AgainstFTS5 compares the largest memory with the SQLite table.
func (r report) AgainstFTS5() string {
	s := r.last()
	return fmt.Sprintf("%.1f times the time of FTS5 (%s to %s)", over(s.search, s.fts5), short(s.search), short(s.fts5))
}

// ANDAtQuestions is how many questions FTS5 answers with all words joined.
func (r report) ANDAtQuestions() string { return r.ten(byAND, "question") }
func (r report) ORFound() string        { return r.ten(byOR, "all") }
func (r report) MemoryFound() string    { return r.ten(byMemory, "all") }

func (r report) ten(way, style string) string {
	if score := r.last().found[way][style]; score != nil {
		_, ten, _ := score.Shares()
		return fmt.Sprintf("%.2f", ten)
	}
	return "none"
}

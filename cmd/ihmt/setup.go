package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ihmt/ihmt/mcp/template"
	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/setup"
	"github.com/ihmt/ihmt/pkg/text"
)

// kindMemory is the record that says which memory agents use.
const kindMemory = "memory"

type setupCmd struct {
	Agents []string `arg:"" optional:"" name:"agent" help:"claude-code, codex, opencode, gemini, vscode, cursor, windsurf, claude-desktop, antigravity, or all that are here. Without any, what is found is listed."`
	Remove bool     `help:"Take out again what was put in."`
	DryRun bool     `help:"Show what would be written, and write nothing."`
	Scope  string   `help:"For all of your work (user), or for the project in the current folder (project)." enum:"user,project" default:"user"`
}

// Run sets agents up. It exits 1 where the user has to approve something
// first, and 2 where one of them failed.
func (c *setupCmd) Run(ctx *cli.Context, g *grammar) error {
	r := newRunner(ctx, g)
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	home, err := r.memoryFor(machine)
	if err != nil {
		return err
	}
	switch {
	case len(c.Agents) == 0 && c.Remove:
		return errors.New("--remove needs the names of agents, or all")
	case len(c.Agents) == 0:
		return r.listAgents(machine, home)
	}
	s, err := c.setup(machine, home)
	if err != nil {
		return err
	}
	shown := map[string]string{}
	s.Show = func(change setup.Change) {
		if r.Out.People {
			change.Diff = once(shown, change)
		}
		r.tell(setup.KindChange, change)
	}
	agents, err := s.Named(c.Agents)
	if err != nil {
		return err
	}
	do := s.Remove
	if !c.Remove {
		if err := r.keepMemory(home, c.DryRun); err != nil {
			return err
		}
		do = func(a setup.Agent) setup.Outcome { return s.Add(r.ctx, a) }
	}
	var outcomes []setup.Outcome
	for _, a := range agents {
		outcome := do(a)
		if r.ctx.Err() != nil {
			return errors.New("interrupted")
		}
		r.tell(setup.KindAgent, outcome)
		outcomes = append(outcomes, outcome)
	}
	return verdict(outcomes)
}

// once is the diff of a change, or where the same lines were shown already:
// several agents are given the same instructions.
func once(shown map[string]string, change setup.Change) string {
	_, lines, _ := strings.Cut(change.Diff, "\n") // without where they go
	if file := shown[lines]; file != "" && strings.Count(lines, "\n") > fewLines {
		return "the same lines as in " + file + "\n"
	}
	shown[lines] = change.File
	return change.Diff
}

// fewLines are shown again rather than referred to.
const fewLines = 8

// thisMachine is where this runs, with the project of the current folder.
func thisMachine() (setup.Machine, error) {
	dir, err := os.Getwd()
	if err != nil {
		return setup.Machine{}, err
	}
	m, err := setup.Here(runtime.GOOS, setup.ProjectOf(dir))
	if err != nil {
		return m, fmt.Errorf("no home folder: %w", err)
	}
	return m, nil
}

// setup is what the flags ask for, with the memory in a folder.
func (c *setupCmd) setup(m setup.Machine, home string) (*setup.Setup, error) {
	program, err := self()
	if err != nil {
		return nil, err
	}
	scope := setup.Scope(c.Scope)
	return &setup.Setup{Machine: m, Scope: scope, Server: setup.ServerFor(scope, program, home), Guide: template.Instructions, DryRun: c.DryRun}, nil
}

// tell prints a record at once: what follows may take a while.
func (r *runner) tell(kind string, v any) {
	r.Out.Write(record.New(kind, v)) // a failure comes back from the last Flush
	r.Out.Flush()
}

// verdict is the error that stands for the worst outcome.
func verdict(outcomes []setup.Outcome) error {
	failed, waiting := 0, false
	for _, o := range outcomes {
		switch o.State {
		case setup.Failed:
			failed++
		case setup.Approval:
			waiting = true
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %s failed", failed, text.Counted(int64(len(outcomes)), "agent", "agents"))
	case len(outcomes) == 0:
		return cli.ErrNothing
	case waiting:
		return cli.ErrSkipped
	}
	return nil
}

// memoryFor is the folder of the memory that agents are to use: the one that
// was named; else one that an agent uses already; else the usual one.
func (r *runner) memoryFor(m setup.Machine) (string, error) {
	memory, err := r.Memory()
	if err != nil {
		return "", err
	}
	home := filepath.Dir(memory)
	if r.Path != usualPath {
		return home, nil
	}
	for _, used := range setup.Memories(m) {
		if isMemory(used) {
			return used, nil
		}
	}
	return home, nil
}

// usualPath is what --path is where nobody says otherwise.
const usualPath = "~/.ihmt"

func isMemory(home string) bool {
	_, err := os.Stat(filepath.Join(home, "ihmt_memory"))
	return err == nil
}

// A memoryReport says which memory agents use.
type memoryReport struct {
	Path  string `json:"path"`
	State string `json:"state"` // found, created, missing
}

// keepMemory creates the memory where there is none.
func (r *runner) keepMemory(home string, dryRun bool) error {
	r.Path = home
	report := memoryReport{home, "found"}
	if !isMemory(home) {
		report.State = "missing"
		if !dryRun {
			report.State = "created"
			if err := r.each(pipeline.New(r.stage("ihmt-store", "init")), func(*record.Record) error { return nil }); err != nil {
				return err
			}
		}
	}
	r.tell(kindMemory, report)
	return nil
}

func (r *runner) listAgents(m setup.Machine, home string) error {
	state := "found"
	if !isMemory(home) {
		state = "missing"
	}
	r.tell(kindMemory, memoryReport{home, state})
	for _, f := range setup.Find(m) {
		r.tell(setup.KindFound, f)
	}
	r.Out.Print("\nihmt setup AGENT… sets up the agents named, ihmt setup all those that are installed; --dry-run shows what it would write.")
	return nil
}

// self is the path under which agents are to start this program: the one on
// PATH where it leads here, since a link there outlives an update.
func self() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	if found, err := exec.LookPath("ihmt"); err == nil && sameFile(found, program) {
		return filepath.Abs(found)
	}
	return program, nil
}

func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// renderSetup prints what setup reports for people.
func renderSetup(w io.Writer, rec *record.Record) {
	switch rec.Kind() {
	case kindMemory:
		fmt.Fprintf(w, "%-15s %s  (%s)\n", "memory", cli.CleanLine(rec.Str("path"), 400), rec.Str("state"))
	case setup.KindChange:
		renderChange(w, rec)
	case setup.KindFound:
		renderFound(w, rec)
	case setup.KindAgent:
		renderOutcome(w, rec)
	}
}

func renderFound(w io.Writer, rec *record.Record) {
	there := "not installed"
	if rec.Get("installed").Bool() {
		there = "installed"
	}
	fmt.Fprintf(w, "%-15s %-13s  user: %s", rec.Str("agent"), there, cli.CleanLine(rec.Str("user"), 200))
	if rec.Has("project") {
		fmt.Fprintf(w, "  project: %s", cli.CleanLine(rec.Str("project"), 200))
	}
	fmt.Fprintln(w)
}

func renderChange(w io.Writer, rec *record.Record) {
	verb := map[string]string{setup.Create: "create", setup.Edit: "edit", setup.Delete: "delete"}[rec.Str("action")]
	fmt.Fprintf(w, "\n%s %s\n", verb, cli.CleanLine(rec.Str("file"), 400))
	for line := range strings.Lines(cli.Clean(strings.ReplaceAll(rec.Str("diff"), "\r\n", "\n"))) {
		fmt.Fprintf(w, "  %s\n", strings.TrimRight(line, "\n"))
	}
	if rec.Has("backup") {
		fmt.Fprintf(w, "  as it was: %s\n", cli.CleanLine(rec.Str("backup"), 400))
	}
}

func renderOutcome(w io.Writer, rec *record.Record) {
	said := map[string]string{
		setup.Connected: "connected", setup.Approval: "WAITS for your approval", setup.Answers: "registered, connection not confirmed by it",
		setup.Failed: "FAILED", setup.Removed: "removed", setup.Planned: "nothing written (--dry-run)",
	}[rec.Str("state")]
	fmt.Fprintf(w, "%-15s %s", rec.Str("title"), said)
	if detail := rec.Str("detail"); detail != "" {
		fmt.Fprintf(w, ": %s", cli.CleanLine(detail, 500))
	}
	fmt.Fprintln(w)
	if next := rec.Str("next"); next != "" {
		fmt.Fprintf(w, "%-15s to do: %s\n", "", cli.CleanLine(next, 500))
	}
}

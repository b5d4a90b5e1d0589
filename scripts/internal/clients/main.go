// Command clients tries the memory with the agents that people have: it
// installs pinned versions of them from the npm registry, sets them up in a
// home folder of their own, and holds `ihmt setup` and the server to what the
// agents themselves say.
//
// IHMT_CLIENTS_DIR names a folder in which the installed agents are kept for
// the next run. Nothing but the installation needs the network; where the
// system allows it, everything else runs without.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: clients FOLDER_OF_THE_BUILT_TOOLS")
		os.Exit(2)
	}
	failed, err := run(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(2)
	}
	if failed > 0 {
		fmt.Printf("\n%d checks failed.\n", failed)
		os.Exit(1)
	}
	fmt.Println("\nAll checks passed.")
}

func run(bin string) (failed int, err error) {
	bin, err = filepath.Abs(bin)
	if err != nil {
		return 0, err
	}
	temporary, err := os.MkdirTemp("", "ihmt-clients-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temporary)
	clients := os.Getenv("IHMT_CLIENTS_DIR")
	if clients == "" {
		clients = filepath.Join(temporary, "clients")
	}
	if err := install(clients); err != nil {
		return 0, err
	}
	t := &trial{root: temporary, bin: bin, clients: clients, offline: offline()}
	if t.offline == nil {
		fmt.Println("(the system does not let a program be cut off from the network: the agents run with it)")
	}
	for _, step := range []func(){t.inspector, t.user, t.broken, t.project} {
		step()
	}
	return t.failed, nil
}

// offline is the command that runs another without a network, nil where there
// is none.
func offline() []string {
	for _, flag := range []string{"-n", "-rn"} {
		if exec.Command("unshare", flag, "true").Run() == nil {
			return []string{"unshare", flag}
		}
	}
	return nil
}

// A trial counts what it checks.
type trial struct {
	root, bin, clients string
	offline            []string
	failed             int
}

func (t *trial) check(holds bool, format string, args ...any) {
	mark := "ok   "
	if !holds {
		mark = "FAIL "
		t.failed++
	}
	fmt.Println(mark + fmt.Sprintf(format, args...))
}

// A home is a home folder with a project in it and a memory.
type home struct {
	*trial
	dir, bin string
}

func (t *trial) newHome(name, bin string) *home {
	h := &home{t, filepath.Join(t.root, name), bin}
	must(os.MkdirAll(h.work(), 0o755))
	return h
}

func (h *home) work() string { return filepath.Join(h.dir, "work") }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// patience is how long a command may take.
const patience = 5 * time.Minute

// An answer is what a command printed and how it ended.
type answer struct {
	out, errs string
	code      int
}

// run runs a command in the project, at home, without the network.
func (h *home) run(name string, args ...string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	line := append(append(slices.Clone(h.offline), "env", name), args...) // env looks the program up on the PATH that it is given
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir, c.Env, c.WaitDelay = h.work(), h.env(), time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{out.String(), errs.String() + err.Error(), -1}
	}
	return answer{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// env is an environment in which agents find the tools and one another, and
// keep quiet.
func (h *home) env() []string {
	path := []string{h.bin}
	for _, p := range packages {
		path = append(path, filepath.Join(h.clients, p.name, "node_modules", ".bin"))
	}
	return []string{"HOME=" + h.dir, "PATH=" + strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)), "NO_COLOR=1", "TMPDIR=" + os.TempDir(),
		"DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1"}
}

// setup runs ihmt setup and returns its exit code and the state of each agent.
func (h *home) setup(args ...string) (int, map[string]string) {
	a := h.run("ihmt", append([]string{"setup", "--json"}, args...)...)
	states := map[string]string{}
	for line := range strings.Lines(a.out) {
		var r struct{ Kind, Agent, State, Detail string }
		if json.Unmarshal([]byte(line), &r) == nil && r.Kind == "agent" {
			states[r.Agent] = r.State
			if r.State == "failed" {
				fmt.Printf("     (%s: %s)\n", r.Agent, r.Detail)
			}
		}
	}
	if len(states) == 0 {
		fmt.Printf("     (%s%s)\n", a.out, a.errs)
	}
	return a.code, states
}

// put writes a file at home.
func (h *home) put(name, content string) {
	path := filepath.Join(h.dir, filepath.FromSlash(name))
	must(os.MkdirAll(filepath.Dir(path), 0o755))
	must(os.WriteFile(path, []byte(content), 0o600))
}

// configs are the files that setup may touch, with their contents.
func (h *home) configs() map[string]string {
	all := map[string]string{}
	must(filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == ".ihmt" || name == ".git" || name == "skills" || name == "tmp" || name == ".tmp" || name == ".cache" || name == ".local"):
			return fs.SkipDir
		case d.IsDir() || !isConfig(name):
			return nil
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(h.dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return all
}

func isConfig(name string) bool {
	return slices.Contains([]string{".claude.json", "config.toml", "opencode.json", "settings.json", ".mcp.json", "CLAUDE.md", "AGENTS.md", "GEMINI.md"}, name) || strings.Contains(name, ".ihmt-")
}

// changed are the names of files that differ.
func changed(before, after map[string]string) []string {
	var names []string
	for name := range after {
		if before[name] != after[name] {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

package setup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/internal/page"
)

// The test binary also plays the server, and the program of an agent.
func TestMain(m *testing.M) {
	switch {
	case strings.HasPrefix(filepath.Base(os.Args[0]), "claude"):
		playClaude()
	case len(os.Args) > 1 && os.Args[1] == "mcp":
		playServer()
	default:
		os.Exit(m.Run())
	}
}

// playServer answers as a server does that has one tool.
func playServer() {
	if len(os.Args) > 2 && os.Args[2] == "broken" {
		fmt.Fprintln(os.Stderr, "no memory here")
		os.Exit(2)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     *int
			Method string
		}
		json.Unmarshal(in.Bytes(), &m)
		if m.ID != nil {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"hello"}]}}`+"\n", *m.ID)
		}
	}
}

// playClaude rewrites its configuration when it is asked, as Claude Code does.
func playClaude() {
	file := filepath.Join(os.Getenv("CLAUDE_CONFIG_DIR"), ".claude.json")
	var config map[string]any
	data, _ := os.ReadFile(file)
	json.Unmarshal(data, &config)
	config["numStartups"] = 1
	data, _ = json.Marshal(config)
	os.WriteFile(file, data, 0o600)
	fmt.Println("ihmt:\n  Scope: User config\n  Status: " + os.Getenv("CLAUDE_SAYS"))
}

// newSetup sets up below a new home, where no agent's program is.
func newSetup(t *testing.T, scope Scope) *Setup {
	home := t.TempDir()
	m := Machine{OS: "linux", Home: home, Project: filepath.Join(home, "work"), Getenv: func(string) string { return "" },
		Find: func(string) (string, error) { return "", errors.New("not found") }}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &Setup{Machine: m, Scope: scope, Server: Server{program, []string{"mcp"}}, Guide: "Remember.\n", Show: func(Change) {}}
}

func (s *Setup) put(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(s.Machine.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// files are the names and contents below the home, and the folders.
func (s *Setup) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.Machine.Home, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.Machine.Home, path)
		if err != nil || d.IsDir() {
			if name != "." {
				all[filepath.ToSlash(name)+"/"] = ""
			}
			return err
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *Setup) add(t *testing.T, name, state string) {
	t.Helper()
	if o := s.Add(t.Context(), agent(name)); o.State != state {
		t.Fatalf("%s is %q (%s), want %q", name, o.State, o.Detail, state)
	}
}

func (s *Setup) remove(t *testing.T, name string) {
	t.Helper()
	if o := s.Remove(agent(name)); o.State != Removed {
		t.Fatalf("%s is %q (%s)", name, o.State, o.Detail)
	}
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s was not there", name)
		}
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], want[name])
		}
	}
}

// Every agent, in both scopes: what was there before is there again after,
// whether its files existed or not, and a second run changes nothing.
func TestAddingAndRemoving(t *testing.T) {
	for _, scope := range []Scope{User, Project} {
		for _, existing := range []bool{false, true} {
			s := newSetup(t, scope)
			if existing {
				for _, a := range Agents {
					if path := a.config(s.Machine, scope); path != "" {
						content := "{ // mine\n \"servers\": {},\n \"mcpServers\" : { } }"
						if a.Name == "codex" {
							content = "a = 1 # mine"
						}
						s.put(t, strings.TrimPrefix(path, s.Machine.Home), content)
					}
					if path := a.guide(s.Machine, scope); path != "" {
						s.put(t, strings.TrimPrefix(path, s.Machine.Home), "# Mine\r\n\r\nno end of line")
					}
				}
			}
			before := s.files(t)
			for _, a := range Agents {
				if a.config(s.Machine, scope) == "" {
					continue
				}
				state := Answers
				if scope == Project && a.approval != "" {
					state = Approval
				}
				s.add(t, a.Name, state)
				first := s.files(t)
				s.add(t, a.Name, state)
				same(t, s.files(t), first)
			}
			for _, a := range Agents {
				s.remove(t, a.Name)
			}
			same(t, s.files(t), before)
		}
	}
}

// A file that somebody else changed since loses only what was added.
func TestRemovingAfterOtherEdits(t *testing.T) {
	s := newSetup(t, User)
	config := s.put(t, ".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n")
	s.add(t, "cursor", Answers)
	data, _ := os.ReadFile(config)
	os.WriteFile(config, []byte(strings.Replace(string(data), `"a": {}`, `"a": {}, "b": {}`, 1)), 0o600)
	s.remove(t, "cursor")
	if got := s.files(t)[".cursor/mcp.json"]; got != "{\n  \"mcpServers\": {\n    \"a\": {}, \"b\": {}\n  }\n}\n" {
		t.Errorf("got\n%s", got)
	}
}

// An update does not become what removing goes back to.
func TestRemovingAfterAnUpdate(t *testing.T) {
	s := newSetup(t, User)
	s.put(t, ".codex/config.toml", "[mcp_servers.a]\ncommand = 'a'")
	before := s.files(t)
	s.add(t, "codex", Answers)
	s.Server.Args = append(s.Server.Args, "--path", "/elsewhere")
	s.Guide = "Remember more.\n"
	s.add(t, "codex", Answers)
	if got := s.files(t)[".codex/AGENTS.md"]; !strings.Contains(got, "more") || strings.Count(got, blockBegin) != 1 {
		t.Errorf("the instructions are\n%s", got)
	}
	s.remove(t, "codex")
	same(t, s.files(t), before)
}

// An entry of the same name that somebody else made comes back.
func TestRemovingBringsAnotherServerBack(t *testing.T) {
	s := newSetup(t, User)
	s.put(t, ".cursor/mcp.json", `{"mcpServers": {"ihmt": {"command": "python3", "args": ["-m", "ihmt"], "env": {"A": "b"}}}}`)
	before := s.files(t)
	s.add(t, "cursor", Answers)
	s.remove(t, "cursor")
	same(t, s.files(t), before)
}

// So does an entry for this very server that the user had made, byte for byte,
// and it is said. Where the file changed since it is not put back, and it is
// said where it is.
func TestRemovingBringsTheUsersOwnEntryBack(t *testing.T) {
	for name, own := range map[string]struct{ agent, file, content string }{
		"json": {"cursor", ".cursor/mcp.json", "{\n  \"mcpServers\": {\n    // mine\n    \"ihmt\": {\"command\": \"ihmt\", \"args\": [\"mcp\"], \"env\": {\"IHMT_HOME\": \"/mine\"}} // really\n  }\n}"},
		"toml": {"codex", ".codex/config.toml", "[mcp_servers.ihmt] # mine\ncommand = 'ihmt'\nargs = ['mcp', '--trace']\n[mcp_servers.ihmt.env]\nA = 'b'"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t, User)
			config := s.put(t, own.file, own.content)
			before := s.files(t)
			s.add(t, own.agent, Answers)
			if o := s.Remove(agent(own.agent)); o.State != Removed || !strings.Contains(o.Detail, "has again what stood there before") {
				t.Errorf("said %q, %q", o.State, o.Detail)
			}
			same(t, s.files(t), before)

			s.add(t, own.agent, Answers)
			data, _ := os.ReadFile(config)
			os.WriteFile(config, append(data, "\n\n"...), 0o600)
			o := s.Remove(agent(own.agent))
			_, backup, said := strings.Cut(o.Detail, "was not put back; it is in ")
			if kept, err := os.ReadFile(backup); !said || err != nil || string(kept) != own.content {
				t.Errorf("said %q; %v, %s", o.Detail, err, kept)
			}
			if _, there, err := Registration(s.Machine, agent(own.agent), User); there || err != nil {
				t.Errorf("still there: %v", err)
			}
		})
	}
}

// Folders that were made are taken away again, but not while others use them.
func TestFoldersOfOthersStay(t *testing.T) {
	s := newSetup(t, User)
	s.add(t, "gemini", Answers)
	s.put(t, ".gemini/theirs", "x")
	s.remove(t, "gemini")
	same(t, s.files(t), map[string]string{".gemini/": "", ".gemini/theirs": "x"})

	if err := os.Mkdir(filepath.Join(s.Machine.Home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := s.files(t)
	s.add(t, "cursor", Answers)
	s.remove(t, "cursor")
	same(t, s.files(t), before)
}

// In the home folder the file of all work is not taken for that of a project.
func TestTheHomeFolderIsNoProject(t *testing.T) {
	s := newSetup(t, User)
	s.Machine.Project = s.Machine.Home
	s.add(t, "cursor", Answers)
	for _, f := range Find(s.Machine) {
		if f.Agent == "cursor" && (f.User != Registered || f.Project != "") {
			t.Errorf("found %+v", f)
		}
	}
	before := s.files(t)
	s.Scope = Project
	if o := s.Add(t.Context(), agent("cursor")); o.State != Failed || !strings.Contains(o.Detail, "no project") {
		t.Errorf("said %q, %q", o.State, o.Detail)
	}
	same(t, s.files(t), before)
}

// Gemini CLI and Antigravity read the same instructions: they stay for as
// long as one of them needs them.
func TestSharedInstructions(t *testing.T) {
	s := newSetup(t, User)
	s.add(t, "gemini", Answers)
	s.add(t, "antigravity", Answers)
	s.remove(t, "gemini")
	if got := s.files(t)[".gemini/GEMINI.md"]; !strings.Contains(got, "Remember.") {
		t.Errorf("the instructions are %q", got)
	}
	s.remove(t, "antigravity")
	same(t, s.files(t), map[string]string{})
}

// opencode reads the instructions of Claude Code where it has none of its own:
// these must not be hidden by new ones.
func TestInstructionsThatWouldHideOthers(t *testing.T) {
	for _, scope := range []Scope{User, Project} {
		s := newSetup(t, scope)
		name := scope.pick(".claude/CLAUDE.md", "work/CLAUDE.md")
		s.put(t, name, "# Mine\n")
		before := s.files(t)
		s.add(t, "opencode", Answers)
		if got := s.files(t)[name]; !strings.Contains(got, "Remember.") {
			t.Errorf("%s is %q", name, got)
		}
		s.add(t, "claude-code", scope.pick(Answers, Approval))
		s.remove(t, "claude-code")
		if got := s.files(t)[name]; !strings.Contains(got, "Remember.") {
			t.Errorf("then %s is %q", name, got)
		}
		s.remove(t, "opencode")
		same(t, s.files(t), before)
	}
}

// A client that writes to its configuration while it is asked does not keep
// the bytes from coming back.
func TestAClientThatRewritesItsConfiguration(t *testing.T) {
	for says, state := range map[string]string{
		"✔ Connected": Connected, "✘ Failed to connect": Failed, "⏸ Pending approval (run `claude` to approve)": Approval,
	} {
		for _, existing := range []bool{true, false} {
			s := newSetup(t, User)
			program := filepath.Join(t.TempDir(), "claude.exe")
			if err := os.Link(s.Server.Command, program); err != nil {
				t.Skip(err)
			}
			s.Machine.Find = func(string) (string, error) { return program, nil }
			t.Setenv("CLAUDE_CONFIG_DIR", s.Machine.Home)
			t.Setenv("CLAUDE_SAYS", says)
			os.MkdirAll(s.Machine.Project, 0o755)
			if existing {
				s.put(t, ".claude.json", "{\n}")
			}
			before := s.files(t)
			s.add(t, "claude-code", state)
			s.remove(t, "claude-code")
			same(t, s.files(t), before)
		}
	}
}

func TestAServerThatDoesNotStart(t *testing.T) {
	s := newSetup(t, User)
	s.Server.Args = []string{"mcp", "broken"}
	o := s.Add(t.Context(), agent("cursor"))
	if o.State != Failed || !strings.Contains(o.Detail, "no memory here") {
		t.Errorf("got %+v", o)
	}
	s.Server = Server{Command: filepath.Join(s.Machine.Home, "nowhere")}
	if o := s.Add(t.Context(), agent("cursor")); o.State != Failed {
		t.Errorf("got %+v", o)
	}
	same(t, s.files(t), map[string]string{})
}

func TestDryRun(t *testing.T) {
	s := newSetup(t, User)
	s.put(t, ".cursor/mcp.json", "{}")
	before := s.files(t)
	var shown []Change
	s.DryRun, s.Show = true, func(c Change) { shown = append(shown, c) }
	s.add(t, "cursor", Planned)
	same(t, s.files(t), before)
	if len(shown) != 1 || !strings.Contains(shown[0].Diff, `+    "ihmt": {`) || shown[0].Backup == "" {
		t.Errorf("shown: %+v", shown)
	}
}

// A file that changes between reading and writing is read again.
func TestConcurrentEdits(t *testing.T) {
	s := newSetup(t, User)
	config := s.put(t, ".cursor/mcp.json", `{"mcpServers": {"a": {}}}`)
	times := 0
	s.Show = func(Change) {
		if times++; times == 1 {
			os.WriteFile(config, []byte(`{"mcpServers": {"a": {}, "b": {}}}`), 0o600)
		}
	}
	s.add(t, "cursor", Answers)
	if got := s.files(t)[".cursor/mcp.json"]; !strings.Contains(got, `"b": {}`) || !strings.Contains(got, serverName) || times != 2 {
		t.Errorf("after %d tries: %s", times, got)
	}
	s.Show = func(Change) { os.WriteFile(config, fmt.Appendf(nil, `{"n": %d}`, times), 0o600); times++ }
	os.WriteFile(config, []byte("{}"), 0o600)
	if o := s.Add(t.Context(), agent("cursor")); o.State != Failed || !strings.Contains(o.Detail, "changed meanwhile") {
		t.Errorf("got %+v", o)
	}
}

// A link stays a link, and what it leads to keeps its permissions.
func TestLinks(t *testing.T) {
	s := newSetup(t, User)
	target := s.put(t, "dotfiles/mcp.json", "{}\n")
	os.Mkdir(filepath.Join(s.Machine.Home, ".cursor"), 0o755)
	link := filepath.Join(s.Machine.Home, ".cursor", "mcp.json")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	s.add(t, "cursor", Answers)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v)", info.Mode(), err)
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v", info.Mode())
	}
	s.remove(t, "cursor")
	if got := s.files(t)["dotfiles/mcp.json"]; got != "{}\n" {
		t.Errorf("got %q", got)
	}
	os.Remove(target)
	if o := s.Add(t.Context(), agent("cursor")); o.State != Failed || !strings.Contains(o.Detail, "does not exist") {
		t.Errorf("a link to nothing: %+v", o)
	}
}

// Where one of the files cannot be edited, none is.
func TestAllOrNothing(t *testing.T) {
	for name, content := range map[string]string{".codex/config.toml": "a = \n", ".codex/AGENTS.md": blockBegin + "\n"} {
		s := newSetup(t, User)
		s.put(t, name, content)
		before := s.files(t)
		if o := s.Add(t.Context(), agent("codex")); o.State != Failed || !strings.Contains(o.Detail, "line 1") || !strings.Contains(o.Detail, filepath.FromSlash(name)) {
			t.Errorf("%s: %+v", name, o)
		}
		same(t, s.files(t), before)
	}
}

func TestMemoriesInUse(t *testing.T) {
	s := newSetup(t, User)
	s.put(t, ".cursor/mcp.json", `{"mcpServers": {"ihmt": {"command": "ihmt", "args": ["mcp", "--path", "/a"]}}}`)
	s.put(t, ".config/opencode/opencode.json", `{"mcp": {"ihmt": {"command": ["ihmt", "mcp", "--path=/b"]}}}`)
	s.put(t, ".gemini/settings.json", `{"mcpServers": 3}`)
	if got := Memories(s.Machine); !slices.Equal(got, []string{"/b", "/a"}) {
		t.Errorf("got %v", got)
	}
}

// Where the agents keep their files, on the systems that they run on.
func TestPaths(t *testing.T) {
	want := map[string]string{
		"linux claude-code":    ".claude.json .claude/CLAUDE.md work/.mcp.json work/CLAUDE.md",
		"linux codex":          ".codex/config.toml .codex/AGENTS.md work/.codex/config.toml work/AGENTS.md",
		"linux opencode":       ".config/opencode/opencode.json .config/opencode/AGENTS.md work/opencode.json work/AGENTS.md",
		"linux gemini":         ".gemini/settings.json .gemini/GEMINI.md work/.gemini/settings.json work/GEMINI.md",
		"linux vscode":         ".config/Code/User/mcp.json .config/Code/User/prompts/ihmt.instructions.md work/.vscode/mcp.json work/AGENTS.md",
		"linux cursor":         ".cursor/mcp.json - work/.cursor/mcp.json work/AGENTS.md",
		"linux windsurf":       ".codeium/windsurf/mcp_config.json .codeium/windsurf/memories/global_rules.md - -",
		"linux claude-desktop": ".config/Claude/claude_desktop_config.json - - -",
		"linux antigravity":    ".gemini/config/mcp_config.json .gemini/GEMINI.md work/.agents/mcp_config.json work/AGENTS.md",

		"darwin vscode":         "Library/Application Support/Code/User/mcp.json Library/Application Support/Code/User/prompts/ihmt.instructions.md work/.vscode/mcp.json work/AGENTS.md",
		"darwin claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json - - -",
		"darwin opencode":       ".config/opencode/opencode.json .config/opencode/AGENTS.md work/opencode.json work/AGENTS.md",

		"windows vscode":         "AppData/Roaming/Code/User/mcp.json AppData/Roaming/Code/User/prompts/ihmt.instructions.md work/.vscode/mcp.json work/AGENTS.md",
		"windows claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json - - -",
		"windows codex":          ".codex/config.toml .codex/AGENTS.md work/.codex/config.toml work/AGENTS.md",
	}
	for name, paths := range want {
		goos, agentName, _ := strings.Cut(name, " ")
		s := newSetup(t, User)
		s.Machine.OS = goos
		a := agent(agentName)
		var got []string
		for _, path := range []string{a.config(s.Machine, User), a.guide(s.Machine, User), a.config(s.Machine, Project), a.guide(s.Machine, Project)} {
			if rel, err := filepath.Rel(s.Machine.Home, path); err == nil {
				path = filepath.ToSlash(rel)
			} else {
				path = "-"
			}
			got = append(got, path)
		}
		if strings.Join(got, " ") != paths {
			t.Errorf("%s: got %s\nwant %s", name, strings.Join(got, " "), paths)
		}
	}
}

func TestFoldersNamedByVariables(t *testing.T) {
	s := newSetup(t, User)
	s.Machine.Getenv = func(name string) string {
		return map[string]string{"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g", "GEMINI_CLI_HOME": "/m"}[name]
	}
	for name, path := range map[string]string{"claude-code": "/c/.claude.json", "codex": "/x/config.toml", "opencode": "/g/opencode/opencode.json", "gemini": "/m/.gemini/settings.json", "vscode": "/g/Code/User/mcp.json"} {
		if got := filepath.ToSlash(agent(name).config(s.Machine, User)); got != path {
			t.Errorf("%s: %s, want %s", name, got, path)
		}
	}
}

// Where there is nothing to take out, nothing is touched.
func TestRemovingWhatIsNotThere(t *testing.T) {
	s := newSetup(t, User)
	for _, a := range Agents {
		s.remove(t, a.Name)
	}
	same(t, s.files(t), map[string]string{})
	s.put(t, ".cursor/mcp.json", "{ \"mcpServers\": { } }")
	s.put(t, ".codex/config.toml", "[mcp_servers]\n\n\n")
	s.put(t, ".codex/AGENTS.md", "\n\n")
	s.put(t, ".gemini/settings.json", "")
	before := s.files(t)
	for _, a := range Agents {
		s.remove(t, a.Name)
	}
	same(t, s.files(t), before)
}

func TestFormatOfRecords(t *testing.T) {
	for kind, v := range map[string]any{KindFound: Found{}, KindChange: Change{}, KindAgent: Outcome{}} {
		page.Compare(t, kind, v)
	}
}

func TestNames(t *testing.T) {
	s := newSetup(t, User)
	s.put(t, ".cursor/extensions.json", "{}")
	if got, err := s.Named([]string{"all"}); err != nil || len(got) != 1 || got[0].Name != "cursor" {
		t.Errorf("all are %v (%v)", got, err)
	}
	if _, err := s.Named([]string{"emacs"}); err == nil || !strings.Contains(err.Error(), "claude-code, codex") {
		t.Errorf("got %v", err)
	}
}

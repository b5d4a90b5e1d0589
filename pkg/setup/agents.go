package setup

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// serverName is what the server is called in every configuration.
const serverName = "ihmt"

// A Scope says for whom an agent is set up.
type Scope string

// The scopes: all of the user's work, or one project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// A Server is the command line that starts the server.
type Server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// isOurs tells an entry that this program wrote from one that only has the
// same name.
func (s Server) isOurs() bool {
	base := strings.TrimSuffix(s.Command[strings.LastIndexAny(s.Command, `/\`)+1:], ".exe")
	return base == "ihmt" && len(s.Args) > 0 && s.Args[0] == "mcp"
}

// memory is the folder that a server's command line names, "" where it names
// none.
func (s Server) memory() string {
	for i, arg := range s.Args {
		if dir, ok := strings.CutPrefix(arg, "--path="); ok {
			return dir
		}
		if arg == "--path" && i+1 < len(s.Args) {
			return s.Args[i+1]
		}
	}
	return ""
}

// serverOf reads an entry of any of the formats.
func serverOf(entry any) Server {
	var s Server
	fields, _ := entry.(map[string]any)
	texts := func(v any) (all []string) {
		list, _ := v.([]any)
		for _, e := range list {
			text, _ := e.(string)
			all = append(all, text)
		}
		return all
	}
	s.Args = texts(fields["args"])
	switch command := fields["command"].(type) {
	case string:
		s.Command = command
	case []any:
		if words := texts(command); len(words) > 0 {
			s.Command, s.Args = words[0], words[1:]
		}
	}
	return s
}

// A Machine is where agents are looked for.
type Machine struct {
	OS      string // as runtime.GOOS
	Home    string
	Project string                            // the folder that is worked in
	Getenv  func(string) string               // os.Getenv
	Find    func(name string) (string, error) // exec.LookPath
}

// Here is the machine that this runs on, working in a folder.
func Here(goos, dir string) (Machine, error) {
	home, err := os.UserHomeDir()
	return Machine{OS: goos, Home: home, Project: dir, Getenv: os.Getenv, Find: exec.LookPath}, err
}

func (m Machine) home(path ...string) string {
	return filepath.Join(append([]string{m.Home}, path...)...)
}

func (m Machine) project(path ...string) string {
	return filepath.Join(append([]string{m.Project}, path...)...)
}

// env is the folder that a variable names, else the one below the home folder.
func (m Machine) env(name string, otherwise ...string) string {
	if dir := m.Getenv(name); dir != "" {
		return dir
	}
	return m.home(otherwise...)
}

// appData is where desktop programs keep their settings.
func (m Machine) appData(path ...string) string {
	dir := m.env("XDG_CONFIG_HOME", ".config")
	switch m.OS {
	case "darwin":
		dir = m.home("Library", "Application Support")
	case "windows":
		dir = m.env("APPDATA", "AppData", "Roaming")
	}
	return filepath.Join(append([]string{dir}, path...)...)
}

// firstThere is the first of some paths that exists; where none does, the
// first.
func firstThere(paths ...string) string {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return paths[0]
}

// A configuration is a form of file that names servers.
type configuration interface {
	get(data []byte) (Server, bool, error)
	set(data []byte, s Server) ([]byte, error)
	unset(data []byte) ([]byte, error)
	holds(data []byte) bool
	empty(data []byte) bool
}

// An Agent is a program that can use the server.
type Agent struct {
	Name, Title string

	programs []string // under one of these names it is started
	format   configuration
	config   func(m Machine, s Scope) string // its configuration; "" where the scope has none
	guide    func(m Machine, s Scope) string // the file with its instructions; "" where there is none
	head     string                          // what such a file of the user has to begin with

	approval string // what a user must do before it starts the server of a project; "" for nothing
	restart  string // what makes it read its configuration, where it has no command that tells whether it is connected
	ask      func(ctx context.Context, c client) Verdict
}

// stdio is an entry of the usual form.
func stdio(s Server) []member {
	return []member{{"command", quoted(s.Command)}, {"args", quotedAll(s.Args)}}
}

// typedStdio is such an entry that also says how the server is talked to.
func typedStdio(s Server) []member {
	return append([]member{{"type", quoted("stdio")}}, stdio(s)...)
}

var mcpServers = jsonConfig{servers: "mcpServers", entry: stdio}

// pick returns what belongs to the scope.
func (s Scope) pick(user, project string) string {
	if s == Project {
		return project
	}
	return user
}

// Agents are all that can be set up, in the order in which they are listed.
var Agents = []Agent{
	{
		Name: "claude-code", Title: "Claude Code", programs: []string{"claude"},
		format: jsonConfig{servers: "mcpServers", entry: typedStdio},
		config: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("CLAUDE_CONFIG_DIR"), ".claude.json"), m.project(".mcp.json"))
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("CLAUDE_CONFIG_DIR", ".claude"), "CLAUDE.md"), m.project("CLAUDE.md"))
		},
		approval: "start claude in this project and approve the server",
		ask:      askClaude,
	},
	{
		Name: "codex", Title: "Codex", programs: []string{"codex"},
		format: tomlConfig{servers: "mcp_servers", entry: func(s Server) []member {
			// Without this, runs that nobody watches cancel every call.
			return append(stdio(s), member{"default_tools_approval_mode", quoted("approve")})
		}},
		config: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("CODEX_HOME", ".codex"), "config.toml"), m.project(".codex", "config.toml"))
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("CODEX_HOME", ".codex"), "AGENTS.md"), m.project("AGENTS.md"))
		},
		approval: "start codex in this project and trust the folder",
		ask:      askCodex,
	},
	{
		Name: "opencode", Title: "opencode", programs: []string{"opencode"},
		format: jsonConfig{
			servers: "mcp", head: []member{{"$schema", quoted("https://opencode.ai/config.json")}},
			entry: func(s Server) []member {
				return []member{{"type", quoted("local")}, {"command", quotedAll(append([]string{s.Command}, s.Args...))}, {"enabled", json.RawMessage("true")}}
			},
		},
		config: func(m Machine, s Scope) string {
			dir := s.pick(filepath.Join(m.env("XDG_CONFIG_HOME", ".config"), "opencode"), m.Project)
			return firstThere(filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
		},
		guide: func(m Machine, s Scope) string {
			// It reads one file: to create AGENTS.md would hide a CLAUDE.md.
			own := s.pick(filepath.Join(m.env("XDG_CONFIG_HOME", ".config"), "opencode", "AGENTS.md"), m.project("AGENTS.md"))
			return firstThere(own, s.pick(m.home(".claude", "CLAUDE.md"), m.project("CLAUDE.md")))
		},
		ask: askOpencode,
	},
	{
		Name: "gemini", Title: "Gemini CLI", programs: []string{"gemini"}, format: mcpServers,
		config: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("GEMINI_CLI_HOME"), ".gemini", "settings.json"), m.project(".gemini", "settings.json"))
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(filepath.Join(m.env("GEMINI_CLI_HOME"), ".gemini", "GEMINI.md"), m.project("GEMINI.md"))
		},
		approval: "start gemini in this project and trust the folder",
		ask:      askGemini,
	},
	{
		Name: "vscode", Title: "VS Code", programs: []string{"code"},
		format: jsonConfig{servers: "servers", entry: typedStdio},
		config: func(m Machine, s Scope) string {
			return s.pick(m.appData("Code", "User", "mcp.json"), m.project(".vscode", "mcp.json"))
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(m.appData("Code", "User", "prompts", "ihmt.instructions.md"), m.project("AGENTS.md"))
		},
		head:     "---\napplyTo: \"**\"\n---\n",
		approval: "open the project in VS Code, run the command MCP: List Servers, choose ihmt and start it",
		restart:  "VS Code asks once whether to trust the server: say yes",
	},
	{
		Name: "cursor", Title: "Cursor", programs: []string{"cursor"}, format: mcpServers,
		config: func(m Machine, s Scope) string {
			return s.pick(m.home(".cursor", "mcp.json"), m.project(".cursor", "mcp.json"))
		},
		guide:    func(m Machine, s Scope) string { return s.pick("", m.project("AGENTS.md")) },
		approval: "open the project in Cursor and enable ihmt under Settings, MCP",
		restart:  "restart Cursor; Settings, MCP shows whether it is connected",
	},
	{
		Name: "windsurf", Title: "Windsurf", programs: []string{"windsurf"}, format: mcpServers,
		config: func(m Machine, s Scope) string {
			return s.pick(m.home(".codeium", "windsurf", "mcp_config.json"), "")
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(m.home(".codeium", "windsurf", "memories", "global_rules.md"), "")
		},
		restart: "press the refresh button of its MCP panel, or restart Windsurf",
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", format: mcpServers,
		config: func(m Machine, s Scope) string {
			return s.pick(m.appData("Claude", "claude_desktop_config.json"), "")
		},
		guide:   func(Machine, Scope) string { return "" },
		restart: "quit Claude Desktop and start it again",
	},
	{
		Name: "antigravity", Title: "Antigravity", programs: []string{"antigravity", "agy"}, format: mcpServers,
		config: func(m Machine, s Scope) string {
			user := m.home(".gemini", "config", "mcp_config.json")
			if old := m.home(".gemini", "antigravity", "mcp_config.json"); firstThere(filepath.Dir(user), old) == old {
				user = old
			}
			return s.pick(user, m.project(".agents", "mcp_config.json"))
		},
		guide: func(m Machine, s Scope) string {
			return s.pick(m.home(".gemini", "GEMINI.md"), m.project("AGENTS.md"))
		},
		approval: "open the project in Antigravity and trust the workspace",
		restart:  "refresh the list of MCP servers in Antigravity, or restart it",
	},
}

// program is where an agent's program is, "" where it is not found.
func (a Agent) program(m Machine) string {
	for _, name := range a.programs {
		if path, err := m.Find(name); err == nil {
			return path
		}
	}
	return ""
}

// configFile is the file that names servers in a scope, "" where there is none:
// in the home folder, the file of a project may be that of the user.
func (a Agent) configFile(m Machine, s Scope) string {
	path := a.config(m, s)
	if s == Project && path == a.config(m, User) {
		return ""
	}
	return path
}

// installed tells whether there are traces of an agent: its program, or the
// folder of its configuration.
func (a Agent) installed(m Machine) bool {
	if a.program(m) != "" {
		return true
	}
	config := a.config(m, User)
	if dir := filepath.Dir(config); filepath.Clean(dir) != filepath.Clean(m.Home) {
		config = dir
	}
	_, err := os.Stat(config)
	return err == nil
}

// block is what goes into the file with an agent's instructions.
func (a Agent) block(s Scope, text string) block { return block{head: s.pick(a.head, ""), text: text} }

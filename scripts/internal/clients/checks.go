package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tools are the tools of the server, each with arguments that it takes.
var tools = []struct {
	name string
	args []string
	says string
}{
	{"save_memory", []string{"content=2026-02-03: We chose SQLite for the queue, because one machine is enough."}, "aved"},
	{"search_memory", []string{"query=why SQLite for the queue"}, "one machine"},
	{"memory_timeline", nil, ""},
	{"project_map", []string{"path=."}, "main.go"},
	{"find_code", []string{"path=.", "query=greet"}, "greet"},
	{"read_file", []string{"path=main.go"}, "greet"},
	{"note", []string{"text=the build takes two minutes"}, ""},
	{"recall", []string{"query=build"}, ""},
	{"digest_output", []string{"label=build", "text=error: it broke"}, "it broke"},
}

// project writes a little source tree, for the tools that read code.
func (h *home) source() {
	h.put("work/main.go", "package main\n\n// greet says hello.\nfunc greet() string { return \"hello\" }\n\nfunc main() { println(greet()) }\n")
}

// inspect runs one method of the server through the inspector.
func (h *home) inspect(args ...string) answer {
	return h.run("mcp-inspector", slices.Concat([]string{"--cli", "-e", "IHMT_HOME=" + filepath.Join(h.dir, ".ihmt"), filepath.Join(h.bin, "ihmt"), "mcp", "--method"}, args)...)
}

func (h *home) inspectCall(tool string, args ...string) answer {
	line := []string{"tools/call", "--tool-name", tool}
	for _, arg := range args {
		line = append(line, "--tool-arg", arg)
	}
	return h.inspect(line...)
}

// inspector lists and calls every tool.
func (t *trial) inspector() {
	h := t.newHome("inspector", t.bin)
	h.source()
	a := h.inspect("tools/list")
	var list struct{ Tools []struct{ Name string } }
	json.Unmarshal([]byte(a.out), &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	t.check(a.code == 0 && len(names) == len(tools), "inspector lists %d tools: %s%s", len(names), strings.Join(names, " "), a.errs)
	for _, tool := range tools {
		a := h.inspectCall(tool.name, tool.args...)
		t.check(a.code == 0 && slices.Contains(names, tool.name) && strings.Contains(a.out, tool.says), "inspector calls %s%s", tool.name, excerpt(a, a.code == 0 && strings.Contains(a.out, tool.says)))
	}
	a = h.inspectCall("search_memory")
	t.check(a.code != 0, "inspector is told that a query is missing")
}

// excerpt is what a command said, where that is of interest.
func excerpt(a answer, fine bool) string {
	if fine {
		return ""
	}
	text := a.out + a.errs
	return fmt.Sprintf(": exit code %d, %.600s", a.code, text)
}

// settings are configurations as users have them.
func (h *home) settings() {
	h.put(".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"gone\": {\n      \"command\": \"false\"\n    }\n  }\n}")
	h.put(".claude/CLAUDE.md", "# Mine\n\nBe brief.")
	h.put(".codex/config.toml", "# mine\nmodel = \"gpt-5.5\" # for now\n\n[tui] # the screen\nnotifications = true\n")
	h.put(".config/opencode/opencode.json", "{\n\t// mine\n\t\"theme\": \"system\", /* for now */\n\t\"mcp\": {\n\t\t// nothing yet\n\t},\n}\n")
	h.put(".gemini/settings.json", "{\n  // mine\n  \"ui\": { \"theme\": \"Default\" }\n}\n")
}

var agents = []string{"claude-code", "codex", "opencode", "gemini"}

// user sets the agents up for a user who has them configured already.
func (t *trial) user() {
	h := t.newHome("user", t.bin)
	h.source()
	h.settings()
	before := h.configs()
	code, _ := h.setup(append([]string{"--dry-run"}, agents...)...)
	t.check(code == 0 && len(changed(before, h.configs())) == 0, "setup --dry-run writes nothing")
	code, states := h.setup(agents...)
	for _, name := range agents {
		t.check(states[name] == "connected", "setup: %s is %s", name, states[name])
	}
	t.check(code == 0, "setup ends with %d", code)
	h.seen()
	h.shared()
	once := h.configs()
	code, _ = h.setup(agents...)
	again := changed(once, h.configs())
	t.check(code == 0 && len(again) == 0, "setup a second time changes nothing %v", again)
	code, _ = h.setup(append([]string{"--remove"}, agents...)...)
	left := changed(before, h.configs())
	t.check(code == 0 && len(left) == 0, "setup --remove restores every file byte for byte %v", left)
}

// seen asks the agents, with their own commands, what they see.
func (h *home) seen() {
	a := h.run("claude", "mcp", "list")
	h.check(strings.Contains(line(a.out, "ihmt:"), "✔ Connected"), "claude mcp list: %s", line(a.out, "ihmt:"))
	a = h.run("opencode", "mcp", "list")
	h.check(strings.Contains(a.out, "✓ ihmt") && strings.Contains(a.out, "connected"), "opencode mcp list: %s", line(a.out, "ihmt"))
	a = h.run("env", "GEMINI_CLI_TRUST_WORKSPACE=true", "gemini", "mcp", "list")
	said := line(a.out+a.errs, "ihmt:")
	h.check(strings.Contains(said, "✓") && strings.Contains(said, "Connected"), "gemini mcp list: %s", said)
}

// line is the line of an output that mentions something.
func line(out, what string) string {
	for l := range strings.Lines(out) {
		if strings.Contains(l, what) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

// shared checks that what one agent saves, the others find.
func (h *home) shared() {
	said, err := h.codex("save_memory", map[string]any{"content": "2026-02-04: The deploy key lives in the blue cupboard."})
	h.check(err == nil && !strings.Contains(said, `"isError":true`), "codex saves%s", failure(err))
	a := h.inspectCall("search_memory", "query=where is the deploy key")
	h.check(a.code == 0 && strings.Contains(a.out, "blue cupboard"), "inspector finds what codex saved%s", excerpt(a, strings.Contains(a.out, "blue cupboard")))
	config := filepath.Join(h.dir, "mcporter.json")
	h.put("mcporter.json", fmt.Sprintf(`{"mcpServers":{"ihmt":{"command":%q,"args":["mcp","--path",%q]}}}`, filepath.Join(h.bin, "ihmt"), filepath.Join(h.dir, ".ihmt")))
	a = h.run("mcporter", "--config", config, "list")
	h.check(strings.Contains(a.out, "ihmt (9 tools"), "mcporter lists: %s", line(a.out, "ihmt"))
	a = h.run("mcporter", "--config", config, "call", "ihmt.search_memory", "query=deploy key", "--output", "json")
	h.check(strings.Contains(a.out, "blue cupboard"), "mcporter finds what codex saved%s", excerpt(a, strings.Contains(a.out, "blue cupboard")))
	a = h.run("mcporter", "--config", config, "call", "ihmt.save_memory", "content=2026-02-05: The release train leaves on Thursdays.", "--output", "json")
	said, err = h.codex("search_memory", map[string]any{"query": "release train"})
	h.check(err == nil && strings.Contains(said, "Thursdays"), "codex finds what mcporter saved%s", failure(err))
	a = h.run("ihmt", "search", "release", "train", "--json")
	h.check(strings.Contains(a.out, "Thursdays"), "ihmt search finds it too")
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// broken sets agents up with a server that does not start, and with one that
// starts once and never again, so that only the agents can tell.
func (t *trial) broken() {
	bin := filepath.Join(t.root, "broken-bin")
	must(os.CopyFS(bin, os.DirFS(t.bin)))
	server, real := filepath.Join(bin, "ihmt-mcp"), filepath.Join(t.bin, "ihmt-mcp")
	replace := func(script string) {
		must(os.Remove(server))
		must(os.WriteFile(server, []byte("#!/bin/sh\n"+script), 0o755))
	}
	replace("echo out of order >&2; exit 3\n")
	h := t.newHome("broken", bin)
	h.settings()
	before := h.configs()
	code, states := h.setup(agents...)
	for _, name := range agents {
		t.check(states[name] == "failed", "a server that does not start: %s is %s", name, states[name])
	}
	t.check(code == 2 && len(changed(before, h.configs())) == 0, "setup ends with %d and wrote nothing %v", code, changed(before, h.configs()))

	for _, name := range agents {
		flag := filepath.Join(t.root, "started-"+name)
		replace(fmt.Sprintf("[ -e %q ] && exit 3\n: > %q\nexec %q \"$@\"\n", flag, flag, real))
		code, states := h.setup(name)
		t.check(states[name] == "failed" && code == 2, "a server that breaks afterwards: %s is %s, setup ends with %d", name, states[name], code)
	}
	code, _ = h.setup(append([]string{"--remove"}, agents...)...)
	left := changed(before, h.configs())
	t.check(code == 0 && len(left) == 0, "setup --remove restores every file byte for byte %v", left)
}

// project sets the agents up for one project.
func (t *trial) project() {
	h := t.newHome("project", t.bin)
	h.source()
	must(os.Mkdir(filepath.Join(h.work(), ".git"), 0o755))
	h.put("work/AGENTS.md", "# The project\n")
	before := h.configs()
	code, states := h.setup(append([]string{"--scope", "project"}, agents...)...)
	for _, name := range agents {
		want := "approval"
		if name == "opencode" { // which starts a project's servers unasked
			want = "connected"
		}
		t.check(states[name] == want, "setup --scope project: %s is %s", name, states[name])
	}
	t.check(code == 1, "setup ends with %d", code)
	trusted := h.configs()[".codex/config.toml"]
	h.put(".codex/config.toml", fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", h.work()))
	_, states = h.setup("--scope", "project", "codex")
	t.check(states["codex"] == "connected", "in a trusted project codex is %s", states["codex"])
	if trusted == "" {
		must(os.Remove(filepath.Join(h.dir, ".codex", "config.toml")))
	}
	code, _ = h.setup(append([]string{"--remove", "--scope", "project"}, agents...)...)
	left := slices.DeleteFunc(changed(before, h.configs()), func(name string) bool { return !strings.HasPrefix(name, "work/") })
	t.check(code == 0 && len(left) == 0, "setup --remove restores every file of the project byte for byte %v", left)
}

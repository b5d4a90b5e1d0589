package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/text"
)

// States that an agent can be in.
const (
	Connected    = "connected"    // the agent itself says so
	Approval     = "approval"     // the user has to approve it first
	Answers      = "answers"      // the server answers, but the agent has no command to ask, or is not there
	Failed       = "failed"       // of which the detail says more
	Removed      = "removed"      // nothing of it is left
	Planned      = "planned"      // what a run without --dry-run would do
	Registered   = "registered"   // its configuration names the server; nobody was asked
	Unregistered = "unregistered" // its configuration does not
)

// A Verdict is what is known of an agent's connection to the server.
type Verdict struct {
	State  string `json:"state"`
	Detail string `json:"detail,omitempty"`
	Next   string `json:"next,omitempty"` // what the user is to do
}

// A client is the program of an agent that is to be asked.
type client struct {
	program string
	scope   Scope
	dir     string // where it is started
	next    string // what a user does to approve a server
}

// patience is how long an agent may take to answer.
const patience = 90 * time.Second

// run runs a client's command and returns what it prints, without colours.
func (c client) run(ctx context.Context, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 2 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", errors.New("it did not answer in time")
	}
	return plain(string(out)), err
}

// plain takes the sequences out that colour text on a terminal.
func plain(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		s = after[end+1:]
	}
}

// failed is the verdict on a client that could not be asked, or did not know
// the server.
func (c client) failed(out string, err error) Verdict {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	detail := strings.TrimSpace(lines[len(lines)-1])
	if err != nil {
		detail = strings.TrimSpace(fmt.Sprintf("%v: %s", err, detail))
	}
	if detail == "" {
		detail = "it does not list the server"
	}
	return Verdict{State: Failed, Detail: detail}
}

// lineWith returns the line of an output that mentions the server.
func lineWith(out string, mark func(line string) bool) (string, bool) {
	for line := range strings.Lines(out) {
		if mark(line) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}

// quiet keeps a client from doing more than it is asked for.
var quiet = []string{"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "NO_COLOR=1"}

func askClaude(ctx context.Context, c client) Verdict {
	out, err := c.run(ctx, quiet, "mcp", "get", serverName)
	status, ok := lineWith(out, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "Status:") })
	status = strings.TrimSpace(strings.TrimPrefix(status, "Status:"))
	switch {
	case !ok:
		return c.failed(out, err)
	case strings.Contains(status, "✔"):
		return Verdict{State: Connected, Detail: "claude mcp get: " + status}
	case strings.Contains(status, "Pending approval"):
		return Verdict{State: Approval, Detail: "claude mcp get: " + status, Next: c.next}
	}
	return Verdict{State: Failed, Detail: "claude mcp get: " + status}
}

func askOpencode(ctx context.Context, c client) Verdict {
	out, err := c.run(ctx, quiet, "mcp", "list")
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		for i := 1; i+1 < len(words); i++ {
			if words[i] != serverName {
				continue
			}
			said := "opencode mcp list: " + strings.Join(words[i-1:], " ")
			switch words[i-1] {
			case "✓":
				return Verdict{State: Connected, Detail: said}
			case "✗", "○":
				return Verdict{State: Failed, Detail: said}
			}
		}
	}
	return c.failed(out, err)
}

// askGemini asks twice where the folder is not trusted: Gemini CLI then starts
// no server at all, the user's own included.
func askGemini(ctx context.Context, c client) Verdict {
	v, disabled := c.askGeminiOnce(ctx, quiet)
	if !disabled {
		return v
	}
	trusted, _ := c.askGeminiOnce(ctx, append([]string{"GEMINI_CLI_TRUST_WORKSPACE=true"}, quiet...))
	switch {
	case trusted.State != Connected:
		return trusted
	case c.scope == Project:
		return Verdict{State: Approval, Detail: v.Detail, Next: c.next}
	}
	trusted.Detail += " (in folders that you trust: it is yet to ask about this one)"
	return trusted
}

func (c client) askGeminiOnce(ctx context.Context, env []string) (v Verdict, disabled bool) {
	out, err := c.run(ctx, env, "mcp", "list")
	line, ok := lineWith(out, func(line string) bool { return strings.Contains(line, " "+serverName+":") })
	status := line[strings.LastIndex(line, " - ")+1:]
	switch {
	case !ok:
		return c.failed(out, err), false
	case strings.HasPrefix(line, "✓"):
		return Verdict{State: Connected, Detail: "gemini mcp list: " + strings.TrimPrefix(status, "- ")}, false
	}
	return Verdict{State: Failed, Detail: "gemini mcp list: " + strings.TrimPrefix(status, "- ")}, strings.HasSuffix(line, "Disabled")
}

// askCodex talks to Codex's own server, since "codex mcp list" prints what is
// configured and starts nothing.
func askCodex(ctx context.Context, c client) Verdict {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := startPeer(ctx, "", c.program, append([]string{"RUST_LOG=off"}, quiet...),
		"app-server", "-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false")
	if err != nil {
		return c.failed("", err)
	}
	defer p.close()
	var started struct{ Thread struct{ ID string } }
	var list struct {
		Data []struct {
			Name       string
			ToolsError any
			Tools      map[string]any
		}
	}
	hello := map[string]any{"clientInfo": map[string]any{"name": "ihmt-setup", "title": "IHMT", "version": "1"}}
	err = p.call("initialize", hello, new(map[string]any))
	if err == nil {
		err = p.notify("initialized")
	}
	if err == nil {
		err = p.call("thread/start", map[string]any{"ephemeral": true, "cwd": c.dir}, &started)
	}
	if err == nil {
		err = p.call("mcpServerStatus/list", map[string]any{"threadId": started.Thread.ID}, &list)
	}
	if err != nil {
		return c.failed("", err)
	}
	for _, s := range list.Data {
		switch {
		case s.Name != serverName:
			continue
		case s.ToolsError != nil:
			return Verdict{State: Failed, Detail: fmt.Sprintf("codex app-server: %v", s.ToolsError)}
		case len(s.Tools) == 0:
			return Verdict{State: Failed, Detail: "codex app-server: no tools"}
		}
		return Verdict{State: Connected, Detail: "codex app-server: " + text.Counted(len(s.Tools), "tool", "tools")}
	}
	if c.scope == Project {
		return Verdict{State: Approval, Detail: "codex app-server: not listed, as the folder is not trusted", Next: c.next}
	}
	return c.failed("", nil)
}

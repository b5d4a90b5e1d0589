package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// packages are the agents that are tried. The versions are pinned: without
// one, npm picks an older build where the newest wants a newer Node.
var packages = []struct{ name, id, version string }{
	{"inspector", "@modelcontextprotocol/inspector", "2.12.0"},
	{"mcporter", "mcporter", "0.9.0"},
	{"claude-code", "@anthropic-ai/claude-code", "2.1.332"},
	{"codex", "@openai/codex", "0.171.0"},
	{"opencode", "opencode-ai", "1.18.33"},
	{"gemini", "@google/gemini-cli", "0.61.0"},
}

// install brings the packages into a folder, those that are not there yet.
func install(dir string) error {
	for _, p := range packages {
		to := filepath.Join(dir, p.name)
		if installed(to, p.id) == p.version {
			continue
		}
		fmt.Printf("installing %s %s\n", p.id, p.version)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		c := exec.Command("npm", "install", "--prefix", to, "--no-audit", "--no-fund", "--loglevel=error", p.id+"@"+p.version)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("npm install %s: %w\n%s", p.id, err, out)
		}
		if got := installed(to, p.id); got != p.version {
			return fmt.Errorf("npm installed version %q of %s, want %s", got, p.id, p.version)
		}
	}
	return nil
}

// installed is the version of a package in a folder, "" where it is not there.
func installed(dir, id string) string {
	data, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(id), "package.json"))
	var p struct{ Version string }
	if err != nil || json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Version
}

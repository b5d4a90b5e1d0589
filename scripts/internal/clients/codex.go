package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// codex starts Codex's own server and calls one tool of ours through it.
func (h *home) codex(tool string, arguments map[string]any) (string, error) {
	line := append(slices.Clone(h.offline), "env", "codex", "app-server", "-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false")
	c := exec.Command(line[0], line[1:]...)
	c.Dir, c.Env, c.WaitDelay = h.work(), append(h.env(), "RUST_LOG=off"), time.Second
	in, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	defer c.Wait()
	defer in.Close()
	timer := time.AfterFunc(patience, func() { c.Process.Kill() })
	defer timer.Stop()

	answers := bufio.NewReader(out)
	id := 0
	request := func(method string, params any, result any) error {
		id++
		message, _ := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
		if _, err := in.Write(append(message, '\n')); err != nil {
			return err
		}
		for {
			line, err := answers.ReadBytes('\n')
			if err != nil {
				return fmt.Errorf("codex app-server ended in %s: %w", method, err)
			}
			var a struct {
				ID     json.RawMessage
				Method string
				Result json.RawMessage
				Error  json.RawMessage
			}
			if json.Unmarshal(line, &a) != nil || a.Method != "" || string(a.ID) != fmt.Sprint(id) {
				continue
			}
			if a.Error != nil {
				return fmt.Errorf("%s: %s", method, a.Error)
			}
			return json.Unmarshal(a.Result, result)
		}
	}
	var started struct{ Thread struct{ ID string } }
	var result json.RawMessage
	if err := request("initialize", map[string]any{"clientInfo": map[string]any{"name": "trial", "title": "Trial", "version": "1"}}, &result); err != nil {
		return "", err
	}
	fmt.Fprintln(in, `{"method":"initialized"}`)
	if err := request("thread/start", map[string]any{"ephemeral": true, "cwd": h.work()}, &started); err != nil {
		return "", err
	}
	err = request("mcpServer/tool/call", map[string]any{"threadId": started.Thread.ID, "server": "ihmt", "tool": tool, "arguments": arguments}, &result)
	return string(result), err
}

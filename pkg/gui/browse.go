package gui

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// browse opens the browser. The address holds the token, and arguments can be
// seen by everybody on the machine, so the browser is given a file that only
// this user can read and that leads there.
func browse(address string) error {
	dir, err := os.MkdirTemp("", "ihmt-gui-")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "open.html")
	page := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%[1]s"><title>IHMT</title><a href="%[1]s">IHMT</a>`, html.EscapeString(address))
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return err
	}
	time.AfterFunc(time.Minute, func() { os.RemoveAll(dir) })
	program, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		os.RemoveAll(dir)
		return err
	}
	go cmd.Wait()
	return nil
}

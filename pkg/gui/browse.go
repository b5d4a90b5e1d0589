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

// browse opens the browser; forget is to be called in the end. The address holds the token, and arguments can be
// seen by everybody on the machine, so the browser is given a file that only
// this user can read and that leads there.
func browse(address string) (forget func(), err error) {
	dir, err := os.MkdirTemp("", "ihmt-gui-")
	if err != nil {
		return func() {}, err
	}
	forget = func() { os.RemoveAll(dir) }
	file := filepath.Join(dir, "open.html")
	page := fmt.Sprintf(`<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%[1]s"><title>IHMT</title><a href="%[1]s">IHMT</a>`, html.EscapeString(address))
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return forget, err
	}
	time.AfterFunc(time.Minute, forget)
	program, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return forget, err
	}
	go cmd.Wait()
	return forget, nil
}

//go:build !unix

package summarize

import "os/exec"

func shellCommand(line string) []string { return []string{"cmd", "/C", line} }

// inGroup and endGroup leave a command as it is: there are no process groups
// to signal here, and its context ends the process itself.
func inGroup(*exec.Cmd)  {}
func endGroup(*exec.Cmd) {}

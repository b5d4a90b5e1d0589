//go:build unix

package summarize

import (
	"os/exec"
	"syscall"
)

func shellCommand(line string) []string { return []string{"/bin/sh", "-c", line} }

// inGroup makes a command the head of a process group, all of which ends when
// its context does.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends what a finished command left running.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

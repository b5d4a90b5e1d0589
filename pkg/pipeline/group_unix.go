//go:build unix

package pipeline

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// A group is the process group of a pipeline, led by its first stage.
type group struct {
	mu     sync.Mutex
	leader int // 0: there is none to signal
}

func newGroup() (*group, error) { return &group{}, nil }

func (g *group) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader}
	dieWithParent(cmd.SysProcAttr)
	err := cmd.Start()
	if err == nil && g.leader == 0 {
		g.leader = cmd.Process.Pid
	}
	return err
}

func (g *group) end()  { g.signal(syscall.SIGTERM) }
func (g *group) kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(s syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.leader != 0 {
		syscall.Kill(-g.leader, s)
	}
}

// close forgets the group: once its processes are gone, its number may
// become another's.
func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leader = 0
}

// readerLeft tells whether a process ended because nobody read on.
func readerLeft(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGPIPE
}

package pipeline

import (
	"errors"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: what runs in it ends when its last handle closes,
// which the system sees to when this process dies.
type group struct{ job windows.Handle }

func newGroup() (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	return &group{job}, nil
}

func (g *group) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	var assigned error
	err := cmd.Process.WithHandle(func(handle uintptr) {
		assigned = windows.AssignProcessToJobObject(g.job, windows.Handle(handle))
	})
	if err = errors.Join(err, assigned); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return err
}

func (g *group) end()   { g.kill() }
func (g *group) kill()  { windows.TerminateJobObject(g.job, 2) }
func (g *group) close() { windows.CloseHandle(g.job) }

// readerLeft tells whether a process ended because nobody read on; here the
// tools see that as an error of writing and end with 0.
func readerLeft(*os.ProcessState) bool { return false }

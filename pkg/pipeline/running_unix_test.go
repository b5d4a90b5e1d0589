//go:build unix

package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// running tells whether a process is there and more than a zombie, which
// stays for as long as nobody waits for it.
func running(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return syscall.Kill(pid, 0) == nil && !bytes.Contains(stat, []byte(") Z "))
}

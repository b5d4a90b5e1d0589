//go:build torture

package disk

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
)

// FaultEnv names the environment variable that builds for torture obey: the
// kind of a change, the start of its name, which one of them, and what
// happens. "before", "half" and "after" end the process around the change;
// the name of an error makes it fail, from then on.
//
//	rename layers/2/ 1 before
//	write state/journal/ 3 half
//	sync layer_0/ 2 EIO
const FaultEnv = "IHMT_FAULT"

var errnos = map[string]syscall.Errno{"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "EROFS": syscall.EROFS, "EMFILE": syscall.EMFILE, "EDQUOT": syscall.EDQUOT}

func init() {
	fault := os.Getenv(FaultEnv)
	if fault == "" {
		return
	}
	var kind, start, what string
	var which int64
	if _, err := fmt.Sscan(fault, &kind, &start, &which, &what); err != nil {
		panic(fmt.Sprintf("%s is %q, want KIND START WHICH WHAT", FaultEnv, fault))
	}
	var seen atomic.Int64
	Intercept = func(op Op, make func(Op) error) error {
		if op.Kind != kind || !strings.HasPrefix(op.Name, start) && !strings.HasPrefix(op.To, start) {
			return make(op)
		}
		n := seen.Add(1)
		errno, fails := errnos[what]
		switch {
		case fails && n >= which:
			op.Data = op.Data[:len(op.Data)/2]
			if kind == Write {
				make(op)
			}
			return errno
		case n != which:
			return make(op)
		case what == "half":
			op.Data = op.Data[:len(op.Data)/2]
			make(op)
		case what == "after":
			make(op)
		}
		die()
		return nil
	}
}

// die ends the process as kill -9 would.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		self.Kill()
	}
	select {}
}

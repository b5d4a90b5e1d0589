//go:build unix && !linux

package pipeline

import "syscall"

// dieWithParent can only leave it to the closed pipes here.
func dieWithParent(*syscall.SysProcAttr) {}

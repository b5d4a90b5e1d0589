//go:build unix

package store

import "syscall"

func setUmask(mask int) int { return syscall.Umask(mask) }

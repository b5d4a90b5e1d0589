package project

import (
	"io/fs"
	"syscall"
)

// identity returns the change time and the inode.
func identity(info fs.FileInfo) (ctime int64, inode uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino
	}
	return 0, 0
}

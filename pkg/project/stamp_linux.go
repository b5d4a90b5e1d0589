package project

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity returns the change time and the inode.
func identity(info fs.FileInfo) (ctime int64, inode uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino
	}
	return 0, 0
}

// A statter tells the stamps of what is in a folder. It asks the system itself,
// from the folder on: a check of a tree asks for each of its files.
type statter struct{ root *os.File }

func newStatter(dir string) (statter, error) {
	root, err := os.Open(dir)
	return statter{root}, err
}

func (s statter) close() { s.root.Close() }

// at is the stamp of what a slashed path below the folder names.
func (s statter) at(path string) stamp {
	var st unix.Stat_t
	if err := unix.Fstatat(int(s.root.Fd()), path, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return absent
	}
	found := stamp{mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		found.size = st.Size
	case unix.S_IFDIR:
	default:
		return absent
	}
	return found
}

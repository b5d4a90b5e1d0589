package project

import (
	"io/fs"
	"os"
	"time"
)

// A stamp is what shows that a file or folder is still the one that was read.
type stamp struct {
	size         int64
	mtime, ctime int64 // Unix nanoseconds
	inode        uint64
}

// Stamps that stand for something else. The last is never equal to what is
// found.
var (
	absent    = stamp{size: -1}
	folder    = stamp{size: -2} // of which only that it is there counts
	untrusted = stamp{size: -3}
)

// settling is how old a change must be for its time to tell it from any later
// one: FAT counts in steps of two seconds.
const settling = 2 * time.Second

// stampOf is the stamp of a file, or of a folder whose content counts.
func stampOf(info fs.FileInfo) stamp {
	if !info.IsDir() && !info.Mode().IsRegular() {
		return absent
	}
	s := stamp{mtime: info.ModTime().UnixNano()}
	if !info.IsDir() {
		s.size = info.Size()
	}
	s.ctime, s.inode = identity(info)
	return s
}

// settled is a stamp to note, untrusted where something in it is younger than a
// time.
func (s stamp) settled(since time.Time) stamp {
	if young := since.UnixNano(); s.mtime >= young || s.ctime >= young {
		return untrusted
	}
	return s
}

// askedStamp is the stamp of what was looked for to know the rules.
func askedStamp(path string) stamp {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return absent
	case info.IsDir():
		return folder
	}
	return stampOf(info)
}

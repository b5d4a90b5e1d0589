//go:build !linux

package project

import (
	"os"
	"path/filepath"
)

// A statter tells the stamps of what is in a folder.
type statter struct{ dir string }

func newStatter(dir string) (statter, error) { return statter{dir}, nil }

func (statter) close() {}

// at is the stamp of what a slashed path below the folder names.
func (s statter) at(path string) stamp {
	info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(path)))
	if err != nil {
		return absent
	}
	return stampOf(info)
}

//go:build !windows

package project

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestHostileTrees(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	write(t, outside, "secret.go", "package secret\n\nfunc Secret() {}\n")
	write(t, dir, "ok.go", "package ok\n\nfunc Fine() {}\n")
	write(t, dir, "binary.go", "package b\x00\x01\x02")
	write(t, dir, "latin.py", "def caf\xe9():\n    return 1\n")
	write(t, dir, "deep.js", strings.Repeat("{", 100000))
	write(t, dir, "one.json", "["+strings.Repeat(`{"a":1},`, 100000)+"1]")
	write(t, dir, "empty.go", "")
	write(t, dir, "blank.go", "\n\n \n")
	big, err := os.Create(filepath.Join(dir, "big.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(50 << 20); err != nil {
		t.Fatal(err)
	}
	big.Close()
	os.Symlink(".", filepath.Join(dir, "loop"))
	os.Symlink(outside, filepath.Join(dir, "out"))
	os.Symlink(filepath.Join(outside, "secret.go"), filepath.Join(dir, "link.go"))
	write(t, dir, "bad\xff.go", "package bad\n\nfunc Bad() {}\n")
	write(t, dir, "bad\xfe/x.go", "package bad\n\nfunc Bad() {}\n")
	write(t, dir, "line\nbreak.go", "package bad\n\nfunc Bad() {}\n")
	write(t, dir, "\"quoted\".go", "package quoted\n\nfunc Quoted() {}\n")
	syscall.Mkfifo(filepath.Join(dir, "pipe.go"), 0o600)
	write(t, dir, "closed/x.go", "package closed\n")
	os.Chmod(filepath.Join(dir, "closed"), 0)
	defer os.Chmod(filepath.Join(dir, "closed"), 0o700)
	p := open(t, dir)
	for _, name := range []string{"Fine", "café", "Quoted"} {
		if a := find(t, p, Query{Query: name}); len(a.Results) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
	for _, name := range []string{"Secret", "Bad"} {
		if a := find(t, p, Query{Query: name}); len(a.Results) != 0 && strings.Contains(a.Results[0].Content, name) {
			t.Errorf("%s is found: %s", name, first(a))
		}
	}
}

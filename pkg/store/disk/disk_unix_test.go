//go:build unix

package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Other goroutines may take every file that a process can open: a change that
// fails then removes what it wrote all the same.
func TestAFailedReplaceNeedsNoFileToCleanUp(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	failed := errors.New("the rest of the text is gone")
	err = Replace(root, "a/b/text", func(w io.Writer) error {
		io.WriteString(w, "half of ")
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
			t.Fatal(err)
		}
		return failed
	})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, failed) {
		t.Errorf("the error is %v, want %v", err, failed)
	}
	left, err := os.ReadDir(filepath.Join(dir, "a", "b"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ihmt/ihmt/pkg/record"
)

var bin string // folder for the tools

func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "ihmt-bin-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(bin)
	os.Exit(code)
}

// build builds all tools with the tag torture.
var build = sync.OnceValue(func() error {
	build := exec.Command("go", "build", "-tags", "torture", "-o", bin+string(filepath.Separator), "../../../cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

func tools(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds all tools")
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return bin
}

// A disk is a small file system of its own, and a memory on it.
type smallDisk struct {
	*testing.T
	bin, dir string
	promise  *promise
}

// small mounts a file system of so many KiB.
func small(t *testing.T, size int) *smallDisk {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("wants Linux, to mount a small file system")
	}
	d := &smallDisk{t, tools(t), t.TempDir(), newPromise()}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk,mode=0700", size), "tmpfs", d.dir).CombinedOutput(); err != nil {
		t.Skipf("a small file system cannot be mounted here (that takes root): %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", d.dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return d
}

// remount makes the file system read-only ("ro"), or not ("rw").
func (d *smallDisk) remount(how string) {
	d.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+how, d.dir).CombinedOutput(); err != nil {
		d.Fatalf("remount: %s", out)
	}
}

// fill leaves so many KiB free; empty takes that back.
func (d *smallDisk) fill(free int) {
	d.Helper()
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	if err != nil {
		d.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Truncate((info.Size()/4096 - int64(free/4)) * 4096)
	}
	if err != nil {
		d.Fatal(err)
	}
}

func (d *smallDisk) empty() {
	d.Helper()
	if err := os.Remove(filepath.Join(d.dir, "filler")); err != nil {
		d.Fatal(err)
	}
}

// run runs a tool under a limit of open files, 0 for none. What it
// acknowledges is promised.
func (d *smallDisk) run(files int, in string, tool string, args ...string) (code int, out, said string) {
	d.Helper()
	command := append([]string{filepath.Join(d.bin, tool)}, append(args, "--path", d.dir)...)
	if files > 0 {
		command = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, files), "sh"}, command...)
	}
	cmd := exec.Command(command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		d.Fatal(err)
	}
	for line := range strings.Lines(stdout.String()) {
		if r, err := record.Parse([]byte(line)); err == nil && r.Kind() == record.KindLeaf && r.Str("status") != "" {
			word, _, _ := strings.Cut(r.Str("content"), " ")
			d.promise.leaves[r.Str("leaf_id")] = note{word: word, checksum: r.Str("checksum"), retired: true}
		}
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// fails runs something that must fail with a word, and harm nothing.
func (d *smallDisk) fails(word string, files int, in, tool string, args ...string) {
	d.Helper()
	code, _, said := d.run(files, in, tool, args...)
	if code != 2 || !strings.Contains(said, word) || strings.Contains(said, "goroutine") || strings.Count(said, "\n") > 3 {
		d.Errorf("%s %v: exit code %d, want 2 and %q:\n%.2000s", tool, args, code, word, said)
	}
	d.whole(false)
}

func (d *smallDisk) succeeds(in, tool string, args ...string) {
	d.Helper()
	if code, _, said := d.run(0, in, tool, args...); code != 0 {
		d.Errorf("%s %v: exit code %d:\n%.2000s", tool, args, code, said)
	}
	d.whole(true)
}

// whole holds the memory against what was acknowledged.
func (d *smallDisk) whole(all bool) {
	d.Helper()
	if err := d.promise.broken(memoryOf(d.dir), rand.New(rand.NewPCG(1, 1)), all); err != nil {
		d.Fatal(err)
	}
}

// notes are chunks of so many KiB each.
func notes(name string, n, size int) string {
	var lines []byte
	for i := range n {
		c := record.Chunk{Source: fmt.Sprint(name, i), Domain: "sea", DataType: record.TypeCode, Timestamp: "2026-02-03",
			Content: fmt.Sprintf("zq%s%d ", name, i) + strings.Repeat("harbour lantern copper ", size*1024/23)}
		lines = append(record.New(record.KindChunk, c).Append(lines), '\n')
	}
	return string(lines)
}

// text is a file that becomes one leaf.
func (d *smallDisk) text() string {
	name := filepath.Join(d.TempDir(), "harbour.md")
	if err := os.WriteFile(name, []byte("zqtext says that the harbour is closed in winter.\n"), 0o600); err != nil {
		d.Fatal(err)
	}
	return name
}

func TestAFullDisk(t *testing.T) {
	d := small(t, 2048)
	d.succeeds(notes("a", 70, 2), "ihmt-store", "put")
	const full = "no space left on device"
	d.fill(40)
	d.fails(full, 0, notes("b", 40, 3), "ihmt-store", "put")
	d.fill(8)
	d.fails(full, 0, "", "ihmt-summarize", "--force")
	d.fill(0)
	d.fails(full, 0, notes("c", 1, 1), "ihmt-store", "put")
	text := d.text()
	d.fails(full, 0, "", "ihmt", "ingest", text)
	if code, out, said := d.run(0, "", "ihmt-nav", "search", "harbour"); code != 0 && code != 3 || !strings.Contains(out, `"kind":"result"`) {
		t.Errorf("search: exit code %d: %s", code, said)
	}
	d.empty()
	d.succeeds(notes("b", 40, 3), "ihmt-store", "put")
	d.succeeds("", "ihmt-summarize", "--force")
	d.succeeds("", "ihmt", "ingest", text)
}

func TestAReadOnlyDisk(t *testing.T) {
	d := small(t, 2048)
	d.succeeds(notes("a", 10, 1), "ihmt-store", "put")
	d.remount("ro")
	const readOnly = "read-only file system"
	d.fails(readOnly, 0, notes("b", 1, 1), "ihmt-store", "put")
	d.fails(readOnly, 0, "", "ihmt-summarize", "--force")
	d.fails(readOnly, 0, "", "ihmt-store", "rebuild")
	if code, out, said := d.run(0, "", "ihmt-nav", "search", "harbour"); code != 0 && code != 3 || !strings.Contains(out, `"kind":"result"`) {
		t.Errorf("search: exit code %d: %s", code, said)
	}
	if code, _, said := d.run(0, "", "ihmt-store", "verify"); code != 0 {
		t.Errorf("verify: exit code %d: %s", code, said)
	}
	d.remount("rw")
	d.succeeds(notes("b", 1, 1), "ihmt-store", "put")
	d.succeeds("", "ihmt-summarize", "--force")
}

// With few files open everything works or says why it does not. (With fewer
// than about ten the runtime of Go itself does not start.)
func TestFewOpenFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such limit")
	}
	for _, files := range []int{12, 24} {
		d := &smallDisk{t, tools(t), t.TempDir(), newPromise()}
		d.succeeds(notes("a", 30, 1), "ihmt-store", "put")
		for _, c := range [][]string{{notes("b", 60, 1), "ihmt-store", "put"}, {"", "ihmt-summarize", "--force"}, {"", "ihmt-nav", "search", "zqa1"}, {"", "ihmt-store", "verify"}, {"", "ihmt-store", "rebuild"}, {"", "ihmt", "ingest", d.text()}} {
			code, _, said := d.run(files, c[0], c[1], c[2:]...)
			if code != 0 && (code != 2 || !strings.Contains(said, "too many open files")) || strings.Contains(said, "goroutine") {
				t.Errorf("%d files, %v: exit code %d:\n%.2000s", files, c[1:], code, said)
			}
			d.whole(false)
			d.succeeds(c[0], c[1], c[2:]...)
		}
	}
}

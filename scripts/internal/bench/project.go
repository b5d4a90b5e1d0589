package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// projectMode is the argument that measures the index of a source tree.
const projectMode = "project"

// goPackages of Go's own library are the tree to measure where none is named:
// about a thousand files.
var goPackages = []string{"net", "go", "encoding", "archive", "compress"}

func runProject(args []string) error {
	flags := flag.NewFlagSet(projectMode, flag.ContinueOnError)
	runs := flags.Int("runs", 10, "runs of each measurement")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ihmt-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b := &bench{ctx: context.Background(), options: options{runs: *runs}, dir: dir, self: self, bin: filepath.Join(dir, "bin")}
	if err := os.CopyFS(b.bin, os.DirFS(filepath.Dir(filepath.Dir(self)))); err != nil {
		return err
	}
	files, err := b.plant(flags.Args())
	if err != nil {
		return err
	}
	fmt.Printf("%d files; %d runs; in %s\n", files, b.runs, dir)
	if err := b.project(files); err != nil {
		return err
	}
	b.print(os.Stdout)
	return b.missed()
}

func (b *bench) tree() string { return filepath.Join(b.dir, "tree") }

// plant copies the trees to measure into one, commits it with git and returns
// its number of files.
func (b *bench) plant(dirs []string) (files int, err error) {
	if len(dirs) == 0 {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return 0, fmt.Errorf("no tree is named, and go env GOROOT: %w", err)
		}
		for _, name := range goPackages {
			dirs = append(dirs, filepath.Join(strings.TrimSpace(string(root)), "src", name))
		}
	}
	for _, dir := range dirs {
		from, err := filepath.Abs(dir)
		if err != nil {
			return 0, err
		}
		err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(from, path)
			to := filepath.Join(b.tree(), filepath.Base(from), rel)
			switch {
			case err != nil || d.Name() == ".git":
				return errors.Join(err, skipFolder(d))
			case d.IsDir():
				return os.MkdirAll(to, 0o700)
			case !d.Type().IsRegular():
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			return os.WriteFile(to, data, 0o600)
		})
		if err != nil {
			return 0, err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", "tree"}} {
		if _, err := pipe(b.ctx, nil, false, command{argv: append([]string{"git", "-C", b.tree()}, args...)}); err != nil {
			return 0, err
		}
	}
	return files, nil
}

// skipFolder passes a folder over, and a file too.
func skipFolder(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// project compares the index with tools that do less: ctags lists symbols, git
// looks for changes, an empty program starts.
func (b *bench) project(files int) error {
	home := filepath.Join(b.dir, "indexes")
	if err := os.Setenv("IHMT_PROJECTS_DIR", home); err != nil {
		return err
	}
	run := func(fine []int, argv ...string) trial {
		return trial{run: func(int) error {
			_, err := pipe(b.ctx, nil, false, command{argv, fine})
			return err
		}}
	}
	tool := b.tool("ihmt-project")
	sync := run(nil, tool, "sync", b.tree())
	sync.before = func(int) error { return os.RemoveAll(home) }
	took, err := alternate(b.runs, true, sync, run(nil, "ctags", "--quiet", "--options=NONE", "-R", "-f", filepath.Join(b.dir, "tags"), b.tree()))
	if err != nil {
		return err
	}
	b.atMost(fmt.Sprintf("first sync of %d files / ctags -R", files), over(took[0], took[1]), times, 3, true, both(took[0], took[1]))
	time.Sleep(2500 * time.Millisecond) // from then on times are trusted
	if err := run(nil, tool, "sync", b.tree()).run(0); err != nil {
		return err
	}
	took, err = alternate(4*b.runs, true, run(nil, tool, "sync", b.tree()), run(nil, "git", "-C", b.tree(), "status", "--porcelain"))
	if err != nil {
		return err
	}
	b.atMost("sync with nothing changed / git status", over(took[0], took[1]), times, 2, true, both(took[0], took[1]))
	found := run([]int{1, 3}, tool, "find", b.tree(), "close idle connections")
	took, err = alternate(4*b.runs, true, found, run(nil, b.tool(filepath.Join("internal", "empty"))))
	if err != nil {
		return err
	}
	b.atMost("find / an empty program", over(took[0], took[1]), times, 5, true, both(took[0], took[1]))
	return nil
}

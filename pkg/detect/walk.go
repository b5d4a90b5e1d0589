package detect

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree is told what [Walk] meets. Paths are absolute. Folder and Asked may be
// nil.
type Tree struct {
	// File gets a file that the rules take, which has not been opened. A wanted
	// one is named by .ihmtignore and taken even where it looks generated.
	File func(path string, info fs.FileInfo, wanted bool) error
	// Skip gets what is left out and why; missed tells that it could not be
	// read.
	Skip func(path, reason string, missed bool) error
	// Folder gets a folder before what it holds.
	Folder func(path string)
	// Asked gets the files and folders that were looked for to know the rules,
	// there or not: where none of them and no folder changes, the same files
	// are taken again.
	Asked func(path string)
}

// Walk tells what the rules of the package take and leave out of a folder, in
// path order, without opening any file but those that hold rules. It ends at
// the first error that the tree returns.
func Walk(dir string, t Tree) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w := &walk{Tree: t}
	w.base = cmp.Or(w.repository(dir), dir)
	rules, err := w.rules(nil, "", filepath.Join(".git", "info", "exclude"))
	if err != nil {
		return err
	}
	inside := strings.Trim(slashed(strings.TrimPrefix(dir, w.base)), "/")
	for above := ""; above != inside; {
		if rules, err = w.rules(rules, above, ignoreFiles...); err != nil {
			return err
		}
		next, _, _ := strings.Cut(strings.TrimPrefix(inside[len(above):], "/"), "/")
		above = path.Join(above, next)
	}
	return w.folder(inside, rules)
}

func (c *collector) walk(dir string) error {
	return Walk(dir, Tree{
		File: func(path string, info fs.FileInfo, wanted bool) error { return c.file(path, info, false, wanted) },
		Skip: func(path, reason string, missed bool) error {
			if missed {
				return c.miss(slashed(path), reason)
			}
			return c.leave(slashed(path), reason)
		},
	})
}

// A walk takes the files of one folder. Its base is the root of the git
// repository around the folder, or the folder itself: rules are relative to it.
type walk struct {
	Tree
	base string
}

func (w *walk) leave(path, reason string) error { return w.Skip(path, reason, false) }
func (w *walk) miss(path, reason string) error  { return w.Skip(path, reason, true) }

func (w *walk) asked(path string) {
	if w.Asked != nil {
		w.Asked(path)
	}
}

// repository returns the nearest folder at or above dir that holds .git.
func (w *walk) repository(dir string) string {
	for {
		w.asked(filepath.Join(dir, ".git"))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// rules adds those of a folder's ignore files; one that cannot be read
// excludes nothing, and is missed.
func (w *walk) rules(rules *ruleset, dir string, files ...string) (*ruleset, error) {
	for _, file := range files {
		w.asked(filepath.Join(w.base, dir, file))
		var err error
		if rules, err = rules.with(w.base, dir, file); err != nil {
			if err = w.miss(filepath.Join(w.base, dir, file), reasonOf(err)); err != nil {
				return nil, err
			}
		}
	}
	return rules, nil
}

// folder takes everything below a folder, in path order.
func (w *walk) folder(rel string, rules *ruleset) error {
	dir := filepath.Join(w.base, filepath.FromSlash(rel))
	if w.Folder != nil {
		w.Folder(dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return w.miss(dir, reasonOf(err))
	}
	if rules, err = w.rules(rules, rel, ignoreFiles...); err != nil {
		return err
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(pathKey(a), pathKey(b)) })
	for _, e := range entries {
		if err := w.entry(path.Join(rel, e.Name()), e, rules, names); err != nil {
			return err
		}
	}
	return nil
}

// entry takes a file or folder unless its name, a rule or its nature forbids.
func (w *walk) entry(rel string, e fs.DirEntry, rules *ruleset, beside map[string]bool) error {
	full := filepath.Join(w.base, filepath.FromSlash(rel))
	verdict := rules.verdict(rel, e.IsDir())
	wanted := verdict != nil && verdict.negate && verdict.file == ownIgnoreFile
	switch {
	case e.Name() == ".git", strings.HasPrefix(e.Name(), ".") && !wanted:
		return w.leave(full, "hidden")
	case verdict != nil && !verdict.negate:
		return w.leave(full, "excluded by "+verdict.file)
	case e.Type()&fs.ModeSymlink != 0:
		return w.leave(full, "symbolic link; name it to take what it leads to")
	case e.IsDir() && !wanted && isVendored(full, e.Name(), beside):
		return w.leave(full, "vendored")
	case e.IsDir():
		return w.folder(rel, rules)
	case !e.Type().IsRegular():
		return w.leave(full, "not a regular file")
	}
	info, err := e.Info()
	if err != nil {
		return w.miss(full, reasonOf(err))
	}
	return w.File(full, info, wanted)
}

// pathKey sorts a folder where its files stand among the paths beside it.
func pathKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

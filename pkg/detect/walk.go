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

// A walk takes the files of one folder. Its base is the root of the git
// repository around the folder, or the folder itself: rules are relative to it.
type walk struct {
	*collector
	base string
}

func (c *collector) walk(dir string) error {
	w := &walk{collector: c, base: cmp.Or(repository(dir), dir)}
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

// repository returns the nearest folder at or above dir that holds .git.
func repository(dir string) string {
	for {
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
		var err error
		if rules, err = rules.with(w.base, dir, file); err != nil {
			if err = w.miss(slashed(filepath.Join(w.base, dir, file)), reasonOf(err)); err != nil {
				return nil, err
			}
		}
	}
	return rules, nil
}

// folder takes everything below a folder, in path order.
func (w *walk) folder(rel string, rules *ruleset) error {
	dir := filepath.Join(w.base, filepath.FromSlash(rel))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return w.miss(slashed(dir), reasonOf(err))
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
		return w.leave(slashed(full), "hidden")
	case verdict != nil && !verdict.negate:
		return w.leave(slashed(full), "excluded by "+verdict.file)
	case e.Type()&fs.ModeSymlink != 0:
		return w.leave(slashed(full), "symbolic link; name it to take what it leads to")
	case e.IsDir() && !wanted && isVendored(full, e.Name(), beside):
		return w.leave(slashed(full), "vendored")
	case e.IsDir():
		return w.folder(rel, rules)
	case !e.Type().IsRegular():
		return w.leave(slashed(full), "not a regular file")
	}
	info, err := e.Info()
	if err != nil {
		return w.miss(slashed(full), reasonOf(err))
	}
	return w.file(full, info, false, wanted)
}

// pathKey sorts a folder where its files stand among the paths beside it.
func pathKey(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/natefinch/atomic"
)

// A content is one thing that is put into a file and taken out of it again.
type content interface {
	set(data []byte) ([]byte, error)
	unset(data []byte) ([]byte, error)
	holds(data []byte) bool // whether it is in there, put there by this program
	empty(data []byte) bool // whether nothing is left that it did not bring
}

// maxSize is how large a file may be that is edited.
const maxSize = 64 << 20

// A file is one that an agent reads, as it was when it was read.
type file struct {
	path   string // as it is named
	target string // where it is, once links are followed
	mode   fs.FileMode
	data   []byte
	exists bool
	made   int // how many folders were made for one that was not there
}

// read reads a file; one that is not there is empty.
func read(path string) (file, error) {
	f := file{path: path, target: path, mode: 0o600}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return f, fmt.Errorf("%s is a link to what does not exist; mend or remove it", path)
		}
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.target = target
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, fmt.Errorf("%s is no ordinary file", path)
	case info.Size() > maxSize:
		return f, fmt.Errorf("%s is larger than %d MB", path, maxSize>>20)
	}
	f.mode, f.exists = info.Mode().Perm(), true
	f.data, err = os.ReadFile(target)
	return f, err
}

// Actions that a change stands for.
const (
	Create = "create"
	Edit   = "edit"
	Delete = "delete"
	Keep   = "keep" // nothing is to be done
)

// A Change is what is to become of one file.
type Change struct {
	File   string `json:"file"`
	Action string `json:"action"`
	Diff   string `json:"diff,omitempty"`   // the lines that change, as a unified diff without context
	Backup string `json:"backup,omitempty"` // where the file as it was is kept

	from  file
	to    []byte
	undo  bool     // it takes something out
	note  string   // what the user should know of it
	stale []string // backups that are of no use afterwards
	made  []string // folders that were made for it, and are of no use once it is gone
}

// adding is the change that puts a content into a file.
func adding(path string, c content) (Change, error) {
	f, err := read(path)
	if err != nil {
		return Change{}, err
	}
	to, err := c.set(f.data)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	return f.becomes(to, false), nil
}

// removing is the change that takes a content out of a file again: the file
// as it was, where it has not changed since, else the file without it.
func removing(path string, c content) (Change, error) {
	f, err := read(path)
	if err != nil {
		return Change{}, err
	}
	to, err := c.unset(f.data)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	if !f.exists || bytes.Equal(to, f.data) {
		return f.becomes(f.data, false), nil
	}
	original, backup, ok := f.original()
	takenOver := ok && c.holds(original.data) && f.wroteOnce(backup)
	if ok && (takenOver || !c.holds(original.data)) {
		change := f.becomes(original.data, !original.exists)
		change.Backup, change.undo, change.stale = "", true, []string{backup}
		change.made = f.folders(original.made)
		if takenOver {
			change.note = fmt.Sprintf("%s has again what stood there before setup; --remove once more takes that out too", path)
		}
		return change, nil
	}
	change := f.becomes(to, c.empty(to) && len(f.backups("")) == 0)
	change.undo, change.stale = true, f.backups(newSuffix)
	if change.Backup = ""; change.Action != Delete {
		change.Backup = backupName(f.target, to) + removedSuffix
	}
	if earlier := f.takenOver(c); earlier != "" {
		change.note = fmt.Sprintf("%s has changed since setup edited it, so what stood there before under the same name was not put back; it is in %s", path, earlier)
	}
	return change, nil
}

// wroteOnce tells whether a backup is of the only edit of a file: then what
// it holds was not put there by an earlier one.
func (f file) wroteOnce(backup string) bool {
	all := append(f.backups(""), f.backups(newSuffix)...)
	return len(all) == 1 && all[0] == backup
}

// takenOver is the only backup of a file if it holds the content already: one
// that this program has not put there.
func (f file) takenOver(c content) string {
	all := append(f.backups(""), f.backups(newSuffix)...)
	if len(all) != 1 {
		return ""
	}
	if b, err := read(all[0]); err != nil || !c.holds(b.data) {
		return ""
	}
	return all[0]
}

func (f file) becomes(to []byte, gone bool) Change {
	c := Change{File: f.path, Action: Edit, from: f, to: to}
	switch {
	case gone:
		c.Action = Delete
	case bytes.Equal(to, f.data):
		c.Action = Keep
		return c
	case !f.exists:
		c.Action = Create
	}
	if _, earlier, ok := f.original(); f.exists && !(ok && strings.HasSuffix(earlier, newSuffix)) {
		c.Backup = backupName(f.target, to)
	}
	edits := udiff.Lines(string(f.data), string(to))
	if diff, err := udiff.ToUnified(f.path, f.path, string(f.data), edits, 0); err == nil {
		_, diff, _ = strings.Cut(diff, "\n") // the two lines with the name
		_, c.Diff, _ = strings.Cut(diff, "\n")
	}
	return c
}

// errChanged tells that a file is no longer what it was when it was read.
var errChanged = errors.New("the file changed meanwhile")

// write does what the change says, if the file is still as it was.
func (c *Change) write(perm fs.FileMode) error {
	if c.Action == Keep {
		return nil
	}
	now, err := read(c.from.path)
	if err != nil {
		return err
	}
	if now.exists != c.from.exists || !bytes.Equal(now.data, c.from.data) {
		return errChanged
	}
	if !c.from.exists {
		c.from.made = missing(filepath.Dir(c.from.target))
	}
	if err := os.MkdirAll(filepath.Dir(c.from.target), 0o700|perm&0o044|(perm&0o044)>>2); err != nil {
		return err
	}
	if err := c.backUp(); err != nil {
		return fmt.Errorf("%s is left as it is: no backup could be made: %w", c.File, err)
	}
	if c.Action == Delete {
		err = os.Remove(c.from.target)
	} else {
		err = c.replace(perm)
	}
	for _, backup := range c.stale {
		if err == nil {
			err = os.Remove(backup)
		}
	}
	return err
}

// missing is how many folders of a path are not there.
func missing(dir string) int {
	n := 0
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		n++
	}
	return n
}

// folders are the innermost n that a file is in.
func (f file) folders(n int) []string {
	var all []string
	for dir := filepath.Dir(f.target); len(all) < n; dir = filepath.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

// prune removes folders that are empty, and returns the others.
func prune(folders []string) (left []string) {
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) }) // those within others first
	for _, dir := range folders {
		if info, err := os.Lstat(dir); err == nil && (!info.IsDir() || os.Remove(dir) != nil) {
			left = append(left, dir)
		}
	}
	return left
}

func (c *Change) replace(perm fs.FileMode) error {
	if c.from.exists {
		perm = c.from.mode
	}
	if err := atomic.WriteFile(c.from.target, bytes.NewReader(c.to)); err != nil {
		return err
	}
	return os.Chmod(c.from.target, perm)
}

// A backup stands beside its file and is named after what the file became:
// config.toml.ihmt-0123456789abcdef. So it is known, when the edit is to be
// undone, whether anything else changed since.
const (
	newSuffix     = "-new"     // there was no file; it says how many folders were made for it
	removedSuffix = "-removed" // the file before something was cut out of it
)

func backupName(target string, became []byte) string {
	sum := sha256.Sum256(became)
	return target + ".ihmt-" + hex.EncodeToString(sum[:8])
}

// backUp keeps the file as it was. The backup of an earlier edit, with no
// other since, stays the one to go back to.
func (c *Change) backUp() error {
	if c.undo && c.Backup == "" {
		return nil
	}
	if c.undo {
		return c.from.copyTo(c.Backup)
	}
	was := c.from
	if original, earlier, ok := c.from.original(); ok {
		was, c.stale = original, append(c.stale, earlier)
	}
	next := backupName(c.from.target, c.to)
	if !was.exists {
		next += newSuffix
	}
	return was.copyTo(next)
}

func (f file) copyTo(name string) error {
	data := f.data
	if !f.exists {
		data = fmt.Appendln(nil, f.made)
	}
	if err := atomic.WriteFile(name, bytes.NewReader(data)); err != nil {
		return err
	}
	return os.Chmod(name, f.mode)
}

// original returns what the file was before the edit that made it what it is.
func (f file) original() (file, string, bool) {
	name := backupName(f.target, f.data)
	if said, err := os.ReadFile(name + newSuffix); err == nil {
		made, _ := strconv.Atoi(strings.TrimSpace(string(said)))
		return file{path: f.path, target: f.target, mode: 0o600, made: min(made, 9)}, name + newSuffix, true
	}
	b, err := read(name)
	return b, name, err == nil && b.exists
}

// backups are the names of a file's backups with a suffix.
func (f file) backups(suffix string) []string {
	all, _ := filepath.Glob(globQuote(f.target) + ".ihmt-" + strings.Repeat("[0-9a-f]", 16) + suffix)
	return all
}

func globQuote(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}

// follow renames the backup of a file that its own agent has rewritten
// meanwhile, as some do whenever they start, so that it can still be undone.
func (c *Change) follow() {
	if c.Action == Keep {
		return
	}
	now, err := read(c.from.path)
	if err != nil || bytes.Equal(now.data, c.to) {
		return
	}
	wrote := c.from
	wrote.data = c.to
	_, earlier, ok := wrote.original()
	if !ok {
		return
	}
	next := backupName(now.target, now.data)
	if strings.HasSuffix(earlier, newSuffix) {
		os.Rename(earlier, next+newSuffix)
		return
	}
	if os.Rename(earlier, next) == nil {
		c.Backup = next
	}
}

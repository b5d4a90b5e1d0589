// Package store keeps a memory: one folder of text files, of which the leaves
// (and the tombstones of removed ones) are the only source of truth.
//
//	root.json                       the trunk, and the commit point of the tree
//	layer_0/<domain>/<leaf_id>.txt  the leaves
//	layers/<n>/<node_id>.json       branches of layer n
//	state/journal/000001.jsonl …    a line for each leaf stored, retired or removed
//	state/tables/<name>.terms       term tables (package terms)
//	state/spine.tsv                 which branch stands under which
//	tombstones.jsonl                ids and dates of removed leaves
//	ihmt.config.json                settings
//
// Writing is appending: a [Writer] writes leaf files, then journal lines, and
// acknowledges when both are on the disk. Growing the tree (package summarize)
// prepares branches and tables and then replaces root.json, which is the one
// step that changes what readers see. A reader takes a [Snapshot]: the trunk,
// its tables, and the journal from where the tree ended. Two locks, on files
// that are never deleted: "write" around a commit, "grow" around a growth.
//
// Files are 0600, folders 0700. All reading goes through an os.Root, and
// folders are checked through it before anything is written in them, so that
// no symlink leads outside the memory.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/ihmt/ihmt/pkg/store/disk"
	"github.com/ihmt/ihmt/pkg/text"
)

// ErrNoMemory means that a folder holds no memory yet.
var ErrNoMemory = errors.New("no memory here")

// A Store is an open memory.
type Store struct {
	Settings Settings
	Analyzer *text.Analyzer
	Notify   func(string) // told of a wait for a lock, and of what was mended or holds again; may be nil

	dir         string
	root        *os.Root
	mu          sync.Mutex
	folders     map[string]bool // known to be folders of the memory
	journalPart int             // in which the trunk, as read last, says that the journal goes on
	filesOpened int
	bytesRead   int64
}

// Open opens the memory in a folder. Without one it fails with ErrNoMemory.
func Open(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: %s does not exist; save something first, or run ihmt-store init", ErrNoMemory, dir)
	case err != nil:
		return nil, unusable(err)
	}
	s := &Store{dir: dir, root: root, folders: map[string]bool{}}
	if err := s.prepare(); err != nil {
		root.Close()
		return nil, err
	}
	return s, nil
}

// Create opens the memory in a folder, and makes it where there is none. A
// folder that holds something else is refused.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unusable(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unusable(err)
	}
	if len(entries) > 0 && !looksLikeMemory(dir) {
		return nil, fmt.Errorf("%s holds other files and no memory: choose an empty folder with --path", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, root: root, folders: map[string]bool{}}
	if err := s.found(); err != nil {
		root.Close()
		return nil, err
	}
	if err := s.prepare(); err != nil {
		root.Close()
		return nil, err
	}
	return s, nil
}

// found makes the folders that every memory has, and makes their names last.
// Where something has been journalled, they do already.
func (s *Store) found() error {
	settled := s.journalled()
	if !settled {
		if err := disk.SyncAbove(s.dir); err != nil {
			return unusable(err)
		}
	}
	for _, folder := range []string{"layer_0", "layers", "state", "state/journal", "state/tables"} {
		if settled && s.trust(folder) {
			continue
		}
		if err := s.mkdir(folder); err != nil {
			return err
		}
	}
	return nil
}

// journalled tells whether the journal has had lines.
func (s *Store) journalled() bool {
	if _, err := s.root.Lstat(trunkName); err == nil {
		return true
	}
	info, err := s.root.Lstat(partName(1))
	return err == nil && info.Size() > 0
}

// trust takes it that the name of a folder that is there lasts.
func (s *Store) trust(name string) bool {
	info, err := s.root.Lstat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	s.mu.Lock()
	s.folders[name] = true
	s.mu.Unlock()
	return true
}

func unusable(err error) error {
	return fmt.Errorf("cannot use the folder of the memory: %w; choose one of your own with --path", err)
}

func looksLikeMemory(dir string) bool {
	for _, name := range []string{"root.json", "layer_0", "state", configName} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

func (s *Store) prepare() error {
	if _, err := s.root.Lstat("layer_0"); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s has no layer_0; is it the right folder?", ErrNoMemory, s.dir)
	}
	err := s.loadSettings()
	if err != nil {
		return err
	}
	s.Analyzer, err = text.NewAnalyzer(s.Settings.Languages)
	return err
}

// Close releases the memory.
func (s *Store) Close() error { return s.root.Close() }

// Dir is the folder of the memory.
func (s *Store) Dir() string { return s.dir }

// mkdir makes a folder of the memory and makes it last; a symlink in its way
// is refused. One that is there may have been made by a process that was
// killed before its name lasted.
func (s *Store) mkdir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mkdirLocked(name)
}

func (s *Store) mkdirLocked(name string) error {
	if name == "." || s.folders[name] {
		return nil
	}
	if err := s.mkdirLocked(path.Dir(name)); err != nil {
		return err
	}
	info, err := s.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; move it away", s.file(name))
	}
	if err := disk.Folder(s.root, name); err != nil {
		return fmt.Errorf("cannot make %s: %w", s.file(name), cause(err))
	}
	s.folders[name] = true
	return nil
}

func (s *Store) file(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// writeFile replaces a file of the memory as one step: written beside it,
// synced, renamed. The folder must be synced before the name itself lasts.
func (s *Store) writeFile(name string, data []byte) error {
	if err := s.mkdir(path.Dir(name)); err != nil {
		return err
	}
	return s.replaceBy(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func (s *Store) replaceBy(name string, fill func(io.Writer) error) error {
	if err := disk.Replace(s.root, name, fill); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file(name), cause(err))
	}
	return nil
}

// cause is an error of the disk without the name of the file, which may be a
// temporary one.
func cause(err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		return at.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// replaceFile is writeFile and the sync of the folder.
func (s *Store) replaceFile(name string, data []byte) error {
	if err := s.writeFile(name, data); err != nil {
		return err
	}
	return s.syncFolder(path.Dir(name))
}

// syncFolder makes the names in a folder last.
func (s *Store) syncFolder(name string) error {
	if err := disk.SyncNames(s.root, name); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.file(name), cause(err))
	}
	return nil
}

// open opens a file of the memory. Where a symlink leads out of it, the error
// names the symlink. It does not wait for the other end of a named pipe.
func (s *Store) open(name string, flag int) (*os.File, error) {
	f, err := s.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	for at := range name + "/" {
		if at < len(name) && name[at] != '/' {
			continue
		}
		info, linkErr := s.root.Lstat(name[:at])
		if linkErr != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if _, err := s.root.Stat(name[:at]); err != nil {
			return nil, fmt.Errorf("%s is a symlink that leads out of the memory; put what it stands for in its place, or delete it and run ihmt-store rebuild", s.file(name[:at]))
		}
	}
	return nil, err
}

// readFile reads a file of the memory, up to a limit in bytes.
func (s *Store) readFile(name string, limit int64) ([]byte, error) {
	f, err := s.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", s.file(name), limit>>20)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file; move it away", s.file(name))
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	data = data[:n]
	s.mu.Lock()
	s.filesOpened++
	s.bytesRead += int64(len(data))
	s.mu.Unlock()
	return data, nil
}

// Opened returns how many files were opened for reading, and how many bytes
// of them were read.
func (s *Store) Opened() (files int, bytes int64) { return s.filesOpened, s.bytesRead }

// maxLeaf is how large a leaf's file may be.
const maxLeaf = 512 << 20

// Leaf reads a leaf by its id.
func (s *Store) Leaf(id string) (*Leaf, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	name := LeafPath(id)
	data, err := s.readFile(name, maxLeaf)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no leaf %s in %s: %w", id, s.dir, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	l, err := parseLeaf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file(name), err)
	}
	return l, nil
}

// How long to wait for a lock: a word after a second, an error after this.
const lockTimeout = 2 * time.Minute

// lock takes one of the two locks and returns how to release it.
func (s *Store) lock(name string) (unlock func(), err error) {
	file := "state/" + name + ".lock"
	if err := s.mkdir("state"); err != nil {
		return nil, err
	}
	if info, err := s.root.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file; remove it", s.file(file))
	}
	l := flock.New(s.file(file), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	word := time.AfterFunc(time.Second, func() {
		if s.Notify != nil {
			s.Notify(fmt.Sprintf("waiting for the %s lock of %s, held by %s", name, s.dir, s.holder(name)))
		}
	})
	defer word.Stop()
	ok, err := l.TryLockContext(ctx, 2*time.Millisecond)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || (err == nil && !ok):
		return nil, fmt.Errorf("the %s lock of %s was held by %s for %v; is it stuck?", name, s.dir, s.holder(name), lockTimeout)
	case err != nil:
		return nil, err
	}
	s.setHolder(name, fmt.Sprintf("%s (process %d)", filepath.Base(os.Args[0]), os.Getpid()))
	return func() { l.Unlock() }, nil
}

// The name of who took a lock last stands beside it, for messages only.
func (s *Store) setHolder(name, who string) {
	f, err := s.open("state/"+name+".holder", os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err == nil {
		f.WriteString(who)
		f.Close()
	}
}

func (s *Store) holder(name string) string {
	if b, err := s.readFile("state/"+name+".holder", 200); err == nil && len(b) > 0 {
		return string(b)
	}
	return "another process"
}

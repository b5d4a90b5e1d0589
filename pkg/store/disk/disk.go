// Package disk makes every change that a store makes to its folder: each is
// one [Op], made through a handle on the folder, so that no symlink leads out
// of it. Tests put an [Interceptor] in between, which may record a change,
// fail it, make half of it, or end the process.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// The kinds of changes.
const (
	Create     = "create"   // a new file
	Open       = "open"     // an old file for writing
	Write      = "write"    // Data at Offset
	Truncate   = "truncate" // to Offset bytes
	Sync       = "sync"     // what was written lasts
	Rename     = "rename"   // to To, in place of what is there
	Link       = "link"     // a second name, To
	Remove     = "remove"
	Mkdir      = "mkdir"
	SyncFolder = "syncfolder" // the names in the folder last
)

// An Op is one change to the disk. Names are relative to the folder, with
// forward slashes.
type Op struct {
	Kind   string
	Name   string
	To     string
	Offset int64
	Data   []byte
}

// An Interceptor is called in place of a change; make makes it, as it is or
// altered. It may be called from several goroutines at once.
type Interceptor func(op Op, make func(Op) error) error

// Intercept is nil but in tests, which set it before a store is opened.
var Intercept Interceptor

func change(op Op, make func(Op) error) error {
	if Intercept == nil {
		return make(op)
	}
	return Intercept(op, make)
}

// A File is open for writing.
type File struct {
	file *os.File
	name string
}

// OpenFile opens a file to be written in place; with os.O_CREATE it is made
// where there is none. It does not wait for the other end of a named pipe.
func OpenFile(root *os.Root, name string, flag int) (*File, error) {
	f := &File{name: name}
	open := func(flag int) func(Op) error {
		return func(Op) (err error) {
			f.file, err = root.OpenFile(name, flag|syscall.O_NONBLOCK, 0o600)
			return err
		}
	}
	err := change(Op{Kind: Open, Name: name}, open(flag&^os.O_CREATE))
	if flag&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
		err = change(Op{Kind: Create, Name: name}, open(flag))
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ReadAt reads from an offset.
func (f *File) ReadAt(data []byte, at int64) (int, error) { return f.file.ReadAt(data, at) }

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Write appends at the place that the file is at.
func (f *File) Write(data []byte) (n int, err error) {
	at, err := f.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	err = f.WriteAt(data, at)
	if err == nil {
		_, err = f.file.Seek(at+int64(len(data)), io.SeekStart)
	}
	return len(data), err
}

// WriteAt writes all of the data at an offset.
func (f *File) WriteAt(data []byte, at int64) error {
	return change(Op{Kind: Write, Name: f.name, Offset: at, Data: data}, func(op Op) error {
		_, err := f.file.WriteAt(op.Data, op.Offset)
		return err
	})
}

// Truncate cuts the file off.
func (f *File) Truncate(size int64) error {
	return change(Op{Kind: Truncate, Name: f.name, Offset: size}, func(op Op) error { return f.file.Truncate(op.Offset) })
}

// Sync makes what was written last.
func (f *File) Sync() error {
	return change(Op{Kind: Sync, Name: f.name}, func(Op) error { return f.file.Sync() })
}

// Close releases the file.
func (f *File) Close() error { return f.file.Close() }

// Replace puts a file in the place of a name as one step: fill writes it
// beside the name, it is synced, then renamed. The new name lasts once the
// folder is synced. The folder is held open meanwhile, so that what a failure
// leaves is removed even where no more files can be opened.
func Replace(root *os.Root, name string, fill func(io.Writer) error) error {
	folder, err := root.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	f, err := temporary(folder, name)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = change(Op{Kind: Rename, Name: f.name, To: name}, func(op Op) error { return folder.Rename(path.Base(op.Name), path.Base(op.To)) })
	}
	if err != nil {
		change(Op{Kind: Remove, Name: f.name}, func(op Op) error { return folder.Remove(path.Base(op.Name)) })
	}
	return err
}

// temporary creates a file beside a name, which is in the folder.
func temporary(folder *os.Root, name string) (*File, error) {
	f := &File{}
	err := beside(name, func(free string) error {
		f.name = free
		return change(Op{Kind: Create, Name: free}, func(op Op) (err error) {
			f.file, err = folder.OpenFile(path.Base(op.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			return err
		})
	})
	return f, err
}

// Keep gives a file a second name beside its own, under which it stays when it
// is replaced: Move brings it back, which takes no room on the disk. Some file
// systems have no second names.
func Keep(root *os.Root, name string) (kept string, err error) {
	err = beside(name, func(free string) error {
		kept = free
		return change(Op{Kind: Link, Name: name, To: free}, func(op Op) error { return root.Link(op.Name, op.To) })
	})
	if err != nil {
		kept = ""
	}
	return kept, err
}

// beside calls make with temporary names, a name with digits after it, until
// one is free.
func beside(name string, make func(free string) error) error {
	for range 100 {
		err := make(name + strconv.FormatUint(uint64(rand.Uint32()), 10))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return &fs.PathError{Op: Create, Path: name, Err: fs.ErrExist}
}

// Move gives a file or folder another name, which lasts once its folder and the
// one that it was in are synced.
func Move(root *os.Root, name, to string) error {
	return change(Op{Kind: Rename, Name: name, To: to}, func(op Op) error { return root.Rename(op.Name, op.To) })
}

// Delete deletes a file; one that is gone is no error.
func Delete(root *os.Root, name string) error {
	err := change(Op{Kind: Remove, Name: name}, func(op Op) error { return root.Remove(op.Name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Folder makes a folder, where it is not there, and makes its name last.
func Folder(root *os.Root, name string) error {
	err := change(Op{Kind: Mkdir, Name: name}, func(op Op) error { return root.Mkdir(op.Name, 0o700) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncNames(root, path.Dir(name))
}

// SyncNames makes the names in a folder last.
func SyncNames(root *os.Root, name string) error {
	return change(Op{Kind: SyncFolder, Name: name}, func(op Op) error { return syncNames(root.Open(op.Name)) })
}

// SyncAbove makes the names of a folder and of those above it last, as far up
// as they may be read.
func SyncAbove(dir string) error {
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		err := change(Op{Kind: SyncFolder, Name: above}, func(op Op) error { return syncNames(os.Open(op.Name)) })
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil || above == filepath.Dir(above) {
			return err
		}
	}
}

func syncNames(folder *os.File, err error) error {
	if err != nil {
		return err
	}
	defer folder.Close()
	if runtime.GOOS == "windows" {
		return nil // has no such call; renames there are journalled
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // nor have some file systems
	}
	return err
}

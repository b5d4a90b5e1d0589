// Package project finds code in a source tree.
//
// For each tree there is an index under one folder for all of them: one entry
// per symbol (function, method, type, constant …) as a span of lines of its
// source file, and one per block of files in which no symbols are known. No
// source is copied. The index is a cache: it can be deleted at any time, and
// one that cannot be read is made anew.
//
// # What is in an index
//
//	state.tsv     the files and folders of the tree as they were when they were
//	              read, and the tables in force; replaced in one step
//	<time>.terms  term tables (package terms), never changed
//	lock          held by whoever brings the index up to date
//
// There are at most two tables: one with most files, and one with those that
// changed since it was written. A file's line in state.tsv says in which table
// its entries stand; what no file claims is dead and is dropped when the tables
// are merged.
//
// # When it is current
//
// Every call compares each folder, each file and each file of ignore rules with
// what is noted of it: size, modification time and, where the system has them,
// change time and inode. If all agree nothing else is read. A file that differs
// is read, and its entries are made anew unless its SHA-256 is the one noted. A
// time that is younger than two seconds is not trusted and not noted, for a
// second change within a clock tick would not show. What an answer prints is
// cut out of bytes that had the noted SHA-256 at that moment.
package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ihmt/ihmt/pkg/text"
)

// HomeEnv names the folder of all indexes; without it they are in
// ihmt_projects beside the memory.
const HomeEnv = "IHMT_PROJECTS_DIR"

// A Project is a source tree with its index.
type Project struct {
	// Progress is told how many of the changed files have been read; may be
	// nil.
	Progress func(done, total int)
	// Notify is told of a wait for another process; may be nil.
	Notify func(string)

	dir      string // of the tree, absolute, without symbolic links
	index    string // folder of its index
	analyzer *text.Analyzer
	settling time.Duration
}

// Open returns the project of a folder. Its index stands below home and is
// made by the first call that needs it.
func Open(home, dir string) (*Project, error) {
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; name the folder of a source tree", err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder; name the folder of a source tree", dir)
	}
	if home == "" {
		return nil, errors.New("no folder for the index: set " + HomeEnv)
	}
	analyzer, err := text.NewAnalyzer([]string{"en"})
	if err != nil {
		return nil, err
	}
	return &Project{dir: real, index: filepath.Join(home, indexName(real)), analyzer: analyzer, settling: settling}, nil
}

// Dir is the folder of the tree, absolute and without symbolic links.
func (p *Project) Dir() string { return p.dir }

// indexName names the index of a tree: what people call it, and a hash of
// where it is.
func indexName(dir string) string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	sum := sha256.Sum256([]byte(dir))
	return strings.Trim(slug[:min(len(slug), 40)], "-") + "-" + hex.EncodeToString(sum[:6])
}

// path returns where a file of the tree is, given slashed and relative.
func (p *Project) path(rel string) string {
	return p.dir + string(filepath.Separator) + filepath.FromSlash(rel)
}

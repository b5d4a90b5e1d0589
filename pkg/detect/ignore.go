package detect

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFiles are read in each folder, the later one having the last word.
var ignoreFiles = []string{".gitignore", ownIgnoreFile}

// A negated rule ("!docs/.notes/") in this one takes what a walk would leave
// out as hidden, vendored or generated.
const ownIgnoreFile = ".ihmtignore"

// A rule is one line of an ignore file. Git's manual, gitignore(5), defines it.
type rule struct {
	file    string // that holds it
	dir     string // the folder it speaks about, slashed, relative to the walk's base
	glob    string
	negate  bool // "!": taken after all
	folders bool // "/" at the end: folders only
	rooted  bool // a "/" within: the path from dir, else any name below it
}

// A ruleset holds the rules of a folder and of all folders above it.
type ruleset struct {
	above *ruleset
	rules []rule
}

// verdict returns the rule that decides about a path, slashed and relative to
// the walk's base: the last that matches, those of deeper folders before those
// above them; nil where none does.
func (s *ruleset) verdict(name string, isDir bool) *rule {
	for ; s != nil; s = s.above {
		for i := len(s.rules) - 1; i >= 0; i-- {
			if s.rules[i].matches(name, isDir) {
				return &s.rules[i]
			}
		}
	}
	return nil
}

func (r *rule) matches(name string, isDir bool) bool {
	if r.folders && !isDir {
		return false
	}
	if r.rooted {
		name = strings.TrimPrefix(strings.TrimPrefix(name, r.dir), "/")
	} else {
		name = path.Base(name)
	}
	ok, err := doublestar.Match(r.glob, name)
	return ok && err == nil
}

// maxIgnoreFile is the largest ignore file, in bytes, that is read.
const maxIgnoreFile = 1 << 20

// with returns s and the rules of one ignore file of a folder, if it is there.
// As git does, it takes regular files only: a link may lead anywhere.
func (s *ruleset) with(base, dir, file string) (*ruleset, error) {
	name := filepath.Join(base, filepath.FromSlash(dir), file)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return s, nil
	}
	if info.Size() > maxIgnoreFile {
		return s, fmt.Errorf("larger than %d MiB", maxIgnoreFile>>20)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return s, err
	}
	own := &ruleset{above: s}
	for line := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			r.file, r.dir = path.Base(filepath.ToSlash(file)), dir
			own.rules = append(own.rules, r)
		}
	}
	return own, nil
}

func parseRule(line string) (r rule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	line, r.negate = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	r.rooted = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	r.glob = globOf(line)
	return r, line != ""
}

// globOf writes a pattern of git's as doublestar reads it, to which braces
// mean a choice and a final /** the folder itself too.
func globOf(pattern string) string {
	pattern = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(pattern)
	if rest, ok := strings.CutSuffix(pattern, "/**"); ok {
		return rest + "/**/*"
	}
	return pattern
}

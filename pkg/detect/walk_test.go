package detect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/record"
)

// tree makes a folder of files, each named by a slashed path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// walked returns the files that a walk takes, and what it leaves out with the
// reasons, relative to dir.
func walked(t *testing.T, dir string, args ...string) (taken []string, left map[string]string, err error) {
	t.Helper()
	if len(args) == 0 {
		args = []string{dir}
	}
	rel := func(source string) string {
		r, err := filepath.Rel(dir, filepath.FromSlash(source))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(r)
	}
	left = map[string]string{}
	err = Each(args, nil, Options{}, func(r *record.Record) error {
		if r.Kind() == record.KindDocument {
			taken = append(taken, rel(r.Str("source")))
		}
		return nil
	}, func(s record.Skipped) error {
		left[rel(s.Source)] = s.Reason
		return nil
	})
	return taken, left, err
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	home := filepath.Dir(dir)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", args, err)
	}
	return string(out)
}

// gitTakes returns what git would add to a repository, without hidden files.
func gitTakes(t *testing.T, dir string) []string {
	var names []string
	for name := range strings.SplitSeq(git(t, dir, "ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
		if name != "" && !strings.HasPrefix(name, ".") && !strings.Contains(name, "/.") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestIgnoreFilesAsGitReadsThem(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	dir := tree(t, map[string]string{
		".gitignore": "# comment\n*.log\n!keep.log\n/only-root.txt\ntmp/\n\\#odd\n\\!bang\ntrail.txt  \nspace\\ \n" +
			"a/**/z.txt\n**/deep.txt\nlogs/**\n!logs/\n[ab]x.txt\n[!ab]y.txt\nfile?.dat\nbrace{1,2}.txt\nmid/dle.txt\ncrlf.txt\r\nun[closed\nq**q.txt\n*.tar.gz\n/docs/*\n!/docs/keep.md\n",
		"sub/.gitignore": "!only-sub.log\nlocal.txt\n/rooted.txt\n*.md\n!note.md\n",
		"only-root.txt":  "x", "sub/only-root.txt": "x", "a.log": "x", "keep.log": "x", "sub/only-sub.log": "x", "sub/b.log": "x",
		"tmp/x.txt": "x", "sub/tmp": "a file", "#odd": "x", "!bang": "x", "trail.txt": "x", "space ": "x", "a/z.txt": "x", "a/b/z.txt": "x", "a/b/c/z.txt": "x",
		"deep.txt": "x", "q/w/deep.txt": "x", "logs/in.txt": "x", "logs/d/in.txt": "x", "ax.txt": "x", "cx.txt": "x", "ay.txt": "x", "cy.txt": "x",
		"file1.dat": "x", "file12.dat": "x", "brace1.txt": "x", "brace{1,2}.txt": "x", "mid/dle.txt": "x", "x/mid/dle.txt": "x", "crlf.txt": "x",
		"un[closed": "x", "qabcq.txt": "x", "x.tar.gz": "x", "docs/keep.md": "x", "docs/drop.md": "x", "sub/local.txt": "x", "sub/k/local.txt": "x",
		"sub/rooted.txt": "x", "sub/k/rooted.txt": "x", "sub/a.md": "x", "sub/note.md": "x", "sub/k/note.md": "x", "excluded.txt": "x", "a-b": "x", "a.b": "x",
	})
	git(t, dir, "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("excluded.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := gitTakes(t, dir)
	taken, left, err := walked(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(taken, want) {
		t.Errorf("taken %q\nwant  %q\nleft %v", taken, want, left)
	}
	// The rules of the folders above hold for a folder that is named.
	taken, _, err = walked(t, dir, filepath.Join(dir, "sub"))
	want = slices.DeleteFunc(want, func(n string) bool { return !strings.HasPrefix(n, "sub/") })
	if err != nil || !slices.Equal(taken, want) {
		t.Errorf("in sub: taken %q\nwant  %q, %v", taken, want, err)
	}
}

// Left out are patterns such as "a**/b", in which git cuts the literal start off
// first and so takes the ** for one that stands alone.
func TestRandomIgnoreFilesAsGitReadsThem(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to compare with")
	}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	names := []string{"a", "b", "ab", "ba", "a.b", "abc"}
	pattern := func() string {
		var p strings.Builder
		p.WriteString(pick("", "", "", "!", "/", "!/", "**/"))
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				p.WriteByte('/')
			}
			p.WriteString(pick("a", "b", "ab", "*", "**", "a*", "*b", "?", "[ab]", "[!a]*", "a.b", "*.b", `\a`, "{a,b}"))
		}
		return p.String() + pick("", "", "", "/", "/**", "/*")
	}
	for range 25 {
		files := map[string]string{}
		for range 25 {
			files[pick(names...)+"/"+pick(names...)+"/"+pick(names...)+"1"] = "x"
			files[pick(names...)+"/"+pick(names...)+"2"] = "x"
			files[pick(names...)+"3"] = "x"
		}
		for _, dir := range []string{"", "a/", "a/b/"} {
			lines := []string{}
			for range 1 + r.IntN(4) {
				lines = append(lines, pattern())
			}
			files[dir+".gitignore"] = strings.Join(lines, "\n") + "\n"
		}
		dir := tree(t, files)
		git(t, dir, "init", "-q")
		want := gitTakes(t, dir)
		taken, _, err := walked(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(taken, want) {
			t.Errorf("%q %q %q:\ntaken %q\nwant  %q", files[".gitignore"], files["a/.gitignore"], files["a/b/.gitignore"], taken, want)
		}
	}
}

func TestWhatAWalkLeavesOut(t *testing.T) {
	dir := tree(t, map[string]string{
		"b.txt": "text", "a/x.txt": "text", "a.txt": "text", "a-b.txt": "text",
		".hidden.txt": "x", ".cache/x.txt": "x", ".notes/x.txt": "x",
		"node_modules/m/index.js": "x", "web/package.json": "{}", "web/dist/app.js": "x", "cmd/dist/main.go": "package main",
		"venv/pyvenv.cfg": "home = /usr", "venv/lib.py": "x", "rust/Cargo.toml": "x", "rust/target/d.txt": "x",
		"gen.go": "// Code generated by hand. DO NOT EDIT.\n\npackage x\n", "about.md": "Code generated by X says DO NOT EDIT at its top.\n",
		"lib.min.js": "x", "go.sum": "x", "p_pb2.py": "x", "bundle.js": strings.Repeat("x=1;", 5000),
		"empty.txt": "", "image.png": "\x89PNG\r\n\x1a\n\x00", "own/skip.txt": "x", "own/.ihmtignore": "skip.txt\n", ".ihmtignore": "!.notes/\n!.notes/**\n",
	})
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err == nil {
		_ = os.Symlink("a.txt", filepath.Join(dir, "link.txt"))
		_ = os.Symlink("self", filepath.Join(dir, "self"))
	}
	taken, left, err := walked(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".notes/x.txt", "a-b.txt", "a.txt", "a/x.txt", "about.md", "b.txt", "cmd/dist/main.go", "rust/Cargo.toml", "web/package.json"}
	if !slices.Equal(taken, want) {
		t.Errorf("taken %q\nwant  %q", taken, want)
	}
	for name, reason := range map[string]string{
		".hidden.txt": "hidden", ".cache": "hidden", "node_modules": "vendored", "web/dist": "vendored", "venv": "vendored", "rust/target": "vendored",
		"gen.go": "generated", "lib.min.js": "generated", "go.sum": "generated", "p_pb2.py": "generated", "bundle.js": "generated",
		"empty.txt": "empty", "image.png": "binary", "own/skip.txt": "excluded by .ihmtignore",
	} {
		if !strings.HasPrefix(left[name], reason) {
			t.Errorf("%s: %q, want %q", name, left[name], reason)
		}
	}
	if runtime.GOOS != "windows" && (left["loop"] == "" || left["self"] == "" || left["link.txt"] == "") {
		t.Errorf("links are not told: %v", left)
	}
}

func TestNamedFilesAreTakenOrMissed(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore": "*.txt", ".git/HEAD": "x", "a.txt": "x", ".hidden.md": "x", "lib.min.js": "x", "b.bin": "\x00\x01", "empty": "",
	})
	at := func(names ...string) (args []string) {
		for _, n := range names {
			args = append(args, filepath.Join(dir, n))
		}
		return args
	}
	taken, _, err := walked(t, dir, at("lib.min.js", ".hidden.md", "a.txt")...)
	if want := []string{"lib.min.js", ".hidden.md", "a.txt"}; err != nil || !slices.Equal(taken, want) {
		t.Errorf("taken %q, want %q: %v", taken, want, err)
	}
	taken, left, err := walked(t, dir, at("b.bin", "empty", "a.txt")...)
	if err != ErrIncomplete || !slices.Equal(taken, []string{"a.txt"}) || left["b.bin"] != "binary" || left["empty"] != "empty" {
		t.Errorf("taken %q, left %v: %v", taken, left, err)
	}
	taken, _, err = walked(t, dir, at("a.txt", "none.txt")...)
	if len(taken) > 0 || err == nil || !strings.Contains(err.Error(), "none.txt") {
		t.Errorf("taken %q: %v", taken, err)
	}
}

func TestWhatCannotBeReadIsMissed(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything can be read here")
	}
	dir := tree(t, map[string]string{"a.txt": "x", "locked/x.txt": "x", "z.txt": "x"})
	locked := filepath.Join(dir, "locked")
	_ = os.Chmod(locked, 0)
	_ = os.Chmod(filepath.Join(dir, "a.txt"), 0)
	defer os.Chmod(locked, 0o755)
	taken, left, err := walked(t, dir)
	if err != ErrIncomplete || !slices.Equal(taken, []string{"z.txt"}) || left["locked"] == "" || left["a.txt"] == "" {
		t.Errorf("taken %q, left %v: %v", taken, left, err)
	}
}

func TestDeepFoldersAreSurvived(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", 300))
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "x.txt"), []byte("x"), 0o644); err != nil {
		t.Skip(err)
	}
	if taken, _, err := walked(t, dir); err != nil || len(taken) != 1 {
		t.Errorf("taken %q: %v", taken, err)
	}
}

func TestTimestampOfAFile(t *testing.T) {
	dir := tree(t, map[string]string{"plain.txt": "Nothing dated.", "dated.txt": "3 February 2026: moved.", "either.txt": "03/04/2026: moved.", "code.py": "# 2020-01-01: first\nx = 1\n"})
	changed := time.Date(2021, 5, 6, 7, 8, 9, 0, time.Local)
	got := map[string]string{}
	signals := map[string]string{}
	for _, name := range []string{"plain.txt", "dated.txt", "either.txt", "code.py"} {
		if err := os.Chtimes(filepath.Join(dir, name), changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	err := Each([]string{dir}, nil, Options{}, func(r *record.Record) error {
		name := filepath.Base(r.Str("source"))
		got[name], signals[name] = r.Str("timestamp"), r.Get("signals").Raw
		return nil
	}, func(s record.Skipped) error { return fmt.Errorf("skipped %v", s) })
	if err != nil {
		t.Fatal(err)
	}
	mtime := changed.Format(time.RFC3339)
	for name, want := range map[string]string{"plain.txt": mtime, "dated.txt": "2026-02-03", "either.txt": "2026-04-03", "code.py": mtime} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if !strings.Contains(signals["either.txt"], "ambiguous-date") || strings.Contains(signals["dated.txt"], "ambiguous-date") {
		t.Errorf("signals %v", signals)
	}
}

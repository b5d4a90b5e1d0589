package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/record"
)

func init() {
	measurements["symbols"] = measurement{"[-n N] DIR...: symbols and boundaries of code against Universal Ctags; lists N disagreements a language", symbols}
}

// symbolShare is the least part of the oracle's symbols that must be found.
const symbolShare = 0.98

// An oracleLanguage is how Universal Ctags calls a language of ours, and which
// of its kinds are functions, methods, classes and types.
type oracleLanguage struct {
	name  string
	kinds string
}

var oracleLanguages = map[string]oracleLanguage{
	"go":         {"Go", "func struct interface type talias methodSpec"},
	"python":     {"Python", "class function member"},
	"java":       {"Java", "class interface enum method annotation"},
	"javascript": {"JavaScript", "function class method generator getter setter"},
	"typescript": {"TypeScript", "function class interface enum method namespace alias generator"},
	"c":          {"C", "function struct union enum typedef"},
	"cpp":        {"C++", "function class struct union enum typedef namespace"},
	"rust":       {"Rust", "struct interface implementation function method enum typedef module"},
	"php":        {"PHP", "class interface function trait"},
}

// A tag is a line of Universal Ctags.
type tag struct {
	Name      string `json:"name"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	End       int    `json:"end"`
	Kind      string `json:"kind"`
	Scope     string `json:"scope"`
	ScopeKind string `json:"scopeKind"`
}

// A tally counts for one language.
type tally struct {
	files, tags, found, excluded, cut int
	missed                            []string
	exclusions                        map[string][]string // by reason
}

// symbols compares what ihmt-chunk names with what Universal Ctags names, and
// looks for boundaries inside functions, in both code modes.
func symbols(args []string) error {
	flags := flag.NewFlagSet("symbols", flag.ContinueOnError)
	list := flags.Int("n", 10, "how many disagreements to list for each language")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := sourceFiles(flags.Args())
	if err != nil {
		return err
	}
	tallies := map[string]*tally{}
	for batch := range slices.Chunk(files, 200) {
		if err := judge(batch, tallies); err != nil {
			return err
		}
	}
	return printTallies(tallies, *list)
}

// sourceFiles are the files below the folders whose names say that the oracle
// knows them.
func sourceFiles(dirs []string) ([]string, error) {
	known := map[string]bool{}
	for _, ext := range strings.Fields(".go .py .java .js .mjs .jsx .ts .tsx .c .h .cc .cpp .cxx .hpp .hh .rs .php") {
		known[ext] = true
	}
	var files []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && known[filepath.Ext(path)] && !strings.Contains(path, ".min.") {
				path, err = filepath.Abs(path)
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no source files; name a folder of code")
	}
	return files, nil
}

// judge runs both programs over some files and counts.
func judge(files []string, tallies map[string]*tally) error {
	packed, err := chunksOf(files, "--code-mode", "pack")
	if err != nil {
		return err
	}
	single, err := chunksOf(files, "--code-mode", "symbol")
	if err != nil {
		return err
	}
	byLanguage := map[string][]string{}
	for file, chunks := range packed {
		if language := chunks[0].Language; oracleLanguages[language].name != "" {
			byLanguage[language] = append(byLanguage[language], file)
		}
	}
	for language, files := range byLanguage {
		t := tallies[language]
		if t == nil {
			t = &tally{exclusions: map[string][]string{}}
			tallies[language] = t
		}
		tags, err := ctags(oracleLanguages[language], files)
		if err != nil {
			return err
		}
		slices.Sort(files)
		for _, file := range files {
			t.compare(language, file, tags[file], packed[file], single[file])
		}
	}
	return nil
}

// chunksOf runs the built ihmt-chunk and returns the chunks of each file.
func chunksOf(files []string, args ...string) (map[string][]record.Chunk, error) {
	chunks := map[string][]record.Chunk{}
	err := lines(func(line []byte) error {
		var c record.Chunk
		if !bytes.HasPrefix(line, []byte(`{"kind":"chunk"`)) {
			return nil
		}
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		chunks[c.Source] = append(chunks[c.Source], c)
		return nil
	}, "bin/ihmt-chunk", append(append([]string{"--json"}, args...), files...)...)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // something was skipped
	}
	return chunks, err
}

// lines runs a program and calls do for each line that it prints.
func lines(do func([]byte) error, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if name != "ctags" { // which warns of every "null tag"
		cmd.Stderr = os.Stderr
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return cmd.Wait()
		}
		if err != nil {
			return err
		}
	}
}

// ctags returns what the oracle names in files of one language.
func ctags(language oracleLanguage, files []string) (map[string][]tag, error) {
	tags := map[string][]tag{}
	err := lines(func(line []byte) error {
		var t tag
		if err := json.Unmarshal(line, &t); err != nil {
			return nil // a name that is not UTF-8
		}
		tags[t.Path] = append(tags[t.Path], t)
		return nil
	}, "ctags", append([]string{"--quiet", "--options=NONE", "--output-format=json", "--fields=+neKs", "--sort=no", "--language-force=" + language.name, "-f", "-"}, files...)...)
	if err != nil {
		return nil, fmt.Errorf("ctags: %w; it must be Universal Ctags", err)
	}
	return tags, nil
}

func (t *tally) compare(language, file string, tags []tag, packed, single []record.Chunk) {
	t.files++
	type key struct {
		name string
		line int
	}
	found := map[key]bool{}
	for _, c := range packed {
		for _, s := range c.Symbols {
			found[key{plainName(s.Name), s.Line}] = true
		}
	}
	data, _ := os.ReadFile(file)
	source := strings.Split(string(data), "\n")
	if len(data) > 200*len(source) {
		t.files-- // its lines are none: minified, or data
		return
	}
	tags = outermost(language, tags, source)
	none := map[key]bool{}
	for _, tag := range tags {
		if found[key{plainName(tag.Name), tag.Line}] {
			t.tags++
			t.found++
			continue
		}
		switch reason := excluded(language, tag, source); {
		case reason != "":
			t.excluded++
			none[key{tag.Name, tag.Line}] = true
			t.exclusions[reason] = append(t.exclusions[reason], fmt.Sprintf("%s:%d %s %s", file, tag.Line, tag.Kind, tag.Name))
		default:
			t.tags++
			t.missed = append(t.missed, fmt.Sprintf("%s:%d %s %s: %s", file, tag.Line, tag.Kind, tag.Name, lineAt(source, tag.Line)))
		}
	}
	tags = slices.DeleteFunc(tags, func(t tag) bool { return none[key{t.Name, t.Line}] })
	t.boundaries(file, tags, packed, source)
	t.boundaries(file, tags, single, source)
}

func lineAt(source []string, n int) string {
	if n < 1 || n > len(source) {
		return ""
	}
	line := strings.TrimSpace(source[n-1])
	return line[:min(len(line), 100)]
}

// plainName leaves out what the two write differently in the same name.
func plainName(s string) string {
	s = strings.ReplaceAll(s, " ", "")
	return strings.Trim(s, "\"'`")
}

// outermost are the functions, methods, classes and types at the level of the
// file or of a class: those in a function are left out, and those without a
// name. The oracle alone says what stands in a function: by its scopes, by the
// line where it says that a function ends, and, as it says no ends for
// JavaScript and TypeScript, by the indentation under a function that it names
// or, as it takes those for constants, a line such as "const f = (a) => {".
// So what stands in a function without a name, as a wrapped module does, counts
// as standing where that function stands; and layout that does not follow the
// code is misread.
func outermost(language string, tags []tag, source []string) []tag {
	kinds := strings.Fields(oracleLanguages[language].kinds)
	tags = slices.DeleteFunc(slices.Clone(tags), func(t tag) bool { return !slices.Contains(kinds, t.Kind) })
	slices.SortStableFunc(tags, func(a, b tag) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.End, a.End)) })
	within := indentedUnder(tags, source)
	functions := map[string]bool{} // by their scopes and names
	for _, t := range tags {
		if isFunction(t.Kind) {
			functions[strings.TrimPrefix(t.Scope+"."+t.Name, ".")] = true
		}
	}
	var kept []tag
	inside := tag{}
	for _, t := range tags {
		if t.Line > inside.Line && t.Line <= inside.End || within[t.Line] {
			continue
		}
		if strings.HasPrefix(t.Name, "__anon") || strings.HasPrefix(t.Name, "anonymous") || strings.HasPrefix(t.Name, "AnonymousFunction") || isFunction(t.ScopeKind) || scopeIn(functions, t.Scope) {
			continue
		}
		if isFunction(t.Kind) && t.End > t.Line {
			inside = t
		}
		kept = append(kept, t)
	}
	return kept
}

// scopeIn tells whether one of the names of a scope, from the first, is among
// the functions.
func scopeIn(functions map[string]bool, scope string) bool {
	for i := range len(scope) {
		if scope[i] == '.' && functions[scope[:i]] {
			return true
		}
	}
	return false
}

// opensArrow tells whether a line gives a name to an arrow function and opens
// its body.
func opensArrow(line string) bool {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "export ")
	for _, keyword := range []string{"const ", "let ", "var "} {
		if value, ok := strings.CutPrefix(line, keyword); ok && strings.Contains(value, " = ") {
			return strings.HasSuffix(value, "=> {")
		}
	}
	return false
}

// indentedUnder are the lines of tags that are indented under the line of a
// function of which the oracle does not say where it ends. What it calls a
// class is one too where it is a function that makes objects.
func indentedUnder(tags []tag, source []string) map[int]bool {
	opens := map[int]bool{}
	for _, t := range tags {
		if t.End == 0 && (isFunction(t.Kind) || t.Kind == "class" && strings.Contains(lineAt(source, t.Line), "function")) {
			opens[t.Line] = true
		}
	}
	within := map[int]bool{}
	if len(opens) == 0 {
		return within
	}
	wanted := map[int]bool{}
	for _, t := range tags {
		wanted[t.Line] = true
	}
	type level struct {
		indent   int
		function bool // it, or one around it
	}
	var levels []level
	for n := 1; n <= len(source); n++ {
		if line := strings.TrimSpace(source[n-1]); line == "" || line[0] == ')' {
			continue // after ")" the head of the function goes on
		}
		indent := indentOf(source, n)
		for len(levels) > 0 && levels[len(levels)-1].indent >= indent {
			levels = levels[:len(levels)-1]
		}
		function := len(levels) > 0 && levels[len(levels)-1].function
		if wanted[n] && function {
			within[n] = true
		}
		levels = append(levels, level{indent, function || opens[n] || opensArrow(source[n-1])})
	}
	return within
}

func isFunction(kind string) bool {
	return slices.Contains([]string{"function", "func", "method", "member", "generator", "getter", "setter"}, kind)
}

// boundaries counts the chunks that start inside a function.
func (t *tally) boundaries(file string, tags []tag, chunks []record.Chunk, source []string) {
	i := 0
	for n, c := range chunks {
		if n == 0 || c.Span == nil || c.Span.StartLine == chunks[n-1].Span.EndLine {
			continue
		}
		start := c.Span.StartLine
		for i < len(tags) && tags[i].Line < start {
			i++
		}
		for k := i - 1; k >= 0 && k > i-50; k-- {
			if f := tags[k]; isFunction(f.Kind) && f.Line < start && start <= f.End {
				t.cut++
				t.missed = append(t.missed, fmt.Sprintf("%s:%d BOUNDARY in %s, lines %d to %d: %s", file, start, f.Name, f.Line, f.End, lineAt(source, start)))
				break
			}
		}
	}
}

func printTallies(tallies map[string]*tally, list int) error {
	names := make([]string, 0, len(tallies))
	for name := range tallies {
		names = append(names, name)
	}
	slices.Sort(names)
	var failed []string
	fmt.Printf("%-12s %7s %9s %9s %8s %9s %11s\n", "language", "files", "ctags", "found", "share", "excluded", "boundaries")
	for _, name := range names {
		t := tallies[name]
		part := float64(t.found) / float64(max(t.tags, 1))
		fmt.Printf("%-12s %7d %9d %9d %7.2f%% %9d %11d\n", name, t.files, t.tags, t.found, 100*part, t.excluded, t.cut)
		if t.tags > 0 && part < symbolShare || t.cut > 0 {
			failed = append(failed, name)
		}
	}
	for _, name := range names {
		t := tallies[name]
		if len(t.missed)+len(t.exclusions) > 0 {
			fmt.Printf("\n%s: %d disagreements\n", name, len(t.missed))
		}
		for _, line := range t.missed[:min(list, len(t.missed))] {
			fmt.Println("  " + line)
		}
		for reason, examples := range t.exclusions {
			fmt.Printf("  excluded %d: %s; for example %s\n", len(examples), reason, examples[0])
		}
	}
	if failed != nil {
		return fmt.Errorf("below %g %%, or a boundary inside a function: %s", 100*symbolShare, strings.Join(failed, ", "))
	}
	return nil
}

// excluded says why a tag does not count: what Universal Ctags 5.9 takes for a
// definition and is none.
func excluded(language string, tag tag, source []string) string {
	line := lineAt(source, tag.Line)
	switch {
	case language == "typescript" && tag.Kind == "alias" && !strings.Contains(line, "type "+tag.Name):
		return "the word type, or what follows it, in import {type T}, T extends U"
	case language == "typescript" && tag.Kind == "alias" && (strings.HasPrefix(line, "import") || strings.HasPrefix(line, "export {")):
		return "an import or export of a type, not its definition"
	case language == "typescript" && tag.Kind == "method" && strings.Contains(line, "= "+tag.Name+"["):
		return "the default of a type parameter, as in T = Params[0]"
	case language == "java" && !strings.Contains(line, tag.Kind+" "+tag.Name) && (tag.Kind == "class" || tag.Kind == "interface"):
		return "a name in a list after permits or implements on a line of its own"
	case (language == "c" || language == "cpp") && tag.Kind == "function" && strings.ToUpper(tag.Name) == tag.Name && strings.HasPrefix(line, tag.Name):
		return "a macro that is used without a semicolon, taken for a function"
	}
	return ""
}

func indentOf(source []string, line int) int {
	if line < 1 || line > len(source) {
		return 0
	}
	return len(source[line-1]) - len(strings.TrimLeft(source[line-1], " \t"))
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ihmt/ihmt/pkg/text"
)

func init() {
	measurements["project"] = measurement{"[-n N] [-seed S] [-list] DIR...: code found by name and by comment in each tree, against Universal Ctags", projects}
}

// What must be reached in each tree.
const (
	namedShare   = 0.90 // of the questions that name a symbol
	commentShare = 0.70 // of those made of words of its comment
	timesFewer   = 5.0  // tokens, against the files that hold the answers
)

// An asking is a question about a tree, and the symbols that answer it.
type asking struct {
	text    string
	answers []symbol
}

// A symbol is a tag of the oracle with what stands before it.
type symbol struct {
	tag
	comment []string // its words, in order
}

// An outcome counts what became of the questions of one sort.
type outcome struct {
	asked, right, doubted int
	returned, whole       []int // tokens: of each answer, of the file that holds the right one
	wrong                 []string
}

func projects(args []string) error {
	flags := flag.NewFlagSet("project", flag.ContinueOnError)
	n := flags.Int("n", 200, "how many questions of each sort for each tree")
	seed := flags.Uint64("seed", 1, "of the choice of questions")
	list := flags.Bool("list", false, "list the questions that were not answered")
	if err := flags.Parse(args); err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ihmt-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	var missed []string
	fmt.Printf("%-32s %-8s %6s %7s %8s %9s %9s %7s\n", "tree", "by", "asked", "right", "doubted", "tokens", "files", "fewer")
	for _, dir := range flags.Args() {
		t, err := readTree(dir)
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(*seed, 0))
		for _, sort := range []struct {
			name  string
			make  func(*rand.Rand, symbol) (asking, bool)
			share float64
		}{{"name", t.named, namedShare}, {"comment", t.commented, commentShare}} {
			o, err := t.ask(home, t.questions(random, *n, sort.make))
			if err != nil {
				return err
			}
			share := float64(o.right) / float64(max(o.asked, 1))
			fewer := float64(middle(o.whole)) / float64(max(middle(o.returned), 1))
			fmt.Printf("%-32s %-8s %6d %6.1f%% %8d %9d %9d %6.1f×\n", shortName(t.dir), sort.name, o.asked, 100*share, o.doubted, middle(o.returned), middle(o.whole), fewer)
			if share < sort.share || fewer < timesFewer || o.asked == 0 {
				missed = append(missed, filepath.Base(t.dir)+" by "+sort.name)
			}
			if *list {
				fmt.Println(strings.Join(o.wrong, "\n"))
			}
		}
	}
	if missed != nil {
		return fmt.Errorf("below a target: %s", strings.Join(missed, ", "))
	}
	return nil
}

func shortName(dir string) string { return dir[max(0, len(dir)-32):] }

func middle(n []int) int {
	if len(n) == 0 {
		return 0
	}
	n = slices.Sorted(slices.Values(n))
	return n[len(n)/2]
}

// A tree is a corpus with what the oracle knows of it.
type tree struct {
	dir     string
	symbols []symbol
	byFile  map[string][]symbol
	byName  map[string][]symbol // in lower case
	tokens  map[string]int      // of whole files
}

var extensionLanguages = map[string]string{".go": "go", ".py": "python", ".java": "java", ".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".tsx": "typescript",
	".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".rs": "rust", ".php": "php"}

var testPath = regexp.MustCompile(`(?i)test|spec`)

func readTree(dir string) (*tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, err := sourceFiles([]string{dir})
	if err != nil {
		return nil, err
	}
	t := &tree{dir: dir, byFile: map[string][]symbol{}, byName: map[string][]symbol{}, tokens: map[string]int{}}
	byLanguage := map[string][]string{}
	for _, f := range files {
		if rel, _ := filepath.Rel(dir, f); testPath.MatchString(rel) {
			continue
		}
		language := extensionLanguages[filepath.Ext(f)]
		byLanguage[language] = append(byLanguage[language], f)
	}
	for language, files := range byLanguage {
		tags, err := ctags(oracleLanguages[language], files)
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			source := strings.Split(string(data), "\n")
			if text.Tokens(string(data)) > 100*len(source) {
				continue // data, or minified
			}
			t.tokens[file] = text.Tokens(string(data))
			for _, tag := range outermost(language, tags[file], source) {
				if excluded(language, tag, source) != "" {
					continue
				}
				tag.Name = plainName(tag.Name)
				s := symbol{tag, commentWords(tag, source)}
				t.symbols = append(t.symbols, s)
				t.byFile[file] = append(t.byFile[file], s)
				t.byName[strings.ToLower(tag.Name)] = append(t.byName[strings.ToLower(tag.Name)], s)
			}
		}
	}
	return t, nil
}

// isComment tells of a line that is a comment as the languages have them.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"//", "/*", "*", "#"} {
		if strings.HasPrefix(line, mark) && !strings.HasPrefix(line, "#include") && !strings.HasPrefix(line, "#define") {
			return true
		}
	}
	return false
}

var aWord = regexp.MustCompile(`[A-Za-z]{4,}`)

// commentWords are the words of the comment over a symbol, annotations between
// them left out: those that mean something and do not name the symbol.
func commentWords(t tag, source []string) []string {
	var comment []string
	for n := t.Line - 1; n >= 1; n-- {
		line := strings.TrimSpace(source[n-1])
		if strings.HasPrefix(line, "@") && len(comment) == 0 {
			continue
		}
		if !isComment(line) {
			break
		}
		comment = append([]string{line}, comment...)
	}
	name := strings.ToLower(t.Name + " " + t.Scope)
	var words []string
	for _, w := range aWord.FindAllString(strings.Join(comment, "\n"), -1) {
		w = strings.ToLower(w)
		if text.IsCommon(w) || strings.Contains(name, w) || slices.Contains(words, w) || markup[w] {
			continue
		}
		words = append(words, w)
	}
	return words
}

// markup are words of comments that say nothing: their own syntax.
var markup = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields("param return returns throws code link linkplain since author version override inheritdoc true false null deprecated example typeparam template http https html todo") {
		words[w] = true
	}
	return words
}()

// questions makes at most n questions of symbols chosen at random.
func (t *tree) questions(random *rand.Rand, n int, ask func(*rand.Rand, symbol) (asking, bool)) []asking {
	var found []asking
	for _, i := range random.Perm(len(t.symbols)) {
		if q, ok := ask(random, t.symbols[i]); ok {
			if found = append(found, q); len(found) == n {
				break
			}
		}
	}
	return found
}

// named asks for a symbol by its name, as somebody would who has met it: where
// others are called so too it says of what class it is, or in which file.
// Overloads of one class cannot be told apart by name: any of them is right.
func (t *tree) named(random *rand.Rand, s symbol) (asking, bool) {
	if len(s.Name) < 2 || !regexp.MustCompile(`^[\w$]+$`).MatchString(s.Name) {
		return asking{}, false
	}
	same := t.byName[strings.ToLower(s.Name)]
	name, answers := s.Name, same
	if scope := s.Scope[strings.LastIndexAny(s.Scope, ".:\\")+1:]; !oneFamily(same) && scope != "" {
		name = scope + "." + s.Name
		answers = slices.DeleteFunc(slices.Clone(same), func(o symbol) bool {
			return o.Scope[strings.LastIndexAny(o.Scope, ".:\\")+1:] != scope
		})
	}
	if !oneFamily(answers) {
		name += " in " + filepath.Base(s.Path)
		answers = slices.DeleteFunc(slices.Clone(answers), func(o symbol) bool { return filepath.Base(o.Path) != filepath.Base(s.Path) })
	}
	if !oneFamily(answers) {
		if !slices.ContainsFunc(answers, func(o symbol) bool { return o.Kind != s.Kind }) {
			return asking{}, false // nothing that a user knows tells them apart
		}
		name = s.Kind + " " + name
		answers = slices.DeleteFunc(slices.Clone(answers), func(o symbol) bool { return o.Kind != s.Kind })
		if !oneFamily(answers) {
			return asking{}, false
		}
	}
	switch random.IntN(3) {
	case 0:
		name = "where is " + name + " defined"
	case 1:
		for _, w := range s.comment[:min(2, len(s.comment))] {
			name += " " + w
		}
	}
	return asking{name, answers}, true
}

// oneFamily tells whether symbols are one, or overloads in one place.
func oneFamily(symbols []symbol) bool {
	for _, s := range symbols[1:] {
		if s.Path != symbols[0].Path || s.Scope != symbols[0].Scope || s.Name != symbols[0].Name || s.Kind != symbols[0].Kind {
			return false
		}
	}
	return true
}

// commented asks with up to six words of the comment over a symbol, in their
// order. Where others have all of them in their comments too, any is right.
func (t *tree) commented(random *rand.Rand, s symbol) (asking, bool) {
	if len(s.comment) < 4 {
		return asking{}, false
	}
	chosen := random.Perm(len(s.comment))[:min(6, len(s.comment))]
	slices.Sort(chosen)
	var words []string
	for _, i := range chosen {
		words = append(words, s.comment[i])
	}
	var answers []symbol
	for _, o := range t.symbols {
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(o.comment, w) }) {
			answers = append(answers, o)
		}
	}
	return asking{strings.Join(words, " "), answers}, true
}

// A found is what ihmt-project prints of a result.
type found struct {
	Kind      string `json:"kind"`
	File      string `json:"file"`
	FirstLine int    `json:"first_line"`
	LastLine  int    `json:"last_line"`
	Title     string `json:"title"`
}

// ask puts questions to the built ihmt-project.
func (t *tree) ask(home string, questions []asking) (outcome, error) {
	var o outcome
	for _, q := range questions {
		o.asked++
		printed, err := t.find(home, q.text, "--text")
		if err != nil {
			return o, err
		}
		lines, err := t.find(home, q.text, "--json")
		if err != nil {
			return o, err
		}
		var first found
		doubted := false
		for line := range bytes.Lines(lines) {
			var f found
			if err := json.Unmarshal(line, &f); err != nil {
				return o, err
			}
			doubted = doubted || f.Kind == "clue"
			if f.Kind == "result" && first.Kind == "" {
				first = f
			}
		}
		if doubted {
			o.doubted++
		}
		o.returned = append(o.returned, text.Tokens(string(printed)))
		o.whole = append(o.whole, t.tokens[q.answers[0].Path])
		if slices.ContainsFunc(q.answers, func(s symbol) bool { return t.isSpan(first, s) }) {
			o.right++
			continue
		}
		s := q.answers[0]
		rel, _ := filepath.Rel(t.dir, s.Path)
		o.wrong = append(o.wrong, fmt.Sprintf("  %q: want %s:%d %s %s.%s, got %s:%d-%d %s%s", q.text, rel, s.Line, s.Kind, s.Scope, s.Name, first.File, first.FirstLine, first.LastLine, first.Title,
			map[bool]string{true: "AMBIGUOUS"}[doubted]))
	}
	return o, nil
}

func (t *tree) find(home, query, form string) ([]byte, error) {
	cmd := exec.Command("bin/ihmt-project", "find", t.dir, "-", form)
	cmd.Env = append(os.Environ(), "IHMT_PROJECTS_DIR="+home)
	cmd.Stdin = bytes.NewReader(fmt.Appendf(nil, `{"kind":"query","query":%q}`, query))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("find %q in %s: %w", query, t.dir, err)
	}
	return out, nil
}

// isSpan tells whether a result is the span of a symbol: it holds the line of
// the name, begins at what belongs to the symbol and ends where it ends. Where
// the oracle does not say where that is, the span must hold no symbol beside
// it.
func (t *tree) isSpan(f found, s symbol) bool {
	if filepath.Join(t.dir, filepath.FromSlash(f.File)) != s.Path || s.Line < f.FirstLine || s.Line > f.LastLine {
		return false
	}
	if s.End > 0 && s.End != f.LastLine {
		return false
	}
	for _, o := range t.byFile[s.Path] {
		if o.Line >= f.FirstLine && o.Line < s.Line {
			return false
		}
		if s.End == 0 && o.Line > s.Line && o.Line <= f.LastLine && o.Scope == s.Scope && o.Name != s.Name {
			return false
		}
	}
	return true
}

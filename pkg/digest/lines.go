package digest

import (
	"iter"
	"maps"
	"regexp"
	"strings"
	"sync"
)

func keys(m map[string]int) iter.Seq[string] { return maps.Keys(m) }

// A form is a sort of line; its words, in lower case, are looked for before
// its pattern is tried.
type form struct {
	class   class
	words   []string
	pattern string
	regexp  func() *regexp.Regexp
}

func newForm(c class, words, pattern string) *form {
	return &form{c, strings.Split(words, "|"), pattern, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// forms are tried in order. Lines are trimmed and in lower case.
var forms = []*form{
	// Sums that say that nothing is wrong, before their words are taken for problems.
	newForm(total, "0 error|0 fail|no error|no problem|0 warning|no issues", `\b(0|no) (errors?|failures?|failed|problems?|issues?|warnings?)\b`),

	// Totals.
	newForm(total, "fail|error", `^(fail|=+ (failures|errors) =+)$`),
	newForm(total, "passed|failed|failures|skipped|passing|failing", `^(=+ )?.*\b\d+ (tests? )?(passed|failed|failures?|skipped|passing|failing|xfailed|errors?)\b`),
	newForm(total, "tests|test", `^\[?(error|info)?\]?\s*(tests?( files| suites)?|snapshots|suites|files|specs):?\s+.*\d`),
	newForm(total, "tests run|test run|ran ", `\b(tests? run:?|ran \d+ (tests?|of))`),
	newForm(total, "test result", `^test result:`),
	newForm(total, "build |compil|finished", `\b(build (success|succeeded|successful|failed|failure|complete)|compiled (successfully|with)|finished .*(in|profile|release|debug)|could not compile|compilation (failed|succeeded|aborted))`),
	newForm(total, "total|elapsed|duration|time:", `^(total|elapsed|duration|time|real)\b.*\d`),
	newForm(total, "error|warning|problem|vulnerabilit", `\b(found )?\d+ (errors?|warnings?|problems?|vulnerabilit(y|ies)|offenses?|violations?)\b`),
	newForm(total, "ok|fail", `^(ok|fail)\s+\S+(\s+(\(cached\)|[\d.]+s|\[.*\]))+`),
	newForm(total, "exit|process", `\b(exit(ed)? (with )?(status|code)|process (finished|completed) with exit code)\b`),
	newForm(total, "added|audited|installed|up to date", `^(added|removed|changed|audited|installed|successfully installed|up to date)\b`),
	newForm(total, "coverage|all files", `^(total\s+\d+|all files\s*\||.*coverage: [\d.]+%)`),

	// Failures and errors.
	newForm(failure, "fail", `^(-+ |=+ |#+ |not ok|\[)?\s*(fail(ed|ure|ures|ing)?)\b`),
	newForm(failure, "fail", `\.\.\. ?(fail|failed|error)\b|<<< (fail|error)|::.* failed\b`),
	newForm(failure, "not ok", `^not ok\b`),
	newForm(failure, "panic|fatal|segmentation|abort|sigsegv|data race|core dumped|killed|out of memory", `\b(panic:|panicked at|fatal( error)?\b|segmentation fault|aborted|sigsegv|warning: data race|core dumped|out of memory|oom-?killed)`),
	newForm(failure, "error", `(^|[\s:\[(!*])(error|err!|errors?)(\[\w+\])?\s*[:\])!]|\berror (ts|cs|c|lnk|msb|nu|e)\d+`),
	newForm(failure, "e  ", `^e\s{2,}`),
	newForm(failure, "error|exception|interrupt", `^(\w+\.)*\w*(error|exception|interrupt)\b(:|$|\()`),
	newForm(failure, "exception|caused by", `\b(unhandled|uncaught) .*(exception|error)|^caused by:|^exception in thread`),
	newForm(failure, "traceback", `^traceback \(most recent call last\)`),
	newForm(failure, "assert", `\b(assertion(error)?|assert(ion)? .*failed|assertionerror)\b`),
	newForm(failure, "undefined|cannot find|not found|no such file|unresolved|permission denied|command not found", `(\bundefined reference\b|: undefined: |\bcannot find (module|symbol|package|name)\b|: (command )?not found$|no such file or directory|unresolved (import|reference|external)|permission denied)`),
	newForm(failure, "✗|✘|✕|×|●", `^(✗|✘|✕|×|●)\s`),
	newForm(failure, "expected|got:|got |want|actual|received", `^(expected|actual|received|got|want)\b.*[:=]`),

	// Warnings.
	newForm(warning, "warn", `(^|[\s:\[(])warn(ing)?s?(\[\w+\])?\s*[:\])!]|^npm warn|^warn(ing)?\b`),
	newForm(warning, "deprecat", `\bdeprecat(ed|ion)\b`),
	newForm(warning, "⚠", `^⚠`),

	// What a compiler says of a line without a word for it.
	newForm(failure, ":", `^[\w./\\@+-]+\.(go|rs|c|cc|cpp|cxx|h|hpp|swift|kt|java|scala|zig|ts|tsx|js|jsx|py|rb|php|cs|vue|svelte):\d+(:\d+)?:?\s+\S`),
}

// classOf returns the class of a line by its form alone.
func classOf(s string) class {
	lower := strings.ToLower(s)
	if len(lower) > 4*lineWidth {
		lower = lower[:4*lineWidth]
	}
	for _, f := range forms {
		if f.maybe(lower) && f.regexp().MatchString(lower) {
			return f.class
		}
	}
	return plain
}

func (f *form) maybe(lower string) bool {
	for _, w := range f.words {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// belongs tells whether a line goes on with the problem above it: it is
// indented, quotes source, or points at it.
func belongs(raw, s string) bool {
	return raw[0] == ' ' || raw[0] == '\t' || strings.HasPrefix(s, "|") || strings.HasPrefix(s, ">") || strings.HasPrefix(s, "^") ||
		strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "-->") || strings.HasPrefix(s, "note:") || strings.HasPrefix(s, "goroutine ") || strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-")
}

// tools are known by lines that only they write.
var tools = []struct{ name, mark string }{
	{"go test", "--- FAIL: "}, {"go test", "--- PASS: "}, {"go test", "=== RUN "}, {"go test", "[no test files]"}, {"go test", "ok  \t"}, {"go test", "FAIL\t"}, {"go vet", "vet: "},
	{"pytest", "= test session starts ="}, {"pytest", "= FAILURES ="}, {"pytest", "= short test summary info ="}, {"unittest", "FAILED (failures="}, {"unittest", "FAILED (errors="},
	{"cargo", "test result: "}, {"cargo", "error[E"}, {"cargo", "Finished `"}, {"cargo", "error: could not compile"},
	{"jest", "Test Suites: "}, {"vitest", "Test Files  "}, {"mocha", " passing ("}, {"node test", "# pass "}, {"tsc", "error TS"}, {"eslint", "✖ "},
	{"webpack", "webpack compiled"}, {"vite", "vite v"}, {"next", "▲ Next.js"},
	{"npm", "npm ERR!"}, {"npm", "npm error"}, {"npm", "npm warn"}, {"npm", "npm WARN"}, {"yarn", "yarn run"}, {"pnpm", "ERR_PNPM"},
	{"maven", "[INFO] "}, {"maven", "[ERROR] "}, {"gradle", "BUILD FAILED in"}, {"gradle", "BUILD SUCCESSFUL in"}, {"gradle", "> Task :"},
	{"make", "make: ***"}, {"make", "make["}, {"cmake", "-- Configuring "}, {"cmake", "CMake Error"}, {"ninja", "ninja: "}, {"ctest", "% tests passed,"},
	{"dotnet", ": error CS"}, {"dotnet", "Build succeeded."}, {"dotnet", "Build FAILED."}, {"rspec", " examples, "}, {"phpunit", "PHPUnit "}, {"phpunit", "Assertions: "},
	{"swift test", "Test Suite '"}, {"docker", "ERROR: failed to solve"}, {"pip", "Successfully installed "}, {"pip", "Collecting "},
}

// toolOf returns the tool that writes such lines, "" for most.
func toolOf(s string) string {
	for _, t := range tools {
		if strings.HasPrefix(s, t.mark) || len(t.mark) > 7 && strings.Contains(s, t.mark) {
			return t.name
		}
	}
	return ""
}

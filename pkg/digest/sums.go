package digest

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/ihmt/ihmt/pkg/text"
)

// sumsOf tells how much went wrong: what the tool itself has counted, else the
// tests that go test says have failed, else the problems that lines begin.
func sumsOf(lines []line) []string {
	var sums []string
	failed, errors := counted(lines, failedSum), counted(lines, errorSum)
	if failed == 0 {
		failed = failedTests(lines)
	}
	if failed > 0 {
		sums = append(sums, strconv.Itoa(failed)+" failed")
	}
	if errors > 0 {
		sums = append(sums, text.Counted(errors, "error", "errors"))
	}
	problems, warnings := begun(lines)
	if len(sums) == 0 && problems > 0 {
		sums = append(sums, text.Counted(problems, "error or failure", "errors or failures"))
	}
	if warnings > 0 {
		sums = append(sums, text.Counted(warnings, "warning", "warnings"))
	}
	return sums
}

// How tools write their sums: "2 failed", "1 tests failed", "Failures: 1".
var (
	failedSum = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(\d+) (?:tests? )?(?:failed|failures?|failing)\b|\bfailures?[:=] ?(\d+)`)
	})
	errorSum = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(\d+) (?:previous )?errors?\b|\berrors?[:=] ?(\d+)`)
	})
	digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })
)

// counted is what the totals say of one sort of problem. Totals of one form,
// as of several packages, are added up; of several forms, as of files and of
// the tests in them, the greatest counts.
func counted(lines []line, sum func() *regexp.Regexp) int {
	forms := map[string]int{}
	most := 0
	for _, l := range lines {
		if l.class != total {
			continue
		}
		found := sum().FindStringSubmatch(clipped(l.text))
		if found == nil {
			continue
		}
		n, err := strconv.Atoi(found[1] + found[2]) // one of them is empty
		if err != nil {
			continue
		}
		form := digits().ReplaceAllString(clipped(l.text), "")
		forms[form] += n * l.times
		most = max(most, forms[form])
	}
	return most
}

// failedTests counts the tests that go test names as failed; a test fails with
// each of its subtests and counts only where it has none.
func failedTests(lines []line) int {
	failed := map[string]bool{}
	parents := map[string]bool{}
	for _, l := range lines {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l.text), "--- FAIL: ")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, " ")
		failed[name] = true
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			parents[name[:i]] = true
		}
	}
	n := 0
	for name := range failed {
		if !parents[name] {
			n++
		}
	}
	return n
}

// begun counts the problems and the warnings that a line begins: one that is
// indented under another goes on with it.
func begun(lines []line) (problems, warnings int) {
	under := false
	for _, l := range lines {
		indented := l.text != "" && (l.text[0] == ' ' || l.text[0] == '\t')
		switch {
		case l.class == failure && !(under && indented):
			problems += l.times
			under = true
		case l.class == warning:
			warnings += l.times
			under = false
		case l.class == plain || l.class == total:
			under = false
		}
	}
	return problems, warnings
}

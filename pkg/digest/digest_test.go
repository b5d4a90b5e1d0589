package digest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ihmt/ihmt/pkg/text"
)

func ExampleOf() {
	var b strings.Builder
	b.WriteString("=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n")
	for i := range 500 {
		fmt.Fprintf(&b, "=== RUN   TestMore/%d\n", i)
	}
	b.WriteString("--- FAIL: TestSub (0.00s)\n    calc_test.go:21: 3 - 1 = 3, want 2\nFAIL\nFAIL\texample.org/calc\t0.004s\nFAIL\n")
	fmt.Print(Of(b.String(), 120))
	// Output:
	// go test, 507 lines: 1 failed
	// === RUN   TestAdd
	// --- PASS: TestAdd (0.00s)
	// === RUN   TestMore/0
	// … 499 lines
	// --- FAIL: TestSub (0.00s)
	//     calc_test.go:21: 3 - 1 = 3, want 2
	// FAIL
	// FAIL	example.org/calc	0.004s
	// FAIL
}

// noise is what a long output consists of.
func noise(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, line+"\n", i)
	}
	return b.String()
}

// What each tool says of its failures is kept, whatever stands around it.
func TestToolsAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		tool, output string
		keeps        []string
	}{
		{"go test", noise(400, "=== RUN   TestQuiet%d") + "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 19 [running]:\nexample.org/shop.pick(...)\n\t/src/shop/pick.go:41 +0x1d\n" + noise(400, "=== RUN   TestLater%d") + "ok  \texample.org/tax\t(cached)\nFAIL\texample.org/shop\t0.012s\nFAIL\n",
			[]string{"panic: runtime error: index out of range", "\t/src/shop/pick.go:41", "FAIL\texample.org/shop"}},
		{"", "# example.org/shop\n" + "./basket.go:12:5: undefined: total\n./basket.go:30:2: missing return\n", []string{"./basket.go:12:5: undefined: total", "./basket.go:30:2: missing return"}},
		{"pytest", "============================= test session starts ==============================\ncollected 900 items\n\n" + noise(900, "tests/test_quiet.py::test_%d PASSED") + "=================================== FAILURES ===================================\n_________________________________ test_total __________________________________\n\n    def test_total():\n>       assert total([1, 2]) == 4\nE       assert 3 == 4\n\ntests/test_shop.py:8: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_shop.py::test_total - assert 3 == 4\n======================== 1 failed, 899 passed in 3.21s =========================\n",
			[]string{"E       assert 3 == 4", "FAILED tests/test_shop.py::test_total", "1 failed, 899 passed"}},
		{"cargo", noise(300, "   Compiling crate%d v0.1.0") + "warning: unused variable: `n`\n --> src/lib.rs:4:9\nerror[E0308]: mismatched types\n  --> src/main.rs:7:18\n   |\n7  |     let x: u32 = \"a\";\n   |                  ^^^ expected `u32`, found `&str`\n" + noise(300, "   Compiling later%d v0.1.0") + "error: could not compile `shop` (bin \"shop\") due to 1 previous error; 1 warning emitted\n",
			[]string{"error[E0308]: mismatched types", "--> src/main.rs:7:18", "could not compile `shop`", "warning: unused variable"}},
		{"jest", noise(200, " PASS  src/quiet%d.test.js") + "FAIL  src/basket.test.js\n  ● adds up\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n      at Object.<anonymous> (src/basket.test.js:5:19)\n\nTest Suites: 1 failed, 200 passed, 201 total\nTests:       1 failed, 900 passed, 901 total\nTime:        4.5 s\n",
			[]string{"FAIL  src/basket.test.js", "● adds up", "Expected: 4", "Received: 3", "Test Suites: 1 failed", "Tests:       1 failed"}},
		{"tsc", noise(100, "src/quiet%d.ts") + "src/shop.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.\nFound 1 error in src/shop.ts:12\n", []string{"error TS2322", "Found 1 error"}},
		{"npm", noise(100, "npm http fetch GET 200 https://registry.example/pkg%d") + "npm warn deprecated left-pad@1.3.0: use padStart\nnpm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\n", []string{"npm error code ERESOLVE", "npm warn deprecated left-pad"}},
		{"maven", noise(300, "[INFO] Downloading artifact %d") + "[ERROR] /src/Shop.java:[12,8] cannot find symbol\n[INFO] BUILD FAILURE\n[INFO] Total time:  3.2 s\n[ERROR] Failed to execute goal compile\n", []string{"cannot find symbol", "BUILD FAILURE", "Total time"}},
		{"gradle", noise(100, "> Task :quiet%d") + "> Task :compileJava FAILED\n/src/Shop.java:12: error: ';' expected\n1 error\nBUILD FAILED in 2s\n", []string{"Shop.java:12: error", "BUILD FAILED in 2s", "> Task :compileJava FAILED"}},
		{"make", noise(300, "cc -O2 -c quiet%d.c") + "shop.c: In function 'total':\nshop.c:12:5: error: 'n' undeclared (first use in this function)\n   12 |     n += 1;\n      |     ^\nshop.c:20:9: warning: unused variable 'k'\nmake: *** [Makefile:8: shop.o] Error 1\n", []string{"shop.c:12:5: error", "n += 1;", "warning: unused variable", "make: *** [Makefile:8: shop.o] Error 1"}},
		{"dotnet", noise(100, "  quiet%d -> /bin/quiet.dll") + "Shop.cs(12,5): error CS0103: The name 'n' does not exist in the current context\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)\nTime Elapsed 00:00:02.10\n", []string{"error CS0103", "Build FAILED.", "1 Error(s)"}},
		{"", noise(300, "step %d done") + "Traceback (most recent call last):\n  File \"run.py\", line 9, in <module>\n    main()\nValueError: bad date\n" + noise(100, "cleaning %d"), []string{"Traceback (most recent call last):", "File \"run.py\", line 9", "ValueError: bad date"}},
		{"", noise(300, "step %d done") + "Exception in thread \"main\" java.lang.NullPointerException\n\tat shop.Basket.total(Basket.java:12)\nCaused by: java.io.IOException: gone\n", []string{"NullPointerException", "Basket.java:12", "Caused by"}},
		{"ctest", noise(100, "%d: Test command: quiet") + "97% tests passed, 1 tests failed out of 40\nThe following tests FAILED:\n\t 12 - basket (Failed)\nErrors while running CTest\n", []string{"97% tests passed", "12 - basket (Failed)"}},
	} {
		got := Of(c.output, 400)
		if head, _, _ := strings.Cut(got, "\n"); c.tool != "" && !strings.HasPrefix(head, c.tool+", ") || c.tool == "" && !strings.HasSuffix(strings.Fields(head)[0], "0") && strings.Contains(head, "go ") {
			t.Errorf("%s: the heading is %q", c.tool, head)
		}
		for _, k := range c.keeps {
			if !strings.Contains(got, k) {
				t.Errorf("%s: %q is lost:\n%s", c.tool, k, got)
			}
		}
		check(t, c.output, got, 400)
	}
}

func TestWhatIsWellIsNoProblem(t *testing.T) {
	for _, output := range []string{
		"test result: ok. 12 passed; 0 failed; 0 ignored\n", "0 errors, 0 warnings\n", "Found 0 errors\n", "ok  \texample.org/shop\t0.1s\n", "no issues found\n", "compiled successfully\n",
	} {
		if got := Of(output, 100); strings.Contains(head(got), ": ") {
			t.Errorf("%q: %s", output, got)
		}
	}
}

func head(digest string) string {
	first, _, _ := strings.Cut(digest, "\n")
	return first
}

// The heading counts as the tool does, not lines.
func TestSums(t *testing.T) {
	for output, want := range map[string]string{
		"hello": "1 line",
		"=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    a_test.go:5: got 1, want 2\nFAIL\nFAIL\texample.org/a\t0.004s\nFAIL\n":                                                       "go test, 6 lines: 1 failed",
		"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:5: got 1\n    --- FAIL: TestA/c (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n":                        "go test, 6 lines: 3 failed",
		"./a.go:12:5: undefined: total\n./a.go:30:2: missing return\n":                                                                                                              "2 lines: 2 errors or failures",
		"E       assert 3 == 4\n\ntests/test_shop.py:8: AssertionError\nFAILED tests/test_shop.py::test_total - assert 3 == 4\n= 1 failed, 899 passed in 3.21s =\n":                 "5 lines: 1 failed",
		"FAIL  src/basket.test.js\n  ● adds up\n\n    Expected: 4\n    Received: 3\n\nTest Suites: 1 failed, 200 passed, 201 total\nTests:       2 failed, 900 passed, 902 total\n": "jest, 8 lines: 2 failed",
		"test result: FAILED. 1 passed; 1 failed; 0 ignored\ntest result: FAILED. 3 passed; 2 failed; 0 ignored\ntest result: ok. 9 passed; 0 failed; 0 ignored\n":                  "cargo, 3 lines: 3 failed",
		"error[E0308]: mismatched types\n  --> src/main.rs:7:18\nerror: could not compile `shop` due to 1 previous error; 1 warning emitted\n":                                      "cargo, 3 lines: 1 error",
		"shop.c:2:5: error: 'n' undeclared\n    n += 1;\nshop.c:20:9: warning: unused variable 'k'\nmake: *** [Makefile:8: shop.o] Error 1\n":                                       "make, 4 lines: 1 error or failure, 1 warning",
		"0 errors, 0 warnings\n": "1 line",
	} {
		if got := head(Of(output, 400)); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

func TestTerminalCodesAndProgressBars(t *testing.T) {
	got := Of("\x1b[31merror:\x1b[0m bad\x1b]0;title\a thing\r\n 10 %\r 50 %\r100 % done\r\na\na\na\n", 100)
	if want := "5 lines: 1 error or failure\nerror: bad thing\n100 % done\na  (3 times)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShortOutputsStayWhole(t *testing.T) {
	got := Of("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", 200)
	if !strings.Contains(got, "four\nfive") || strings.Contains(got, "…") {
		t.Errorf("got %s", got)
	}
}

// check holds what is true of every digest: it keeps to the budget, and its
// lines are those of the output, in order, with the right numbers between.
func check(t *testing.T, output, digest string, max int) {
	t.Helper()
	if n := text.Tokens(digest); n > max+40 {
		t.Errorf("%d tokens, want at most about %d", n, max)
	}
	lines, _ := split(output)
	at, number := 0, 0
	for i, l := range strings.Split(strings.TrimSuffix(digest, "\n"), "\n") {
		var gap int
		if i == 0 {
			continue
		}
		if n, _ := fmt.Sscanf(l, "… %d lines", &gap); n == 1 {
			number += gap
			continue
		}
		for at < len(lines) && !shownAs(lines[at], l) {
			at++
		}
		if at == len(lines) {
			t.Errorf("%q is no line of the output, or not in its place", l)
			return
		}
		at++
	}
}

func shownAs(l line, digest string) bool {
	if l.times > 1 {
		return digest == fmt.Sprintf("%s  (%d times)", clipped(l.text), l.times)
	}
	return digest == clipped(l.text)
}

func FuzzOf(f *testing.F) {
	f.Add("error: a\n\x1b[31mb\n", 100)
	f.Add("\r\r\n\x1b", 1)
	f.Add("FAIL\n\tat x\n… 3 lines\n", 50)
	f.Fuzz(func(t *testing.T, output string, max int) {
		if max < 60 || max > 1<<20 {
			max = 60
		}
		got := Of(output, max)
		if n := text.Tokens(got); n > max+40 {
			t.Errorf("%d tokens, want at most about %d", n, max)
		}
		if strings.ContainsAny(got, "\x1b\r\x00") {
			t.Errorf("control codes: %q", got)
		}
	})
}

//lint:file-ignore SA1019 roots and logging are what the clients of today have

package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ihmt/ihmt/mcp"
	"github.com/ihmt/ihmt/pkg/text"
)

func TestWhatEveryConversationPays(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || tool.Annotations == nil || tool.Annotations.OpenWorldHint == nil {
			t.Errorf("%s lacks a title, a description or hints", tool.Name)
		}
		if !tool.Annotations.ReadOnlyHint && (tool.Annotations.DestructiveHint == nil || *tool.Annotations.DestructiveHint) {
			t.Errorf("%s says that it destroys", tool.Name)
		}
		schema := tool.InputSchema.(map[string]any)
		if schema["additionalProperties"] != false {
			t.Errorf("%s takes arguments that it does not know", tool.Name)
		}
		for name, p := range schema["properties"].(map[string]any) {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s: %s has no description", tool.Name, name)
			}
		}
	}
	if want := "digest_output find_code memory_timeline note project_map read_file recall save_memory search_memory"; strings.Join(names, " ") != want {
		t.Errorf("tools %v, want %s", names, want)
	}
	instructions := c.InitializeResult().Instructions
	if instructions != mcp.Instructions {
		t.Error("the client was given other instructions")
	}
	if n := text.Tokens(instructions + strings.Join(names, "\n")); n > 460 {
		t.Errorf("instructions and names are %d tokens, want at most 460", n)
	}
	whole, _ := json.Marshal(list)
	if n := text.Tokens(string(whole)); n > 2200 {
		t.Errorf("the list of tools is %d tokens, want at most 2200", n)
	}
}

func TestSavingAndSearching(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	says(t, c.call("search_memory", m{"query": "anything"}), "Nothing found", "empty")
	says(t, c.call("memory_timeline", nil), "No facts")
	says(t, c.call("save_memory", m{"content": "2024-03-11: I live in Madrid."}), "PERSONAL/personal", "2024-03-11", "Entries in the memory: 1", "user location = Madrid")
	text := c.call("save_memory", m{"content": "2026-02-03: I live in Valencia now, near the harbour."})
	says(t, text, "Entries in the memory: 2", "Tell the user: On 2024-03-11", "'Valencia'")
	says(t, c.call("save_memory", m{"content": "2026-02-03: I live in Valencia now, near the harbour."}), "Already there", "Entries in the memory: 2")
	if strings.Contains(c.call("save_memory", m{"content": "2026-02-03: I live in Valencia now, near the harbour."}), "Tell the user") {
		t.Error("what the user was told is told again")
	}

	text = c.call("search_memory", m{"query": "where do I live"})
	says(t, text, "2026-02-03  personal  confidence", "id L-personal-0000-", "near the harbour", "2024-03-11  personal  OUTDATED")
	text = c.call("search_memory", m{"query": "live Madrid"})
	says(t, text, "OUTDATED", "On 2024-03-11")
	text = c.call("search_memory", m{"query": "harbour", "detail": "full"})
	says(t, text, "1. 2026-02-03  personal  id L-")
	says(t, c.call("search_memory", m{"query": "where did I live in 2024?"}), "AS OF 2024-12-31: 2024-03-11  personal", "I live in Madrid", "later: On 2024-03-11")
	for _, detail := range []string{"compact", "full"} {
		text = c.call("search_memory", m{"query": "where do I live", "at": "2024-12-31", "detail": detail})
		says(t, text, "AS OF 2024-12-31: 2024-03-11  personal", "I live in Madrid.\nlater: On 2024-03-11")
		if strings.Contains(text, "OUTDATED") {
			t.Errorf("what was asked for is called outdated: %s", text)
		}
	}
	says(t, c.call("search_memory", m{"query": "where did I live in 2020?"}), "nothing is known of user location before 2024-03-11")
	says(t, c.call("search_memory", m{"query": "harbuor zeppelin"}), "Nothing found in 2 memories", `"harbuor" (there is harbour)`, `"zeppelin"`)
	says(t, c.call("search_memory", m{"query": "harbour", "domain": "work"}), "Nothing found", "without the filters")
	says(t, c.call("memory_timeline", m{"subject": "User", "attribute": "location", "at": "2025-01-01"}),
		"On 2025-01-01:\n- user location: Madrid, 2024-03-11 to 2026-02-03\nNow, and not then:\n- user location: Valencia, since 2026-02-03")
	if text := c.call("memory_timeline", m{"at": "2026-02-03"}); !strings.HasPrefix(text, "On 2026-02-03:\n- user location: Valencia, since 2026-02-03, still so\nEarlier, no longer so:\n- user location: Madrid") || strings.Count(text, "Valencia") != 1 {
		t.Errorf("what held and holds: %s", text)
	}
	says(t, c.call("memory_timeline", nil), "Now:\n- user location: Valencia, since 2026-02-03", "no longer so:\n- user location: Madrid, 2024-03-11 to 2026-02-03")
	says(t, c.call("memory_timeline", m{"attribute": "shoe size"}), "No such facts")
}

func TestReplacing(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	id := regexp.MustCompile(`L-[a-z0-9-]+`)
	old := id.FindString(c.call("save_memory", m{"content": "2026-01-10: The staging database runs on port 5433.", "domain": "work"}))
	fresh := c.call("save_memory", m{"content": "2026-02-10: The staging database runs on port 6000 since the move.", "domain": "work", "replaces": old})
	says(t, fresh, "in place of the earlier one")
	text := c.call("search_memory", m{"query": "staging database port 5433"})
	says(t, text, "OUTDATED", "6000")
	if strings.Index(text, "6000") > strings.Index(text, "runs on port 5433") && strings.Contains(text, "runs on port 5433") {
		t.Errorf("the replaced memory comes first:\n%s", text)
	}
	if text, failed := c.try("save_memory", m{"content": "x y z", "replaces": "L-work-0000-aaaaaaaaaa"}); !failed {
		t.Errorf("replaced what is not there: %s", text)
	}
	text, _ = c.try("save_memory", m{"content": "2026-02-12: The staging database moved to port 7000.", "replaces": "L-play-0003-bbbbbbbbbb"})
	if says(t, text, "no leaf L-play-0003-bbbbbbbbbb", "like the content are L-work-0000-"); strings.Contains(text, "ihmt-store ls") {
		t.Errorf("a command that the agent cannot run: %s", text)
	}
	says(t, c.call("save_memory", m{"content": "2026-02-11: The staging database now runs on port 6000 since the big move.", "domain": "work"}), "Similar", "L-work-0000-")
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	c.call("save_memory", m{"content": "2025-01-10: Luis the carpenter hung the oak doors.", "domain": "home"})
	c.call("save_memory", m{"content": "2025-02-10: Luis from the climbing gym broke his wrist.", "domain": "sport"})
	text, structured, _ := c.whole("search_memory", m{"query": "Luis"})
	says(t, text, "AMBIGUOUS", "home", "oak doors", "sport", "wrist", "Do not guess", "clue")
	says(t, string(structured), `"ambiguous":true`)
	says(t, c.call("search_memory", m{"query": "Luis", "clue": "carpenter"}), "2025-01-10  home  confidence", "oak doors")
}

// A long memory is cut at the budget, about what was asked for.
func TestAnswersKeepToTheBudget(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "Step %d of the migration moves one more table to the new cluster and checks its rows.\n", i)
		if i == 200 {
			long.WriteString("The quetzal flag must be off before this, or the replica stops.\n")
		}
	}
	c.call("save_memory", m{"content": "2026-01-01: Migration notes\n\n" + long.String(), "content_type": "generic", "domain": "work"})
	for i := range 5 {
		c.call("save_memory", m{"content": fmt.Sprintf("2026-01-%02d: The quetzal flag again, day %d, in a sentence that is not short.", i+1, i), "domain": "work", "content_type": "generic"})
	}
	for _, detail := range []string{"compact", "full"} {
		for _, max := range []any{nil, 100, 400, 2000} {
			got := c.call("search_memory", m{"query": "quetzal flag off replica stops", "detail": detail, "max_tokens": max})
			limit, asked := max.(int)
			if !asked {
				limit = 900
			}
			if n := text.Tokens(got); n > limit+60 {
				t.Errorf("%s, %v tokens asked for: %d", detail, max, n)
			}
			if detail == "compact" && max != 100 {
				says(t, got, "or the replica stops", "id L-")
			}
		}
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := connect(t, home)
	binary := filepath.Join(home, "binary")
	write(t, binary, "\x00\x01\x02")
	write(t, filepath.Join(home, "three"), "a\nb\nc\n")
	write(t, filepath.Join(home, "huge"), strings.Repeat("word word word word\n", 30_000))
	for _, bad := range []struct {
		tool      string
		arguments m
		says      string
	}{
		{"search_memory", nil, "query is missing"},
		{"save_memory", m{"domain": "work"}, "content is missing"},
		{"search_memory", m{"query": "a", "max_tokens": 0}, "max_tokens is 0; want a number from 80 to 20000"},
		{"search_memory", m{"query": "a", "max_tokens": 5}, "max_tokens is 5; want a number from 80 to 20000"},
		{"find_code", m{"query": "a", "path": ".", "max_tokens": 20001}, "want a number from 80 to 20000"},
		{"find_code", m{"query": "a", "path": ".", "max_tokens": "many"}, "want a number from 80 to 20000"},
		{"digest_output", m{"text": "a", "label": "b", "max_tokens": -1}, "want a number from 80 to 20000"},
		{"save_memory", m{"content": "a", "allow_sensitive": "yes"}, "true or false"},
		{"read_file", m{"path": "three", "start_line": 0}, "start_line is 0; want a number from 1 on"},
		{"read_file", m{"path": "three", "end_line": 0}, "end_line is 0; want a number from 1 on"},
		{"search_memory", m{"query": " "}, "query is empty"},
		{"search_memory", m{"query": 5}, "string"},
		{"search_memory", m{"query": "a", "colour": "red"}, "colour"},
		{"search_memory", m{"query": "a", "detail": "verbose"}, "detail"},
		{"search_memory", m{"query": "a", "at": "yesterday"}, "YYYY-MM-DD"},
		{"save_memory", m{"content": ""}, "content is empty"},
		{"save_memory", m{"content": "a", "content_type": "POEM"}, "content_type"},
		{"save_memory", m{"content": "a", "domain": "../etc"}, "domain"},
		{"save_memory", m{"content": "a", "replaces": "--help"}, "no id"},
		{"memory_timeline", m{"at": "12/12/2024"}, "YYYY-MM-DD"},
		{"read_file", m{"path": ""}, "path is empty"},
		{"read_file", m{"path": "nowhere"}, "does not exist"},
		{"read_file", m{"path": home}, "folder"},
		{"read_file", m{"path": "binary"}, "binary"},
		{"read_file", m{"path": "huge"}, "too large"},
		{"read_file", m{"path": "three", "start_line": 9}, "3 lines"},
		{"read_file", m{"path": "three", "start_line": 3, "end_line": 2}, "before"},
		{"read_file", m{"path": "three", "start_line": -1}, "from 1 on"},
		{"note", m{"text": "\n"}, "text is empty"},
		{"recall", m{"query": ""}, "query is empty"},
		{"digest_output", m{"text": "", "label": "make"}, "text is empty"},
		{"find_code", m{"query": "", "path": "."}, "query is empty"},
		{"find_code", m{"query": "x", "path": "nowhere"}, "nowhere"},
		{"project_map", m{"path": "nowhere"}, "nowhere"},
		{"project_map", m{"path": ".", "detail": "all"}, "detail"},
		{"project_map", m{"path": ".", "subpath": "../.."}, "subpath"},
	} {
		if bad.tool == "search_memory" {
			c.call("note", m{"text": "the server still answers"})
		}
		text, failed := c.try(bad.tool, bad.arguments)
		if !failed {
			t.Errorf("%s(%v) is no error: %s", bad.tool, bad.arguments, text)
		}
		if says(t, text, bad.says); strings.Contains(text, "validating") {
			t.Errorf("in words of a library: %s", text)
		}
	}
	for _, arguments := range []any{json.RawMessage("null"), json.RawMessage("[]"), json.RawMessage(`"text"`)} {
		if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "save_memory", Arguments: arguments}); err == nil && !r.IsError {
			t.Errorf("%s is no error", arguments)
		}
	}
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "forget_everything"}); err == nil {
		t.Error("an unknown tool is no error")
	}
	says(t, c.call("search_memory", m{"query": "a", "clue": nil, "max_tokens": nil}), "Nothing found")
}

func TestAFailingPipelineIsAToolError(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, "ihmt_memory"), "not a folder")
	c := connect(t, home)
	for _, call := range []struct {
		tool      string
		arguments m
	}{{"search_memory", m{"query": "a"}}, {"save_memory", m{"content": "a b c"}}, {"memory_timeline", nil}} {
		if text, failed := c.try(call.tool, call.arguments); !failed || !strings.Contains(text, "ihmt_memory") {
			t.Errorf("%s: %v, %s", call.tool, failed, text)
		}
	}
	says(t, c.call("note", m{"text": "goes on"}), "Noted")
}

func TestSecretsAreRefused(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := connect(t, home, args("--trace"))
	if err := c.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Fatal(err)
	}
	token := "ghp_" + strings.Repeat("a1B2", 9)
	for _, call := range []struct {
		tool      string
		arguments m
	}{{"save_memory", m{"content": "2026-02-03: the token is " + token}}, {"note", m{"text": "the token is " + token}}} {
		text, failed := c.try(call.tool, call.arguments)
		if !failed {
			t.Errorf("%s kept a secret: %s", call.tool, text)
		}
		says(t, text, "a GitHub token")
		if strings.Contains(text, token) {
			t.Errorf("%s repeats it: %s", call.tool, text)
		}
	}
	says(t, c.call("digest_output", m{"text": "login\nerror: bad token " + token + "\n", "label": "deploy"}), "error: bad token [a GitHub token]")
	nowhere(t, home, token)
	says(t, c.call("save_memory", m{"content": "2026-02-03: the token is " + token, "allow_sensitive": true}), "Saved")
	c.Close()
	if strings.Contains(c.stderr.String(), token) {
		t.Error("the trace shows a secret")
	}
	close(c.logs)
	for line := range c.logs {
		if strings.Contains(line, token) {
			t.Errorf("the log shows a secret: %s", line)
		}
	}
}

// nowhere fails where a file below a folder holds a text.
func nowhere(t *testing.T, dir, text string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if data, _ := os.ReadFile(path); bytes.Contains(data, []byte(text)) {
				t.Errorf("%s holds it", path)
			}
		}
		return nil
	})
}

// A leaf says who saved it, and for which repository.
func TestAgentAndProject(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	for _, dir := range []string{"shop/.git", "shop/src/deep", "other/.git"} {
		if err := os.MkdirAll(filepath.Join(work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	started := connect(t, home, in(filepath.Join(work, "shop", "src", "deep")))
	started.call("save_memory", m{"content": "2026-02-03: The basket is emptied at midnight."})
	rooted := connect(t, home, in(home), roots(filepath.Join(work, "other")))
	rooted.call("save_memory", m{"content": "2026-02-04: The lighthouse is painted in spring."})
	says(t, rooted.call("search_memory", m{"query": "basket", "project": "shop"}), "midnight")
	says(t, rooted.call("search_memory", m{"query": "lighthouse", "project": "other"}), "spring")
	says(t, rooted.call("search_memory", m{"query": "lighthouse", "project": "shop"}), "Nothing found")
	if leaves := run(t, home, "ihmt-nav", "search", "basket", "--agent=test-agent", "--json"); !strings.Contains(leaves, "basket") {
		t.Errorf("the agent is not recorded: %s", leaves)
	}
}

func TestReadingAFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := connect(t, home)
	file := filepath.Join(home, "notes.txt")
	text := strings.Repeat("a line of text that is quite long\n", 20) + "the last\n"
	write(t, file, text)
	if got := c.call("read_file", m{"path": "notes.txt"}); got != strings.TrimRight(text, "\n") {
		t.Errorf("got %q", got)
	}
	says(t, c.call("read_file", m{"path": file}), "UNCHANGED", "21 lines")
	says(t, c.call("read_file", m{"path": file, "start_line": 2, "end_line": 3}), "UNCHANGED")
	says(t, c.call("read_file", m{"path": file, "force": true}), "the last")

	write(t, file, strings.Replace(text, "the last", "the very last", 1))
	says(t, c.call("read_file", m{"path": file}), "CHANGED", "-the last", "+the very last", "@@")
	says(t, c.call("read_file", m{"path": file}), "UNCHANGED")
	if got := c.call("read_file", m{"path": file, "start_line": 20, "end_line": 99, "force": true}); got != "lines 20 to 21 of 21; there is no line 99\na line of text that is quite long\nthe very last" {
		t.Errorf("got %q", got)
	}
	// Another session has been handed out nothing.
	says(t, connect(t, home).call("read_file", m{"path": file}), "the very last")

	write(t, filepath.Join(home, "latin"), "ma\xf1ana\n")
	says(t, c.call("read_file", m{"path": "latin"}), "mañana")
	write(t, filepath.Join(home, "empty"), "")
	says(t, c.call("read_file", m{"path": "empty"}), "empty")
	// A range says nothing of the rest.
	write(t, filepath.Join(home, "other"), "one\ntwo\nthree\n")
	says(t, c.call("read_file", m{"path": "other", "start_line": 2, "end_line": 2}), "two")
	says(t, c.call("read_file", m{"path": "other"}), "three")
}

func TestFindingCode(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	c := connect(t, home, in(work))
	write(t, filepath.Join(work, "stock", "stock.go"), "package stock\n\n// Reserve sets pieces aside for an order.\nfunc Reserve(sku string, n int) error {\n\treturn nil\n}\n\ntype Shelf struct{ n int }\n\nfunc (s *Shelf) Close() {}\n")
	write(t, filepath.Join(work, "door.go"), "package main\n\ntype Door struct{}\n\nfunc (d *Door) Close() {}\n")
	says(t, c.call("project_map", m{"path": "."}), "2 files", "stock/stock.go  10 lines", "door.go")
	says(t, c.call("project_map", m{"path": work, "detail": "symbols", "subpath": "stock"}), "stock/stock.go", "Reserve:")
	text, structured, _ := c.whole("find_code", m{"path": ".", "query": "Reserve"})
	says(t, text, "stock/stock.go:3-6  Reserve\n", "// Reserve sets pieces aside", "return nil")
	says(t, string(structured), `"file":"stock/stock.go"`, `"first_line":3`, `"last_line":6`)
	says(t, c.call("find_code", m{"path": ".", "query": "set pieces aside"}), "stock/stock.go:3-6  Reserve")
	says(t, c.call("find_code", m{"path": ".", "query": "Close"}), "AMBIGUOUS", "door.go:5-5", "stock/stock.go:10-10", "clue")
	says(t, c.call("find_code", m{"path": ".", "query": "Close", "clue": "door"}), "func (d *Door) Close() {}")
	says(t, c.call("find_code", m{"path": ".", "query": "zeppelin"}), "Nothing found", "zeppelin")
	text, structured, _ = c.whole("find_code", m{"path": ".", "query": "reserveOrder9"})
	says(t, text, "stock/stock.go:3-6  Reserve")
	if !strings.HasPrefix(text, "No symbol is named reserveOrder9; nearest:\n") || !strings.Contains(string(structured), `"unnamed":"reserveOrder9"`) {
		t.Errorf("what nothing is called: %s, %s", text, structured)
	}
	write(t, filepath.Join(work, "door.go"), "package main\n\n\n// Slam is new.\nfunc Slam() {}\n")
	says(t, c.call("find_code", m{"path": ".", "query": "Slam"}), "door.go:4-5  Slam")
	nowhere(t, home, "sets pieces aside for")
}

func TestNotesEndWithTheServer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := connect(t, home)
	says(t, c.call("recall", m{"query": "flaky"}), "Nothing noted")
	c.call("note", m{"text": "The flaky test is TestHandshake."})
	says(t, c.call("recall", m{"query": "flaky test"}), "TestHandshake")
	var output strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&output, "=== RUN   Test%d\n--- PASS: Test%d (0.00s)\n", i, i)
	}
	output.WriteString("--- FAIL: TestBasket (0.01s)\n    basket_test.go:12: got 3, want 4\nFAIL\nFAIL\texample.org/shop\t0.51s\n")
	digest := c.call("digest_output", m{"text": output.String(), "label": "go test ./..."})
	says(t, digest, "go test ./..., 8004 lines: 1 failed", "--- FAIL: TestBasket", "got 3, want 4", "example.org/shop")
	if n := text.Tokens(digest); n > 700 {
		t.Errorf("the digest is %d tokens long", n)
	}
	says(t, c.call("recall", m{"query": "basket_test.go"}), "want 4")
	if left := scratches(home); len(left) != 1 {
		t.Errorf("notes are in %v", left)
	}
	if out := run(t, home, "ihmt", "mcp", "--help"); out == "" {
		t.Error("no help")
	}
	c.Close()
	if left := scratches(home); len(left) != 0 {
		t.Errorf("notes are left in %v", left)
	}
	if _, err := os.Stat(filepath.Join(home, "ihmt_memory")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("notes went into the memory")
	}
}

func scratches(home string) []string {
	found, _ := filepath.Glob(filepath.Join(home, "tmp", "ihmt-scratch-*"))
	return found
}

func TestNotesOfAKilledServerAreSwept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("temporary folders are found another way")
	}
	home := t.TempDir()
	killed, living := connect(t, home), connect(t, home)
	killed.call("note", m{"text": "of the one killed"})
	living.call("note", m{"text": "of the one living"})
	killed.cmd.Process.Kill()
	killed.Close()
	old := time.Now().Add(-time.Hour)
	for _, dir := range scratches(home) {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	connect(t, home).call("note", m{"text": "of the next"})
	if left := scratches(home); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	says(t, living.call("recall", m{"query": "living"}), "of the one living")
}

func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	read := func(uri string) (string, error) {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return r.Contents[0].Text, nil
	}
	if text, err := read("ihmt://tree"); err != nil || !strings.Contains(text, "empty") {
		t.Errorf("the tree of nothing: %q, %v", text, err)
	}
	id := regexp.MustCompile(`L-[a-z0-9-]+`).FindString(c.call("save_memory", m{"content": "2026-02-03: The lighthouse is painted in spring.", "domain": "coast"}))
	if text, err := read("ihmt://tree"); err != nil || !strings.Contains(text, "coast") {
		t.Errorf("the tree: %q, %v", text, err)
	}
	if text, err := read("ihmt://leaf/" + id); err != nil || !strings.Contains(text, "painted in spring") {
		t.Errorf("the leaf: %q, %v", text, err)
	}
	for _, uri := range []string{"ihmt://leaf/L-coast-0000-aaaaaaaaaa", "ihmt://leaf/--help", "ihmt://leaf/..%2f..%2froot", "ihmt://other"} {
		if text, err := read(uri); err == nil {
			t.Errorf("%s is %q", uri, text)
		}
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 2 {
		t.Fatalf("prompts: %v, %v", prompts, err)
	}
	for name, argument := range map[string]string{"remember": "what", "recall": "subject"} {
		r, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: name, Arguments: map[string]string{argument: "the lighthouse"}})
		if err != nil || !strings.Contains(r.Messages[0].Content.(*sdk.TextContent).Text, "the lighthouse") {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if templates, err := c.ListResourceTemplates(t.Context(), nil); err != nil || len(templates.ResourceTemplates) != 1 {
		t.Errorf("templates: %v, %v", templates, err)
	}
}

// Every call is shown as a line that does the same in a shell.
func TestLinesPaste(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	home := t.TempDir()
	c := connect(t, home, args("--trace"))
	c.call("save_memory", m{"content": "2026-02-03: It's the harbour's \"blue\" crane.\nSecond line."})
	c.call("search_memory", m{"query": "harbour's crane"})
	c.Close()
	for line := range strings.SplitSeq(strings.TrimSpace(c.stderr.String()), "\n") {
		out, err := exec.Command(bash, "-c", line).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		if strings.Contains(line, "ihmt-nav") && !bytes.Contains(out, []byte("L-personal-0000-")) {
			t.Errorf("%s finds %s", line, out)
		}
		if strings.Contains(line, "ihmt-store --") && !bytes.Contains(out, []byte(`"status":"unchanged"`)) {
			t.Errorf("%s stores something else: %s", line, out)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	c := connect(t, t.TempDir())
	var calls sync.WaitGroup
	for i := range 12 {
		calls.Go(func() {
			c.call("save_memory", m{"content": fmt.Sprintf("2026-02-03: Buoy number%d was moved.", i), "domain": "sea"})
			c.call("search_memory", m{"query": fmt.Sprintf("buoy number%d", i)})
			c.call("note", m{"text": fmt.Sprintf("note number%d", i)})
		})
	}
	calls.Wait()
	for i := range 12 {
		says(t, c.call("search_memory", m{"query": fmt.Sprintf("number%d", i)}), fmt.Sprintf("Buoy number%d ", i))
		says(t, c.call("recall", m{"query": fmt.Sprintf("number%d", i)}), fmt.Sprintf("note number%d", i))
	}
}

// Twenty servers on one memory at once lose nothing.
func TestManyServers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const servers, saves = 20, 1
	var all sync.WaitGroup
	for i := range servers {
		all.Go(func() {
			c := connect(t, home)
			for j := range saves {
				c.call("save_memory", m{"content": fmt.Sprintf("2026-02-03: Lamp l%dx%d was lit.", i, j), "domain": fmt.Sprintf("coast%d", i%3)})
				says(t, c.call("search_memory", m{"query": fmt.Sprintf("lamp l%dx%d", i, j)}), fmt.Sprintf("Lamp l%dx%d was lit", i, j))
			}
			c.Close()
		})
	}
	all.Wait()
	if stats := run(t, home, "ihmt-store", "stats", "--json"); !strings.Contains(stats, fmt.Sprintf(`"leaves":%d,`, servers*saves)) {
		t.Errorf("want %d leaves: %s", servers*saves, stats)
	}
	run(t, home, "ihmt-store", "verify")
}

// A server that is killed in the middle of a save leaves the store whole, and
// what it had confirmed is there.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for i, wait := range []time.Duration{0, 5, 15, 30, 60} {
		c := connect(t, home)
		c.call("save_memory", m{"content": fmt.Sprintf("2026-02-03: Confirmed anchor%d.", i), "domain": "sea"})
		go c.CallTool(context.Background(), &sdk.CallToolParams{Name: "save_memory", Arguments: m{
			"content": fmt.Sprintf("2026-02-03: Doubtful rope%d.\n\n", i) + strings.Repeat("A paragraph about ropes and knots.\n\n", 1500), "domain": "sea"}})
		time.Sleep(wait * time.Millisecond)
		c.cmd.Process.Kill()
		c.Close()
	}
	gone(t, home)
	run(t, home, "ihmt-store", "verify", "--repair")
	run(t, home, "ihmt-store", "verify")
	c := connect(t, home)
	for i := range 5 {
		says(t, c.call("search_memory", m{"query": fmt.Sprintf("anchor%d", i)}), fmt.Sprintf("Confirmed anchor%d.", i))
	}
}

// gone waits until no process works on a home any more.
func gone(t *testing.T, home string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	var left []string
	for range 100 {
		if left = working(home); len(left) == 0 {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Errorf("still there: %v", left)
}

// working lists the processes that were started for a home.
func working(home string) (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && bytes.Contains(environ, []byte("IHMT_HOME="+home+"\x00")) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// slowly returns the path of a server whose ihmt-project never ends.
func slowly(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	server := filepath.Join(dir, "ihmt-mcp")
	if err := os.Link(tool("ihmt-mcp"), server); err != nil {
		if err := os.Symlink(tool("ihmt-mcp"), server); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "ihmt-project"), "#!/bin/sh\necho '{\"kind\":\"progress\",\"done\":7,\"total\":9}' >&2\nexec sleep 60\n")
	if err := os.Chmod(filepath.Join(dir, "ihmt-project"), 0o700); err != nil {
		t.Fatal(err)
	}
	return server
}

func onlyServer(path string) option {
	return func(c *client, _ *sdk.Client) { c.cmd.Path, c.cmd.Args = path, []string{path} }
}

func TestCancellingEndsThePipeline(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := connect(t, home, onlyServer(slowly(t)))
	ctx, cancel := context.WithCancel(t.Context())
	params := &sdk.CallToolParams{Name: "find_code", Arguments: m{"query": "x", "path": "."}}
	params.SetProgressToken("p1")
	ended := make(chan error)
	go func() {
		_, err := c.CallTool(ctx, params)
		ended <- err
	}()
	if said := <-c.progress; said != "indexing, 7 of 9 files" {
		t.Errorf("progress says %q", said)
	}
	if n := len(working(home)); runtime.GOOS == "linux" && n != 2 {
		t.Errorf("%d processes, want the server and its tool", n)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call was not cancelled")
	}
	for range 100 {
		if len(working(home)) == 1 {
			break
		}
		time.Sleep(30 * time.Millisecond)
	}
	if left := working(home); runtime.GOOS == "linux" && len(left) != 1 {
		t.Errorf("still there: %v", left)
	}
	says(t, c.call("note", m{"text": "goes on"}), "Noted")
}

// A raw client writes the lines of the protocol itself.
type raw struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func startRaw(t *testing.T, home string, cmd *exec.Cmd) *raw {
	t.Helper()
	cmd.Env = append(os.Environ(), "IHMT_HOME="+home)
	cmd.Dir = home
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &raw{t, cmd, in, bufio.NewScanner(out)}
}

func (r *raw) send(message string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, message+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// ask returns the answer to a request; what comes before it must be of the
// protocol too.
func (r *raw) ask(request string) map[string]any {
	r.t.Helper()
	r.send(request)
	for r.lines.Scan() {
		var answer map[string]any
		if err := json.Unmarshal(r.lines.Bytes(), &answer); err != nil {
			r.t.Fatalf("%s: %v", r.lines.Text(), err)
		}
		if answer["id"] != nil {
			return answer
		}
	}
	r.t.Fatalf("no answer to %s", request)
	return nil
}

func (r *raw) introduce(version string) {
	r.t.Helper()
	a := r.ask(`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}`)
	if result, _ := a["result"].(map[string]any); result == nil || result["protocolVersion"] != version {
		r.t.Errorf("initialize: %v", a)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// A client that closes the input in the middle of a call, ends the server or
// kills it leaves nothing behind.
func TestTheEndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*raw){
		"closed":     func(r *raw) { r.in.Close() },
		"terminated": func(r *raw) { r.cmd.Process.Signal(syscall.SIGTERM) },
		"killed":     func(r *raw) { r.cmd.Process.Kill() },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			r := startRaw(t, home, exec.Command(slowly(t)))
			r.introduce("2025-11-25")
			r.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"find_code","arguments":{"query":"x","path":"."}}}`)
			for range 300 {
				if len(working(home)) == 2 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			end(r)
			if err := r.cmd.Wait(); (err == nil) != (how != "killed") {
				t.Errorf("the server ended with %v", err)
			}
			gone(t, home)
		})
	}
}

// What stands on standard output is the protocol, whatever comes in before
// the client introduces itself.
func TestBeforeTheIntroduction(t *testing.T) {
	t.Parallel()
	r := startRaw(t, t.TempDir(), exec.Command(tool("ihmt"), "mcp", "--trace"))
	if a := r.ask(`{"jsonrpc":"2.0","id":"d-1","method":"server/discover","params":{}}`); a["id"] != "d-1" || a["error"] == nil {
		t.Errorf("server/discover: %v", a)
	}
	if a := r.ask(`{"jsonrpc":"2.0","id":2,"method":"no/such"}`); a["error"] == nil {
		t.Errorf("an unknown method: %v", a)
	}
	if a := r.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"note","arguments":{"text":"early"}}}`); a["error"] == nil {
		t.Errorf("a call before the introduction: %v", a)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/no-such"}`)
	r.introduce("2025-06-18")
	if a := r.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"save_memory","arguments":{"content":"2026-02-03: The raw client saves."}}}`); a["result"] == nil {
		t.Errorf("a call: %v", a)
	}
	r.in.Close()
	for r.lines.Scan() {
		if !json.Valid(r.lines.Bytes()) {
			t.Errorf("not the protocol: %s", r.lines.Text())
		}
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A client of the newest version of the protocol, which has no introduction,
// is known by what it sends with each call.
func TestTheNewestProtocol(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(tool("ihmt"), "mcp")
	cmd.Env = append(os.Environ(), "IHMT_HOME="+home)
	s, err := sdk.NewClient(&sdk.Implementation{Name: "new-agent", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &client{ClientSession: s, t: t, home: home, stderr: &strings.Builder{}}
	c.call("save_memory", m{"content": "2026-02-03: The newest client saves."})
	if leaves := run(t, home, "ihmt-nav", "search", "newest", "--agent=new-agent", "--json"); !strings.Contains(leaves, "newest") {
		t.Errorf("the agent is not recorded: %s", leaves)
	}
	file := filepath.Join(home, "f")
	write(t, file, "one\n")
	c.call("read_file", m{"path": file})
	says(t, c.call("read_file", m{"path": file}), "UNCHANGED")
}

// The tree grows by saving, with nobody waiting for it.
func TestSavingMakesTheTreeGrow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var journal strings.Builder
	for i := range 20 {
		fmt.Fprintf(&journal, "## 2026-01-%02d\n\nThe tide table of day %d was copied by hand.\n\n", i+1, i)
	}
	file := filepath.Join(home, "journal.md")
	write(t, file, journal.String())
	run(t, home, "ihmt", "ingest", "--no-consolidate", file)
	c := connect(t, home)
	c.call("save_memory", m{"content": "2026-02-01: The tide table is printed from now on."})
	for range 100 {
		if strings.Contains(run(t, home, "ihmt-store", "stats", "--json"), `"pending":0,`) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the tree has not grown")
}

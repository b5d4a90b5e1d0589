package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/record"
)

// tools are what the tests put into pipelines; each runs as a process of its
// own, this test binary under another name.
var tools = map[string]func(args []string) int{
	"t-cat": func([]string) int {
		io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	"t-upper": func([]string) int {
		all, _ := io.ReadAll(os.Stdin)
		os.Stdout.Write(bytes.ToUpper(all))
		return 0
	},
	"t-exit": func(args []string) int {
		fmt.Fprintln(os.Stderr, "t-exit: said to")
		var code int
		fmt.Sscan(args[0], &code)
		return code
	},
	"t-yes": func([]string) int {
		for {
			if _, err := fmt.Println(`{"kind":"y"}`); err != nil {
				return 0
			}
		}
	},
	"t-head": func([]string) int {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Print(line)
		return 0
	},
	"t-args": func(args []string) int {
		fmt.Printf("%q", args)
		return 0
	},
	"t-version": func([]string) int {
		fmt.Print(os.Getenv(cli.VersionEnv))
		return 0
	},
	"t-sleep": func([]string) int {
		fmt.Printf(`{"kind":"pid","pid":%d}`+"\n", os.Getpid())
		time.Sleep(time.Minute)
		return 0
	},
	"t-parent": func([]string) int {
		New(Tool("t-cat"), Tool("t-sleep")).Run(context.Background(), os.Stdout)
		return 0
	},
}

func TestMain(m *testing.M) {
	if tool, ok := tools[strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")]; ok {
		os.Exit(tool(os.Args[1:]))
	}
	os.Exit(withTools(m.Run))
}

func withTools(run func() int) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name := range tools {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.Link(self, filepath.Join(dir, name)); err != nil {
			if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
				panic(err)
			}
		}
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return run()
}

func ExamplePipeline_Line() {
	p := New(Tool("ihmt-nav", "search", "-", "--json"))
	p.Input = `{"kind":"query","query":"what's in the cellar?"}` + "\n"
	fmt.Println(p.Line())
	// Output: printf '%s\n' '{"kind":"query","query":"what'\''s in the cellar?"}' | ihmt-nav search - --json
}

func TestStagesAreConnected(t *testing.T) {
	big := strings.Repeat("abc\n", 1<<20)
	p := New(Tool("t-cat"), Tool("t-upper"), Tool("t-cat"))
	p.Input = big
	var out bytes.Buffer
	if err := p.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != strings.ToUpper(big) {
		t.Errorf("%d bytes went in, %d others came out", len(big), out.Len())
	}
}

func TestTheFailingStageIsNamed(t *testing.T) {
	for _, c := range []struct {
		name   string
		stages []Stage
		tool   string // "" where the pipeline is well
		code   int
	}{
		{"none", []Stage{Tool("t-cat"), Tool("t-cat")}, "", 0},
		{"first", []Stage{Tool("t-exit", "2"), Tool("t-cat"), Tool("t-cat")}, "t-exit", 2},
		{"middle", []Stage{Tool("t-yes"), Tool("t-exit", "2"), Tool("t-cat")}, "t-exit", 2},
		{"last", []Stage{Tool("t-yes"), Tool("t-exit", "2")}, "t-exit", 2},
		{"skipped in the first", []Stage{Tool("t-exit", "1"), Tool("t-cat")}, "t-exit", 1},
		{"a failure outweighs what was skipped", []Stage{Tool("t-exit", "1"), Tool("t-exit", "5")}, "t-exit", 5},
		{"ambiguous", []Stage{Tool("t-cat"), Tool("t-exit", "3")}, "t-exit", 3},
		{"reader left", []Stage{Tool("t-yes"), Tool("t-head")}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := New(c.stages...).Run(t.Context(), io.Discard)
			if got := Code(err); got != c.code {
				t.Errorf("code %d (%v), want %d", got, err, c.code)
			}
			var failed *Error
			if errors.As(err, &failed) && failed.Tool != c.tool {
				t.Errorf("%s failed, want %q", failed.Tool, c.tool)
			}
			if c.code > 0 && err.Error() != "t-exit: said to" {
				t.Errorf("error %q does not pass the stage's words on", err)
			}
		})
	}
}

func TestMessagesArePassedOn(t *testing.T) {
	var messages bytes.Buffer
	p := New(Tool("t-exit", "0"), Tool("t-exit", "2"))
	p.Stderr = &messages
	err := p.Run(t.Context(), io.Discard)
	if want := "t-exit: said to\nt-exit: said to\n"; messages.String() != want {
		t.Errorf("messages %q, want %q", messages.String(), want)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "t-exit failed: exit status 2") {
		t.Errorf("error %v", err)
	}
}

func TestAnErrorOfTheReaderEndsThePipeline(t *testing.T) {
	enough := errors.New("enough")
	n := 0
	err := New(Tool("t-yes"), Tool("t-cat")).Each(t.Context(), func(r *record.Record) error {
		if n++; n == 1000 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 1000 {
		t.Errorf("got %v after %d records", err, n)
	}
}

func TestOutputThatIsNoRecord(t *testing.T) {
	p := New(Tool("t-cat"))
	p.Input = "{\"kind\":\"a\"}\nplain\n"
	err := p.Each(t.Context(), func(*record.Record) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "t-cat: line 2") {
		t.Errorf("got %v", err)
	}
}

func TestCancellingEndsEveryStage(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var pid int64
	err := New(Tool("t-sleep"), Tool("t-cat"), Tool("t-cat")).Each(ctx, func(r *record.Record) error {
		pid = r.Get("pid").Int()
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if pid == 0 || running(int(pid)) {
		t.Errorf("process %d is still there", pid)
	}
}

func TestStagesDieWithTheirParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a sleeping child whose parent was killed")
	}
	parent := exec.Command("t-parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	rec, err := record.NewReader(out).Read()
	parent.Process.Kill()
	parent.Wait()
	if err != nil {
		t.Fatal(err)
	}
	pid := int(rec.Get("pid").Int())
	for range 100 {
		if !running(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d outlived its parent", pid)
}

func TestStagesKnowTheVersionWanted(t *testing.T) {
	var out bytes.Buffer
	if err := New(Tool("t-version")).Run(t.Context(), &out); err != nil || out.String() != cli.Version {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestMissingTool(t *testing.T) {
	err := New(Tool("t-cat"), Tool("t-nowhere")).Run(t.Context(), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "t-nowhere is neither beside ") {
		t.Errorf("got %v", err)
	}
}

// A shell that is given the line does what the pipeline does.
func TestLinesPaste(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	for _, arg := range []string{"plain", "", "it's", "a b", "$HOME `x` \\ \"", "~", "*", "#", "é 会议", "tab\tand\nline", "\x1b[31m", "\xff\xfe", "-n", "a\u202eb", "!x", "\ufffd"} {
		p := New(Tool("t-args", arg, "z"))
		var want bytes.Buffer
		if err := p.Run(t.Context(), &want); err != nil {
			t.Fatal(err)
		}
		got, err := exec.Command(bash, "-c", p.Line()).Output()
		if err != nil || string(got) != want.String() {
			t.Errorf("%q pastes as %s and gives %s, want %s", arg, p.Line(), got, want.String())
		}
		if line := p.Line(); cli.CleanLine(line, len(line)) != strings.Join(strings.Fields(line), " ") {
			t.Errorf("%q prints control codes: %q", arg, line)
		}
		p = New(Tool("t-cat"))
		p.Input = arg
		if got, err := exec.Command(bash, "-c", p.Line()).Output(); arg != "" && (err != nil || string(got) != arg) {
			t.Errorf("the input %q pastes as %s and gives %q", arg, p.Line(), got)
		}
	}
}

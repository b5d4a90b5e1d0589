package summarize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func ExampleNew() {
	b, err := New(Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := b.Summarize(context.Background(), "process.cooking", 1, []Node{
		{Text: "Fry the onion slowly in olive oil. Add saffron and rice."},
		{Text: "The rice rests five minutes before it is served. Saffron gives the colour."},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Title)
	fmt.Println(s.Summary)
	// Output:
	// saffron, rice, minutes
	// Fry the onion slowly in olive oil. The rice rests five minutes before it is served. Saffron gives the colour.
}

func ExampleWithFallback() {
	b, _ := New(Settings{Backend: Command, Command: "echo no model here >&2; exit 1"})
	b = WithFallback(b, func(err error) { fmt.Println(err) })
	s, _ := b.Summarize(context.Background(), "personal", 1, []Node{{Text: "The bicycle stands in the cellar."}})
	fmt.Println(s.Summary)
	// Output:
	// command: exit status 1: no model here
	// The bicycle stands in the cellar.
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, s := range map[string]Settings{
		"unknown back end": {Backend: "oracle"},
		"no command":       {Backend: Command},
		"no model":         {Backend: OpenAI},
	} {
		if _, err := New(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func ask(t *testing.T, line string, timeout time.Duration) (Summary, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	b, err := New(Settings{Backend: Command, Command: line, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return b.Summarize(context.Background(), "personal", 1, nodesOf(journal...))
}

func TestACommandGetsTheChildrenAndItsAnswerIsTaken(t *testing.T) {
	s, err := ask(t, `n=$(grep -c '^{"kind":"child","domain":"personal","layer":1,.*"text":"'); echo "{\"title\":\"t\",\"summary\":\"$n children\",\"keywords\":[\"a\",\"A\",\"b\"]}"`, 0)
	if err != nil || s.Summary != "4 children" || len(s.Keywords) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = ask(t, `echo '{"summary":"it need not read its input","keywords":[]}'`, 0)
	if err != nil || s.Summary == "" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestEveryWayACommandCanFail(t *testing.T) {
	for _, c := range []struct {
		line string
		kind FailureKind
		says string
	}{
		{"echo out of credit >&2; exit 3", Failed, "out of credit"},
		{"exit 77", NoKey, "77"},
		{"echo no key here >&2; exit 77", NoKey, "no key here"},
		{"ihmt-no-such-program", NotStarted, "not found"},
		{"sleep 60", TimedOut, "no reply within"},
		{"echo hello", Unusable, `it starts "hello"`},
		{"true", Unusable, "it is empty"},
		{`printf '{"title":"t","summ'`, Unusable, "no JSON object"},
		{`echo '{"title":"t","keywords":["k"]}'`, Unusable, "no summary"},
		{`echo '["summary"]'`, Unusable, "no JSON object"},
		{"yes | head -c 5000000", Unusable, "longer than"},
		{"yes >&2 & sleep 60", TimedOut, "no reply within"},
	} {
		_, err := ask(t, c.line, 500*time.Millisecond)
		var f *Failure
		if !errors.As(err, &f) || f.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want a failure of kind %q that says %q", c.line, err, c.kind, c.says)
		}
	}
}

func TestACommandLeavesNoProcessBehind(t *testing.T) {
	beats := filepath.Join(t.TempDir(), "beats")
	line := `while :; do echo >>` + beats + `; sleep 0.02; done & sleep 0.1; echo '{"summary":"s"}'`
	if _, err := ask(t, line, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(beats)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	time.Sleep(300 * time.Millisecond)
	if after := size(); after != before {
		t.Errorf("what the command started still runs")
	}
}

// A scripted back end answers with its errors in turn, nil being a success.
type scripted struct {
	errs  []error
	asked int
}

func (*scripted) Name() string { return "scripted" }

func (s *scripted) Summarize(context.Context, string, int, []Node) (Summary, error) {
	err := s.errs[min(s.asked, len(s.errs)-1)]
	s.asked++
	return Summary{Summary: "asked"}, err
}

func TestFallbackSaysEachKindOnceAndGivesUpAfterThree(t *testing.T) {
	slow, bad := &Failure{TimedOut, errors.New("slow")}, &Failure{Unusable, errors.New("bad")}
	inner := &scripted{errs: []error{slow, bad, nil, slow, bad, slow, nil}}
	var notes []string
	b := WithFallback(inner, func(err error) { notes = append(notes, err.Error()) })
	var answers []string
	for range 9 {
		s, err := b.Summarize(context.Background(), "d", 1, nodesOf("The bicycle stands in the cellar."))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, strings.Fields(s.Summary)[0])
	}
	if got := strings.Join(answers, " "); got != "The The asked The The The The The The" {
		t.Errorf("answers %s", got)
	}
	if inner.asked != 6 || len(notes) != 3 {
		t.Errorf("asked %d times, notes %q", inner.asked, notes)
	}
}

func TestFallbackEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := WithFallback(&scripted{errs: []error{errors.New("interrupted")}}, func(err error) { t.Errorf("noted %v", err) })
	if _, err := b.Summarize(ctx, "d", 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestParseReplyFindsTheObject(t *testing.T) {
	for name, reply := range map[string]string{
		"bare":     `{"title":"t","summary":"s","keywords":["k"]}`,
		"fenced":   "Here you are:\n```json\n{\"title\":\"t\",\"summary\":\"s\",\"keywords\":[\"k\"]}\n```\n",
		"thinking": "<think>{is this it?}</think>{\"title\":\"t\",\"summary\":\"s\",\"keywords\":[\"k\"],\"more\":{}}",
		"untitled": `{"summary":"s","keywords":["k"]}`,
	} {
		if s, err := ParseReply([]byte(reply)); err != nil || s.Summary != "s" || s.Title == "" || len(s.Keywords) != 1 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"title":"a\u001b[2Jb","summary":"x\u202ey\nz","keywords":["k","K","","` + strings.Repeat("long", 50) + `"]}`))
	f.Add([]byte(`{"title":{},"summary":[]}`))
	f.Fuzz(func(t *testing.T, reply []byte) {
		s, err := ParseReply(reply)
		if err != nil {
			return
		}
		if len(s.Keywords) > maxKeywords || s.Summary == "" {
			t.Errorf("%+v", s)
		}
		for _, part := range append(s.Keywords, s.Title, s.Summary) {
			if part != oneLine(part) || len([]rune(part)) > maxSummary {
				t.Errorf("unsafe: %q", part)
			}
		}
	})
}

// Package cli is what every main shares: the flags that all tools take, the
// exit codes, the choice between JSON lines and text, and the way errors are
// told.
//
// A tool's grammar is a kong struct that embeds [Common]; its commands have a
// method Run(*cli.Context) error. Main parses, runs and exits:
//
//	0  done
//	1  nothing found, or something was skipped ([ErrNothing], [ErrSkipped])
//	2  wrong usage, or a failure (any other error)
//	3  ambiguous, a clue is needed ([ErrAmbiguous])
package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"golang.org/x/term"

	_ "github.com/ihmt/ihmt/pkg/cli/early" // answers --version
	"github.com/ihmt/ihmt/pkg/cli/version"
	"github.com/ihmt/ihmt/pkg/record"
)

// Version is the version of all tools: they are released together, and the
// orchestrator refuses siblings of another one.
const Version = version.Version

// VersionEnv is the environment variable in which the orchestrator tells the
// tools that it starts which version it expects.
const VersionEnv = "IHMT_PIPELINE_VERSION"

// homeEnv names the folder of the memory where --path does not.
const homeEnv = "IHMT_HOME"

// Errors that only set the exit code: what they stand for has been printed.
var (
	ErrNothing   = errors.New("nothing found")
	ErrSkipped   = errors.New("something was skipped")
	ErrAmbiguous = errors.New("ambiguous: a clue is needed")
)

// Common are the flags of every tool.
type Common struct {
	Path    string            `help:"Folder that holds ihmt_memory." env:"IHMT_HOME" default:"~/.ihmt" placeholder:"DIR"`
	JSON    bool              `name:"json" help:"Print JSON lines, on a terminal too." xor:"format"`
	Text    bool              `name:"text" help:"Print for people, into a pipe too." xor:"format"`
	Version kong.VersionFlag  `help:"Print the version."`
	Manual  mangokong.ManFlag `help:"Print the manual page." hidden:""`
}

// Memory is the folder of the memory itself, ihmt_memory below Path.
func (c *Common) Memory() (string, error) {
	dir := c.Path
	if dir == "" {
		return "", errors.New("--path is empty: name the folder that holds the memory")
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no home folder for the memory: %w; give --path DIR", err)
		}
		dir = filepath.Join(home, rest)
	}
	dir, err := filepath.Abs(dir)
	return filepath.Join(dir, "ihmt_memory"), err
}

// A Context is what a command runs in.
type Context struct {
	*Common
	Name   string
	In     io.Reader
	Out    *Output
	Err    io.Writer
	parser *kong.Kong
}

// commonOf is implemented by every grammar that embeds Common.
type commonOf interface{ common() *Common }

func (c *Common) common() *Common { return c }

// Main runs a tool and exits. The renderer prints a record for people; with
// nil every record is printed as JSON.
func Main(name, about string, grammar commonOf, render Renderer) {
	deepen(name == "")
	os.Exit(run(name, about, grammar, render, os.Args[1:]))
}

// deepen makes room on the stack at once, since the frame is as large as what
// it holds, and touches none of it. Made bit by bit, as calls go deeper, room
// costs a tool a millisecond: each time the stack moves, every frame with it.
//
//go:noinline
func deepen(never bool) {
	if never {
		var room [64 << 10]byte
		touch(&room)
	}
}

//go:noinline
func touch(room *[64 << 10]byte) { room[len(os.Args)] = 1 }

func run(name, about string, grammar commonOf, render Renderer, args []string) int {
	if want := os.Getenv(VersionEnv); want != "" && want != Version {
		return fail(os.Stderr, name, fmt.Errorf("this is version %s, but what started it is version %s; install all tools of one version together", Version, want))
	}
	for _, arg := range args {
		if !utf8.ValidString(arg) { // kong would turn it into another name
			return fail(os.Stderr, name, fmt.Errorf("the argument %q is not valid UTF-8; rename the file, or name the folder that it is in", arg))
		}
	}
	if os.Getenv(homeEnv) == "" { // set to nothing counts as not set
		os.Unsetenv(homeEnv)
	}
	parser, err := kong.New(grammar, kong.Name(name), kong.Description(unwrapped(about)),
		kong.Vars{"version": name + " " + Version}, kong.UsageOnError(), kong.Resolvers(settings()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return fail(os.Stderr, name, err)
	}
	if line := os.Getenv("COMP_LINE"); line != "" { // a shell asks how to go on
		for _, word := range completions(parser, line, os.Getenv("COMP_POINT")) {
			fmt.Println(word)
		}
		return 0
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fail(os.Stderr, name, err)
		fmt.Fprintf(os.Stderr, "try: %s --help\n", name)
		return 2
	}
	common := grammar.common()
	people := common.Text || (!common.JSON && term.IsTerminal(int(os.Stdout.Fd())))
	ctx := &Context{Common: common, Name: name, In: os.Stdin, Out: newOutput(os.Stdout, people, render), Err: os.Stderr, parser: parser}
	err = parsed.Run(ctx)
	if flushed := ctx.Out.Flush(); flushed != nil && (err == nil || onlyCode(err)) {
		err = flushed
	}
	return fail(os.Stderr, name, err)
}

// unwrapped joins the lines of each paragraph, for those who wrap them anew.
func unwrapped(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return strings.Join(paragraphs, "\n\n")
}

// onlyCode tells whether an error stands for an exit code and nothing else.
func onlyCode(err error) bool {
	return errors.Is(err, ErrNothing) || errors.Is(err, ErrSkipped) || errors.Is(err, ErrAmbiguous)
}

func fail(w io.Writer, name string, err error) int {
	switch {
	case err == nil || errors.Is(err, io.ErrClosedPipe) || isBrokenPipe(err):
		return 0
	case errors.Is(err, ErrNothing) || errors.Is(err, ErrSkipped):
		return 1
	case errors.Is(err, ErrAmbiguous):
		return 3
	}
	fmt.Fprintf(w, "%s: %s\n", name, Clean(err.Error()))
	return 2
}

// Records calls do for each record of the input. A line that is not a record,
// or of which do returns a *record.LineError, ends it with an error that names
// the line, or, with keepGoing, is written as skipped and ends it with
// ErrSkipped after the rest.
func (c *Context) Records(in *record.Reader, keepGoing bool, do func(*record.Record) error) error {
	var skipped error
	for {
		r, err := in.Read()
		if errors.Is(err, io.EOF) {
			return skipped
		}
		if err == nil {
			err = do(r)
		}
		var bad *record.LineError
		switch {
		case errors.As(err, &bad) && keepGoing:
			skipped = ErrSkipped
			err = c.Out.Write(record.New(record.KindSkipped, record.Skipped{Source: "standard input", Reason: bad.Error()}))
		case errors.As(err, &bad):
			return fmt.Errorf("standard input, %w; mend it, or skip such lines with --keep-going", err)
		}
		if err != nil {
			return err
		}
	}
}

// Interactive tells whether somebody is there to answer a question.
func (c *Context) Interactive() bool {
	in, ok := c.In.(*os.File)
	return ok && c.Out.People && term.IsTerminal(int(in.Fd()))
}

// Prompt asks on standard error and returns the line answered, "" at the end
// of the input.
func (c *Context) Prompt(question string) (string, error) {
	if err := c.Out.Flush(); err != nil {
		return "", err
	}
	fmt.Fprint(c.Err, question)
	line, err := bufio.NewReader(c.In).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// Confirm asks for a yes. Where nobody can answer it fails and names --yes.
func (c *Context) Confirm(question string) (bool, error) {
	if !c.Interactive() {
		return false, errors.New("this cannot be undone: give --yes to do it without being asked")
	}
	answer, err := c.Prompt(question + "Type yes: ")
	return strings.EqualFold(answer, "yes"), err
}

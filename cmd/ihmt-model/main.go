// Command ihmt-model asks a language model for the summary of a branch.
//
// ihmt-summarize runs it for --backend anthropic and openai: children come on
// standard input as JSON lines, one object with title, summary and keywords
// goes out, as from any program given with --backend-cmd. It is a program of
// its own because the client library of an API takes longer to start than all
// of the other tools do.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/summarize"
	"github.com/ihmt/ihmt/pkg/summarize/model"
)

func main() {
	var s summarize.Settings
	flag.StringVar(&s.Backend, "backend", summarize.Anthropic, "anthropic (key in ANTHROPIC_API_KEY) or openai (key in OPENAI_API_KEY, if the endpoint wants one)")
	flag.StringVar(&s.Model, "model", "", "name of the model; anthropic has a default")
	flag.StringVar(&s.BaseURL, "base-url", "", "of the API, such as http://localhost:11434/v1")
	flag.DurationVar(&s.Timeout, "timeout", 0, "for the answer (default 1m)")
	version := flag.Bool("version", false, "print the version")
	flag.Parse()
	if *version {
		fmt.Println("ihmt-model", cli.Version)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, cli.Clean(err.Error()))
		os.Exit(exitCode(err))
	}
}

func run(ctx context.Context, s summarize.Settings, in io.Reader, out io.Writer) error {
	domain, layer, nodes, err := summarize.ReadRequests(in)
	if err != nil {
		return err
	}
	backend, err := model.New(s)
	if err != nil {
		return err
	}
	summary, err := backend.Summarize(ctx, domain, layer, nodes)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(summary)
}

func exitCode(err error) int {
	var f *summarize.Failure
	if errors.As(err, &f) {
		return f.Kind.ExitCode()
	}
	return 2
}

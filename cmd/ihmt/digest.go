package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/detect"
	"github.com/ihmt/ihmt/pkg/digest"
)

type digestCmd struct {
	MaxTokens int `help:"How long the digest may be." default:"600" placeholder:"N"`
}

// Run prints what matters of the output on standard input.
func (d *digestCmd) Run(ctx *cli.Context) error {
	all, err := io.ReadAll(io.LimitReader(ctx.In, detect.MaxSize))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(all)) == "" {
		return errors.New("there is nothing to digest: pipe the output of a command in, as in make 2>&1 | ihmt digest")
	}
	_, err = os.Stdout.WriteString(cli.Clean(digest.Of(string(all), d.MaxTokens)))
	return err
}

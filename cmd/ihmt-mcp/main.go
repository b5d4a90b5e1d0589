// Command ihmt-mcp offers a memory to agents by the Model Context Protocol.
// ihmt mcp starts it: it is a program of its own because the library of the
// protocol takes longer to start than all of the other tools do.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ihmt/ihmt/mcp"
	"github.com/ihmt/ihmt/pkg/cli"
)

const about = `Offer a memory to agents by the Model Context Protocol.

Speaks the protocol on standard input and output, or with --http on a loopback
address, until the input ends.`

type grammar struct {
	cli.Common
	HTTP  string `name:"http" help:"Serve streamable HTTP on this loopback address instead; clients send the token that is in the file named at the start." placeholder:"127.0.0.1:PORT"`
	Trace bool   `help:"Print each call to stderr, as a line to paste into a shell."`
}

func main() { cli.Main("ihmt-mcp", about, &grammar{}, nil) }

func (g *grammar) Run(c *cli.Context) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var trace io.Writer
	if g.Trace {
		trace = c.Err
	}
	server := mcp.New(mcp.Options{Path: g.Path, Trace: trace})
	defer server.Close()
	if g.HTTP == "" {
		return server.ServeStdio(ctx)
	}
	return server.ServeHTTP(ctx, g.HTTP, func(url, tokenFile string) {
		fmt.Fprintf(c.Err, "%s: serving %s; the token is in %s\n", c.Name, url, tokenFile)
	})
}

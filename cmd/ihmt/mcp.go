package main

import (
	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
)

type mcpCmd struct {
	HTTP string `name:"http" help:"Serve streamable HTTP on this loopback address instead of standard input and output." placeholder:"127.0.0.1:PORT"`
}

// Run becomes the server, so that a client which ends its process ends the
// server.
func (m *mcpCmd) Run(ctx *cli.Context, g *grammar) error {
	path, err := pipeline.Find("ihmt-mcp")
	if err != nil {
		return err
	}
	return become(path, append(flags("--http", m.HTTP, "--trace", g.Trace), "--path="+ctx.Path))
}

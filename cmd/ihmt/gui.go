package main

import "github.com/ihmt/ihmt/pkg/cli"

type guiCmd struct {
	Project   string `help:"The project that agents may be connected for." placeholder:"DIR"`
	Port      int    `help:"Port to serve at; 0 takes one that is free." placeholder:"N"`
	NoBrowser bool   `help:"Print the address, and open no browser."`
}

func (c *guiCmd) Run(ctx *cli.Context, g *grammar) error {
	return newRunner(ctx, g).show("ihmt-gui", flags("--project", c.Project, "--port", c.Port, "--no-browser", c.NoBrowser)...)
}

// Command ihmt-gui shows a memory in the browser.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/gui"
)

const about = `Show a memory in the browser.

Serves a page on this machine only, for whoever has the address that it prints.
The page reads what the memory holds, explains searches, and sets agents up.`

type grammar struct {
	cli.Common
	Project   string `help:"The project that agents may be connected for." type:"existingdir" placeholder:"DIR"`
	Port      int    `help:"Port to serve at; 0 takes one that is free." default:"0" placeholder:"N"`
	NoBrowser bool   `help:"Print the address, and open no browser."`
}

func main() { cli.Main("ihmt-gui", about, &grammar{}, nil) }

// Run serves until Ctrl-C.
func (g *grammar) Run(c *cli.Context) error {
	if g.Port < 0 || g.Port > 65535 {
		return fmt.Errorf("--port is %d; want 0 to 65535", g.Port)
	}
	memory, err := c.Memory()
	if err != nil {
		return err
	}
	if g.Project != "" { // where ihmt setup looks for the project
		if err := os.Chdir(g.Project); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return gui.Serve(ctx, gui.Options{Home: filepath.Dir(memory), Project: g.Project, Port: g.Port, Browse: !g.NoBrowser, Out: os.Stdout})
}

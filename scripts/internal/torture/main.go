// Command torture tries to break what a memory promises: it kills processes in
// the middle of their work, cuts the power after every change to the disk, and
// lets many work on one memory at once. It says what it did, and ends with an
// error where a promise was broken.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type grammar struct {
	Rounds int    `help:"How many times to kill everything." default:"50"`
	Seed   uint64 `help:"What chance starts from." default:"1"`
	Bin    string `help:"Folder of tools that were built with the tag torture." placeholder:"DIR"`
	Every  int    `help:"Cut the power after every so many changes to the disk." default:"1"`
	What   string `arg:"" optional:"" enum:"all,kill,cut,errors,many" default:"all" help:"What to do: kill, cut, errors, many or all."`
}

func main() {
	var g grammar
	kong.Parse(&g, kong.Name("torture"), kong.Description("Tries to break what a memory promises."))
	if err := g.run(); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

func (g *grammar) run() error {
	if g.Bin == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		g.Bin = filepath.Dir(self)
	}
	say := func(s string) { fmt.Println(s) }
	for _, part := range []struct {
		name string
		do   func(every int, seed uint64, say func(string)) error
	}{{"errors", diskErrors}, {"cut", powerCuts}} {
		if g.What == part.name || g.What == "all" {
			if err := part.do(g.Every, g.Seed, say); err != nil {
				return err
			}
		}
	}
	if g.What == "many" || g.What == "all" {
		if err := many(g.Bin, 8, 500, say); err != nil {
			return err
		}
	}
	if g.What != "kill" && g.What != "all" {
		return nil
	}
	total, err := killRounds(g.Bin, g.Rounds, g.Seed, say)
	if err != nil {
		return err
	}
	for _, point := range slices.Sorted(maps.Keys(total.reached)) {
		fmt.Printf("%5d ended at %s\n", total.reached[point], point)
	}
	if never := total.never(); len(never) > 0 {
		fmt.Printf("%d points were never reached: %s\n", len(never), strings.Join(never, "; "))
	}
	fmt.Printf("kill: %d rounds, %d processes killed, %d of them at a named point; %d leaves acknowledged, none lost; mended %d times\n",
		total.rounds, total.killed, total.faulted, total.acknowledged, total.repaired)
	return nil
}

// Command eval measures the built binaries against data and independent
// oracles: scripts/eval NAME ARGUMENTS. Each file of this package is one
// measurement; none of them calls the code that it judges.
package main

import (
	"fmt"
	"os"
	"slices"
)

// A measurement takes the arguments after its name and prints its figures; an
// error means that a target was missed or that it could not run.
type measurement struct {
	usage string
	run   func(args []string) error
}

var measurements = map[string]measurement{}

func main() {
	if len(os.Args) > 1 {
		if m, ok := measurements[os.Args[1]]; ok {
			if err := m.run(os.Args[2:]); err != nil {
				fmt.Fprintf(os.Stderr, "eval %s: %v\n", os.Args[1], err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: scripts/eval NAME ARGUMENTS, where NAME is one of")
	names := make([]string, 0, len(measurements))
	for name := range measurements {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(os.Stderr, "  %-10s %s\n", name, measurements[name].usage)
	}
	os.Exit(2)
}

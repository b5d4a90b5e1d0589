package main

import (
	"context"
	"os"

	"github.com/ihmt/ihmt/pkg/pipeline"
)

// become runs the program and ends with it: Windows cannot replace a process.
// Its job object ends the program when this process is ended.
func become(_ string, args []string) error {
	p := pipeline.New(pipeline.Tool("ihmt-mcp", args...))
	p.Stdin, p.Stderr = os.Stdin, os.Stderr
	return exit(p.Run(context.Background(), os.Stdout))
}

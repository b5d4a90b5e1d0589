// Package early answers --version, where it is the only argument, before the
// packages of a program have been initialised: the question is asked of every
// tool, and some have libraries that take long to start.
//
// Go initialises packages in the order of their import paths as soon as what
// they import is ready. This one needs os and nothing else, so that it comes
// before most others; where it should not, the answer is the same and late.
package early

import (
	"os"

	"github.com/ihmt/ihmt/pkg/cli/version"
)

func init() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		os.Stdout.WriteString(name(os.Args[0]) + " " + version.Version + "\n")
		os.Exit(0)
	}
}

// name is the name of a program without its folder and .exe. It goes without
// path/filepath and strings, for which an init would have to wait.
func name(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			path = path[i+1:]
			break
		}
	}
	if n := len(path) - len(".exe"); n > 0 && path[n:] == ".exe" {
		path = path[:n]
	}
	return path
}

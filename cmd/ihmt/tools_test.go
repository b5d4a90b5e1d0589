package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the outputs into the pages that show them")

// bin is the folder of the built tools, which the tests run as a shell would.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withTools(m.Run))
}

func withTools(run func() int) int {
	var err error
	if bin, err = os.MkdirTemp("", "ihmt-bin-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	build := exec.Command("go", "build", "-trimpath", "-o", bin+string(filepath.Separator), "./cmd/...")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	os.Unsetenv("IHMT_HOME")
	return run()
}

package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-detect": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"long-line":   longLine,
			"unprintable": unprintable,
		},
	})
}

// longLine FILE writes one line of 50 MB.
func longLine(ts *testscript.TestScript, _ bool, args []string) {
	line := make([]byte, 50<<20)
	for i := range line {
		line[i] = "words of no end "[i%16]
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), line, 0o600))
}

// unprintable FILE writes bytes that a script cannot hold: Latin-1 text.
func unprintable(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("Ma\xf1ana vuelvo a Espa\xf1a.\n"), 0o600))
}

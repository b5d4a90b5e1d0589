package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-summarize": main, "put": put, "describe": describe})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireUniqueNames: true, Setup: func(env *testscript.Env) error {
		env.Setenv("IHMT_HOME", env.WorkDir+"/mem")
		return nil
	}})
}

// put stores the chunks on standard input in $IHMT_HOME, in branches of four.
func put() {
	s, err := store.Create(os.Getenv("IHMT_HOME") + "/ihmt_memory")
	if err != nil {
		panic(err)
	}
	settings := s.Settings
	settings.BranchFactor = 4
	if err := s.WriteSettings(settings); err != nil {
		panic(err)
	}
	if _, err := s.Put(record.NewReader(os.Stdin), func([]*record.Record) error { return nil }, store.PutOptions{}); err != nil {
		panic(err)
	}
}

// describe is a back end: a program that reads children and prints what the
// branch over them says.
func describe() {
	os.Stdout.WriteString(`{"title":"Told by a program","summary":"All about letters.","keywords":["letters"]}`)
}

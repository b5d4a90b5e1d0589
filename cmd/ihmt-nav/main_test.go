package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
	"github.com/ihmt/ihmt/pkg/summarize"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-nav": main, "put": put, "grow": grow})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireUniqueNames: true, Setup: func(env *testscript.Env) error {
		env.Setenv("IHMT_HOME", env.WorkDir+"/mem")
		env.Setenv("NO_COLOR", "1")
		return nil
	}})
}

// put stores the chunks on standard input in $IHMT_HOME.
func put() {
	s, err := store.Create(os.Getenv("IHMT_HOME") + "/ihmt_memory")
	if err != nil {
		panic(err)
	}
	out := record.NewWriter(os.Stdout)
	_, err = s.Put(record.NewReader(os.Stdin), func(records []*record.Record) error {
		for _, r := range records {
			if err := out.Write(r); err != nil {
				return err
			}
		}
		return out.Flush()
	}, store.PutOptions{})
	if err != nil {
		panic(err)
	}
}

// grow closes the tree of $IHMT_HOME by force.
func grow() {
	s, err := store.Open(os.Getenv("IHMT_HOME") + "/ihmt_memory")
	if err != nil {
		panic(err)
	}
	if _, err := summarize.Grow(context.Background(), s, summarize.Options{Force: true}); err != nil {
		panic(err)
	}
}

package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv("IHMT_TEST_AS_TOOL") != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"ihmt-store": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", RequireUniqueNames: true, Condition: func(name string) (bool, error) {
		if name != "root" {
			return false, fmt.Errorf("unknown condition %q", name)
		}
		return os.Getuid() == 0, nil
	}})
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ihmt/ihmt/pkg/facts"
	"github.com/ihmt/ihmt/pkg/record"
	"github.com/ihmt/ihmt/pkg/store"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-facts": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("IHMT_HOME", e.WorkDir+"/home")
			return nil
		},
	})
}

// In a pipeline the store may be slow to make a new memory: it is opened when
// the first leaf arrives, and what it holds counts from then on.
func TestTheMemoryIsMadeLater(t *testing.T) {
	home := t.TempDir()
	tool := exec.Command("ihmt-facts", "--path", home)
	in, err := tool.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	fmt.Fprintln(in, `{"kind":"report","tool":"first"}`)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "first") {
		t.Fatalf("%q, %v", line, err) // now it runs
	}
	s, err := store.Create(filepath.Join(home, "ihmt_memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put(t, s, "Madrid", "2024-03-11")
	fmt.Fprintln(in, put(t, s, "Valencia", "2026-02-03"))
	in.Close()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Wait(); err != nil {
		t.Fatal(err)
	}
	if want := "location = 'Madrid', but on 2026-02-03 you updated to 'Valencia'"; !strings.Contains(string(rest), want) {
		t.Errorf("it does not know the memory: no %q in\n%s", want, rest)
	}
}

// put stores where the user lives and returns the leaf.
func put(t *testing.T, s *store.Store, city, day string) (leaf *record.Record) {
	t.Helper()
	chunk, err := facts.Chunk("user", "location", city, day)
	if err != nil {
		t.Fatal(err)
	}
	in := record.NewReader(strings.NewReader(record.New(record.KindChunk, chunk).String()))
	_, err = s.Put(in, func(leaves []*record.Record) error {
		for _, l := range leaves {
			leaf = l
		}
		return nil
	}, store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

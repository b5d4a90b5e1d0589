package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ihmt/ihmt/pkg/chunk"
	"github.com/ihmt/ihmt/pkg/record"
)

func TestMain(m *testing.M) {
	if os.Getenv("IHMT_CHUNK_MAIN") != "" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"ihmt-chunk": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: func(env *testscript.Env) error {
		env.Setenv("HOME", env.WorkDir)
		return nil
	}})
}

// A document is answered as soon as it is read: the writer may wait for it.
func TestOutputIsFlushedWhenTheInputPauses(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "IHMT_CHUNK_MAIN=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range 3 {
		io.WriteString(in, `{"kind":"document","source":"s","data_type":"GENERIC","text":"Hi."}`+"\n")
		for _, kind := range []string{"chunk", "document_end"} {
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"kind":"`+kind+`"`) {
				t.Fatalf("got %q, want a %s", lines.Text(), kind)
			}
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// A text of 8 MB in one line comes back whole, whatever it is taken for.
func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("8 MB texts")
	}
	for _, unit := range []string{"word. ", ">", "[12/03/24, 21:05] Ana: "} {
		line := strings.Repeat(unit, (8<<20)/len(unit))
		for _, dataType := range []string{record.TypeNarrative, record.TypePersonal, record.TypeProcess} {
			doc := record.New(record.KindDocument, record.Document{Source: "s", DataType: dataType, Text: line})
			whole := sha256.New()
			err := chunk.Records(doc, chunk.Options{}, func(r *record.Record) error {
				if r.Kind() == record.KindChunk {
					io.WriteString(whole, r.Str("content"))
				} else if r.Str("checksum") != fmt.Sprintf("sha256:%x", whole.Sum(nil)) {
					t.Errorf("%s of %q: the chunks are not the text", dataType, unit)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

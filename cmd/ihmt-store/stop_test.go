package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/store"
)

// TestInterruptedInTheMiddle stops a store that is fed without end and finds
// the memory whole, with everything that was acknowledged.
func TestInterruptedInTheMiddle(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such signal")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "--path", dir)
	cmd.Env = append(os.Environ(), "IHMT_TEST_AS_TOOL=1")
	var said bytes.Buffer
	cmd.Stderr = &said
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
	go func() {
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(in, `{"kind":"chunk","source":"s%d","position":0,"domain":"d","timestamp":"2026-02-03","content":"memory %d"}`+"\n", i, i); err != nil {
				return
			}
		}
	}()
	acknowledged := 0
	for lines := bufio.NewScanner(out); lines.Scan(); acknowledged++ {
		if acknowledged == 0 {
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	io.Copy(io.Discard, out)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(said.String(), "interrupted; what was acknowledged is stored") {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
	memory, err := (&cli.Common{Path: dir}).Memory()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(memory)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	problems, checked, err := s.Verify()
	if err != nil || len(problems) > 0 || checked["leaves"] != acknowledged {
		t.Errorf("%d leaves were acknowledged; found %v, %v, %v", acknowledged, checked, problems, err)
	}
}

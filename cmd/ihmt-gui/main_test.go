package main

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ihmt-gui": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata"})
}

// It prints where the page is, serves it to who has the address, refuses a
// port that is taken, and ends when it is told to.
func TestItServesUntilItIsTold(t *testing.T) {
	tool := exec.Command("ihmt-gui", "--no-browser", "--path", t.TempDir())
	out, err := tool.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Start(); err != nil {
		t.Fatal(err)
	}
	defer tool.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	if !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/\?token=[A-Z2-7]{26}$`).MatchString(address) {
		t.Fatalf("address %q", address)
	}
	for url, want := range map[string]int{address: 200, address[:strings.Index(address, "?")]: 403, address + "x": 403} {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", url, response.StatusCode, want)
		}
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address[:strings.Index(address, "/?")], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("ihmt-gui", "--no-browser", "--port", port).CombinedOutput(); err == nil || !strings.Contains(string(said), "give another --port") {
		t.Errorf("a port that is taken: %v, %s", err, said)
	}
	if runtime.GOOS == "windows" {
		return
	}
	tool.Process.Signal(syscall.SIGTERM)
	if err := tool.Wait(); err != nil {
		t.Errorf("told to end: %v", err)
	}
}

// The address is not in the arguments of the browser, nor in what everybody
// may read.
func TestTheBrowserGetsAFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("xdg-open is Linux's")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nstat -c %a \"$1\" >" + dir + "/mode; cat \"$1\" >" + dir + "/page; echo \"$@\" >" + dir + "/arguments; mv " + dir + "/arguments " + dir + "/done\n"
	if err := os.WriteFile(dir+"/xdg-open", []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	tool := exec.Command("ihmt-gui", "--path", dir)
	tool.Env = append(os.Environ(), "PATH="+dir+":/usr/bin:/bin")
	out, err := tool.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tool.Start(); err != nil {
		t.Fatal(err)
	}
	defer tool.Wait()
	defer tool.Process.Kill()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var arguments []byte
	for range 500 {
		if arguments, err = os.ReadFile(dir + "/done"); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	page, _ := os.ReadFile(dir + "/page")
	mode, _ := os.ReadFile(dir + "/mode")
	_, token, _ := strings.Cut(strings.TrimSpace(address), "=")
	if strings.Contains(string(arguments), token) || !strings.Contains(string(page), token) || strings.TrimSpace(string(mode)) != "600" {
		t.Errorf("arguments %s mode %s page %s", arguments, mode, page)
	}
}

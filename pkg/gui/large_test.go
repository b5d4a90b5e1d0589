package gui

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

const largeDomains = 12

// large makes a memory of many notes: 3,000, or as many as IHMT_GUI_NOTES
// says. It is built where writing is cheap, if the system has such a place.
func large(t *testing.T) string {
	t.Helper()
	n := 3000
	if asked, err := strconv.Atoi(os.Getenv("IHMT_GUI_NOTES")); err == nil {
		n = asked
	}
	dir, err := os.MkdirTemp("/dev/shm", "ihmt-gui-large-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home := filepath.Join(dir, "home")
	store := exec.Command("ihmt-store", "--path", home)
	in, err := store.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	store.Stdout = io.Discard
	if err := store.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(in)
	e := json.NewEncoder(out)
	random := rand.New(rand.NewPCG(1, 0))
	zipf := rand.NewZipf(random, 1.1, 2, 40000)
	for i := range n {
		text := ""
		for range 5 + random.IntN(40) {
			text += fmt.Sprintf("word%d ", zipf.Uint64())
		}
		_, u := math.Modf(float64(i) * math.Phi)
		domain := fmt.Sprintf("domain.d%03d", int(u*u*largeDomains))
		date := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*4000/n).Format(time.DateOnly)
		switch i {
		case 0:
			text += "needle haystack"
		case 1:
			text = date + ": I live in Valencia."
		}
		if err := e.Encode(map[string]any{"kind": "chunk", "source": fmt.Sprintf("note-%06d", i), "position": 0, "data_type": "GENERIC", "domain": domain, "timestamp": date,
			"title": text[:min(len(text), 40)], "agent": []string{"claude-code", "codex", "gemini"}[i%3], "content": text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := store.Wait(); err != nil {
		t.Fatal(err)
	}
	tool(t, "ihmt-summarize", "--path", home)
	return home
}

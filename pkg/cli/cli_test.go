package cli

import (
	"os"
	"strings"
	"testing"
)

func TestTheFolderOfTheMemory(t *testing.T) {
	if _, err := (&Common{}).Memory(); err == nil || !strings.Contains(err.Error(), "--path is empty") {
		t.Errorf("no path: %v", err)
	}
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	if _, err := (&Common{Path: "~/x"}).Memory(); err == nil || !strings.Contains(err.Error(), "give --path DIR") {
		t.Errorf("no home: %v", err)
	}
	if v, err := loadSettings("~/.ihmt"); err != nil || v.Exists() {
		t.Errorf("without a home there are no settings, and nothing is wrong: %v, %v", v, err)
	}
}

// A failure to print counts for more than an exit code that the reader can
// make nothing of.
func TestOutputThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	stdout := os.Stdout
	os.Stdout = full
	defer func() { os.Stdout = stdout }()
	if code := run("tool", "", &ambiguous{}, nil, nil); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}

type ambiguous struct{ Common }

func (*ambiguous) Run(c *Context) error {
	c.Out.text.WriteString("several")
	return ErrAmbiguous
}

func TestArgumentsThatAreNotText(t *testing.T) {
	if code := run("tool", "", &ambiguous{}, nil, []string{"caf\xe9"}); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestFlagsDefaultToTheMemorysSettings(t *testing.T) {
	for _, c := range []struct {
		name, config string
		args         []string
		want         int
		wrong        string
	}{
		{"no memory", "", nil, 5, ""},
		{"no such setting", `{"other":1}`, nil, 5, ""},
		{"a setting", `{"size":7}`, nil, 7, ""},
		{"the command line counts first", `{"size":7}`, []string{"--size=9"}, 9, ""},
		{"not JSON", `{"size":`, nil, 0, "ihmt.config.json is not valid JSON"},
		{"not a number", `{"size":"big"}`, nil, 0, "--size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.config != "" {
				memory := filepath.Join(dir, "ihmt_memory")
				if err := os.Mkdir(memory, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(memory, "ihmt.config.json"), []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var grammar struct {
				Common
				Size int `default:"5" setting:"size"`
			}
			parser, err := kong.New(&grammar, kong.Vars{"version": ""}, kong.Resolvers(settings()))
			if err != nil {
				t.Fatal(err)
			}
			_, err = parser.Parse(append(c.args, "--path", dir))
			switch {
			case c.wrong != "":
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("error %v, want one that says %q", err, c.wrong)
				}
			case err != nil:
				t.Error(err)
			case grammar.Size != c.want:
				t.Errorf("size %d, want %d", grammar.Size, c.want)
			}
		})
	}
}

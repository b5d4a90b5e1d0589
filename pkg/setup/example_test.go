package setup_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ihmt/ihmt/pkg/setup"
)

// What would be written for Cursor, which is configured already.
func Example() {
	home, err := os.MkdirTemp("", "home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	config := filepath.Join(home, ".cursor", "mcp.json")
	os.Mkdir(filepath.Dir(config), 0o700)
	os.WriteFile(config, []byte("{\n  // mine\n  \"mcpServers\": {}\n}\n"), 0o600)

	s := &setup.Setup{
		Machine: setup.Machine{OS: "linux", Home: home, Project: home, Getenv: func(string) string { return "" },
			Find: func(string) (string, error) { return "", os.ErrNotExist }},
		Scope:  setup.User,
		Server: setup.ServerFor(setup.User, "/usr/local/bin/ihmt", "/home/ada/.ihmt"),
		DryRun: true,
		Show: func(c setup.Change) {
			fmt.Print(c.Action, " ", strings.TrimPrefix(filepath.ToSlash(c.File), filepath.ToSlash(home)), "\n", c.Diff)
		},
	}
	agents, err := s.Named([]string{"cursor"})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Add(context.Background(), agents[0]).State)
	// Output:
	// edit /.cursor/mcp.json
	// @@ -3 +3,6 @@
	// -  "mcpServers": {}
	// +  "mcpServers": {
	// +    "ihmt": {
	// +      "command": "/usr/local/bin/ihmt",
	// +      "args": ["mcp", "--path", "/home/ada/.ihmt"]
	// +    }
	// +  }
	// planned
}

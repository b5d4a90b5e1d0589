package setup

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

var (
	testServer  = Server{Command: "/opt/ihmt", Args: []string{"mcp", "--path", "/home/ada/.ihmt"}}
	codexFormat = agent("codex").format
)

func agent(name string) Agent {
	for _, a := range Agents {
		if a.Name == name {
			return a
		}
	}
	panic(name)
}

// What is added to a JSON file stands where it belongs; everything else is
// as it was, and taking it out brings the old bytes back.
func TestJSONEdits(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"comments", `{
  // the theme
  "theme": "dark", /* really */
  "mcpServers": {
    // the files
    "files": { "command": "files" } // last
  }
}
`, `{
  // the theme
  "theme": "dark", /* really */
  "mcpServers": {
    "ihmt": {
      "command": "/opt/ihmt",
      "args": ["mcp", "--path", "/home/ada/.ihmt"]
    },
    // the files
    "files": { "command": "files" } // last
  }
}
`},
		{"comment beside the bracket, tabs, trailing comma", "{\t// mine\n\t\"mcpServers\": { // all\n\t\t\"a\": {},\n\t},\n}", "{\t// mine\n\t\"mcpServers\": { // all\n\t\t\"ihmt\": {\n\t\t\t\"command\": \"/opt/ihmt\",\n\t\t\t\"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\n\t\t},\n\t\t\"a\": {},\n\t},\n}"},
		{"no servers yet", "{\n    \"theme\": \"dark\"\n}\n", "{\n    \"mcpServers\": {\n        \"ihmt\": {\n            \"command\": \"/opt/ihmt\",\n            \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\n        }\n    },\n    \"theme\": \"dark\"\n}\n"},
		{"a comment at the end, which has no end of line", "{\n  \"a\": 1\n}\n// mine", "{\n  \"mcpServers\": {\n    \"ihmt\": {\n      \"command\": \"/opt/ihmt\",\n      \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\n    }\n  },\n  \"a\": 1\n}\n// mine"},
		{"on one line", `{"mcpServers":{"a":{"command":"a"}},"z":1}`, `{"mcpServers":{"ihmt": {"command": "/opt/ihmt", "args": ["mcp", "--path", "/home/ada/.ihmt"]}, "a":{"command":"a"}},"z":1}`},
		{"CRLF and BOM", "\ufeff{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n", "\ufeff{\r\n  \"mcpServers\": {\r\n    \"ihmt\": {\r\n      \"command\": \"/opt/ihmt\",\r\n      \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\r\n    },\r\n    \"a\": {}\r\n  }\r\n}\r\n"},
		{"a block comment over lines", "{ /* a\n b */ \"mcpServers\": {\n  \"a\": 1\n} }", "{ /* a\n b */ \"mcpServers\": {\n  \"ihmt\": {\n   \"command\": \"/opt/ihmt\",\n   \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\n  },\n  \"a\": 1\n} }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := mcpServers.set([]byte(c.before), testServer)
			if err != nil || string(got) != c.after {
				t.Fatalf("got %v\n%s\nwant\n%s", err, got, c.after)
			}
			if again, err := mcpServers.set(got, testServer); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			if back, err := mcpServers.unset(got); err != nil || string(back) != c.before {
				t.Errorf("taken out: %v\n%s", err, back)
			}
		})
	}
}

func TestTOMLEdits(t *testing.T) {
	const added = "[mcp_servers.ihmt]\ncommand = \"/opt/ihmt\"\nargs = [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\ndefault_tools_approval_mode = \"approve\"\n"
	for _, c := range []struct{ name, before, after string }{
		{"empty", "", added},
		{"comments", "# mine\nmodel = \"o\" # the model\n\n[mcp_servers.files] # files\ncommand = \"files\"\n# end\n", "# mine\nmodel = \"o\" # the model\n\n[mcp_servers.files] # files\ncommand = \"files\"\n# end\n\n" + added},
		{"CRLF", "model = 1\r\n", "model = 1\r\n\r\n" + strings.ReplaceAll(added, "\n", "\r\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := codexFormat.set([]byte(c.before), testServer)
			if err != nil || string(got) != c.after {
				t.Fatalf("got %v\n%q\nwant\n%q", err, got, c.after)
			}
			if again, err := codexFormat.set(got, testServer); err != nil || !bytes.Equal(again, got) {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			if back, err := codexFormat.unset(got); err != nil || string(back) != c.before {
				t.Errorf("taken out: %v\n%q", err, back)
			}
		})
	}
}

// An entry that is there already gets new values; what else it says stays.
func TestUpdates(t *testing.T) {
	before := "{\n  \"mcpServers\": {\n    \"ihmt\": {\n      \"args\": [\"old\"], // mine\n      \"timeout\": 5\n    }\n  }\n}\n"
	after := "{\n  \"mcpServers\": {\n    \"ihmt\": {\n      \"command\": \"/opt/ihmt\",\n      \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"], // mine\n      \"timeout\": 5\n    }\n  }\n}\n"
	if got, err := mcpServers.set([]byte(before), testServer); err != nil || string(got) != after {
		t.Errorf("JSON: %v\n%s", err, got)
	}
	before = "[mcp_servers.ihmt] # here\nargs = [\n  \"old\", # one\n] # mine\nstartup_timeout_sec = 9\n\n[mcp_servers.ihmt.env]\nA = \"b\"\n"
	after = "[mcp_servers.ihmt] # here\ncommand = \"/opt/ihmt\"\nargs = [\"mcp\", \"--path\", \"/home/ada/.ihmt\"] # mine\nstartup_timeout_sec = 9\n\n[mcp_servers.ihmt.env]\nA = \"b\"\n"
	after = strings.Replace(after, "command = \"/opt/ihmt\"\n", "command = \"/opt/ihmt\"\ndefault_tools_approval_mode = \"approve\"\n", 1)
	if got, err := codexFormat.set([]byte(before), testServer); err != nil || string(got) != after {
		t.Errorf("TOML: %v\n%s", err, got)
	}
	if got, err := codexFormat.unset([]byte("a = 1\n\n" + after + "\n[z]\n")); err != nil || string(got) != "a = 1\n\n[z]\n" {
		t.Errorf("TOML without: %v\n%q", err, got)
	}
}

// A list is not taken for another that prints alike.
func TestListsThatLookAlike(t *testing.T) {
	got, err := codexFormat.set([]byte("[mcp_servers.ihmt]\nargs = [\"mcp --path /home/ada/.ihmt\"]\n"), testServer)
	if s, _, _ := codexFormat.get(got); err != nil || !reflect.DeepEqual(s, testServer) {
		t.Errorf("%v\n%s", err, got)
	}
}

// A file of comments, and null for an object, are as good as nothing there.
func TestAsGoodAsNothing(t *testing.T) {
	const servers = "  \"mcpServers\": {\n    \"ihmt\": {\n      \"command\": \"/opt/ihmt\",\n      \"args\": [\"mcp\", \"--path\", \"/home/ada/.ihmt\"]\n    }\n  }"
	for before, after := range map[string]string{
		"// mine":                            "// mine\n{\n" + servers + "\n}\n",
		"/* mine */\n\n":                     "/* mine */\n\n{\n" + servers + "\n}\n",
		"{\n  \"mcpServers\": null\n}\n":     "{\n" + servers + "\n}\n",
		"{\n  \"mcpServers\": null // no\n}": "{\n" + servers + " // no\n}",
		"{\n  \"mcpServers\": {\n    \"ihmt\": null\n  }\n}": "{\n" + servers + "\n}",
	} {
		if _, there, err := mcpServers.get([]byte(before)); there || err != nil {
			t.Errorf("%q: there %v, %v", before, there, err)
		}
		if got, err := mcpServers.unset([]byte(before)); err != nil || !strings.Contains(before, "ihmt") && string(got) != before {
			t.Errorf("%q without what is not there: %v\n%s", before, err, got)
		}
		if got, err := mcpServers.set([]byte(before), testServer); err != nil || string(got) != after {
			t.Errorf("%q: %v\n%s\nwant\n%s", before, err, got, after)
		}
	}
}

// What cannot be understood is refused, with the line.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		format configuration
		data   string
		want   string
	}{
		{mcpServers, "{\n  \"a\": 1,,\n}", "line 2"},
		{mcpServers, "[]", "no JSON object"},
		{mcpServers, "// only a start\n{", "line 2"},
		{mcpServers, "/* no end", "line 1"},
		{mcpServers, "{\n\"mcpServers\": []}", `"mcpServers" in line 2 is no object`},
		{mcpServers, "{\n\"a\": \"\xff\"}", "line 2 is not UTF-8"},
		{mcpServers, strings.Repeat("[", 100000), "deeper"},
		{codexFormat, "a = 1\na = \n", "line 2"},
		{codexFormat, "a = 1\na = 2\n", "line 2"},
		{codexFormat, "x = 1\nmcp_servers = { ihmt = { command = \"a\" } }\n", "line 2"},
		{codexFormat, "x = 1\n[mcp_servers]\nihmt = { command = \"a\" }\n", "line 3"},
		{codexFormat, "mcp_servers.ihmt.command = \"a\"\n", "line 1"},
		{codexFormat, strings.Repeat("a=[", 100000), ""},
	} {
		if got, err := c.format.set([]byte(c.data), testServer); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "json:") {
			t.Errorf("%.40q: got %v, want %q\n%.200s", c.data, err, c.want, got)
		}
	}
}

func TestBlocks(t *testing.T) {
	b := block{text: "one\ntwo\n"}
	for before, after := range map[string]string{
		"":             blockBegin + "\none\ntwo\n" + blockEnd + "\n",
		"# Mine\n":     "# Mine\n\n" + blockBegin + "\none\ntwo\n" + blockEnd + "\n",
		"# Mine\r\n":   "# Mine\r\n\r\n" + blockBegin + "\r\none\r\ntwo\r\n" + blockEnd + "\r\n",
		"# Mine\n\n\n": "# Mine\n\n\n\n" + blockBegin + "\none\ntwo\n" + blockEnd + "\n",
	} {
		got, err := b.set([]byte(before))
		if err != nil || string(got) != after {
			t.Errorf("%q: %v\n%q", before, err, got)
		}
		if again, err := b.set(got); err != nil || !bytes.Equal(again, got) {
			t.Errorf("%q a second time: %v\n%q", before, err, again)
		}
		if back, err := b.unset(got); err != nil || string(back) != before {
			t.Errorf("%q taken out: %v\n%q", before, err, back)
		}
	}
	for _, broken := range []string{"\xff\xfea\x00", "a\x00", blockBegin, blockEnd, blockEnd + blockBegin, strings.Repeat(blockBegin+blockEnd, 2)} {
		if got, err := b.set([]byte(broken)); err == nil {
			t.Errorf("%q became %q", broken, got)
		}
	}
}

// Whatever a file holds, setting adds the server and nothing else, and
// unsetting takes only it away.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"{}", "{\"mcpServers\":{\"a\":1,},}", "{ // c\n\"mcpServers\": {} }", "{\"mcpServers\": {\"ihmt\": {\"command\": \"x\"}, \"b\": 2}}", "{\n\t\"a\": [1, /* x\n */ 2]\n}\n", "{\"mcpServers\":{/*\n*/}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := mcpServers.set(data, testServer)
		if err != nil {
			return
		}
		if s, ok, err := mcpServers.get(got); err != nil || !ok || !reflect.DeepEqual(s, testServer) {
			t.Fatalf("%q became %q, which names %v (%v)", data, got, s, err)
		}
		if again, err := mcpServers.set(got, testServer); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, then %q (%v)", data, got, again, err)
		}
		back, err := mcpServers.unset(got)
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if before, after := restJSON(t, data), restJSON(t, back); !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q, then %q", data, got, back)
		}
	})
}

// restJSON is what a configuration says besides the server.
func restJSON(t *testing.T, data []byte) map[string]any {
	if len(bytes.TrimSpace(data)) == 0 {
		return map[string]any{}
	}
	standard, err := hujson.Standardize(bytes.Clone(bytes.TrimPrefix(data, []byte(bom))))
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(standard, &all); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	dropServer(all, "mcpServers")
	return all
}

func dropServer(all map[string]any, servers string) {
	if of, ok := all[servers].(map[string]any); ok {
		delete(of, serverName)
		if len(of) == 0 {
			delete(all, servers)
		}
	}
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a = 1 # c", "[mcp_servers.ihmt]\ncommand = 'x'\n[mcp_servers.ihmt.env]\nA='''\n[x]\n'''", "[mcp_servers]\n[mcp_servers.b]\n# c\n", "a = '''\n[mcp_servers.ihmt]\n'''\r\n", "[[t]]\n[mcp_servers . \"ihmt\"] # c\nargs = [\n#]\n]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := codexFormat.set(data, testServer)
		if err != nil {
			return
		}
		if s, ok, err := codexFormat.get(got); err != nil || !ok || !reflect.DeepEqual(s, testServer) {
			t.Fatalf("%q became %q, which names %v (%v)", data, got, s, err)
		}
		if again, err := codexFormat.set(got, testServer); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, then %q (%v)", data, got, again, err)
		}
		back, err := codexFormat.unset(got)
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if before, after := restTOML(t, data), restTOML(t, back); !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q, then %q", data, got, back)
		}
	})
}

func restTOML(t *testing.T, data []byte) map[string]any {
	all := map[string]any{}
	if err := toml.Unmarshal(data, &all); err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	dropServer(all, "mcp_servers")
	return all
}

func FuzzBlock(f *testing.F) {
	for _, s := range []string{"", "# a", "a\r\n", blockBegin + "\nx\n" + blockEnd, "\n\n\n", blockEnd} {
		f.Add([]byte(s))
	}
	b := block{head: "---\n", text: "one\ntwo"}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := b.set(data)
		if err != nil {
			return
		}
		if again, err := b.set(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, then %q (%v)", data, got, again, err)
		}
		back, err := b.unset(got)
		if err != nil || b.holds(back) {
			t.Fatalf("%q became %q, then %q (%v)", data, got, back, err)
		}
		if !b.holds(data) && len(bytes.TrimSpace(data)) > 0 && strings.TrimSpace(string(back)) != strings.TrimSpace(string(data)) {
			t.Fatalf("%q became %q, then %q", data, got, back)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[32m✓\x1b[0m ihmt \x1b[")
	f.Fuzz(func(t *testing.T, s string) {
		if got := plain(s); strings.Contains(got, "\x1b[0m") || !strings.Contains(s, "\x1b") && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

package gui

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A visitor asks a window for things as any program on the machine could.
type visitor struct {
	t      *testing.T
	window *Window
	cookie string
}

// answered is what a request got.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask sends a request; set may change it first.
func (v *visitor) ask(method, path, body string, set ...func(*http.Request)) answered {
	v.t.Helper()
	request, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d/", v.window.guard.port), strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	request.URL.Opaque = path // as it is, not cleaned
	if v.cookie != "" {
		request.Header.Set("Cookie", v.cookie)
	}
	if method != http.MethodGet {
		request.Header.Set("Origin", "http://"+request.Host)
		request.Header.Set("Content-Type", "application/json")
	}
	for _, s := range set {
		s(request)
	}
	response, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answered{response.StatusCode, response.Header, string(data)}
}

// enter exchanges the token for the cookie.
func enter(t *testing.T, w *Window) *visitor {
	t.Helper()
	v := &visitor{t: t, window: w}
	a := v.ask("GET", "/?token="+w.guard.token, "")
	set := a.header.Get("Set-Cookie")
	if a.status != http.StatusOK || !strings.Contains(set, "SameSite=Strict") || !strings.Contains(set, "HttpOnly") {
		t.Fatalf("the token was answered with %d, %q", a.status, set)
	}
	v.cookie, _, _ = strings.Cut(set, ";")
	return v
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

var reads = []string{"/", "/web/app.js", "/web/app.css", "/web/en.json", "/api/state", "/api/domains", "/api/domain?domain=personal", "/api/map",
	"/api/search?q=Luis", "/api/search?q=limonero&k=3&full=1", "/api/timeline", "/api/activity", "/api/growth", "/api/folders", "/api/agents", "/api/health",
	"/api/agents/preview?agent=cursor"}

var writes = map[string]string{"/api/memory": `{"path":"/"}`, "/api/memory/create": `{"path":"/nowhere"}`, "/api/agents/connect": `{"agent":"cursor"}`}

// What may not be asked is refused before a tool runs, and nothing on the disk
// changes, whatever is asked.
func TestWhoMayAsk(t *testing.T) {
	home := demo(t)
	w := serve(t, home, "")
	known := enter(t, w)
	stranger := &visitor{t: t, window: w}
	before := contents(t, os.Getenv("HOME"))

	expect := func(what string, got answered, want int) {
		t.Helper()
		if got.status != want {
			t.Errorf("%s: %d, want %d (%.200s)", what, got.status, want, got.body)
		}
	}
	for _, path := range reads {
		expect("stranger "+path, stranger.ask("GET", path, ""), 403)
		expect("foreign host "+path, known.ask("GET", path, "", func(r *http.Request) { r.Host = "evil.example" }), 403)
		expect("another port "+path, known.ask("GET", path, "", func(r *http.Request) { r.Host = "127.0.0.1:1" }), 403)
		expect("foreign origin "+path, known.ask("GET", path, "", header("Origin", "http://evil.example")), 403)
		expect("null origin "+path, known.ask("GET", path, "", header("Origin", "null")), 403)
		expect("wrong cookie "+path, stranger.ask("GET", path, "", header("Cookie", w.guard.cookie()+"=x")), 403)
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
			expect(method+" "+path, known.ask(method, path, "{}"), 405)
		}
		expect("known "+path, known.ask("GET", path, ""), 200)
	}
	expect("another site's picture of data", known.ask("GET", "/api/state", "", header("Sec-Fetch-Site", "cross-site")), 403)
	expect("a wrong token", stranger.ask("GET", "/?token=x", ""), 403)
	expect("an empty token", stranger.ask("GET", "/?token=", ""), 403)
	for path, body := range writes {
		expect("stranger "+path, stranger.ask("POST", path, body), 403)
		expect("foreign "+path, known.ask("POST", path, body, header("Origin", "http://evil.example")), 403)
		expect("no origin "+path, known.ask("POST", path, body, func(r *http.Request) { r.Header.Del("Origin") }), 403)
		expect("GET "+path, known.ask("GET", path, ""), 405)
		expect("a form "+path, known.ask("POST", path, body, header("Content-Type", "text/plain")), 415)
		expect("no JSON "+path, known.ask("POST", path, "nonsense"), 400)
		expect("unknown field "+path, known.ask("POST", path, `{"x":1}`), 400)
		expect("too long "+path, known.ask("POST", path, `{"path":"`+strings.Repeat("x", 1<<20)+`"}`), 400)
	}
	for _, path := range []string{"/nothing", "/api", "/api/", "/web/", "/web", "/web/../window.go", "/web/..%2fwindow.go", "/web/%2e%2e/window.go", "/../../etc/passwd",
		"/web//app.js", "/web/app.js%00", "/web/..%5cwindow.go", "/./api/state", "/api/state/", "/api/leaf", "/api/leaf?id=../../etc/passwd",
		"/api/leaf?id=L-personal-0000-zzzzzzzzzz", "/api/leaf?id=--help", "/api/branch?id=N1-x/../../y-0123456789", "/api/domain?domain=../x", "/api/domain?domain=-%20-json", "/api/path?id=x",
		"/api/activity?k=0", "/api/activity?k=99999999", "/api/activity?k=x", "/api/folders?path=relative", "/api/folders?path=/tmp/../etc", "/api/folders?path=/etc/passwd",
		"/api/folders?path=/no/such/folder", "/api/agents/preview?agent=--remove", "/api/agents/preview?agent=all", "/api/agents/preview?agent=cursor&scope=x"} {
		expect(path, known.ask("GET", path, ""), 404)
	}
	for _, path := range []string{"relative", "/tmp/../etc", "", "/no/such/folder", "/tmp/\x00"} {
		body, _ := json.Marshal(map[string]string{"path": path})
		expect("choose "+path, known.ask("POST", "/api/memory", string(body)), 404)
	}
	for _, agent := range []string{"", "--remove", "all", "../x", "a b"} {
		body, _ := json.Marshal(map[string]string{"agent": agent})
		expect("connect "+agent, known.ask("POST", "/api/agents/connect", string(body)), 404)
	}
	body, _ := json.Marshal(map[string]string{"path": home})
	expect("create where there is a memory", known.ask("POST", "/api/memory/create", string(body)), 409)
	expect("choose", known.ask("POST", "/api/memory", string(body)), 200)

	same(t, before, contents(t, os.Getenv("HOME")))
}

// Every answer forbids what could run a string.
func TestEveryAnswerIsGuarded(t *testing.T) {
	w := serve(t, demo(t), "")
	v := enter(t, w)
	for _, path := range append(slices.Clone(reads), "/nothing") {
		h := v.ask("GET", path, "").header
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "frame-ancestors 'none'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), want) {
				t.Errorf("%s: policy %q lacks %s", path, h.Get("Content-Security-Policy"), want)
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

// Creating and connecting write what they say and nothing else.
func TestOnlyCreateAndConnectWrite(t *testing.T) {
	home := os.Getenv("HOME")
	project := filepath.Join(home, "project")
	for _, dir := range []string{project, filepath.Join(home, "new"), filepath.Join(home, ".cursor")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v := enter(t, serve(t, filepath.Join(home, "new"), ""))
	before := contents(t, home)
	if a := v.ask("POST", "/api/memory/create", fmt.Sprintf(`{"path":%q}`, filepath.Join(home, "new"))); a.status != 200 || !strings.Contains(a.body, `"exists":true`) {
		t.Fatalf("create: %d %s", a.status, a.body)
	}
	after := contents(t, home)
	for name := range after {
		if _, ok := before[name]; !ok && !strings.HasPrefix(name, filepath.Join("new", "ihmt_memory")) {
			t.Errorf("create made %s", name)
		}
	}
	before = after
	a := v.ask("POST", "/api/agents/connect", `{"agent":"cursor"}`)
	if a.status != 200 {
		t.Fatalf("connect: %d %s", a.status, a.body)
	}
	after = contents(t, home)
	wrote := false
	for name, sum := range after {
		if before[name] == sum {
			continue
		}
		if !strings.HasPrefix(name, ".cursor") {
			t.Errorf("connect wrote %s", name)
		}
		wrote = wrote || strings.HasSuffix(name, "mcp.json")
	}
	if !wrote {
		t.Errorf("connect did not register the server: %s", a.body)
	}
	if err := os.RemoveAll(filepath.Join(home, ".cursor")); err != nil {
		t.Fatal(err)
	}
}

// The line that a screen shows prints what the screen is made of.
func TestTheLineToPaste(t *testing.T) {
	w := serve(t, demo(t), "")
	v := enter(t, w)
	for _, path := range []string{"/api/domains", "/api/map", "/api/timeline", "/api/activity", "/api/search?q=Luis&clue=carpenter&k=2"} {
		var a struct {
			Shell   string
			Records []json.RawMessage
		}
		if err := json.Unmarshal([]byte(v.ask("GET", path, "").body), &a); err != nil {
			t.Fatal(err)
		}
		printed := strings.Count(tool(t, "sh", "-c", a.Shell+" --json"), "\n")
		if path == "/api/timeline" { // shows what changed beside
			printed += strings.Count(tool(t, "ihmt-facts", "conflicts", "--json", "--path", demo(t)), "\n")
		}
		if a.Shell == "" || printed != len(a.Records) {
			t.Errorf("%s: %q prints %d lines for %d records", path, a.Shell, printed, len(a.Records))
		}
	}
}

// A search travels on standard input and the page gets why it matched.
func TestSearchExplainsItself(t *testing.T) {
	v := enter(t, serve(t, demo(t), ""))
	body := v.ask("GET", "/api/search?q=reserve+stock", "").body
	for _, want := range []string{`"matches":[{"word":"reserve"`, `"in":["title"`, `"files_opened"`, `"code":0`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %.300s", want, body)
		}
	}
	if body := v.ask("GET", "/api/search?q=zeppelin", "").body; !strings.Contains(body, `"code":1`) || !strings.Contains(body, `"missing":["zeppelin"]`) {
		t.Errorf("nothing found: %s", body)
	}
	if a := v.ask("GET", "/api/search?q=x&since=nonsense", ""); a.status != 422 || !strings.Contains(a.body, "nonsense") {
		t.Errorf("a wrong date: %d %s", a.status, a.body)
	}
}

// Code comes in spans that, joined, are the code.
func TestHighlightingChangesNothing(t *testing.T) {
	for _, c := range []struct{ language, code string }{
		{"go", "package x\n\nfunc f() string { return \"é\x00\\n\" } // x\r\n"}, {"python", "def f():\n\treturn '''a\n"}, {"java", "class X { /* open"}, {"nonsense", "x"}, {"go", ""}, {"go", "no newline at the end"},
	} {
		spans := highlight(c.code, c.language)
		joined := ""
		for _, s := range spans {
			joined += s[1]
		}
		if spans != nil && joined != c.code {
			t.Errorf("%s: %q became %q", c.language, c.code, joined)
		}
	}
	if spans := highlight("package x // y\n", "go"); len(spans) < 3 {
		t.Errorf("Go is not highlighted: %q", spans)
	}
}

// contents returns the checksum of every file below a folder, and that of
// nothing for folders.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() && strings.HasPrefix(d.Name(), "chromium-") {
			return filepath.SkipDir
		}
		sums[name] = ""
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			sums[name] = fmt.Sprintf("%x %s", sha256.Sum256(data), info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	names := maps.Clone(before)
	maps.Copy(names, after)
	for name := range names {
		if was, ok := before[name]; !ok || was != after[name] {
			t.Errorf("%s changed", name)
		}
	}
}

package gui

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/ihmt/ihmt/pkg/cli"
	"github.com/ihmt/ihmt/pkg/pipeline"
)

//go:embed web
var web embed.FS

// atOnce is how many pipelines may run at the same time.
const atOnce = 4

// A Window answers the requests of the page.
type Window struct {
	guard   guard
	project string
	mux     *http.ServeMux
	slots   chan struct{}

	mu      sync.Mutex
	home    string // holds ihmt_memory
	changes *watcher
}

// New returns the window on the memory that a folder holds, or will hold, to
// be served at a port of loopback.
func New(home, project string, port int) *Window {
	w := &Window{guard: newGuard(port), project: project, home: home, slots: make(chan struct{}, atOnce)}
	w.changes = watch(memoryIn(home))
	w.mux = w.routes()
	return w
}

// Close ends the watching of the memory.
func (w *Window) Close() { w.changes.close() }

// Address is where the page is, with the token.
func (w *Window) Address() string {
	return fmt.Sprintf("http://127.0.0.1:%d/?token=%s", w.guard.port, w.guard.token)
}

// ServeHTTP answers a request.
func (w *Window) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if w.guard.pass(rw, r) {
		w.mux.ServeHTTP(rw, r)
	}
}

// routes are all there is: docs/GUI.md lists them. Other methods get 405,
// other paths 404.
func (w *Window) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", func(rw http.ResponseWriter, r *http.Request) { serveFile(rw, r, "index.html") })
	m.HandleFunc("GET /web/{file}", func(rw http.ResponseWriter, r *http.Request) { serveFile(rw, r, r.PathValue("file")) })
	for route, answer := range map[string]answerer{
		"GET /api/state":           w.state,
		"GET /api/domains":         w.domains,
		"GET /api/domain":          w.domain,
		"GET /api/branch":          w.branch,
		"GET /api/leaf":            w.leaf,
		"GET /api/path":            w.path,
		"GET /api/map":             w.chart,
		"GET /api/search":          w.search,
		"GET /api/timeline":        w.timeline,
		"GET /api/activity":        w.activity,
		"GET /api/growth":          w.growth,
		"GET /api/folders":         w.folders,
		"GET /api/agents":          w.agents,
		"GET /api/health":          w.health,
		"GET /api/agents/preview":  w.preview,
		"POST /api/agents/connect": w.connect,
		"POST /api/memory":         w.choose,
		"POST /api/memory/create":  w.create,
	} {
		m.HandleFunc(route, w.handler(answer))
	}
	m.HandleFunc("GET /api/events", w.events)
	return m
}

// An answerer returns what becomes the JSON of an answer.
type answerer func(*http.Request) (any, error)

// A refusal is an error with the status that tells it.
type refusal struct {
	status int
	reason string
}

func (e refusal) Error() string { return e.reason }

func (w *Window) handler(answer answerer) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if r.Header.Get("Content-Type") != "application/json" {
				http.Error(rw, "want application/json", http.StatusUnsupportedMediaType)
				return
			}
			r.Body = http.MaxBytesReader(rw, r.Body, 64<<10)
		}
		w.slots <- struct{}{}
		defer func() { <-w.slots }()
		v, err := answer(r)
		status := http.StatusOK
		if err != nil {
			status = statusOf(err)
			v = map[string]string{"error": cli.Clean(err.Error())}
		}
		data, err := json.Marshal(v)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
			return
		}
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
		rw.WriteHeader(status)
		rw.Write(data)
	}
}

func statusOf(err error) int {
	var refused refusal
	var failed *pipeline.Error
	switch {
	case errors.As(err, &refused):
		return refused.status
	case errors.As(err, &failed):
		return http.StatusUnprocessableEntity // the tool says what is wrong
	}
	return http.StatusInternalServerError
}

// serveFile serves a file of the page.
func serveFile(rw http.ResponseWriter, r *http.Request, name string) {
	files, err := fs.Sub(web, "web")
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := fs.Stat(files, name); err != nil {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Cache-Control", "no-cache")
	data, err := fs.ReadFile(files, name)
	if err != nil {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Type", contentType(name))
	rw.Write(data)
}

// contentType is that of a file of the page; the system's table is not asked,
// as it differs from one to the next.
func contentType(name string) string {
	switch filepath.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".json":
		return "application/json; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// memory is the folder that holds ihmt_memory.
func (w *Window) memory() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.home
}

// look turns the window to another memory.
func (w *Window) look(home string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.home = home
	w.changes.turn(memoryIn(home))
}

func memoryIn(home string) string { return filepath.Join(home, "ihmt_memory") }

func exists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

package gui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ihmt/ihmt/pkg/pipeline"
	"github.com/ihmt/ihmt/pkg/record"
)

// maxFolders is how many folders of one are listed.
const maxFolders = 1000

// A folder is one to choose from.
type folder struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Memory bool   `json:"memory"` // it holds one
}

// folders lists the folders in a folder: their names, and which of them hold
// a memory. Hidden ones are left out unless they do.
func (w *Window) folders(r *http.Request) (any, error) {
	path := r.URL.Query().Get("path")
	if path == "" {
		path, _ = os.UserHomeDir()
	}
	path, err := folderPath(path)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, refusal{http.StatusNotFound, "this folder cannot be read: " + err.Error()}
	}
	list := []folder{}
	for _, e := range entries {
		f := folder{e.Name(), filepath.Join(path, e.Name()), false}
		if info, err := os.Stat(f.Path); err != nil || !info.IsDir() {
			continue
		}
		f.Memory = exists(memoryIn(f.Path))
		if !f.Memory && strings.HasPrefix(f.Name, ".") || f.Name == "ihmt_memory" {
			continue
		}
		if list = append(list, f); len(list) == maxFolders {
			break
		}
	}
	slices.SortFunc(list, func(a, b folder) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return map[string]any{"path": path, "parent": filepath.Dir(path), "memory": exists(memoryIn(path)), "folders": list}, nil
}

// folderPath returns a whole and clean path, or a refusal.
func folderPath(path string) (string, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) || filepath.Clean(path) != path {
		return "", refusal{http.StatusNotFound, "give the whole path of a folder"}
	}
	return path, nil
}

// choose turns the window to the memory of another folder. Nothing is written.
func (w *Window) choose(r *http.Request) (any, error) {
	var want struct {
		Path string `json:"path"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	path, err := folderPath(want.Path)
	if err != nil {
		return nil, err
	}
	if !exists(path) {
		return nil, refusal{http.StatusNotFound, path + " is no folder"}
	}
	w.look(path)
	return w.state(r)
}

// create makes an empty memory in a folder that has none, and turns to it.
func (w *Window) create(r *http.Request) (any, error) {
	var want struct {
		Path string `json:"path"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	path, err := folderPath(want.Path)
	if err != nil {
		return nil, err
	}
	if exists(memoryIn(path)) {
		return nil, refusal{http.StatusConflict, "there is a memory in " + path + " already"}
	}
	if _, err := collect(r.Context(), pipeline.New(pipeline.Tool("ihmt", "init", "--path="+path))); err != nil {
		return nil, err
	}
	w.look(path)
	return w.state(r)
}

var agentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z-]{1,30}$`) })

// agents lists the agents on this machine, as ihmt setup finds them.
func (w *Window) agents(r *http.Request) (any, error) {
	return w.run(r.Context(), "ihmt", "setup")
}

// health checks tools, memory and agents, as ihmt doctor does.
func (w *Window) health(r *http.Request) (any, error) {
	return w.run(r.Context(), "ihmt", "doctor")
}

// preview says what connecting an agent would write, and writes nothing.
func (w *Window) preview(r *http.Request) (any, error) {
	agent, scope := r.URL.Query().Get("agent"), r.URL.Query().Get("scope")
	p, err := w.connecting(agent, scope)
	if err != nil {
		return nil, err
	}
	line := p.Line()
	p.Stages[0].Args = append(p.Stages[0].Args, "--dry-run")
	a, err := collectAll(r.Context(), p)
	a.Shell = line
	return a, err
}

// connect connects an agent: the one request that writes outside a memory.
func (w *Window) connect(r *http.Request) (any, error) {
	var want struct {
		Agent string `json:"agent"`
		Scope string `json:"scope"`
	}
	if err := body(r, &want); err != nil {
		return nil, err
	}
	p, err := w.connecting(want.Agent, want.Scope)
	if err != nil {
		return nil, err
	}
	return collectAll(r.Context(), p)
}

// connecting is the pipeline that connects an agent.
func (w *Window) connecting(agent, scope string) (*pipeline.Pipeline, error) {
	if !agentName().MatchString(agent) || agent == "all" {
		return nil, refusal{http.StatusNotFound, "there is no such agent"}
	}
	if scope = cmp.Or(scope, "user"); scope != "user" && scope != "project" {
		return nil, refusal{http.StatusNotFound, fmt.Sprintf("scope is %q, want user or project", scope)}
	}
	return pipeline.New(w.stage("ihmt", "setup", agent, "--scope="+scope)), nil
}

// collectAll is collect for a tool that prints what became of an agent even
// where that is a failure.
func collectAll(ctx context.Context, p *pipeline.Pipeline) (answer, error) {
	a, err := collect(ctx, p)
	var failed *pipeline.Error
	if errors.As(err, &failed) && slices.ContainsFunc(a.Records, func(r *record.Record) bool { return r.Has("state") }) {
		a.Code, err = failed.Code, nil
	}
	return a, err
}

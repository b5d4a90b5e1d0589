//lint:file-ignore SA1019 the clients of today name the folder that they work in by roots, and in no other way

package mcp

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A session is what is known of one client, from its first call to its end.
type session struct {
	client *sdk.ServerSession

	mu      sync.Mutex
	root    string // the folder that the client works in; "" until it is asked for
	handed  handed
	scratch *scratch // nil until something is noted
	ended   bool
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.scratch != nil {
		s.scratch.remove()
		s.scratch = nil
	}
}

func (s *session) forgetRoot() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root = ""
}

// patience is how long a client may take to name its roots.
const patience = 2 * time.Second

// root is the folder that the client works in: the first of its roots, else
// this process's own, where a client that runs a server of its own starts it.
func (c *call) root() string {
	c.session.mu.Lock()
	known := c.session.root
	c.session.mu.Unlock()
	if known != "" {
		return known
	}
	root := c.askRoot()
	if root == "" {
		root, _ = os.Getwd()
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.root = root
	return root
}

func (c *call) askRoot() string {
	caps := c.request.ClientCapabilities()
	if caps == nil || caps.RootsV2 == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	roots, err := c.session.client.ListRoots(ctx, nil)
	if err != nil {
		return ""
	}
	for _, r := range roots.Roots {
		if path := fileOf(r.URI); path != "" {
			return path
		}
	}
	return ""
}

// fileOf returns the folder that a file URI names, "" where there is none.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || (u.Host != "" && u.Host != "localhost") {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' { // file:///C:/work
		path = path[1:]
	}
	path = filepath.FromSlash(path)
	if info, err := os.Stat(path); err != nil || !info.IsDir() || !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// path returns a path as the client means it: from the folder it works in.
func (c *call) path(name string) string {
	if home, err := os.UserHomeDir(); err == nil && (name == "~" || strings.HasPrefix(name, "~/")) {
		name = filepath.Join(home, name[1:])
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(c.root(), name)
}

// project is the name of the repository that the client works in, "" outside
// of one.
func (c *call) project() string {
	for dir := c.root(); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return filepath.Base(dir)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// agent is the name that the client gave itself.
func (c *call) agent() string {
	if info := c.request.ClientInfo(); info != nil {
		return info.Name
	}
	return ""
}

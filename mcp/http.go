package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ihmt/ihmt/pkg/cli"
)

const (
	// tokenFile holds what clients must send as bearer token, in the folder of
	// the memory. It stays, so that clients need to be told once.
	tokenFile = "mcp-token"
	// idle is how long a client may be silent before its session ends.
	idle = 12 * time.Hour
)

// ServeHTTP answers any number of clients on a loopback address such as
// 127.0.0.1:7777 until the context ends; ready is told the URL and the file
// that holds the token. A request must carry the token, name a loopback host
// and, where it comes from a web page, be from one of this very server: no
// page of another origin, nor a name that was made to point here, gets in.
func (s *Server) ServeHTTP(ctx context.Context, address string, ready func(url, tokenFile string)) error {
	if err := loopback(address); err != nil {
		return err
	}
	file, token, err := s.token()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		SessionTimeout: idle, MaxRequestBodyBytes: maxMessage})
	server := &http.Server{Handler: guarded(token, listener.Addr().String(), handler), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { s.end(); server.Close() })
	defer stop()
	ready("http://"+listener.Addr().String(), file)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// loopback refuses an address that others could reach.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address; want 127.0.0.1:PORT", address)
	}
	if !loopbackHost(host) {
		return fmt.Errorf("%s could be reached from elsewhere; the memory is served on 127.0.0.1 or [::1] only", address)
	}
	return nil
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// guarded lets a request through that carries the token, names this address,
// and comes from no page of another origin.
func guarded(token, address string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !here(r.Host, address):
			http.Error(w, "the Host header names another host", http.StatusForbidden)
		case len(r.Header.Values("Origin")) > 0 && !sameOrigin(r.Header.Values("Origin"), address):
			http.Error(w, "the request comes from another origin", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// here tells whether a host with its port is the address served.
func here(host, address string) bool {
	name, port, err := net.SplitHostPort(host)
	_, served, _ := net.SplitHostPort(address)
	return err == nil && port == served && loopbackHost(name)
}

func sameOrigin(origins []string, address string) bool {
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && u.Scheme == "http" && here(u.Host, address)
}

// token returns the token and its file, which is made where there is none.
func (s *Server) token() (file, token string, err error) {
	memory, err := (&cli.Common{Path: s.opt.Path}).Memory()
	if err != nil {
		return "", "", err
	}
	file = filepath.Join(filepath.Dir(memory), tokenFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", "", err
	}
	fresh, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return readToken(file)
	case err != nil:
		return "", "", err
	}
	token = rand.Text()
	_, err = fresh.WriteString(token + "\n")
	return file, token, errors.Join(err, fresh.Close())
}

func readToken(file string) (string, string, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", "", fmt.Errorf("%s can be read by others (%v): remove it, and a new token is made", file, info.Mode())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 20 || strings.ContainsAny(token, " \t\r\n") {
		return "", "", fmt.Errorf("%s holds no token: remove it, and a new one is made", file)
	}
	return file, token, nil
}

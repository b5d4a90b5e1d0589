package gui

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"path"
	"strings"
)

// policy lets the page load its own files and nothing else, and refuses to
// turn any string into markup or script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// A guard decides who may ask.
type guard struct {
	port    int
	token   string // in the address that is printed
	session string // in the cookie that it is exchanged for
}

func newGuard(port int) guard { return guard{port, rand.Text(), rand.Text()} }

// cookie is the name of the session's cookie; cookies are shared between the
// ports of a host.
func (g guard) cookie() string { return fmt.Sprintf("ihmt-%d", g.port) }

// pass tells whether a request may go on, and answers it where
// it may not, or where it brings the token.
func (g guard) pass(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.ours(r.Host), !g.sameOrigin(r):
		http.Error(w, "This address is not served here.", http.StatusForbidden)
	case r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.exchange(w, r)
	case !g.known(r):
		http.Error(w, "Open the address that ihmt-gui printed when it started: it holds a key that this one lacks.", http.StatusForbidden)
	case r.URL.Path != path.Clean(r.URL.Path) || strings.ContainsAny(r.URL.Path, "\\\x00"):
		http.NotFound(w, r)
	default:
		return true
	}
	return false
}

// ours tells whether a host is a name of this server: no other one is served,
// so that no foreign name can be made to lead here.
func (g guard) ours(host string) bool {
	for _, name := range []string{"127.0.0.1", "localhost"} {
		if host == fmt.Sprintf("%s:%d", name, g.port) {
			return true
		}
	}
	return false
}

// sameOrigin tells whether a request comes from this server's own page or from
// no page at all.
func (g guard) sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		host, ok := strings.CutPrefix(origin, "http://")
		return ok && host == r.Host
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	// A link from elsewhere may lead to the page with its token, never to data.
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
}

func (g guard) known(r *http.Request) bool {
	c, err := r.Cookie(g.cookie())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.session)) == 1
}

// exchange gives the cookie for the token and leads to the page without it. It
// does so by a page and not by a redirect: only what this page loads is sent a
// strict cookie when the browser came from elsewhere.
func (g guard) exchange(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("token")), []byte(g.token)) != 1 {
		http.Error(w, "The key in this address is not that of the running ihmt-gui: open the one that it printed.", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie(), Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><meta charset="utf-8"><title>IHMT</title><link rel="icon" href="/web/icon.svg"><meta http-equiv="refresh" content="0;url=/">`)
}

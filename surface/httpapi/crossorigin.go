package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"handoff/internal/web/caller"
)

// crossOrigin is what the server answers to pages of the origins that its user allowed (CORS). Such a page needs
// the token in a header: the cookie of a signed-in browser is not accepted from it, although a browser
// sends it between two ports of a host. So credentials are never allowed, and the pages for people stay closed to it.
type crossOrigin struct {
	origins []string
	token   string
}

// from reports whether a request comes from a page that may call the server.
func (c crossOrigin) from(r *http.Request) bool {
	return c.token != "" && !isPage(r) && slices.Contains(c.origins, r.Header.Get("Origin"))
}

// says sets the headers by which a browser lets the page read the answer.
func (c crossOrigin) says(h http.Header, r *http.Request) {
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	names := make([]string, len(answerHeaders))
	for i, a := range answerHeaders {
		names[i] = a.Name
	}
	h.Set("Access-Control-Expose-Headers", strings.Join(names, ", "))
}

// asks reports whether a browser asks, before it sends the request of a page, whether it may. No token comes with that.
func (c crossOrigin) asks(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// answer is the answer to that: what requests of the page may have.
func (c crossOrigin) answer(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Range")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

// has reports whether the request has the token itself.
func (c crossOrigin) has(r *http.Request) bool { return caller.HasToken(r, c.token) }

package httpapi

import (
	"net/http"

	"handoff/internal/web/caller"
	"handoff/internal/web/openapi"
	"handoff/surface/problem"
)

// The errors of the guard.
var (
	badHost   = refuse(problem.OtherHost, "unknown host name: allow it with `handoff serve --host`")
	badOrigin = refuse(problem.OtherOrigin, "the request comes from a page with another origin")
	noToken   = &openapi.Refusal{Status: http.StatusUnauthorized, Text: "want the header Authorization: Bearer with the server's token (`handoff serve --help` says where it is)"}
)

// guarded rejects requests that the user did not send. A web page can make a
// browser send requests: under the page's own host name, if DNS resolves that to
// 127.0.0.1, or across origins.
func (s *Server) guarded(next http.Handler) http.Handler {
	public := map[string]bool{}
	for _, op := range s.ops {
		public[op.Path] = op.Public
	}
	open := func(r *http.Request) bool { return public[r.URL.Path] || s.isPublic(r) }
	cross := crossOrigin{s.Origins, s.Token}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, user := w.Header(), s.isUser
		h.Set("X-Content-Type-Options", "nosniff")
		if len(s.Origins) > 0 {
			h.Set("Vary", "Origin")
		}
		foreign := !caller.SameOrigin(r)
		if foreign && cross.from(r) && caller.KnownHost(r, s.Hosts) {
			if cross.says(h, r); cross.asks(r) {
				cross.answer(w)
				return
			}
			foreign, user = false, cross.has
		}
		switch {
		case !caller.KnownHost(r, s.Hosts):
			s.fail(w, r, badHost)
		case foreign:
			s.fail(w, r, badOrigin)
		case !open(r) && !user(r):
			if s.asksToSignIn(w, r) {
				return
			}
			h.Set("WWW-Authenticate", `Bearer realm="handoff"`)
			s.fail(w, r, noToken)
		case !open(r) && s.counters.running.Load() > int64(s.Connections):
			h.Set("Connection", "close")
			s.fail(w, r, tooManyRequests)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

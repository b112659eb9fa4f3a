package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"handoff/internal/web/openapi"
)

// The errors of the guard.
var (
	badHost   = &openapi.Refusal{Status: http.StatusMisdirectedRequest, Text: "unknown host name: allow it with `handoff serve --host`"}
	badOrigin = &openapi.Refusal{Status: http.StatusForbidden, Text: "the request comes from a page with another origin"}
	noToken   = &openapi.Refusal{Status: http.StatusUnauthorized, Text: "want the header Authorization: Bearer with the server's token"}
)

// guarded rejects requests that the user did not send. A web page can make a
// browser send requests: under the page's own host name, if DNS resolves that to
// 127.0.0.1, or across origins.
func (s *Server) guarded(next http.Handler) http.Handler {
	public := map[string]bool{}
	for _, op := range s.ops {
		public[op.Path] = op.Public
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		switch {
		case !s.knownHost(r):
			s.fail(w, r, badHost)
		case !sameOrigin(r):
			s.fail(w, r, badOrigin)
		case !public[r.URL.Path] && !s.authorized(r):
			h.Set("WWW-Authenticate", `Bearer realm="handoff"`)
			s.fail(w, r, noToken)
		case !public[r.URL.Path] && s.counters.running.Load() > int64(s.Connections):
			h.Set("Connection", "close")
			s.fail(w, r, tooManyRequests)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knownHost reports whether the Host header is a name of this server. For a Unix
// socket any name will do: no browser reaches it, and its clients invent names.
func (s *Server) knownHost(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && local.Network() == "unix" {
		return true
	}
	name := hostname(r.Host)
	if name == "localhost" || slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if tcp, ok := local.(*net.TCPAddr); ok {
		if here, ok := netip.AddrFromSlice(tcp.IP); ok && here.Unmap() == ip.Unmap() {
			return true
		}
	}
	return ip.Unmap().IsLoopback()
}

// hostname is a Host header without its port, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
}

// sameOrigin reports whether a request comes from a page of this server, or from
// no page. Browsers send headers that show it.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && strings.EqualFold(u.Host, r.Host)
}

// authorized reports whether the request has the token, in constant time.
func (s *Server) authorized(r *http.Request) bool {
	if s.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(s.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// The minimum and maximum length of a token. A short one can be guessed.
const minToken, maxToken = 16, 4096

// ReadToken reads a token from a file that other users cannot read. White space
// around it is ignored.
func ReadToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not wait for the writer of a FIFO
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !st.Mode().IsRegular():
		return "", fmt.Errorf("%s: not a regular file", path)
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%s: other users can read it (mode %04o): run chmod 600 on it", path, st.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	switch {
	case len(text) > maxToken:
		return "", fmt.Errorf("%s: longer than %d bytes", path, maxToken)
	case len(token) < minToken:
		return "", fmt.Errorf("%s: want a token of %d characters or more (`openssl rand -hex 32` makes one)", path, minToken)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New(path + ": want a token on one line, of ASCII letters, digits and signs")
	}
	return token, nil
}

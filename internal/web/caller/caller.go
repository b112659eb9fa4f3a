// Package caller decides whether a request to a local server comes from its user. A web
// page can make a browser send requests: under the page's own host name, if DNS resolves
// that to 127.0.0.1, or across origins.
package caller

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
)

// KnownHost reports whether the Host header is a name of this server: one of loopback,
// its own address, or one of names. For a Unix socket any name will do: no browser
// reaches it, and its clients invent names.
func KnownHost(r *http.Request, names []string) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local != nil && local.Network() == "unix" {
		return true
	}
	name := hostname(r.Host)
	if name == "localhost" || slices.ContainsFunc(names, func(h string) bool { return strings.EqualFold(h, name) }) {
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

// SameOrigin reports whether a request comes from a page of this server, or from
// no page. Browsers send headers that show it.
func SameOrigin(r *http.Request) bool {
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

// ParseOrigin checks the origin of pages, as browsers send it: http://localhost:5173. There is none that
// stands for all: neither * nor null.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(text, "*"):
		return "", fmt.Errorf("%q: want the origin of a page, such as http://localhost:5173", text)
	case u.Scheme+"://"+u.Host != strings.TrimSuffix(text, "/") || u.User != nil:
		return "", fmt.Errorf("%q: want only scheme, host and port, such as %s://%s", text, u.Scheme, u.Host)
	case u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443":
		return "", fmt.Errorf("%q: browsers leave out the port of %s: want %s://%s", text, u.Scheme, u.Scheme, u.Hostname())
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

// HasToken reports whether the request has the token in its Authorization header, in
// constant time. If there is no token, it is true.
func HasToken(r *http.Request, token string) bool {
	if token == "" {
		return true
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
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

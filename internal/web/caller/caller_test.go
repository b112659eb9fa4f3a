package caller

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		os.Remove(path)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("  0123456789abcdef\n", 0o600)
	if got, err := ReadToken(path); got != "0123456789abcdef" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for text, mode := range map[string]os.FileMode{
		"": 0o600, "short": 0o600, "0123456789abcdef\n0123456789abcdef": 0o600, strings.Repeat("x", 5000): 0o600, "0123456789abcdéf0": 0o600,
		"0123456789abcdeX": 0o644, "0123456789abcdeY": 0o640, "0123456789abcdeZ": 0o604,
	} {
		if runtime.GOOS == "windows" && mode != 0o600 {
			continue
		}
		write(text, mode)
		if got, err := ReadToken(path); err == nil {
			t.Errorf("%q with mode %o was taken: %q", text, mode, got)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the message has the token: %v", err)
		}
	}
	if _, err := ReadToken(t.TempDir()); err == nil {
		t.Error("a folder was taken")
	}
}

// TestCallers: requests of the user, of web pages, and of others.
func TestCallers(t *testing.T) {
	const token = "0123456789abcdef"
	for _, c := range []struct {
		network, host, origin, site, auth string
		known, same, has                  bool
	}{
		{host: "127.0.0.1:1", known: true, same: true},
		{host: "LOCALHOST", auth: "bearer " + token, known: true, same: true, has: true},
		{host: "[::1]:1", origin: "http://[::1]:1", auth: "Basic " + token, known: true, same: true},
		{host: "192.0.2.7:1", known: true, same: true}, // the server's own address
		{host: "Named.example:1", known: true, same: true},
		{host: "evil.example", origin: "http://evil.example", auth: "Bearer x", same: true},
		{host: "127.0.0.1:1", origin: "http://127.0.0.1:2", known: true},
		{host: "127.0.0.1:1", origin: "null", known: true},
		{host: "127.0.0.1:1", site: "cross-site", known: true},
		{host: "127.0.0.1:1", site: "none", known: true, same: true},
		{network: "unix", host: "any", known: true, same: true},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Host = c.host
		for name, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Authorization": c.auth} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		var here net.Addr = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7)}
		if c.network == "unix" {
			here = &net.UnixAddr{Name: "s", Net: "unix"}
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, here))
		if known, same, has := KnownHost(r, []string{"named.example"}), SameOrigin(r), HasToken(r, token); known != c.known || same != c.same || has != c.has || !HasToken(r, "") {
			t.Errorf("%+v: known %t, same %t, token %t", c, known, same, has)
		}
	}
}

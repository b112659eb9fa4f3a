package localtoken

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

const token = "0123456789abcdef"

// TestFound: a client finds the token by each address of the server, and no other.
func TestFound(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state", "handoff")
	for at, servers := range map[string]map[string]bool{
		"127.0.0.1": {"http://127.0.0.1:7341": true, "http://localhost:7341": true, "http://localhost:7342": false, "http://[::1]:7341": false, "http://127.0.0.2:7341": false,
			"https://127.0.0.1:7341": false, "http://192.0.2.7:7341": false, "unix:s.sock": false, "http://127.0.0.1": false, "": false},
		"::1": {"http://[::1]:7341": true, "http://localhost:7341": true, "http://127.0.0.1:7341": false},
	} {
		path, leave, err := Publish(state, &net.TCPAddr{IP: net.ParseIP(at), Port: 7341}, token)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, st, err)
		}
		if st, err := os.Stat(filepath.Dir(path)); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", filepath.Dir(path), st, err)
		}
		for server, found := range servers {
			if got, _, err := Find(state, server); err != nil || (got == token) != found {
				t.Errorf("the server at %s, asked for %s: %q, %v", at, server, got, err)
			}
		}
		if err := leave(); err != nil {
			t.Error(err)
		}
		if got, _, err := Find(state, "http://localhost:7341"); got != "" || err != nil {
			t.Errorf("after the end: %q, %v", got, err)
		}
	}
}

// TestKept: a server that ends keeps the token of the one that listens by now, and a token
// that others can read is refused.
func TestKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "handoff")
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	_, leave, err := Publish(state, at, token)
	if err != nil {
		t.Fatal(err)
	}
	path, _, err := Publish(state, at, "another-token-xx")
	if err != nil || leave() != nil {
		t.Fatal(err)
	}
	if got, _, err := Find(state, "http://127.0.0.1:1"); got != "another-token-xx" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Find(state, "http://127.0.0.1:1"); err == nil {
		t.Error("a token that others can read was taken")
	}
}

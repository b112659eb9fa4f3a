// Package listening opens the socket of a server for one user of one machine: it listens
// on loopback addresses only unless allowed otherwise, and no other user can open its
// Unix socket. It does not know what is served.
package listening

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// ErrBeyond reports an address that other machines can reach.
var ErrBeyond = errors.New("can be reached from other machines")

// Open listens on "HOST:PORT", with port 0 for any free port, or on "unix:PATH", a socket
// that only this user may open. Unless beyond is true, an address that is not a
// loopback address is [ErrBeyond].
func Open(addr string, beyond bool) (net.Listener, error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return openUnix(path)
	}
	// Resolve the name once, so that the address that is checked is the one used.
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return nil, fmt.Errorf("address %q: want HOST:PORT, or unix:PATH", addr)
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := check(tcp, beyond); err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp", tcp)
}

// check returns an error for an address that other machines can reach. An empty address
// means all addresses.
func check(addr net.Addr, beyond bool) error {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && !beyond && !tcp.IP.IsLoopback() {
		return fmt.Errorf("%s: %w", addr, ErrBeyond)
	}
	return nil
}

func openUnix(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	return Unix(path)
}

// removeStale removes the socket of a server that was killed. Anything else at the path
// stays.
func removeStale(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s: %w and is not a socket", path, fs.ErrExist)
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return fmt.Errorf("%s: another server is listening there", path)
	}
	return os.Remove(path)
}

// Name is the address as users write it: "http://127.0.0.1:7341", or "unix:PATH".
func Name(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return "unix:" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

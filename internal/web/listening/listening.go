// Package listening opens the socket a server listens on, with the care that
// one needs which is meant for one user of one machine: it does not leave the
// loopback interface unless it may, and nobody else can open its Unix socket.
// It knows nothing of what is served.
package listening

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// ErrBeyond says that an address can be reached from other machines.
var ErrBeyond = errors.New("can be reached from other machines")

// Open listens on "HOST:PORT", port 0 for any that is free, or on
// "unix:PATH", a socket that only this user may open. The error is [ErrBeyond]
// for an address that is not a loopback one, unless beyond is true; nothing
// was listened on then.
func Open(addr string, beyond bool) (net.Listener, error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return openUnix(path)
	}
	// Once, so that what was looked at is what is listened on.
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := check(tcp, beyond); err != nil {
		return nil, err
	}
	return net.ListenTCP("tcp", tcp)
}

// check refuses an address that leaves the machine. No address is all of them.
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

// removeStale takes away the socket of a server that was killed. Anything else
// that stands at the path stays.
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

// Name is how a user writes the address: "http://127.0.0.1:7341", or
// "unix:PATH".
func Name(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return "unix:" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

package listening

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// firstSocket is the descriptor of the first socket that a service manager passes.
const firstSocket = 3

// Activated returns the socket that a service manager passes to this process
// (sd_listen_fds(3)), nil if there is none. As with [Open], an address that is not a
// loopback address needs beyond. More than one socket is an error.
func Activated(getenv func(string) string, beyond bool) (net.Listener, error) {
	if pid, err := strconv.Atoi(getenv("LISTEN_PID")); err != nil || pid != os.Getpid() {
		return nil, nil // for another process
	}
	switch n, err := strconv.Atoi(getenv("LISTEN_FDS")); {
	case err != nil || n < 1:
		return nil, nil
	case n > 1:
		return nil, fmt.Errorf("LISTEN_FDS=%d: want one socket", n)
	}
	f := os.NewFile(firstSocket, "LISTEN_FDS")
	if f == nil {
		return nil, errors.New("LISTEN_FDS: no such descriptor")
	}
	defer f.Close() // the listener has its own descriptor
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("LISTEN_FDS: %w", err)
	}
	if err := check(l.Addr(), beyond); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

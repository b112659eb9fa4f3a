package listening

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"handoff/internal/file/nofollow"
)

// Socket listens on a Unix socket that only this user may open.
type Socket struct {
	*net.UnixListener
	path string
	once sync.Once
	keep bool
}

// Unix listens at a path that is free; else it is fs.ErrExist. The socket gets
// the umask's mode when it is bound, and anybody may connect until that is
// changed: so it is bound in a folder that nobody else can enter, and gets its
// name when its mode is right.
func Unix(path string) (*Socket, error) {
	root := nofollow.Root(filepath.Dir(path))
	if runtime.GOOS == "windows" { // has no modes, and no second names for sockets
		return bind(path, path)
	}
	private := filepath.Join(string(root), ".s-"+strconv.FormatUint(uint64(rand.Uint32()), 36)) // short, because paths of sockets are
	if err := root.Mkdir(private, 0o700); err != nil {
		return nil, err
	}
	defer root.RemoveAll(private)
	temp := filepath.Join(private, filepath.Base(private))
	s, err := bind(temp, path)
	if err != nil {
		return nil, err
	}
	if err = os.Chmod(temp, 0o600); err == nil {
		err = name(root, temp, path)
	}
	if err != nil {
		s.UnixListener.Close()
		return nil, err
	}
	return s, nil
}

func bind(at, path string) (*Socket, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it has another name by then
	return &Socket{UnixListener: l, path: path}, nil
}

// name gives the socket its name unless that is taken. Where there are no second
// names a socket that another server has made in this moment is replaced.
func name(root nofollow.Root, temp, path string) error {
	err := root.Link(temp, path)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrPermission) {
		err = root.Rename(temp, path)
	}
	return err
}

// Addr is where clients connect.
func (s *Socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Keep has Close leave the socket's file, because it may be another's by now.
func (s *Socket) Keep() { s.keep = true }

// Close removes the socket's file and ends the listening.
func (s *Socket) Close() error {
	s.once.Do(func() {
		if !s.keep {
			nofollow.Root(filepath.Dir(s.path)).Remove(s.path)
		}
	})
	return s.UnixListener.Close()
}

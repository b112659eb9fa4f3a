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

// Unix listens at a path that must be free; otherwise the error is fs.ErrExist. A new
// socket has the mode of the umask, and others may connect until that is changed. So it
// is created in a folder that no other user can enter, and moved when its mode is
// right.
func Unix(path string) (*Socket, error) {
	root := nofollow.Root(filepath.Dir(path))
	if runtime.GOOS == "windows" { // has no modes and no hard links to sockets
		return bind(path, path)
	}
	private := filepath.Join(string(root), ".s-"+strconv.FormatUint(uint64(rand.Uint32()), 36)) // short, because the length of socket paths is limited
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
	l.SetUnlinkOnClose(false) // it will have another name
	return &Socket{UnixListener: l, path: path}, nil
}

// name gives the socket its name if that is free. Without hard links, it replaces a
// socket that another server has created in this moment.
func name(root nofollow.Root, temp, path string) error {
	err := root.Link(temp, path)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrPermission) {
		err = root.Rename(temp, path)
	}
	return err
}

// Addr is where clients connect.
func (s *Socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }

// Keep makes Close leave the socket's file, because another server may have replaced
// it.
func (s *Socket) Keep() { s.keep = true }

// Close removes the socket's file and stops listening.
func (s *Socket) Close() error {
	s.once.Do(func() {
		if !s.keep {
			nofollow.Root(filepath.Dir(s.path)).Remove(s.path)
		}
	})
	return s.UnixListener.Close()
}

//go:build unix

package nofollow

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"handoff/internal/file/regular"
)

// TestOnlyRegularFiles: only regular files are opened, and opening a FIFO does not
// wait for its other end.
func TestOnlyRegularFiles(t *testing.T) {
	dir, err := os.MkdirTemp("", "fifo") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "socket", "folder"} {
		path := filepath.Join(dir, name)
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
			f, err := Root(dir).OpenFile(path, flag, 0o600)
			if err == nil {
				f.Close()
			}
			if !errors.Is(err, regular.ErrNotRegular) && !errors.Is(err, syscall.EISDIR) {
				t.Errorf("%s, %#x: %v", name, flag, err)
			}
		}
		if f, err := regular.Open(path); !errors.Is(err, regular.ErrNotRegular) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				f.Close()
			}
		}
	}
}

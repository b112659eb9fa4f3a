//go:build linux && !fsnotify

package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// notifier has the system tell what happens in folders, by inotify as it is.
// The libraries made of it do not tell when a writer closes a file, nor that
// what appeared is a folder; they ask about each folder once more and remember
// twice as much of it.
type notifier struct {
	file *os.File
	fd   int // of file, which would otherwise be made to block by asking for it

	mu   sync.Mutex
	dirs []watched // by the number that the system gave the folder
}

// watched is a folder: a name in another one, below the root. Many share dir.
type watched struct {
	dir, name string
	known     bool
}

func newNotifier() (*notifier, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	return &notifier{file: os.NewFile(uintptr(fd), "inotify"), fd: fd}, nil
}

// close ends run.
func (n *notifier) close() { n.file.Close() }

// what we want to be told. A file that is made by open tells again when it is
// closed; one that is made by link does not.
const interest = syscall.IN_CREATE | syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_TO | syscall.IN_MOVED_FROM | syscall.IN_DELETE |
	syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF | syscall.IN_ONLYDIR

// add watches the folder name in dir, or dir itself, below root. What is a
// symbolic link or no folder is ENOTDIR; only the root may be reached by one.
func (n *notifier) add(root, dir, name string) error {
	mask := uint32(interest)
	if dir != "" {
		mask |= syscall.IN_DONT_FOLLOW
	}
	wd, err := syscall.InotifyAddWatch(n.fd, join(join(root, dir), name), mask)
	if err != nil {
		return &os.PathError{Op: "inotify_add_watch", Path: join(join(root, dir), name), Err: err}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.dirs) <= wd {
		n.dirs = append(n.dirs, watched{})
	}
	n.dirs[wd] = watched{dir, name, true}
	return nil
}

// of is the folder with that number. It may have been given out just now.
func (n *notifier) of(wd int) (watched, bool) {
	for range 100 {
		n.mu.Lock()
		if wd < len(n.dirs) && n.dirs[wd].known {
			defer n.mu.Unlock()
			return n.dirs[wd], true
		}
		n.mu.Unlock()
		time.Sleep(20 * time.Microsecond)
	}
	return watched{}, false
}

func (n *notifier) forget(wd int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if wd < len(n.dirs) {
		n.dirs[wd] = watched{}
	}
}

// run tells of events until the notifier is closed. doubt means that some are
// lost.
func (n *notifier) run(_ string, tell func(event), doubt func()) {
	var buf [64 << 10]byte
	for {
		got, err := n.file.Read(buf[:])
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil {
			doubt()
			return
		}
		n.records(buf[:got], tell, doubt)
	}
}

// records reads records of struct inotify_event: number of the folder, mask,
// cookie and length of the name, 4 bytes each, then the name, padded by zeros.
func (n *notifier) records(buf []byte, tell func(event), doubt func()) {
	for len(buf) >= syscall.SizeofInotifyEvent {
		wd := int(int32(binary.NativeEndian.Uint32(buf)))
		mask := binary.NativeEndian.Uint32(buf[4:])
		end := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[12:]))
		name, _, _ := bytes.Cut(buf[syscall.SizeofInotifyEvent:end], []byte{0})
		buf = buf[end:]
		switch {
		case mask&(syscall.IN_Q_OVERFLOW|syscall.IN_UNMOUNT) != 0:
			doubt()
			continue
		case mask&syscall.IN_IGNORED != 0: // the folder is gone
			n.forget(wd)
			continue
		}
		w, ok := n.of(wd)
		switch {
		case !ok:
			doubt()
		case mask&(syscall.IN_DELETE_SELF|syscall.IN_MOVE_SELF) == 0:
			tell(event{join(join(w.dir, w.name), string(name)), happened(mask), mask&syscall.IN_ISDIR == 0})
		case w.dir == "": // the root itself; of other folders those above them tell
			doubt()
		}
	}
}

func happened(mask uint32) change {
	switch {
	case mask&syscall.IN_MOVED_TO != 0, mask&syscall.IN_CREATE != 0 && mask&syscall.IN_ISDIR != 0:
		return appeared
	case mask&syscall.IN_CREATE != 0:
		return begun
	case mask&syscall.IN_MOVED_FROM != 0:
		return renamed
	case mask&syscall.IN_DELETE != 0:
		return removed
	}
	return written
}

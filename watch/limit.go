package watch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limitError means that the system has no more watches for this process.
type limitError struct{ err error }

func (e *limitError) Error() string { return "no watches left: " + e.err.Error() }
func (e *limitError) Unwrap() error { return e.err }

// limited marks the errors that mean a limit. "No space left on device" is
// about watches here, not about a disk.
func limited(err error) error {
	for _, limit := range []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, limit) {
			return &limitError{err}
		}
	}
	return err
}

// inotify is where Linux shows its limits.
const inotify = "/proc/sys/fs/inotify/"

// explain describes what happens now, and what the user can do. need is the
// number of folders to watch.
func (e *limitError) explain(need int, every time.Duration) string {
	name := "max_user_watches"
	if !errors.Is(e.err, syscall.ENOSPC) {
		name, need = "max_user_instances", 1
	}
	allowed := setting(inotify + name)
	if allowed == 0 {
		return fmt.Sprintf("%v: polling every %v instead", e, every)
	}
	text := fmt.Sprintf("the system allows %d watches, this tree needs %d: polling every %v instead", allowed, need, every)
	if name == "max_user_instances" {
		text = fmt.Sprintf("the system allows %d watching programs, and that many are running: polling every %v instead", allowed, every)
	} else if need < allowed {
		text = fmt.Sprintf("the system allows %d watches and other programs use too many of them (this tree needs %d): polling every %v instead", allowed, need, every)
	}
	return fmt.Sprintf("%s\n  to raise it: sudo sysctl fs.inotify.%s=%d", text, name, raised(allowed, need))
}

// raised is a limit with room to grow: a power of two, as these limits are.
func raised(allowed, need int) int {
	n := 1024
	if need > 1 {
		n = 65536
	}
	for n <= allowed || n < 2*need {
		n *= 2
	}
	return n
}

func setting(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

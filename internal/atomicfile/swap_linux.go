package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// settle bounds how long a writer that has the displaced file open is waited
// for, and how often a file that others keep writing is tried.
const (
	settle   = 2 * time.Second
	attempts = 100
)

// exchange gives the name path to temp and looks at what had it. When that is
// not old, the names are changed back, until each holds what belongs to it.
func exchange(temp, path string, old, data []byte) error {
	err := unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return replace(temp, path, old) // this file system cannot
	case err != nil:
		return changedIfGone(err)
	}
	displaced, err := settled(temp)
	if err == nil && bytes.Equal(displaced, old) {
		return os.Remove(temp)
	}
	if err != nil {
		return err
	}
	// temp is another writer's newest: it gets its name back. What comes out
	// must be what was put there last. Anything else was written meanwhile, is
	// newer still, and changes places in its turn.
	placed, inTemp := data, displaced
	for range attempts {
		if err := unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE); err != nil {
			if errors.Is(err, unix.ENOENT) { // taken away, which is newer than what we hold
				return errors.Join(os.Remove(temp), ErrChanged)
			}
			return err
		}
		out, err := settled(temp)
		if err != nil {
			return err
		}
		if bytes.Equal(out, placed) {
			return errors.Join(os.Remove(temp), ErrChanged)
		}
		placed, inTemp = inTemp, out
	}
	return errors.New("others keep writing it: " + path)
}

// settled reads a file that has lost its name once nobody has it open for
// writing: a read lease is granted only then.
func settled(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for start := time.Now(); time.Since(start) < settle; time.Sleep(time.Millisecond) {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		if err == nil {
			unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
			break
		}
		if !errors.Is(err, unix.EAGAIN) {
			time.Sleep(5 * time.Millisecond) // no leases here: give a writer this long
			break
		}
	}
	return os.ReadFile(path)
}

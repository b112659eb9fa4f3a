//go:build darwin || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"handoff/internal/file/nofollow"
)

// mark is the state of the record of this holder.
type mark struct {
	own   string // the record that must be in the file while the lock is held; "" for none
	inode string
	mute  bool // the file cannot be written
}

func inodeOf(st *syscall.Stat_t) string { return strconv.FormatUint(uint64(st.Ino), 36) }

// sign writes the record after the lock was taken. If the file has the record of a live
// holder, the lock is not shared: that is an error.
func (k *Kept) sign(ctx context.Context) error {
	k.mark.own = ""
	if k.mark.mute {
		return nil
	}
	found, err := k.record()
	if err != nil {
		return err
	}
	if err := k.mayOverwrite(ctx, found); err != nil {
		return err
	}
	own := holder{held, strconv.FormatUint(rand.Uint64(), 36), self(), k.mark.inode}.String()
	_, err = k.file.WriteAt([]byte(own), 0)
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		return nil // the locked operation may be the one that frees space
	case err != nil:
		return err
	}
	k.mark.own = own
	return nil
}

// mayOverwrite returns an error if the record belongs to a live holder.
func (k *Kept) mayOverwrite(ctx context.Context, found string) error {
	h, ok := parse(found)
	switch {
	case !ok && isForeign(found):
		return &fs.PathError{Op: "lock", Path: k.Path, Err: errors.New("not a lock file; remove it if it is not needed")}
	case !ok || h.state == free:
		return nil
	}
	switch alive, dead := h.life(); {
	case dead:
		return nil
	case alive && h.inode == k.mark.inode:
		return k.outlive(ctx, found, h)
	}
	return k.watch(ctx, found)
}

// outlive returns an error if a holder is alive for the whole grace time or changes the
// record. A process that is being killed loses its lock a moment before it looks dead.
func (k *Kept) outlive(ctx context.Context, found string, h holder) error {
	for end := time.Now().Add(cmp.Or(k.grace, graceTime)); time.Now().Before(end); {
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
		if now, err := k.record(); err != nil || now != found {
			return errors.Join(err, notShared(k.Path, h))
		}
		if alive, _ := h.life(); !alive {
			return nil
		}
	}
	return notShared(k.Path, h)
}

// isForeign reports whether the content is that of another kind of file, not a record
// that a power failure left incomplete.
func isForeign(found string) bool {
	found = strings.TrimRight(found, "\x00")
	return !strings.HasPrefix(found, magic[:min(len(magic), len(found))])
}

// watch returns an error if the record changes within the grace time.
func (k *Kept) watch(ctx context.Context, found string) error {
	for end := time.Now().Add(graceTime); time.Now().Before(end); {
		if err := pause(ctx, 5*time.Millisecond); err != nil {
			return err
		}
		now, err := k.record()
		if err != nil {
			return err
		}
		if now != found {
			h, _ := parse(now)
			return notShared(k.Path, h)
		}
	}
	return nil
}

// Orphaned reports whether the last holder of a lock file is known to be dead. If the file
// is locked nevertheless, then by a process that the holder was starting when it was
// killed: a child has the holder's locks until it executes its program.
func Orphaned(root nofollow.Root, path string) bool {
	f, err := root.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	k := &Kept{Root: root, Path: path, kept: kept{file: f}}
	defer k.drop()
	found, err := k.record()
	h, ok := parse(found)
	if err != nil || !ok || h.state == free {
		return false
	}
	_, dead := h.life()
	return dead
}

// stopped reports whether the holder is known to be a stopped process.
func (k *Kept) stopped() (pid int, stopped bool) {
	found, err := k.record()
	h, ok := parse(found)
	if err != nil || !ok || h.state == free {
		return 0, false
	}
	alive, _ := h.life()
	return h.pid, alive && isStopped(h.pid)
}

// record is the content of the file.
func (k *Kept) record() (string, error) {
	var b [recordBytes]byte
	n, err := k.file.ReadAt(b[:], 0)
	if err == io.EOF {
		err = nil
	}
	return string(b[:n]), err
}

// Check returns a [*NotSharedError] if another process has taken the lock since it was
// taken here. If a check succeeds, no other process worked under the lock until then.
func (k *Kept) Check() error {
	if k.file == nil || k.mark.own == "" {
		return nil
	}
	found, err := k.record()
	if err != nil {
		return fmt.Errorf("checking the lock: %w", err)
	}
	if found != k.mark.own {
		h, _ := parse(found)
		return notShared(k.Path, h)
	}
	return nil
}

// signOff is Check, and marks the record as free.
func (k *Kept) signOff() error {
	own := k.mark.own
	if own == "" {
		return nil
	}
	err := k.Check()
	k.mark.own = ""
	if err != nil {
		return err // the record was written by another process
	}
	h, _ := parse(own)
	h.state = free
	if _, err := k.file.WriteAt([]byte(h.String()), 0); err != nil {
		return k.file.Truncate(0) // an empty record is free, too
	}
	return nil
}

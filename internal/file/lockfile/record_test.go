//go:build linux

package lockfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// noLocks is flock(2) of a file system whose locks do not exclude other processes.
func noLocks(int, int) error { return nil }

// unshared are two holders of a lock file that does not exclude either.
func unshared(t *testing.T) (a, b *Kept) {
	path := filepath.Join(t.TempDir(), "lock")
	a, b = &Kept{Path: path, Flock: noLocks}, &Kept{Path: path, Flock: noLocks}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func isNotShared(err error) bool {
	var not *NotSharedError
	return errors.As(err, &not) && not.PID == os.Getpid()
}

func TestSecondHolderIsRefused(t *testing.T) {
	a, b := unshared(t)
	unlock, err := a.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Lock(context.Background()); !isNotShared(err) {
		t.Errorf("the second holder: %v", err)
	}
	if err := errors.Join(a.Check(), unlock()); err != nil {
		t.Errorf("the first holder: %v", err)
	}
	if unlock, err := b.Lock(context.Background()); err != nil || unlock() != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A check and unlocking report that the record was overwritten; the record of the
// other holder stays.
func TestOverwrittenHolder(t *testing.T) {
	a, b := unshared(t)
	unlockA, errA := a.Lock(context.Background())
	os.Truncate(a.Path, 0) // as b would see the file a moment earlier
	unlockB, errB := b.Lock(context.Background())
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if err := a.Check(); !isNotShared(err) {
		t.Errorf("check: %v", err)
	}
	if err := unlockA(); !isNotShared(err) {
		t.Errorf("unlock: %v", err)
	}
	if err := errors.Join(b.Check(), unlockB()); err != nil {
		t.Errorf("the other holder: %v", err)
	}
}

// leave writes a lock file with the record of a holder that did not release it.
func leave(t *testing.T, change func(h *holder)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	h := holder{held, "1", self(), inodeOf(&st)}
	change(&h)
	if err := os.WriteFile(path, []byte(h.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The record of a killed holder is overwritten.
func TestRecordOfTheDead(t *testing.T) {
	for name, change := range map[string]func(h *holder){
		"ended":            func(h *holder) { h.pid = 1 << 30 },
		"number reused":    func(h *holder) { h.start = "1" },
		"before this boot": func(h *holder) { h.boot = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			// The grace time is longer than the context.
			ctx, cancel := context.WithTimeout(context.Background(), graceTime/2)
			defer cancel()
			unlock, err := Lock(ctx, nofollow.Named, leave(t, change))
			if err != nil || unlock() != nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRecordOfTheDying: a process that is killed loses its lock a moment before it
// looks dead. The next holder waits for that.
func TestRecordOfTheDying(t *testing.T) {
	dying := exec.Command("sleep", "600")
	if err := dying.Start(); err != nil {
		t.Fatal(err)
	}
	start, _, err := startOf(strconv.Itoa(dying.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	k := &Kept{Path: leave(t, func(h *holder) { h.pid, h.start = dying.Process.Pid, start }), grace: time.Hour}
	defer k.Close()
	got := make(chan error, 1)
	go func() { _, err := k.Lock(t.Context()); got <- err }()
	select {
	case err := <-got:
		t.Errorf("while it lives: %v", err)
	case <-time.After(20 * time.Millisecond): // on a slow machine it may not have checked yet; then the test passes
	}
	dying.Process.Kill()
	dying.Wait()
	if err := <-got; err != nil {
		t.Errorf("after its end: %v", err)
	}
}

// If a holder may be alive elsewhere, its record must not change during the grace
// time.
func TestRecordOfTheUnknown(t *testing.T) {
	for name, change := range map[string]func(h *holder){
		"other machine":   func(h *holder) { h.boot, h.host = "other", "other" },
		"other container": func(h *holder) { h.space = "pid:[1]" },
		"copied file":     func(h *holder) { h.inode = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unlock, err := Lock(context.Background(), nofollow.Named, leave(t, change))
			if err != nil || unlock() != nil {
				t.Errorf("a record that stays: %v", err)
			}
			path, ctx := leave(t, change), t.Context()
			file, err := os.OpenFile(path, os.O_WRONLY, 0) // a record is replaced by one write
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer file.Close()
				for n := 0; ctx.Err() == nil; n++ {
					h := holder{held, strings.Repeat("x", 1+n%9), process{"b", "s", 7, "1", "elsewhere"}, "1"}
					file.WriteAt([]byte(h.String()), 0)
				}
			}()
			_, err = Lock(context.Background(), nofollow.Named, path)
			var not *NotSharedError
			if !errors.As(err, &not) {
				t.Errorf("a record that changes: %v", err)
			}
		})
	}
}

// A file that is not a lock file is not overwritten; a record that a power failure
// left incomplete is.
func TestForeignContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for content, ok := range map[string]bool{
		"": true, magic + " held": true, "hand": true, strings.Repeat("\x00", recordBytes): true,
		"# Notes\n": false, "handoff": true, "handed over": false,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		unlock, err := Lock(context.Background(), nofollow.Named, path)
		if (err == nil) != ok {
			t.Errorf("%.20q: %v", content, err)
		}
		if err == nil {
			unlock()
		} else if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%q became %q", content, got)
		}
	}
}

func TestFIFOAsLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(context.Background(), nofollow.Named, path); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("%v", err)
	}
}

// If the system fails to unlock, the lock is released nevertheless, so that no
// process waits for it forever.
func TestFailedUnlock(t *testing.T) {
	k := Kept{Path: filepath.Join(t.TempDir(), "lock")}
	k.Flock = func(fd, how int) error {
		if how == syscall.LOCK_UN {
			return syscall.EIO
		}
		return syscall.Flock(fd, how)
	}
	unlock, err := k.Lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); !errors.Is(err, syscall.EIO) {
		t.Errorf("%v", err)
	}
	again, ok, err := Try(nofollow.Named, k.Path)
	if err != nil || !ok {
		t.Fatalf("still locked: %v", err)
	}
	again()
}

// A holder may remove the file: processes that wait for it lock the next one.
func TestRemoveHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	inside := make(chan struct{}, 1)
	done := make(chan error)
	for range 8 {
		go func() {
			for range 50 {
				unlock, err := Lock(context.Background(), nofollow.Named, path)
				if err != nil {
					done <- err
					return
				}
				select {
				case inside <- struct{}{}:
				default:
					done <- errors.New("two are inside")
					return
				}
				<-inside
				if err := RemoveHeld(nofollow.Named, path); err != nil {
					done <- err
					return
				}
				if err := unlock(); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the file still exists: %v", err)
	}
}

// A lock file in a folder that replaced another is found.
func TestReplacedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "lock")
	k := Kept{Path: path}
	defer k.Close()
	for n := range 3 {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		unlock, err := k.Lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if other, ok, err := Try(nofollow.Named, path); ok || err != nil {
			t.Errorf("a second holder: %v", err)
			if ok {
				other()
			}
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir, fmt.Sprint(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
}

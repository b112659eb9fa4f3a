package lockfile

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
)

// TestStopped: a lock of a stopped process is not waited for without end, if the caller
// asks for that; its holder is named. One that works again is waited for.
func TestStopped(t *testing.T) {
	killtest.Hold(t, func(path string) error {
		_, err := Lock(t.Context(), nofollow.Named, path)
		return err
	})
	path := filepath.Join(t.TempDir(), "lock")
	holder := killtest.Stopped(t, path)
	var stopped *StoppedError
	begin := time.Now()
	if _, err := Lock(NotStopped(t.Context()), nofollow.Named, path); !errors.As(err, &stopped) || stopped.PID != holder.Pid || time.Since(begin) < stoppedTime {
		t.Errorf("after %v: %v, want process %d", time.Since(begin), err, holder.Pid)
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		holder.Kill()
	}()
	unlock, err := Lock(t.Context(), nofollow.Named, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

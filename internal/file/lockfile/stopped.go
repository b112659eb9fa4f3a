package lockfile

import (
	"context"
	"fmt"
	"time"
)

// stoppedTime is how long a lock of a stopped process is waited for: see [NotStopped].
const stoppedTime = 2 * time.Second

type notStopped struct{}

// NotStopped returns a context in which a lock is not waited for longer than 2 s if its
// holder is a stopped process, as by SIGSTOP or Ctrl+Z: the error is then a [StoppedError].
// A holder that works is waited for.
func NotStopped(ctx context.Context) context.Context {
	return context.WithValue(ctx, notStopped{}, true)
}

// StoppedError reports that a stopped process holds a lock.
type StoppedError struct {
	Path string
	PID  int
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("%s is locked by process %d, which is stopped (`kill -CONT %[2]d` continues it, `kill -KILL %[2]d` ends it)", e.Path, e.PID)
}

// waited returns a [StoppedError] if the lock was waited for since a time, and should not
// be waited for longer.
func (k *Kept) waited(ctx context.Context, since time.Time) error {
	if ctx.Value(notStopped{}) == nil || time.Since(since) < stoppedTime {
		return nil
	}
	if pid, stopped := k.stopped(); stopped {
		return &StoppedError{k.Path, pid}
	}
	return nil
}

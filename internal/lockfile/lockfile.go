// Package lockfile lets the processes of one machine take turns. The lock goes
// with its process: one that is killed leaves none behind. It relies on a
// local file system and knows nothing of what is locked.
package lockfile

import (
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"
)

// Lock waits until it holds the file, which it makes if need be and never
// takes away: others may be waiting for that very file.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	l := flock.New(path)
	ok, err := l.TryLockContext(ctx, time.Millisecond)
	if err == nil && !ok {
		err = errors.New("not locked")
	}
	return l.Unlock, err
}

// Try takes the file if nobody holds it.
func Try(path string) (unlock func() error, ok bool, err error) {
	l := flock.New(path)
	ok, err = l.TryLock()
	return l.Unlock, ok, err
}

// Package lockfile lets the processes of one machine take turns. The lock goes
// with its process: one that is killed leaves none behind. It relies on a
// local file system and knows nothing of what is locked.
//
// A lock file is named by a trusted folder and a path below it. A link on the
// way is an error: see [handoff/internal/nofollow].
package lockfile

import (
	"context"

	"handoff/internal/nofollow"
)

// Lock waits until it holds the file, which it makes if need be and never
// takes away: others may be waiting for that very file.
func Lock(ctx context.Context, root nofollow.Root, path string) (unlock func() error, err error) {
	k := &Kept{Root: root, Path: path}
	if _, err := k.Lock(ctx); err != nil {
		k.Close()
		return nil, err
	}
	return k.Close, nil
}

// Try takes the file if nobody holds it.
func Try(root nofollow.Root, path string) (unlock func() error, ok bool, err error) {
	k := &Kept{Root: root, Path: path}
	if ok, err = k.try(); !ok {
		k.Close()
		return nil, false, err
	}
	return k.Close, true, nil
}

// Package lockfile lets processes that share a file system take turns. The lock
// goes with its process: one that is killed leaves none behind. The package
// knows nothing of what is locked.
//
// A lock file is named by a trusted folder and a path below it. A link on the
// way is an error: see [handoff/internal/file/nofollow].
//
// # Locks that are not shared
//
// The lock is flock(2). Two machines, containers or mounts may show the same
// files and still not share locks: NFS mounted with nolock, two overlay mounts
// of one folder, folders shared with a virtual machine. Both sides then get the
// lock at once. So the holder also writes a record into the lock file: who it
// is, and a number that no other holder uses. It reads the record again before
// it says that its work is done: see [Kept.Check]. Of two holders at once at most
// one finds its own record, because the second overwrites the first. That one
// has begun after all others whose check succeeded had ended.
//
// A process that finds somebody else's record in the file, which should be free,
// returns a [*NotSharedError] if the other holder is alive or the record changes
// under the lock. The record of a holder that was killed is overwritten. It is
// known to be dead if it ran here and its process is gone, or if it ran on this
// host before the last boot; else its record must stay unchanged for [graceTime].
//
// What is not noticed: holders that do not overlap, which is harmless as long as
// both see the same files; and file systems that show one side an old content
// of the files, the lock file included, such as NFS without locks inside its
// attribute cache time. On systems without flock, and in a lock file that may
// not be written or finds no room on the disk, there is no record.
package lockfile

import (
	"context"

	"handoff/internal/file/nofollow"
)

// Lock waits until it holds the file, which it creates if need be. unlock
// returns a [*NotSharedError] if another process has held it meanwhile.
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
	if ok, err = k.try(context.Background()); !ok {
		k.Close()
		return nil, false, err
	}
	return k.Close, true, nil
}

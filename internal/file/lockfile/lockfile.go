// Package lockfile provides locks between processes that share a file system. The
// system releases the lock of a process that is killed. The package does not know what
// is locked.
//
// A lock file is named by a trusted folder and a path below it. A symlink on the way
// is an error: see [handoff/internal/file/nofollow].
//
// # Locks that are not shared
//
// The lock is flock(2). Two machines, containers or mounts may see the same files but
// not share locks: NFS mounted with nolock, two overlay mounts of one folder, folders
// shared with a virtual machine. Then both sides get the lock at once. So the holder
// also writes a record to the lock file: its identity, and a number that is unique to
// this lock. It reads the record again before it reports that its work is done: see
// [Kept.Check]. If two processes hold the lock at once, at most one finds its own
// record, because the second overwrites that of the first. So a holder whose check
// succeeds started after every other such holder had ended.
//
// A process that gets the lock and finds a record of another holder in the file
// returns a [*NotSharedError] if that holder is alive or the record changes. The
// record of a killed holder is overwritten. A holder is known to be dead if it ran
// here and its process has ended, or if it ran on this host before the last boot.
// Otherwise its record must not change for [graceTime].
//
// Two cases are not detected. Holders that do not overlap are harmless as long as both
// see the same files. File systems may show one side stale content, also of the lock
// file, as NFS without locks does within its attribute cache time. There is no record
// on systems without flock, in a lock file that cannot be written, and on a full disk.
package lockfile

import (
	"context"

	"handoff/internal/file/nofollow"
)

// Lock waits until it holds the lock file, and creates the file if necessary. After the
// deadline of ctx it tries once more: if a busy machine stopped this process until then, it
// has made no attempt, and would report a free lock as held. unlock returns a
// [*NotSharedError] if another process has held the lock meanwhile.
func Lock(ctx context.Context, root nofollow.Root, path string) (unlock func() error, err error) {
	k := &Kept{Root: root, Path: path}
	if _, err := k.Lock(ctx); err != nil {
		k.Close()
		return nil, err
	}
	return k.Close, nil
}

// Try takes the lock if no process holds it.
func Try(root nofollow.Root, path string) (unlock func() error, ok bool, err error) {
	k := &Kept{Root: root, Path: path}
	if ok, err = k.try(context.Background()); !ok {
		k.Close()
		return nil, false, err
	}
	return k.Close, true, nil
}

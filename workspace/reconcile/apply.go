package reconcile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
)

// ErrChanged means that another program changed a file after the state was
// loaded: load and plan again.
var ErrChanged = atomicfile.ErrChanged

// Apply carries out a plan: it stores the blobs, then writes the files that
// name them. A file that has changed since it was read is not written, and the
// result is ErrChanged. After a crash there may be blobs that no file names
// yet, but never a name without its blob.
//
// The same is true of a power failure if the file system keeps the order of
// renames, as file systems with a journal do (ext4, XFS): both contents are
// fsynced before the first rename, and the blob is renamed first. On other file
// systems a blob may lose its name and the metadata remain. The next load finds
// the blob missing, rebuilds it from the document and stores it under the same
// id.
func Apply(root string, store *artifact.Store, p Plan) error {
	return ApplyAll(root, store, []Plan{p})[0]
}

// ApplyAll is [Apply] for the plans of several tasks, with an error for each.
// They are fsynced together, because a disk syncs many files in the time of a
// few. If a blob cannot be stored, every plan has that error.
func ApplyAll(root string, store *artifact.Store, plans []Plan) []error {
	var blobs []Blob
	for _, p := range plans {
		blobs = append(blobs, p.Blobs...)
	}
	// Contents first, and then names and folders, each in one batch.
	var flush func() error
	placed := make(chan error, 1)
	go func() {
		var err error
		flush, err = place(store, blobs)
		placed <- err
	}()
	swaps, errs := make([][]*atomicfile.Swapping, len(plans)), make([]error, len(plans))
	concurrently(len(plans), func(i int) { swaps[i], errs[i] = begin(root, plans[i].Writes) })
	unplaced := <-placed
	flushed := make(chan error, 1)
	go func() {
		var err error
		if flush != nil {
			err = flush()
		}
		flushed <- err
	}()
	concurrently(len(plans), func(i int) { errs[i] = commit(plans[i], swaps[i], errors.Join(unplaced, errs[i])) })
	unflushed := <-flushed
	for i := range errs {
		errs[i] = errors.Join(errs[i], unflushed)
	}
	return errs
}

// writers is the number of goroutines that wait for the disk.
const writers = 32

// concurrently calls f for each number below n, several at once.
func concurrently(n int, f func(i int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	work := func() {
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	for range min(n, writers) - 1 {
		running.Go(work)
	}
	work()
	running.Wait()
}

// commit renames the new contents of a plan's files into place, or deletes them
// after an error.
func commit(p Plan, swaps []*atomicfile.Swapping, err error) error {
	if err == nil && p.Ready != nil {
		err = p.Ready()
	}
	for i, s := range swaps {
		if err != nil {
			s.Abort()
		} else if err = s.Commit(); err != nil {
			err = named(p.Writes[i].Path, err)
		}
	}
	return err
}

// named is an error about a file, with its path once: a system's error has that, too.
func named(path string, err error) error {
	if of, is := err.(*fs.PathError); is {
		err = of.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// place stores blobs, as [artifact.Store.PutAll] does.
func place(store *artifact.Store, blobs []Blob) (flush func() error, err error) {
	all := make([][]byte, len(blobs))
	for i, b := range blobs {
		all[i] = b.Data
	}
	if flush, err = store.PutAll(all); err != nil {
		return nil, fmt.Errorf("bundle %w", err)
	}
	return flush, nil
}

// begin writes the new contents of files, without their names. It returns those
// that it started even if there is an error.
func begin(root string, writes []Write) (swaps []*atomicfile.Swapping, err error) {
	for _, w := range writes {
		s, err := atomicfile.BeginSwap(nofollow.Root(root), filepath.Join(root, filepath.FromSlash(w.Path)), w.Old, w.New, 0o644)
		if err != nil {
			return swaps, named(w.Path, err)
		}
		swaps = append(swaps, s)
	}
	return swaps, nil
}

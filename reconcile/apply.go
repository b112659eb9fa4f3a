package reconcile

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"handoff/artifact"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
)

// ErrChanged says that a file was written by somebody else since the state
// was loaded: load and plan again.
var ErrChanged = atomicfile.ErrChanged

// Apply makes the changes of a plan: the blobs, then the files that name them.
// A file that no longer holds what was read is left as it is, with ErrChanged.
// A kill leaves blobs that nothing names yet, never a name without its blob.
//
// So does a machine that loses its power, where the file system keeps the order
// of renames, as those with a journal do (ext4, XFS): the content of both is on
// the disk before the first rename, and the blob's comes first. Elsewhere the
// metadata may survive without the name of a blob that got it in the same
// moment. What is lost then can be made again: it follows from the document,
// and the next look at the task, which finds it missing, stores it under the
// same id.
func Apply(root string, store *artifact.Store, p Plan) error {
	return ApplyAll(root, store, []Plan{p})[0]
}

// ApplyAll is [Apply] for the plans of several tasks, with an error for each.
// They wait for the disk together: it takes in many files in the time of a few,
// and each wait takes longer than all the rest. Blobs that cannot be stored are
// an error of every plan.
func ApplyAll(root string, store *artifact.Store, plans []Plan) []error {
	var blobs []Blob
	for _, p := range plans {
		blobs = append(blobs, p.Blobs...)
	}
	// Contents first, and then names and folders, each all at once.
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

// writers is how many goroutines wait for the disk at once.
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

// commit gives the new contents of a plan's files their names, or throws them
// away after an error.
func commit(p Plan, swaps []*atomicfile.Swapping, err error) error {
	for i, s := range swaps {
		if err != nil {
			s.Abort()
		} else if err = s.Commit(); err != nil {
			err = fmt.Errorf("%s: %w", p.Writes[i].Path, err)
		}
	}
	return err
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

// begin writes the new content of files, without their names. It returns those
// that were begun also with an error.
func begin(root string, writes []Write) (swaps []*atomicfile.Swapping, err error) {
	for _, w := range writes {
		s, err := atomicfile.BeginSwap(nofollow.Root(root), filepath.Join(root, filepath.FromSlash(w.Path)), w.Old, w.New, 0o644)
		if err != nil {
			return swaps, fmt.Errorf("%s: %w", w.Path, err)
		}
		swaps = append(swaps, s)
	}
	return swaps, nil
}

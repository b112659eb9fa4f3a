package reconcile

import (
	"errors"
	"fmt"
	"path/filepath"

	"handoff/artifact"
	"handoff/internal/atomicfile"
	"handoff/internal/nofollow"
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
	// Everything waits for the disk twice, contents and then folders, and all
	// at once: each wait takes longer than all the rest.
	var flush func() error
	placed := make(chan error, 1)
	go func() {
		var err error
		flush, err = place(store, p.Blobs)
		placed <- err
	}()
	swaps, err := begin(root, p.Writes)
	err = errors.Join(<-placed, err)
	flushed := make(chan error, 1)
	go func() {
		var err error
		if flush != nil {
			err = flush()
		}
		flushed <- err
	}()
	for i, s := range swaps {
		if err != nil {
			s.Abort()
		} else if err = s.Commit(); err != nil {
			err = fmt.Errorf("%s: %w", p.Writes[i].Path, err)
		}
	}
	return errors.Join(err, <-flushed)
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

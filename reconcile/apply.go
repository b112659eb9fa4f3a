package reconcile

import (
	"errors"
	"fmt"
	"path/filepath"

	"handoff/artifact"
	"handoff/internal/atomicfile"
)

// ErrChanged says that a file was written by somebody else since the state
// was loaded: load and plan again.
var ErrChanged = atomicfile.ErrChanged

// Apply makes the changes of a plan: the blobs, then the files that name them.
// A file that no longer holds what was read is left as it is, with ErrChanged;
// a crash in between leaves blobs that nothing names yet, never a name without
// its blob.
func Apply(root string, store *artifact.Store, p Plan) error {
	// Both wait for the disk, so they wait together; only then come the names.
	// The blobs wait twice, for content and name, so theirs is the head start.
	var swaps []*atomicfile.Swapping
	begun := make(chan error, 1)
	go func() {
		var err error
		swaps, err = begin(root, p.Writes)
		begun <- err
	}()
	err := put(store, p.Blobs)
	err = errors.Join(err, <-begun)
	for i, s := range swaps {
		if err != nil {
			s.Abort()
		} else if err = s.Commit(); err != nil {
			err = fmt.Errorf("%s: %w", p.Writes[i].Path, err)
		}
	}
	return err
}

func put(store *artifact.Store, blobs []Blob) error {
	all := make([][]byte, len(blobs))
	for i, b := range blobs {
		all[i] = b.Data
	}
	if err := store.PutAll(all); err != nil {
		return fmt.Errorf("bundle %w", err)
	}
	return nil
}

// begin writes the new content of files, without their names. It returns those
// that were begun also with an error.
func begin(root string, writes []Write) (swaps []*atomicfile.Swapping, err error) {
	for _, w := range writes {
		s, err := atomicfile.BeginSwap(filepath.Join(root, filepath.FromSlash(w.Path)), w.Old, w.New, 0o644)
		if err != nil {
			return swaps, fmt.Errorf("%s: %w", w.Path, err)
		}
		swaps = append(swaps, s)
	}
	return swaps, nil
}

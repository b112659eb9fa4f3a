package reconcile

import (
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
	for _, b := range p.Blobs {
		if _, _, err := store.Put(b.Data); err != nil {
			return fmt.Errorf("bundle %s: %w", b.ID, err)
		}
	}
	for _, w := range p.Writes {
		if err := atomicfile.Swap(filepath.Join(root, filepath.FromSlash(w.Path)), w.Old, w.New, 0o644); err != nil {
			return fmt.Errorf("%s: %w", w.Path, err)
		}
	}
	return nil
}

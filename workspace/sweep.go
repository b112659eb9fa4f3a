package workspace

import (
	"path/filepath"

	"handoff"
	"handoff/artifact"
	"handoff/internal/atomicfile"
)

// sweep takes away the temporary files that killed processes left in the
// places we write to.
func (w *Workspace) sweep(tasks []string) {
	for _, task := range tasks {
		dir := filepath.Join(w.Root, filepath.FromSlash(task))
		for _, below := range []string{"", handoff.Folder, "progress"} {
			atomicfile.Sweep(filepath.Join(dir, below))
		}
	}
	atomicfile.Sweep(filepath.Join(w.Root, filepath.FromSlash(artifact.Blobs)))
}

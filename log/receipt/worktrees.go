package receipt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
)

// Elsewhere returns the folders of the same workspace in the other working trees of its
// repository, which share the receipts, sorted.
func (p Place) Elsewhere() (roots []string) {
	if !p.InGit() {
		return nil
	}
	for own, top := range regular.Worktrees(string(p.Root)) {
		root := filepath.Join(top, filepath.FromSlash(p.prefix))
		if own != string(p.Own) && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}

// lacks is the error for a handoff of the workspace whose document is in no working tree.
func (p Place) lacks(name string) error {
	document, ok := p.InWorkspace(name)
	for _, root := range append(p.Elsewhere(), p.workspace) {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(document)))
		if ok && err == nil && filepath.IsLocal(document) && info.Mode().IsRegular() {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", name, handoff.ErrNoHandoff)
}

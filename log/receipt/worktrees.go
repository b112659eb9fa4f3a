package receipt

import (
	"path/filepath"
	"slices"

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

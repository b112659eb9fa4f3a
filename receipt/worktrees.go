package receipt

import (
	"os"
	"path/filepath"
	"slices"
)

// maxWorktrees is how many other working trees are looked at: each costs as much as this one.
const maxWorktrees = 32

// Elsewhere returns the folders of the same workspace in the other working trees of its
// repository, which share the receipts, sorted. A working tree that was removed or moved is
// left out, and one whose file .git does not lead back to the repository.
func (p Place) Elsewhere() (roots []string) {
	if !p.InGit() {
		return nil
	}
	common := string(p.Root)
	var trees []string
	if filepath.Base(common) == ".git" {
		trees = append(trees, filepath.Dir(common))
	}
	linked, _ := os.ReadDir(filepath.Join(common, "worktrees")) // most repositories have none
	for _, e := range linked[:min(len(linked), maxWorktrees)] {
		own := filepath.Join(common, "worktrees", e.Name())
		if text, err := readLine(filepath.Join(own, "gitdir")); err == nil && text != "" {
			trees = append(trees, filepath.Dir(absolute(own, text)))
		}
	}
	for _, tree := range trees {
		own, shared, err := gitDirs(tree)
		root := filepath.Join(tree, filepath.FromSlash(p.prefix))
		if err == nil && own != "" && sameFile(shared, common) && !sameFile(own, string(p.Own)) && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}

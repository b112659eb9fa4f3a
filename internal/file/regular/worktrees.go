package regular

import (
	"os"
	"path/filepath"
)

// maxWorktrees is how many working trees are looked at: each costs as much as [GitDirs].
const maxWorktrees = 32

// Worktrees are the working trees of the repository whose shared git folder is common, by
// the git folder of each. A tree that was removed or moved is left out, and one whose file
// .git does not lead back to the repository.
func Worktrees(common string) (tops map[string]string) {
	var candidates []string
	if filepath.Base(common) == ".git" {
		candidates = append(candidates, filepath.Dir(common))
	}
	linked, _ := os.ReadDir(filepath.Join(common, "worktrees")) // most repositories have none
	for _, e := range linked[:min(len(linked), maxWorktrees)] {
		own := filepath.Join(common, "worktrees", e.Name())
		if dot := lineOf(filepath.Join(own, "gitdir")); dot != "" {
			candidates = append(candidates, filepath.Dir(from(own, dot)))
		}
	}
	tops = map[string]string{}
	for _, top := range candidates {
		if own, shared, err := GitDirs(top); err == nil && own != "" && sameFile(shared, common) {
			tops[own] = top
		}
	}
	return tops
}

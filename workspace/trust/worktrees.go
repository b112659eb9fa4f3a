package trust

import (
	"os"
	"path/filepath"

	"handoff/internal/file/regular"
)

// placeOf is the repository of a root without symlinks, by the git folder that its worktrees
// share, and the root's path in its working tree. Both are "" where no repository is certain:
// a tree from elsewhere that only says that it is a worktree borrows nothing.
func placeOf(root string) (repository, below string) {
	for up := range regular.Project(root) {
		_, common, err := regular.GitDirs(up)
		if err != nil {
			return "", ""
		}
		if common != "" {
			below, err = filepath.Rel(up, root)
			if err != nil {
				return "", ""
			}
			return common, filepath.ToSlash(below)
		}
	}
	return "", ""
}

// worktrees are the records of a root, which has no symlinks, in all worktrees of its
// repository.
func (b *Book) worktrees(root string) (records []*Record) {
	repository, below := placeOf(root)
	if repository == "" || b.dir == "" || b.inside(root) {
		return nil
	}
	entries, _ := os.ReadDir(b.dir) // a missing folder has none
	for _, e := range entries {
		file := filepath.Join(b.dir, e.Name())
		r, err := b.readFile(file) // a damaged one trusts nothing
		if err == nil && r != nil && r.Repository == repository && r.Below == below && b.file(r.Root) == file {
			records = append(records, r)
		}
	}
	return records
}

// lent is the record of another worktree of the repository that also decides for this one:
// the same owner, nothing else that can act, and nothing in it of another user than the one
// who was trusted. nil for none.
func (b *Book) lent(s Status) *Record {
	for _, r := range b.worktrees(s.Root) {
		if (s.Owner < 0 || s.Owner == r.Owner) && b.covers(r, s) {
			return r
		}
	}
	return nil
}

// covers reports whether a record is about what a root now is.
func (b *Book) covers(r *Record, s Status) bool {
	return r.Hash == Hash(s.Acts) && r.Owner == b.ownerOf(s.Root)
}

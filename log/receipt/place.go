package receipt

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
)

// Place is the folder with the receipts of a workspace: in the common git folder
// of its repository, which all its worktrees share, else in the workspace.
type Place struct {
	Root   nofollow.Root // trusted: the git folder, or the workspace
	Dir    string        // absolute
	prefix string        // of the workspace in the working tree: "" or "sub/"

	workspace string // its root

	// Own is the trusted folder, and OwnDir the folder in it, of what concerns this working
	// tree alone: in the git folder that it does not share, else in the workspace.
	Own    nofollow.Root
	OwnDir string
}

// Path is the name of a handoff, by its path in the workspace: its path in the
// working tree of the repository. So it is the same in all worktrees.
func (p Place) Path(inWorkspace string) string { return p.prefix + inWorkspace }

// Beside returns the path of what all worktrees share, next to the receipts: one of the names in
// package state.
func (p Place) Beside(name string) string { return filepath.Join(filepath.Dir(p.Dir), name) }

// Apart returns the path of what concerns this working tree alone: one of the names in package
// state.
func (p Place) Apart(names ...string) string {
	return filepath.Join(p.OwnDir, filepath.Join(names...))
}

// InGit reports whether the place is in the git folder of a repository.
func (p Place) InGit() bool { return filepath.Base(filepath.Dir(p.Dir)) == path.Dir(folder) }

// InWorkspace is the path in the workspace of a handoff that Path named; of work, what is typed
// for it. ok is false for a handoff or a task of another workspace of the repository.
func (p Place) InWorkspace(name string) (inWorkspace string, ok bool) {
	if IsWork(name) {
		w, ok := p.WorkOf(name)
		return w.String(), ok
	}
	return strings.CutPrefix(name, p.prefix)
}

// folder is where receipts are, below a git folder.
const folder = state.InGit + "/" + state.Receipts

// Locate finds the place for the workspace with a root. It runs no git. A file
// ".git" is followed only if the git folder that it names points back to it: see
// [regular.GitDirs].
func Locate(root string) (Place, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Place{}, err
	}
	for up := range regular.Project(real) {
		own, common, err := regular.GitDirs(up)
		if err != nil {
			return Place{}, fmt.Errorf("receipts have no safe place: %w", err)
		}
		if common != "" {
			p := Place{Root: nofollow.Root(common), Dir: filepath.Join(common, filepath.FromSlash(folder)),
				Own: nofollow.Root(own), OwnDir: filepath.Join(own, path.Dir(folder)), workspace: real}
			if below, _ := filepath.Rel(up, real); below != "." {
				p.prefix = filepath.ToSlash(below) + "/"
			}
			return p, nil
		}
	}
	state := filepath.Join(root, state.Dir)
	return Place{Root: nofollow.Root(root), Dir: filepath.Join(state, path.Base(folder)), Own: nofollow.Root(root), OwnDir: state, workspace: root}, nil
}

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/artifact"
	"handoff/workspace/stores"
)

// StateDir is the folder of the tool's own files, below the root.
const StateDir = state.Dir

// ScratchDir is the folder of temporary files, below the root.
const ScratchDir = atomicfile.Scratch

// CreateStateDir creates the folder if it is missing, with a .gitignore (see
// [stores.Stores.KeepPrivate]), and returns its path. Call it before the first write: it
// returns the errors of [Workspace.CheckFolders].
func (w *Workspace) CreateStateDir() (string, error) {
	if err := w.CheckFolders(); err != nil {
		return "", err
	}
	return filepath.Join(w.Root, StateDir), w.KeepPrivate()
}

// CreateStateDir creates the folder for writers that have no [Workspace], so that their
// temporary files are in [ScratchDir]. If it cannot be created, the write reports what
// is wrong, or has its temporary file beside the file.
func CreateStateDir(root string) {
	w := &Workspace{Root: root, Stores: stores.New(stores.Options{Root: root, Folder: filepath.Join(root, StateDir)})}
	_, _ = w.CreateStateDir()
}

// RemoveStateDir removes the folder if nothing but CreateStateDir has written to it.
func RemoveStateDir(root string) {
	w := &Workspace{Root: root}
	dir, tmp := filepath.Join(root, StateDir), filepath.Join(root, filepath.FromSlash(ScratchDir))
	ignore := filepath.Join(dir, ".gitignore")
	if src, err := w.Trusted().ReadUnlinked(ignore, MaxSize); err != nil || !stores.IsOwnIgnore(string(src)) ||
		!holdsOnly(dir, ".gitignore", filepath.Base(tmp)) || !holdsOnly(tmp, ".gitignore") {
		return
	}
	for _, path := range []string{filepath.Join(tmp, ".gitignore"), tmp, ignore, dir} {
		if w.Trusted().Remove(path) != nil { // another process has just used it
			return
		}
	}
}

func holdsOnly(dir string, names ...string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !slices.Contains(names, e.Name()) })
}

// Enter prepares work in the state folder, for packages that open stores there: it creates
// the folder for a writer, and only checks it for a reader.
func (w *Workspace) Enter(writes bool) error {
	if !writes {
		return w.CheckFolders()
	}
	_, err := w.CreateStateDir()
	return err
}

// artifactFolders are the folders of the artifacts. Those of the tool's other files are in
// package state, with derived files: a failed write to one is not reported, so they are
// checked in advance.
var artifactFolders = []string{path.Dir(path.Dir(artifact.Blobs)), path.Dir(artifact.Blobs), artifact.Blobs}

// CheckFolders returns an error if one of the tool's own folders exists but is not a
// folder. It runs before the first write, so that an operation does not fail after half
// of its files were written. Writers follow no symlinks in any case: see
// [handoff/internal/file/nofollow].
func (w *Workspace) CheckFolders() error {
	folders, files := state.Checked()
	for _, name := range slices.Concat(artifactFolders, folders) {
		if err := w.checkOwn(name, regular.Dir, "a folder"); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := w.checkOwn(name, regular.File, "a regular file"); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn checks one path with a single system call, because the watch checks all of
// them before each of its writes.
func (w *Workspace) checkOwn(name string, want regular.Kind, called string) error {
	path := filepath.Join(w.Root, filepath.FromSlash(name))
	switch regular.KindOf(path) {
	case regular.Nothing, want:
		return nil
	case regular.Link:
		return fmt.Errorf("%s: %s: put %s there", name, nofollow.LinkAt(path).What(), called)
	}
	return fmt.Errorf("%s: is not %s", name, called)
}

package workspace

import (
	"errors"
	"fmt"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// LeadsOut returns an error if a symlink in a path leaves the folder. It returns nil for
// any other problem of the path.
func LeadsOut(root nofollow.Root, path string) error {
	var link *nofollow.LinkError
	if _, err := root.Inside(path); errors.As(err, &link) {
		return link
	}
	return nil
}

// CheckSpecs returns an error if the specs folder is a symlink out of the workspace.
func (w *Workspace) CheckSpecs() error {
	if regular.KindOf(w.Specs()) != regular.Link {
		return nil
	}
	if err := LeadsOut(w.Trusted(), w.Specs()); err != nil {
		return fmt.Errorf("%s: %w", handoff.Root, Reason(err))
	}
	return nil
}

// TrustedAt returns the root of the workspace that contains a path: of this one, or of
// another one if the user named a file in it. A path in no workspace was named by the
// user, so its symlinks may be followed.
func (w *Workspace) TrustedAt(path string) nofollow.Root {
	root, file := w.Root, w.Config.Path
	if !nofollow.Within(root, path) {
		root, file = Locate(filepath.Dir(path))
	}
	if file == "" && regular.KindOf(filepath.Join(root, handoff.Root)) == regular.Nothing {
		return nofollow.Named
	}
	return nofollow.Root(root)
}

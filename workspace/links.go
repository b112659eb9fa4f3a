package workspace

import (
	"errors"
	"fmt"
	"path/filepath"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// leadsOut is the error for a link on the way to a path that leads out of the
// folder; nil for none, whatever else is wrong with the path.
func LeadsOut(root nofollow.Root, path string) error {
	var link *nofollow.LinkError
	if _, err := root.Inside(path); errors.As(err, &link) {
		return link
	}
	return nil
}

// checkSpecs refuses a specs folder that is a link out of the workspace.
func (w *Workspace) CheckSpecs() error {
	if regular.KindOf(w.Specs()) != regular.Link {
		return nil
	}
	if err := LeadsOut(w.Trusted(), w.Specs()); err != nil {
		return fmt.Errorf("%s: %w", handoff.Root, Reason(err))
	}
	return nil
}

// trustedAt is the root of the workspace that a path is in: of this one, or of
// another that the user named a file of. What is in none, was named by the user.
func (w *Workspace) TrustedAt(path string) nofollow.Root {
	root, config := w.Root, w.Config.Path
	if !Within(root, path) {
		root, config = Locate(filepath.Dir(path))
	}
	if config == "" && regular.KindOf(filepath.Join(root, handoff.Root)) == regular.Nothing {
		return nofollow.Named
	}
	return nofollow.Root(root)
}

// Within reports whether a path is a folder or in it.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

package reconcile

import (
	"errors"
	"fmt"
	"path"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// enter returns an error if a symlink to the task's folder leaves the workspace.
// A look at many tasks checks the folders above them once.
func (l *loader) enter() error {
	brief := l.memory != nil && l.memory.Brief
	above, full := l.root+"/"+path.Dir(l.Dir), l.full(l.Dir)
	if brief && l.memory.entered == above && regular.KindOf(full) == regular.Dir {
		return nil
	}
	real, err := nofollow.Root(l.root).Inside(full)
	if err != nil {
		return linkIn(l.Dir, err)
	}
	if brief && real == full {
		l.memory.entered = above
	}
	return nil
}

// follow returns the target of a symlink. It refuses one that leaves the
// workspace, so that file is neither bundled nor written.
func (l *loader) follow(p string) (string, error) {
	return nofollow.Root(l.root).Inside(l.full(p))
}

// linkIn is the error for a task whose folder cannot be entered.
func linkIn(dir string, err error) error {
	var link *nofollow.LinkError
	if errors.As(err, &link) {
		return fmt.Errorf("%s: %s", dir, link.What())
	}
	return err
}

package workspace

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff"
	"handoff/workspace/config"
)

// NotFound is an fs.ErrNotExist with its own text.
type NotFound string

func (e NotFound) Error() string        { return string(e) }
func (e NotFound) Is(target error) bool { return target == fs.ErrNotExist }

// Missing returns an error if there is no workspace: neither a specs folder nor a
// configuration. The error is an fs.ErrNotExist that contains the command to set one
// up. Without it, a check in the wrong folder would pass without checking anything, and
// a writer would start a second tree. A specs folder that is a symlink out of the
// workspace is another error.
func (w *Workspace) Missing() error {
	if err := w.CheckSpecs(); err != nil {
		return err
	}
	if IsDir(w.Specs()) {
		return nil
	}
	if _, ok := config.Find(w.Root); ok {
		return nil
	}
	hint := "`handoff init` sets it up"
	if top := gitTop(w.Root); top != "" && top != w.Root {
		hint = fmt.Sprintf("`handoff init -C %s` sets it up for the git repository", top)
	}
	return NotFound(fmt.Sprintf("no %s/ in %s or above: %s", handoff.Root, w.Root, hint))
}

// Empty is like [Workspace.Missing], but returns nil if there is an artifact store or a
// state folder, which has the threads and tapes.
func (w *Workspace) Empty() error {
	if IsDir(filepath.Join(w.Root, ".rip")) || IsDir(filepath.Join(w.Root, ".handoff")) {
		return nil
	}
	return w.Missing()
}

// gitTop is the top of the git repository that contains dir; "" if there is none.
func gitTop(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, ".git")); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return ""
		}
	}
}

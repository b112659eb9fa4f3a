package workspace

import (
	"fmt"
	"os"
	"path/filepath"

	"handoff"
)

// Missing is nil where there is a workspace: a specs folder, or a configuration
// that says there will be one. Else the error, an fs.ErrNotExist, says how to
// set one up. A check that finds no workspace has checked nothing, and what
// writes there would begin a second tree beside the real one. A specs folder that
// is a link out of the workspace is an error of its own.
func (w *Workspace) Missing() error {
	if err := w.CheckSpecs(); err != nil {
		return err
	}
	if IsDir(w.Specs()) {
		return nil
	}
	if _, ok := FindConfig(w.Root); ok {
		return nil
	}
	hint := "`handoff init` sets it up"
	if top := gitTop(w.Root); top != "" && top != w.Root {
		hint = fmt.Sprintf("`handoff init -C %s` sets it up for the git repository", top)
	}
	return notFound{fmt.Sprintf("no %s/ in %s or above: %s", handoff.Root, w.Root, hint)}
}

// Empty is [Workspace.Missing] where there is no artifact store and no thread or
// tape either.
func (w *Workspace) Empty() error {
	if IsDir(filepath.Join(w.Root, ".rip")) || IsDir(filepath.Join(w.Root, ".handoff")) {
		return nil
	}
	return w.Missing()
}

// gitTop is the nearest folder on the way up that is the top of a git
// repository; "" for none.
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

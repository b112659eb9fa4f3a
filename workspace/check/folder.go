package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"handoff"
	"handoff/workspace/documents"
)

// folder is a folder of documents.
type folder struct {
	shown   string   // as findings print it
	dir     string   // absolute
	names   []string // base names of its documents, sorted
	regular bool     // the listing shows that all of them are regular files
	tree    *tree
}

// list sets the names of the documents in the folder, without those that the
// configuration ignores. A folder that does not exist has none.
func (f *folder) list(here documents.WorkingDir) error {
	names, regular, err := documents.Names(f.trusted(), f.dir, here)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	f.names, f.regular = f.tree.Keep(f.dir, names), regular
	return err
}

// inTask is the path of the documents of a task.
func inTask(dir string) string { return dir + string(filepath.Separator) + handoff.Folder }

// join appends a name to a path as findings print it; "." is left out.
func join(shown, name string) string {
	if shown == "." || shown == "" {
		return name
	}
	if os.IsPathSeparator(shown[len(shown)-1]) {
		return shown + name
	}
	return shown + string(filepath.Separator) + name
}

//go:build !linux || fsnotify

package watch

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// notifier has the system tell what happens in folders. On Linux the tag
// fsnotify chooses it too, so that its tests run there.
type notifier struct{ w *fsnotify.Watcher }

func newNotifier() (*notifier, error) {
	w, err := fsnotify.NewBufferedWatcher(64)
	if err != nil {
		return nil, err
	}
	return &notifier{w}, nil
}

// close ends run.
func (n *notifier) close() { n.w.Close() }

// add watches the folder name in dir, or dir itself, below root. What is a
// symbolic link or no folder is ENOTDIR; only the root may be reached by one.
func (n *notifier) add(root, dir, name string) error {
	full := filepath.Join(root, filepath.FromSlash(dir), name)
	if dir != "" && !isFolder(full) {
		return &fs.PathError{Op: "watch", Path: full, Err: syscall.ENOTDIR}
	}
	return n.w.Add(full)
}

// run tells of events until the notifier is closed. doubt means that some are
// lost.
func (n *notifier) run(root string, tell func(event), doubt func()) {
	for {
		select {
		case e, ok := <-n.w.Events:
			if !ok {
				return
			}
			rel, below := strings.CutPrefix(filepath.ToSlash(e.Name), filepath.ToSlash(root))
			switch rel = strings.TrimPrefix(rel, "/"); {
			case !below || e.Op&^fsnotify.Chmod == 0:
			case rel != "":
				tell(event{path: rel, what: happened(e.Op)})
			case e.Op&(fsnotify.Rename|fsnotify.Remove) != 0:
				doubt()
			}
		case _, ok := <-n.w.Errors:
			if !ok {
				return
			}
			doubt()
		}
	}
}

func happened(op fsnotify.Op) change {
	switch {
	case op.Has(fsnotify.Create):
		return appeared
	case op.Has(fsnotify.Rename):
		return renamed
	case op.Has(fsnotify.Remove):
		return removed
	}
	return written
}

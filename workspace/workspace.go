// Package workspace is where everything lies: it finds the documents of a
// tree, reads and writes them, and offers the operations that the surfaces
// share. What a document means, and whether it is good, the packages below
// decide; workspace makes the calls.
//
// Time comes in with every operation: nothing here asks the clock.
package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/reconcile"
)

// MaxSize is the most bytes of a document that are read. A handoff of one
// screen has about 2 KiB.
const MaxSize = 1 << 20

// Workspace is a tree with a specs folder.
type Workspace struct {
	Root   string // absolute
	Config Config
	Edge   Edge // of the threads that documents make

	rules   []string   // that a configuration may name
	writing sync.Mutex // see locked
	kept    kept
}

// Open finds the workspace that dir lies in: the folder of the nearest
// .handoff.yaml above it, or, when that stands within a specs folder, the
// folder above this; else the nearest folder that has a specs folder, else dir
// itself. The error names what is wrong with the configuration, which may name
// these rules; a watch that reads it again takes the same.
func Open(dir string, rules []string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Config: DefaultConfig(), rules: rules}
	var config string
	if w.Root, config = locate(dir); config != "" {
		w.Config, err = loadFound(w.Root, config, rules)
	}
	return w, err
}

// locate is the root of the workspace that an absolute folder lies in, and its
// configuration file, "" for none.
func locate(dir string) (root, config string) {
	if config, ok := FindConfig(dir); ok {
		root = filepath.Dir(config)
		if above := rootAbove(root); above != "" && !isDir(filepath.Join(root, handoff.Root)) {
			root = above
		}
		return root, config
	}
	for up := dir; ; up = filepath.Dir(up) {
		if specs := filepath.Join(up, handoff.Root); isDir(specs) || regular.KindOf(specs) == regular.Link {
			return up, "" // what is wrong with a link, checkSpecs says
		}
		if up == filepath.Dir(up) {
			return dir, ""
		}
	}
}

// now is the clock's time, zero where there is no clock.
func (w *Workspace) now() (now time.Time) {
	if w.Edge.Now != nil {
		now = w.Edge.Now()
	}
	return now
}

// loadTask reads a task at this time. load may be nil.
func (w *Workspace) loadTask(load *reconcile.Loader, store *artifact.Store, dir string) (reconcile.State, error) {
	state, err := load.Load(w.Root, store, dir)
	state.Now = w.now()
	return state, err
}

// full is the absolute path of something below the root, given with forward
// slashes.
func (w *Workspace) full(rel string) string {
	return w.Root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// Specs is the folder that holds the task folders.
func (w *Workspace) Specs() string { return filepath.Join(w.Root, handoff.Root) }

// trusted is the root of the workspace, below which nothing is written through a
// link.
func (w *Workspace) trusted() nofollow.Root { return nofollow.Root(w.Root) }

// Rel is the path below the root, with forward slashes.
func (w *Workspace) Rel(path string) string { return relSlash(w.Root, path) }

func relSlash(root, path string) string {
	if rest, ok := strings.CutPrefix(path, root); ok && len(rest) > 1 && os.IsPathSeparator(rest[0]) {
		return filepath.ToSlash(rest[1:])
	}
	if rel, err := filepath.Rel(root, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// rootAbove is the folder that holds the nearest specs folder on the way up
// an absolute path; "" when the path has none.
func rootAbove(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if filepath.Base(up) == handoff.Root {
			return filepath.Dir(up)
		}
		if up == filepath.Dir(up) {
			return ""
		}
	}
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

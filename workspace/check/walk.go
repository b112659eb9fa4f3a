package check

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/workspace"
	"handoff/workspace/config"
)

// finder finds the folders of documents in a folder, each with the configuration
// that applies to it. If a specs folder or a task is a symlink that leaves the
// workspace, finder reports it.
type finder struct {
	trees  *trees
	nested bool            // enter workspaces within a specs folder, too
	add    func(job) error // receives folders that are not listed yet and may not exist
	at     []folder        // by depth: from the folder where the walk starts down to the current one

	places bool  // the walk found a place for handoffs, even if it contains none
	failed error // stops the walk
}

func (w *finder) walk(ctx context.Context, from task.Found) error {
	walker := task.Walker{Nested: w.nested, List: w.list, Visit: w.visit, Failed: func(f task.Found, err error) error {
		if w.failed != nil {
			return w.failed
		}
		w.places = true // the unreadable folder may contain some
		return w.add(failed(w.at[f.Depth].shown, err))
	}}
	return walker.Walk(ctx, from)
}

// list lists a folder. A configuration in it applies to everything below.
func (w *finder) list(f task.Found) ([]task.Found, error) {
	at := &w.at[f.Depth]
	entries, err := os.ReadDir(at.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == config.File && !e.IsDir() {
			w.places = true
			root := at.dir
			if f.Kind != task.Outside { // its paths are relative to the folder above specs
				root = at.tree.root
			}
			if at.tree, w.failed = w.trees.get(filepath.Join(at.dir, config.File), root); w.failed != nil {
				return nil, w.failed
			}
		}
	}
	return f.Holds(entries), nil
}

func (w *finder) visit(f task.Found) error {
	up, name := w.at[f.Depth-1], path.Base(f.Path)
	below := folder{shown: join(up.shown, name), dir: filepath.Join(up.dir, name), tree: up.tree}
	switch f.Kind {
	case task.Task:
		below.shown, below.dir = join(below.shown, handoff.Folder), inTask(below.dir)
		return w.add(job{folder: below})
	case task.Documents:
		w.places = true
		return w.add(job{folder: below})
	case task.Link:
		return w.link(name, up, below)
	case task.Specs, task.Nested:
		w.places = true
		var err error
		if below.tree, err = w.trees.get(up.tree.Path, up.dir); err != nil {
			return err
		}
	}
	w.at = append(w.at[:f.Depth], below)
	return nil
}

// link reports a symlink that leaves the workspace.
func (w *finder) link(name string, up, link folder) error {
	root := nofollow.Root(up.tree.root)
	if name == handoff.Root {
		root = nofollow.Root(up.dir)
	}
	if err := workspace.LeadsOut(root, link.dir); err != nil {
		w.places = true
		return w.add(failed(link.shown, err))
	}
	return nil
}

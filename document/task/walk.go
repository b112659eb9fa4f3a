package task

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// Found is a folder or symlink that a walk found.
type Found struct {
	Path  string // from the root of the walk, with forward slashes
	Kind  Kind   // never None
	Depth int    // steps from where the walk began
}

// Walker finds the tasks below a folder. All paths are relative to Root.
type Walker struct {
	Root   string // absolute
	Nested bool   // enter the specs folders of other workspaces, too

	// Visit is called in the order of names: for a task, a handoffs folder and a
	// link, and for any other folder before it is listed.
	Visit func(Found) error
	// Failed is called for a folder that cannot be listed. An error ends the walk.
	Failed func(f Found, err error) error
	// List returns what is in a folder; default [Walker.Read]. A caller sets it
	// to act before the folder is read, or if it already knows the content.
	List func(Found) ([]Found, error)
}

// Walk walks what is below a folder. It does not call Visit for the folder
// itself.
func (w *Walker) Walk(ctx context.Context, from Found) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list := w.List
	if list == nil {
		list = w.Read
	}
	below, err := list(from)
	if err != nil {
		return w.Failed(from, err)
	}
	for _, f := range below {
		if f.Kind == Nested && !w.Nested {
			continue
		}
		if err := w.Visit(f); err != nil {
			return err
		}
		switch f.Kind {
		case Task, Documents, Link:
			continue
		}
		if err := w.Walk(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// Read lists a folder.
func (w *Walker) Read(f Found) ([]Found, error) {
	entries, err := os.ReadDir(w.Full(f.Path))
	return f.Holds(entries), err
}

// Full is the absolute path of something below the root.
func (w *Walker) Full(path string) string {
	if path == "" {
		return w.Root
	}
	return w.Root + string(filepath.Separator) + filepath.FromSlash(path)
}

// Holds is what a walk visits among the entries of a folder.
func (f Found) Holds(entries []fs.DirEntry) []Found {
	found := make([]Found, 0, len(entries))
	before := f.Path
	if before != "" {
		before += "/"
	}
	for _, e := range entries {
		if kind := f.Kind.Holds(e.Name(), e.Type()); kind != None {
			found = append(found, Found{Path: before + e.Name(), Kind: kind, Depth: f.Depth + 1})
		}
	}
	return found
}

package check

import (
	"context"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/workspace"
	"handoff/workspace/config"
)

// Place describes a file by the names of its folders and the configuration.
type Place struct {
	Root     string        // of its workspace, absolute; "" if it is in none
	Config   config.Config // that applies to it
	Document bool          // checks of the workspace include it
}

// PlaceOf returns the place of a file, which need not exist. A Markdown file is a
// document if it is in a handoffs folder below a specs folder, or in a handoffs folder of
// a project with a configuration, or where a layout of the configuration has documents, and
// the configuration does not ignore it. Without these
// limits an editor would report findings in any folder that happens to be named handoffs.
// ruleNames are the rules that a configuration may name. The error is that of an invalid
// configuration.
func PlaceOf(path string, ruleNames []string) (Place, error) {
	ts := trees{names: ruleNames}
	return ts.placeOf(path)
}

func (ts *trees) placeOf(path string) (Place, error) {
	inFolder := filepath.Base(filepath.Dir(path)) == handoff.Folder
	t, err := ts.above(filepath.Dir(path))
	if err != nil || !inFolder && len(t.Documents) == 0 {
		if !inFolder {
			return Place{}, nil // any other Markdown file
		}
		root := workspace.RootAbove(path)
		return Place{Root: root, Document: root == "" || isFiled(task.Outside, nofollow.Root(root).Rel(path))}, err
	}
	p := Place{Root: t.root, Config: t.Config}
	if p.Root == "" {
		return p, nil
	}
	rel := nofollow.Root(p.Root).Rel(path)
	if inFolder && isFiled(task.Outside, rel) || t.Documents.Of(rel) != nil {
		p.Document = len(t.Keep(filepath.Dir(path), []string{filepath.Base(path)})) > 0
	}
	return p, nil
}

// Buffer is the text of a file in an editor, which may not be saved yet.
type Buffer struct {
	Path string // of the file, absolute
	Text []byte
	Fix  bool // Doc of the result is the document after its safe fixes
}

// Check checks a buffer as [Run] checks the file: everything but the text is read from
// the disk. The path in its findings is absolute. Nothing is written.
func (f Buffer) Check(ctx context.Context, o workspace.Options) (Result, error) {
	if len(f.Text) > workspace.MaxSize {
		return Result{}, &regular.TooLargeError{Size: int64(len(f.Text)), Max: workspace.MaxSize}
	}
	l, err := newChecker(o, Request{Dir: filepath.Dir(f.Path), Fix: f.Fix})
	if err != nil {
		return Result{}, err
	}
	defer l.trees.close()
	j, err := l.textJob(f.Path, f.Path, f.Text)
	if err != nil {
		return Result{}, err
	}
	b := &batch{jobs: []job{j}}
	newWorker(ctx, l).run(b)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return b.out[0], b.out[0].Err
}

// Pointer is a path from a document, and whether it exists and is a folder.
type Pointer struct {
	Path   string // absolute; "" if it is outside the workspace
	Exists bool
	Folder bool
}

// Point resolves a path from a document of a workspace: relative to the root with forward
// slashes, or absolute. It does not look outside the workspace.
func Point(root, path string) Pointer {
	local := filepath.FromSlash(path)
	if filepath.IsAbs(local) {
		below, ok := regular.Within(root)(local)
		if !ok {
			return Pointer{}
		}
		local = filepath.FromSlash(below)
	}
	if !filepath.IsLocal(local) {
		return Pointer{}
	}
	full := filepath.Join(root, local)
	if workspace.LeadsOut(nofollow.Root(root), full) != nil {
		return Pointer{}
	}
	exists, isFolder := regular.Look(full)
	return Pointer{Path: full, Exists: exists, Folder: isFolder}
}

package draft

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/agents/transcript/facts"
	"handoff/internal/file/gitindex"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/pins"
)

// In adds facts about the workspace to an origin: from git, which files exist, and the report
// before.
// Without git, outside of a repository, or if git is too slow, there are none from git.
func In(ctx context.Context, ws *workspace.Workspace, o Origin) (Origin, error) {
	limited, cancel := limit(ctx)
	defer cancel()
	git, err := gitindex.Current(limited, ws.Root)
	switch {
	case err == nil:
		git.Changed = slices.DeleteFunc(git.Changed, workspace.OwnFile)
		o.Git = &git
	case ctx.Err() != nil:
		return o, ctx.Err()
	case limited.Err() == nil && !errors.Is(err, gitindex.ErrNoGit) && !errors.Is(err, gitindex.ErrNoRepository) && !errors.Is(err, gitindex.ErrBare):
		return o, err
	}
	if o.Before != "" {
		o.Past, _ = documents.ReadInside(ws, documents.EntryAt(ws, o.Before)) // a draft without it is better than none
	}
	o.Own = ws.Keeps
	o.Place = func(dir, path string) (string, bool) { return place(ws.Root, dir, path) }
	return o, nil
}

// Source returns a path as a document names it: below the root, or below the home folder,
// whose name is private.
func Source(root, home, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(home, path); home != "" && err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// gitLimit is how long git may take to compare a working tree with its commit.
const gitLimit = 10 * time.Second

// limit leaves a hook, which has a deadline, time to write the draft without git.
func limit(ctx context.Context) (context.Context, context.CancelFunc) {
	most := gitLimit
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, most)
}

// place is a file below the root, or else by its absolute path. A session in a folder that
// does not exist on this machine is treated as one in the root of another copy.
func place(root, dir, path string) (shown string, exists bool) {
	full := path
	if !filepath.IsAbs(path) {
		if _, err := os.Lstat(dir); err != nil || !filepath.IsAbs(dir) {
			dir = root
		}
		full = filepath.Join(dir, filepath.FromSlash(path))
	}
	if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	} else {
		path = full
	}
	_, err := os.Lstat(full)
	return path, err == nil
}

// Write writes a draft into the folder of its task. It takes over the pinned items of a
// report that the agent continued: without them, the draft would replace what that one found
// out. slug is needed for a task that has no folder yet.
func Write(ctx context.Context, ws *workspace.Workspace, o Origin, f *facts.Facts, slug string) (made create.Created, carried pins.Carried, err error) {
	if o, err = In(ctx, ws, o); err != nil {
		return made, carried, err
	}
	o.Kept = ws.KeepsWork()
	req := create.Request{Values: Values(o, f), Slug: slug, Draft: true, Replace: o.Before}
	if o.Before == "" {
		made, err = create.Run(ctx, ws, req)
		return made, carried, err
	}
	return pins.Create(ctx, ws, req)
}

// Text is the draft as it would be written, unchecked.
func Text(ctx context.Context, ws *workspace.Workspace, o Origin, f *facts.Facts) ([]byte, error) {
	o, err := In(ctx, ws, o)
	if err != nil {
		return nil, err
	}
	v := Values(o, f)
	v.Time = ws.Now()
	return templates.Render(v, "", true)
}

// Package tasks ends, archives, reopens and renames tasks, for a person who says what no
// document shows. What is recorded is in the metadata and in the place of the folder, where
// other clones see it; nothing is deleted. The command is its one caller, and only prints.
package tasks

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/secret"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/sync"
)

// Request says which task, and why.
type Request struct {
	Dir   string // of the task, below the root: see [Find]
	Why   string // reason of Close; may be empty
	Slug  string // the new one of Rename
	Force bool   // even if somebody holds its handoff, or it is unfinished
}

// Result is what became of the task.
type Result struct {
	Dir     string // its folder now
	Changed bool   // false if that was so before
}

// RefusedError reports that a task is not in the state that a request needs.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

func (e *RefusedError) Is(target error) bool { return target == receipt.ErrRefused }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Find is the folder of the one task that an argument names. A task that is not archived comes
// before an archived one with its number.
func Find(ctx context.Context, w *workspace.Workspace, dir, arg string) (string, error) {
	dirs, err := documents.TasksOf(ctx, w, dir, arg)
	if err != nil {
		return "", err
	}
	if live := slices.DeleteFunc(slices.Clone(dirs), archived); len(live) > 0 {
		dirs = live
	}
	if len(dirs) > 1 {
		return "", fmt.Errorf("%w: %q names several tasks: %s", handoff.ErrInvalid, arg, strings.Join(dirs, ", "))
	}
	return dirs[0], nil
}

func archived(dir string) bool { return handoff.Name{Dir: dir}.Archived() }

// read reads a task, and refuses one whose handoff somebody holds, unless the request forces it.
func read(ctx context.Context, w *workspace.Workspace, r Request) (t documents.Task, err error) {
	list, err := documents.ReadTasks(ctx, w, []string{r.Dir})
	if err != nil {
		return t, err
	}
	t = list[0]
	switch {
	case t.Status.Problem != "":
		return t, fmt.Errorf("%s", t.Status.Problem)
	case !r.Force && t.Life.State(w.Now()) == receipt.Claimed:
		return t, refuse("%s is held by %s until %s: wait for it, or pass --force", r.Dir, t.Life.Claim.By, t.Life.Claim.Until.Format(time.RFC3339))
	}
	return t, nil
}

// Close records that a task is over. It stays where it is.
func Close(ctx context.Context, w *workspace.Workspace, r Request) (Result, error) {
	t, err := read(ctx, w, r)
	if err != nil || t.Status.Finished() {
		return Result{Dir: r.Dir}, err
	}
	why := secret.MaskLine(r.Why, maxWhy)
	err = sync.Change(ctx, w, r.Dir, func(s reconcile.State) reconcile.Plan { return s.Close(w.Now(), why) })
	return Result{r.Dir, err == nil}, err
}

// maxWhy is the most bytes of a reason.
const maxWhy = 400

// Reopen records that the work on a task continues. An archived task moves back first.
func Reopen(ctx context.Context, w *workspace.Workspace, r Request) (result Result, err error) {
	result.Dir = r.Dir
	if archived(r.Dir) {
		result, err = move(ctx, w, r.Dir, unarchived(r.Dir))
		if err != nil {
			return result, err
		}
	}
	t, err := read(ctx, w, Request{Dir: result.Dir, Force: true})
	if err != nil || !t.Status.Finished() {
		return result, err
	}
	err = sync.Change(ctx, w, result.Dir, reconcile.State.Reopen)
	result.Changed = true
	return result, err
}

// Archive moves the folder of a finished task to an archive beside it, where no handoff waits.
func Archive(ctx context.Context, w *workspace.Workspace, r Request) (Result, error) {
	if archived(r.Dir) {
		return Result{Dir: r.Dir}, nil
	}
	t, err := read(ctx, w, r)
	if err != nil {
		return Result{Dir: r.Dir}, err
	}
	if !t.Status.Finished() && !r.Force {
		return Result{Dir: r.Dir}, refuse("%s is not finished: `handoff task close %s` first, or pass --force", r.Dir, r.Dir)
	}
	return move(ctx, w, r.Dir, path.Join(path.Dir(r.Dir), archiveOf(ctx, w, path.Dir(r.Dir)), path.Base(r.Dir)))
}

// archives are the folders that hold archived tasks: see [handoff.Name.Archived].
var archives = []string{"archive", "archived", "vault"}

// archiveOf is the name of the archive in a folder: the one that holds tasks already.
func archiveOf(ctx context.Context, w *workspace.Workspace, dir string) string {
	all, _ := w.Tasks(ctx)
	for _, name := range archives {
		if slices.ContainsFunc(all, func(task string) bool { return strings.HasPrefix(task, dir+"/"+name+"/") }) {
			return name
		}
	}
	return archives[0]
}

// unarchived is the folder of an archived task outside of its archive.
func unarchived(dir string) string {
	parts := strings.Split(dir, "/")
	for i, part := range parts {
		if slices.Contains(archives, part) {
			return path.Join(path.Join(parts[:i]...), path.Base(dir))
		}
	}
	return dir
}

// Rename gives a task another slug. The paths in its metadata follow.
func Rename(ctx context.Context, w *workspace.Workspace, r Request) (Result, error) {
	slug := handoff.SlugOf(r.Slug)
	if !handoff.ValidSlug(slug) {
		return Result{Dir: r.Dir}, fmt.Errorf("%q: %w: a slug is words of lower-case letters and digits, like prove_completeness", slug, handoff.ErrInvalid)
	}
	if _, err := read(ctx, w, r); err != nil {
		return Result{Dir: r.Dir}, err
	}
	number, _, _ := strings.Cut(path.Base(r.Dir), "_")
	return move(ctx, w, r.Dir, path.Join(path.Dir(r.Dir), number+"_"+slug))
}

// move moves a task, unless it is there already.
func move(ctx context.Context, w *workspace.Workspace, from, to string) (Result, error) {
	if from == to {
		return Result{Dir: from}, nil
	}
	if err := sync.Move(ctx, w, from, to); err != nil {
		return Result{Dir: from}, err
	}
	return Result{to, true}, nil
}

package create

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/sync"
)

// place is where a new document goes.
type place struct {
	dir      string // the task folder, below the root
	path     string // the document, below the root
	slot     handoff.Slot
	siblings []string         // the documents of the task
	fresh    *documents.Fresh // nil in a task folder
	linked   bool             // it was linked under the lock, or a newer one exists
}

// linking is the request that links the document. The newest document of a task is the
// one that was just written, until another one may have been.
func (p place) linking() sync.Request {
	req := sync.Request{Tasks: []string{p.dir}}
	if !p.linked {
		req.Fresh = []string{p.path}
	}
	return req
}

// Where is the document that a request would create now. It may get another name when it is written.
func Where(ctx context.Context, ws *workspace.Workspace, req Request) (documents.Entry, error) {
	w := creator{Workspace: ws}
	if err := w.plan(&req); err != nil {
		return documents.Entry{}, err
	}
	p, err := w.place(ctx, req, ws.Now(), handoff.Slot{})
	return documents.EntryAt(ws, p.path), err
}

// place is the path of a document that is written at t, in the next slot after the
// documents of the task and after the slot taken.
func (w creator) place(ctx context.Context, req Request, t time.Time, taken handoff.Slot) (p place, err error) {
	if l := w.layout(); l != nil {
		about := documents.About{Task: req.Values.Task, Words: req.Slug}
		if w.task != nil && w.task.Layout == l {
			about.ID, about.Title = w.task.ID, w.task.Title
		}
		f, err := documents.Place(ctx, w.Workspace, l, about, t)
		return place{path: f.Path, slot: f.Slot, fresh: &f}, err
	}
	if w.task != nil && w.task.Dir != "" && w.named {
		p.dir = w.task.Dir
	} else if p.dir, err = w.taskFolder(ctx, req.Values.Task, req.Slug); err != nil {
		return p, err
	}
	folder := p.dir + "/" + handoff.Folder
	p.siblings, _, err = workspace.NamesIn(w.Trusted(), w.Full(folder), "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	last := handoff.LastSlot(p.siblings, t)
	if taken.Compare(last) > 0 && taken.Near(t) {
		last = taken
	}
	p.slot, err = last.Next(t)
	p.path = folder + "/" + p.slot.Base(req.Values.Phase)
	return p, err
}

// taskFolder is the folder of the task below the root; if it does not exist, its
// future name. Numbers are compared: 42 finds specs/042_x, and specs/group/042_x. An
// archived task is not continued.
func (w creator) taskFolder(ctx context.Context, task int, slug string) (string, error) {
	if task == 0 {
		return "", fmt.Errorf("%w: which task? `handoff task list` lists them, and --task 1 --slug WORDS begins one", handoff.ErrInvalid)
	}
	if task < 1 || task > handoff.MaxTask {
		return "", fmt.Errorf("%w: a task is a number from 1 to %d (--task 259)", handoff.ErrInvalid, handoff.MaxTask)
	}
	if words := slug; words != "" {
		if slug = handoff.SlugOf(words); !handoff.ValidSlug(slug) {
			return "", fmt.Errorf("%q: %w: a slug is words of lower-case letters and digits (--slug prove_completeness)", words, handoff.ErrInvalid)
		}
	}
	all, links, unread := w.TasksAndLinks(ctx)
	for _, link := range links {
		if n, width, _ := handoff.ParseTask(path.Base(link)); width > 0 && n == task {
			if err := workspace.LeadsOut(w.Trusted(), w.Full(link)); err != nil {
				return "", fmt.Errorf("%s: %w", link, workspace.Reason(err))
			}
		}
	}
	var found []string
	padded := false
	for _, dir := range all {
		n, width, _ := handoff.ParseTask(path.Base(dir))
		if n == task && !(handoff.Name{Dir: dir}).Archived() {
			found = append(found, dir)
		}
		padded = padded || width > len(strconv.Itoa(n))
	}
	if len(found) == 0 {
		if err := w.LeftOut(func(n int) bool { return n == task }); err != nil { // a second folder would be of another task
			return "", err
		}
	}
	switch {
	case len(found) == 0 && unread != nil: // the folder may be among the unreadable ones
		return "", unread
	case len(found) > 1:
		return "", folderError("task %d has several folders: %s", task, strings.Join(found, ", "))
	case len(found) == 1 && slug != "" && !strings.HasSuffix(found[0], "_"+slug):
		return "", folderError("task %d is %s, not %q (leave --slug out)", task, found[0], slug)
	case len(found) == 1:
		return found[0], nil
	case slug == "":
		return "", folderError("task %d has no folder in %s: name the new one with --slug (--slug prove_completeness)", task, w.Specs())
	}
	width := w.Config.Settings.Padding
	if width < 0 && padded {
		width = 3 // like the other folders
	}
	return handoff.TaskDir(task, max(width, 0), slug), nil
}

// FolderError reports that the task and the slug of a request name no folder for a new
// document.
type FolderError struct{ text string }

func (e *FolderError) Error() string { return e.text }

func folderError(format string, args ...any) error {
	return &FolderError{fmt.Sprintf(format, args...)}
}

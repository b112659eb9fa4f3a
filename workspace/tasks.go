package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
)

// Walk calls visit for everything below the specs folder, if that exists. It calls
// failed for a folder that cannot be listed.
func (w *Workspace) Walk(ctx context.Context, visit func(task.Found) error, failed func(path string, err error) error) error {
	if err := w.CheckSpecs(); err != nil {
		return err
	}
	if !IsDir(w.Specs()) {
		return nil
	}
	walker := task.Walker{Root: w.Root, Visit: visit,
		Failed: func(f task.Found, err error) error { return failed(f.Path, err) }}
	return walker.Walk(ctx, task.Found{Path: handoff.Root, Kind: task.Specs})
}

// Elsewhere lists the documents outside of task folders that the configuration has
// layouts for and does not ignore, without forms and indexes, sorted by their paths below the root. It calls failed
// for a folder that cannot be listed.
func (w *Workspace) Elsewhere(ctx context.Context, failed func(path string, err error) error) ([]string, error) {
	if len(w.Config.Documents) == 0 {
		return nil, nil
	}
	found, err := w.Config.Documents.Find(ctx, w.Root, failed)
	found = handoffs(w.Trusted(), w.Config.Documents, found)
	if len(w.Config.Ignore) == 0 || w.Config.Path == "" {
		return found, err
	}
	return slices.DeleteFunc(found, func(p string) bool {
		full := w.Full(p)
		return len(w.Config.Keep(filepath.Dir(full), []string{path.Base(p)})) == 0
	}), err
}

// NameOf returns the parsed path of a document below the root, by its layout.
func (w *Workspace) NameOf(path string) handoff.Name { return w.Config.Documents.NameOf(path) }

// Tasks lists the task folders below specs, archived ones too, as paths below
// the root, sorted. The error names folders that cannot be listed; the tasks in
// all others are listed nevertheless.
func (w *Workspace) Tasks(ctx context.Context) ([]string, error) {
	tasks, _, err := w.TasksAndLinks(ctx)
	return tasks, err
}

// TasksAndLinks is like Tasks, and also returns task folders that are symlinks.
// It does not enter them.
func (w *Workspace) TasksAndLinks(ctx context.Context) (tasks, links []string, err error) {
	var unread error
	err = w.Walk(ctx, func(f task.Found) error {
		switch f.Kind {
		case task.Task:
			tasks = append(tasks, f.Path)
		case task.Link:
			links = append(links, f.Path)
		}
		return nil
	}, func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", path, Reason(err)))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(tasks)
	slices.Sort(links)
	return tasks, links, unread
}

// TasksOf returns the task folders that an argument names: a task's number, its folder, a
// file in it, a folder of tasks, 259/3 (the task of that phase), or the beginning of a name
// that only one task has. Relative paths start at dir, or else at the root, as messages print
// them. Package documents has one that knows the latest handoff, too.
func (w *Workspace) TasksOf(ctx context.Context, dir, arg string) ([]string, error) {
	all, links, err := w.TasksAndLinks(ctx)
	if err != nil {
		return nil, err
	}
	full := arg
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, arg)
	}
	if _, err := os.Lstat(full); err != nil && !filepath.IsAbs(arg) {
		full = w.Full(arg)
	}
	rel := w.Spelled(full)
	text := arg
	if _, err := os.Lstat(full); err != nil {
		rel = ""
		if task, _, ok := strings.Cut(arg, "/"); ok {
			text = task
		}
	}
	number, notNumber := strconv.Atoi(text)
	var dirs []string
	for _, task := range all {
		n, _, _ := handoff.ParseTask(path.Base(task))
		below := rel == "." || strings.HasPrefix(task+"/", rel+"/") || strings.HasPrefix(rel, task+"/")
		if notNumber == nil && n == number || rel != "" && below {
			dirs = append(dirs, task)
		}
	}
	if len(dirs) == 0 {
		if err := w.Missing(); err != nil {
			return nil, err
		}
		switch dir, err := titledTask(all, arg); {
		case err != nil:
			return nil, err
		case dir != "":
			return []string{dir}, nil
		}
		for _, link := range links {
			n, _, _ := handoff.ParseTask(path.Base(link))
			if notNumber == nil && n == number || strings.HasPrefix(w.Rel(full)+"/", link+"/") {
				if err := LeadsOut(w.Trusted(), w.Full(link)); err != nil {
					return nil, fmt.Errorf("%s: %w", link, Reason(err))
				}
			}
		}
		return nil, NoTask(fmt.Sprintf("no task %q in %s (a number like 259, the task's folder, or the beginning of its name)", arg, w.Specs()))
	}
	return dirs, nil
}

// titledTask returns the only task folder whose name, or name without the number, begins
// so; "" if there is none. Archived ones have to be named otherwise.
func titledTask(all []string, ref string) (string, error) {
	var list []handoff.Titled
	for _, dir := range all {
		if (handoff.Name{Dir: dir}).Archived() {
			continue
		}
		_, _, slug := handoff.ParseTask(path.Base(dir))
		list = append(list, handoff.Titled{ID: dir, Titles: []string{path.Base(dir), slug}})
	}
	return handoff.FindTitle(ref, "task", list)
}

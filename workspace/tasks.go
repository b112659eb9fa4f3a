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

	"handoff"
	"handoff/task"
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

// Tasks lists the task folders below specs, archived ones too, as paths below
// the root, sorted. The error names folders that cannot be listed; the tasks in
// all others are listed nevertheless.
func (w *Workspace) Tasks(ctx context.Context) ([]string, error) {
	tasks, _, err := w.TasksAndLinks(ctx)
	return tasks, err
}

// TasksAndLinks is like Tasks, and also returns the symlinks in the place of task
// folders. It does not enter them.
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

// TasksOf returns the task folders that an argument names: a task's number, its
// folder, a file in it, or a folder of tasks. Relative paths start at dir.
func (w *Workspace) TasksOf(ctx context.Context, dir, arg string) ([]string, error) {
	all, links, err := w.TasksAndLinks(ctx)
	if err != nil {
		return nil, err
	}
	number, notNumber := strconv.Atoi(arg)
	full := arg
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, arg)
	}
	rel := w.Rel(full)
	if _, err := os.Lstat(full); err != nil {
		rel = ""
	}
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
		for _, link := range links {
			n, _, _ := handoff.ParseTask(path.Base(link))
			if notNumber == nil && n == number || strings.HasPrefix(w.Rel(full)+"/", link+"/") {
				if err := LeadsOut(w.Trusted(), w.Full(link)); err != nil {
					return nil, fmt.Errorf("%s: %w", link, Reason(err))
				}
			}
		}
		return nil, NotFound(fmt.Sprintf("no task %q in %s (a number like 259, or the task's folder)", arg, w.Specs()))
	}
	return dirs, nil
}

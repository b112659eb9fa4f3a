package documents

import (
	"cmp"
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
	"handoff/workspace"
)

// Find finds a document by what a person types: a path, "259/3" (the newest of task 259,
// phase 3), "259", "latest", or the beginning of a name that only one task has, or of a title
// that only one document has. Archived documents are found by task and path only. dir is
// where relative paths start.
func Find(ctx context.Context, w *workspace.Workspace, dir, ref string) (Entry, error) {
	if e, ok, err := findPath(w, dir, ref); ok || err != nil {
		if err == nil {
			e.When = When(ctx, w, e, nil)
		}
		return e, err
	}
	if list := inFolder(ctx, w, dir, ref); len(list) > 0 {
		return newest(list), nil
	}
	return findShort(ctx, w, ref)
}

// inFolder returns the documents of the task's folder, or of the other folder of handoffs, that a path names.
func inFolder(ctx context.Context, w *workspace.Workspace, dir, ref string) []Entry {
	if _, short := ParseRef(ref); short == nil {
		return nil
	}
	for _, folder := range candidates(w, dir, ref) {
		if !workspace.IsDir(folder) {
			continue
		}
		rel := w.Rel(folder)
		list, _ := List(ctx, w, Filter{})
		list = slices.DeleteFunc(list, func(e Entry) bool { return e.Name.Dir != rel && path.Dir(e.Path) != rel })
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// findShort finds a document by its short name.
func findShort(ctx context.Context, w *workspace.Workspace, ref string) (Entry, error) {
	list, err := findAll(ctx, w, ref)
	if len(list) > 0 {
		return newest(list), nil
	}
	return Entry{}, err
}

// Named returns the documents that ref names, newest first: all of a task or a phase, one
// for the other forms that [Find] knows. filter says which others of a task to leave out.
func Named(ctx context.Context, w *workspace.Workspace, dir, ref string, filter Filter) ([]Entry, error) {
	if e, ok, err := findPath(w, dir, ref); ok || err != nil {
		if err == nil {
			e.When = When(ctx, w, e, nil)
		}
		return []Entry{e}, err
	}
	if list := inFolder(ctx, w, dir, ref); len(list) > 0 {
		return list, nil
	}
	if named, err := ParseRef(ref); err == nil && named.Task != nil {
		filter.Task, filter.Phase = named.Task, named.Phase
		list, err := List(ctx, w, filter)
		if len(list) == 0 && err == nil {
			list = stated(ctx, w, named)
		}
		return list, err
	}
	list, err := findAll(ctx, w, ref)
	if len(list) > 0 && ref == handoff.Latest {
		list = []Entry{newest(list)}
	}
	return list, err
}

// findAll returns the documents among which the newest is the one that a short name means.
func findAll(ctx context.Context, w *workspace.Workspace, ref string) ([]Entry, error) {
	filter, err := ParseRef(ref)
	if err != nil {
		return findTitled(ctx, w, ref)
	}
	if choice := w.Choice(); choice != nil && ref == handoff.Latest {
		return nil, choice
	}
	list, err := List(ctx, w, filter)
	if len(list) == 0 {
		list = stated(ctx, w, filter)
	}
	if len(list) > 0 {
		return list, nil
	}
	if err = errors.Join(err, w.Missing(), w.Unmatched(ctx)); err != nil {
		return nil, err
	}
	what, then := "handoff", "`handoff new` writes one, `handoff ls --all` lists archived ones"
	if filter.Task != nil {
		what, then = fmt.Sprintf("handoff of task %d", *filter.Task), "`handoff ls --all` lists all"
	}
	if filter.Phase != "" {
		what += ", phase " + filter.Phase
	}
	return nil, workspace.NoHandoff(fmt.Sprintf("no %s in %s (%s)", what, w.Where(), then))
}

// stated returns the documents whose frontmatter has a task that their paths do not have: where the plan of another tool
// has no folder for it.
func stated(ctx context.Context, w *workspace.Workspace, f Filter) []Entry {
	if f.Task == nil || *f.Task == 0 || f.Phase != "" {
		return nil
	}
	list, _ := List(ctx, w, Filter{Live: true})
	return slices.DeleteFunc(list, func(e Entry) bool {
		if e.Name.Layout == "" || e.Name.Task != 0 {
			return true
		}
		doc, err := ReadInside(w, e)
		return err != nil || doc.Front == nil || doc.Front.Task != *f.Task
	})
}

// findTitled returns the documents of the task with a name, or the document with a title,
// that begins with ref.
func findTitled(ctx context.Context, w *workspace.Workspace, ref string) ([]Entry, error) {
	none := workspace.NoHandoff(fmt.Sprintf("%q: no such file, and not 259/3 (task/phase), 259 or latest; no task's name or title begins so", ref))
	if strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".md") { // a path: no title is meant
		return nil, none
	}
	list, unread := List(ctx, w, Filter{Live: true})
	at, err := handoff.FindTitle(ref, "handoff", taskNames(list))
	if at == "" && err == nil {
		at, err = handoff.FindTitle(ref, "handoff", titlesOf(w, list))
		list = slices.DeleteFunc(list, func(e Entry) bool { return e.Path != at })
	}
	if err != nil {
		return nil, err
	}
	if planned := slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return e.Name.ID == "" || !strings.EqualFold(e.Name.ID, ref) }); len(planned) > 0 {
		return planned, nil // also where the documents of several tasks continue each other
	}
	chain := EntryAt(w, at).Chain()
	if list = slices.DeleteFunc(list, func(e Entry) bool { return e.Chain() != chain }); len(list) > 0 {
		return list, nil
	}
	if err := cmp.Or(unread, w.Missing()); err != nil {
		return nil, err
	}
	return nil, none
}

// taskNames are the names of the documents that continue each other, by the path of the
// newest of them.
func taskNames(list []Entry) (tasks []handoff.Titled) {
	places := map[string]int{}
	for _, e := range list {
		at, known := places[e.Chain()]
		if !known {
			at = len(tasks)
			places[e.Chain()] = at
			tasks = append(tasks, handoff.Titled{ID: e.Path})
		}
		names := []string{e.Name.Slug, path.Base(e.Name.Dir)}
		if e.Name.Dir == "" {
			names = []string{e.Name.Slug, strings.TrimSuffix(path.Base(e.Path), path.Ext(e.Path))}
			if folder := path.Base(path.Dir(e.Path)); e.Name.Width > 0 && e.Name.Task > 0 {
				names = append(names, folder) // the ticket as its tracker calls it: ENG-1478
			}
		}
		tasks[at].Titles = append(tasks[at].Titles, names...)
	}
	return tasks
}

// titlesOf are the titles of documents, as far as they can be read.
func titlesOf(w *workspace.Workspace, list []Entry) (titles []handoff.Titled) {
	for _, e := range list {
		if doc, err := ReadInside(w, e); err == nil {
			titles = append(titles, handoff.Titled{ID: e.Path, Titles: []string{doc.Title.Text}})
		}
	}
	return titles
}

// TasksOf is [workspace.Workspace.TasksOf] for commands, which also know the task of the
// latest handoff.
func TasksOf(ctx context.Context, w *workspace.Workspace, dir, arg string) ([]string, error) {
	if arg != handoff.Latest {
		return w.TasksOf(ctx, dir, arg)
	}
	e, err := findShort(ctx, w, arg)
	if err == nil && e.Name.Dir == "" {
		err = workspace.NoTask(e.Path + ": the latest handoff is not in a task's folder")
	}
	if err != nil {
		return nil, err
	}
	return []string{e.Name.Dir}, nil
}

// ChainsOf returns the tasks that an argument names, as [Entry.Chain] has them: task folders as
// [TasksOf] finds them, else those whose documents are in other places.
func ChainsOf(ctx context.Context, w *workspace.Workspace, dir, arg string) (chains []string, err error) {
	if chains, err = TasksOf(ctx, w, dir, arg); !errors.Is(err, handoff.ErrNoTask) {
		return chains, err
	}
	list, other := Named(ctx, w, dir, arg, Filter{})
	if errors.As(other, new(*handoff.AmbiguousError)) {
		return nil, other
	}
	for _, e := range list {
		if e.Name.Layout != "" && !slices.Contains(chains, e.Chain()) {
			chains = append(chains, e.Chain())
		}
	}
	if len(chains) > 0 {
		return chains, nil
	}
	return nil, err
}

// findPath tries ref as a path relative to dir, and then relative to the root, as briefs
// and metadata have it. It returns an error if a symlink leaves the workspace.
func findPath(w *workspace.Workspace, dir, ref string) (e Entry, ok bool, err error) {
	paths := candidates(w, dir, ref)
	for _, path := range paths {
		if st, err := os.Lstat(path); err == nil && !st.IsDir() { // reading a bad symlink reports the error
			return EntryAt(w, w.Spelled(path)), true, nil
		}
	}
	for _, path := range paths {
		if err := workspace.LeadsOut(w.TrustedAt(path), path); err != nil {
			return Entry{}, false, fmt.Errorf("%s: %w", ref, workspace.Reason(err))
		}
	}
	return Entry{}, false, nil
}

// candidates are the paths that a reference may mean.
func candidates(w *workspace.Workspace, dir, ref string) []string {
	if filepath.IsAbs(ref) {
		return []string{filepath.Clean(ref)}
	}
	return []string{filepath.Join(dir, ref), filepath.Join(w.Root, filepath.FromSlash(ref))}
}

// ParseRef reads a short name: "259/3", "259", or "latest" for all that are not archived.
func ParseRef(ref string) (Filter, error) {
	if ref == handoff.Latest {
		return Filter{Live: true, Few: 1}, nil
	}
	task, phase, both := strings.Cut(ref, "/")
	n, err := strconv.Atoi(task)
	if err != nil || n < 0 || both && phase == "" || strings.Contains(phase, "/") {
		return Filter{}, fmt.Errorf("%q: %w: no such file, and not 259/3 (task/phase), 259 or latest", ref, handoff.ErrInvalid)
	}
	return Filter{Task: &n, Phase: phase}, nil
}

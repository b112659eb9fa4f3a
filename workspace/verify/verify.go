// Package verify checks that documents, metadata, progress files, bundles, plans and
// threads agree. Package reconcile has the rules for tasks; verify reads the stores,
// and repairs through package sync.
package verify

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
	"handoff/workspace/sync"
)

// Request selects the tasks to verify.
type Request struct {
	Tasks []string // folders below the root; none: all of them
	Fix   bool     // rebuild what can be derived, then verify

	Progress func(done, all int) // called after each task; may be nil
}

// Result lists the findings in a task.
type Result struct {
	Dir       string // its folder below the root
	Files     []File // those with findings, in the order of their paths
	Threads   bool   // the result is for all threads and runs, not for a task
	Count     int    // number of threads that were read
	Derivable int    // findings that Fix would remove
	Fixed     int    // findings that Fix removed
	Err       error  // why the task could not be read or fixed
}

// File is a file with findings.
type File struct {
	Path     string            // below the root, forward slashes
	Doc      *handoff.Document // the parsed document; nil if the file is not one
	Findings []lint.Finding
}

// Run checks that documents, metadata, progress files, bundles, plans and, if the
// configuration has threads, the threads of the tasks agree. It passes each task to
// emit, in the order of the paths. If no task is named, task folders that are
// symlinks out of the workspace follow, and then all threads, if there are any.
func Run(ctx context.Context, w *workspace.Workspace, req Request, emit func(*Result) error) error {
	look, err := sync.Select(ctx, w, req.Tasks)
	if err != nil {
		return err
	}
	defer look.Store.Close()
	v := verifier{Workspace: w, store: look.Store, disk: rules.DiskOf(w.Root), fix: req.Fix}
	if w.Config.Threads { // their folders are looked into for each task
		if err := w.CheckFolders(); err != nil {
			return err
		}
	}
	if err := w.Refresh(ctx); err != nil {
		return err
	}
	if v.threads, err = thread.Open(filepath.Join(w.Root, workspace.StateDir), thread.Options{Root: w.Root, Workspace: w.Root}); err != nil {
		return err
	}
	defer v.threads.Close()
	for i, dir := range look.Tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		one := v.task(ctx, dir)
		if req.Progress != nil {
			req.Progress(i+1, len(look.Tasks))
		}
		if err := emit(one); err != nil {
			return err
		}
	}
	if len(req.Tasks) > 0 {
		return nil
	}
	if err := v.links(look.Links, emit); err != nil {
		return err
	}
	if err := LeftOvers(ctx, w, emit); err != nil {
		return err
	}
	all, err := v.allThreads(ctx)
	if err != nil {
		return err
	}
	if len(all.Files) > 0 || all.Err != nil || all.Count > 0 {
		if err := emit(all); err != nil {
			return err
		}
	}
	return look.Unread
}

// verifier verifies tasks.
type verifier struct {
	*workspace.Workspace
	store   *artifact.Store
	threads *thread.Store
	disk    rules.Disk
	fix     bool
}

func (v *verifier) task(ctx context.Context, dir string) *Result {
	one := &Result{Dir: dir}
	state, found, err := v.check(ctx, dir)
	if err == nil && derivable(found) > 0 && v.beingWritten(state) {
		state, found, err = v.checkHeld(ctx, dir, state, found)
	}
	if before := len(found); err == nil && v.fix && derivable(found) > 0 {
		_, err = sync.One(ctx, v.Workspace, sync.Request{Tasks: []string{dir}})
		if err = errors.Join(v.heal(ctx, state), err); err == nil {
			state, found, err = v.check(ctx, dir)
			one.Fixed = max(before-len(found), 0)
		}
	}
	one.Err = err
	one.Derivable = derivable(found)
	one.Files = ByFile(state, found)
	return one
}

// beingWritten reports whether a process may be writing a handoff of the task: the newest
// has the present time in its name.
func (v *verifier) beingWritten(state reconcile.State) bool {
	now := v.Now()
	return slices.ContainsFunc(state.Documents, func(d reconcile.Document) bool {
		m, ok := d.Name.Moment()
		return ok && m.Unit == time.Second && m.Time.Sub(now).Abs() < 2*time.Minute
	})
}

// checkHeld checks a task again while it holds the lock, because a handoff that was
// just being linked is linked then. Without the lock, the earlier findings remain.
func (v *verifier) checkHeld(ctx context.Context, dir string, state reconcile.State, found []lint.Finding) (reconcile.State, []lint.Finding, error) {
	if regular.KindOf(v.Full(workspace.StateDir)) != regular.Dir {
		return state, found, nil // no process of ours has written here
	}
	var err error
	_ = v.Locked(ctx, func() error {
		state, found, err = v.check(ctx, dir)
		return nil
	})
	return state, found, err
}

// links reports task folders that are symlinks out of the workspace: handoffs in
// their targets are neither linked nor verified.
func (v *verifier) links(links []string, emit func(*Result) error) error {
	for _, link := range links {
		out := workspace.LeadsOut(v.Trusted(), v.Full(link))
		if out == nil {
			continue // its tasks are checked at their own paths
		}
		found := rules.LinkedOutside.At(&v.Config.Settings, link, 0, "%v: nothing below it is checked", workspace.Reason(out))
		if err := emit(&Result{Dir: link, Files: ByFile(reconcile.State{}, found)}); err != nil {
			return err
		}
	}
	return nil
}

// check returns the problems of a task, in the order of its files.
func (v *verifier) check(ctx context.Context, dir string) (reconcile.State, []lint.Finding, error) {
	state, err := documents.Load(ctx, v.Workspace, nil, v.store, dir)
	if err != nil {
		return state, nil, err
	}
	state.Threads = v.Config.Threads
	found := rules.Check(state, v.disk, &v.Config.Settings)
	if err := state.Failed(); err != nil {
		return state, nil, err
	}
	chain, err := v.chain(ctx, state)
	found = append(found, chain...)
	slices.SortStableFunc(found, func(a, b lint.Finding) int { return strings.Compare(a.Path, b.Path) })
	return state, found, err
}

func derivable(found []lint.Finding) int {
	n := 0
	for _, f := range found {
		if f.Derivable {
			n++
		}
	}
	return n
}

// heal writes damaged bundles of the task's documents again.
func (v *verifier) heal(ctx context.Context, state reconcile.State) error {
	var damaged [][]byte
	for _, d := range state.Documents {
		data := state.Bundle(d).Bytes()
		if id := artifact.Sum(data); state.Has(id) && string(state.Blob(id)) != string(data) {
			damaged = append(damaged, data)
		}
	}
	if len(damaged) == 0 {
		return nil
	}
	return v.Locked(ctx, func() error {
		var errs error
		for _, data := range damaged {
			_, _, err := v.store.Put(data)
			errs = errors.Join(errs, err)
		}
		return errs
	})
}

// ByFile groups findings, which are ordered by path, by their files.
func ByFile(state reconcile.State, found []lint.Finding) (files []File) {
	if len(found) == 0 {
		return nil
	}
	texts := rules.Texts(state)
	for _, f := range found {
		if n := len(files); n == 0 || files[n-1].Path != f.Path {
			files = append(files, File{Path: f.Path, Doc: texts[f.Path]})
		}
		last := &files[len(files)-1]
		last.Findings = append(last.Findings, f)
	}
	return files
}

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
	"handoff/artifact"
	"handoff/lint"
	"handoff/reconcile"
	"handoff/reconcile/rules"
	"handoff/thread"
)

// VerifyRequest says which tasks to verify.
type VerifyRequest struct {
	Tasks []string // folders below the root; none: all of them
	Fix   bool     // make again what can be made again, then verify
}

// Verified is what was found in a task.
type Verified struct {
	Dir       string         // its folder below the root
	Files     []VerifiedFile // those with findings, in the order of their paths
	Threads   bool           // it is no task, but all threads and runs
	Count     int            // of the threads that were read
	Derivable int            // findings that Fix would remove
	Fixed     int            // findings that Fix removed
	Err       error          // it could not be read, or fixed
}

// VerifiedFile is a file with findings.
type VerifiedFile struct {
	Path     string            // below the root, forward slashes
	Doc      *handoff.Document // the text, nil where there is none
	Findings []lint.Finding
}

// Verify proves that documents, metadata, progress files, bundles, plans and,
// where the configuration asks for them, the threads of the tasks agree, and
// hands on each task in the order of the paths. Where no task is named, links
// out of the workspace in the place of task folders follow, and all threads
// come last, if there are any.
func (w *Workspace) Verify(ctx context.Context, req VerifyRequest, emit func(*Verified) error) error {
	look, err := w.tasksAndStore(ctx, req.Tasks)
	if err != nil {
		return err
	}
	defer look.store.Close()
	v := verifier{Workspace: w, store: look.store, disk: rules.DiskOf(w.Root), fix: req.Fix}
	if w.Config.Threads { // their folders are looked into for each task
		if err := w.CheckFolders(); err != nil {
			return err
		}
	}
	if v.threads, err = thread.Open(filepath.Join(w.Root, StateDir), thread.Options{Root: w.Root, Workspace: w.Root}); err != nil {
		return err
	}
	defer v.threads.Close()
	for _, dir := range look.tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := emit(v.task(ctx, dir)); err != nil {
			return err
		}
	}
	if len(req.Tasks) > 0 {
		return nil
	}
	if err := v.links(look.links, emit); err != nil {
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
	return look.unread
}

// verifier verifies tasks.
type verifier struct {
	*Workspace
	store   *artifact.Store
	threads *thread.Store
	disk    rules.Disk
	fix     bool
}

func (v *verifier) task(ctx context.Context, dir string) *Verified {
	one := &Verified{Dir: dir}
	state, found, err := v.check(ctx, dir)
	if before := len(found); err == nil && v.fix && derivable(found) > 0 {
		_, err = v.syncOne(ctx, SyncRequest{Tasks: []string{dir}})
		if err = errors.Join(v.heal(ctx, state), err); err == nil {
			state, found, err = v.check(ctx, dir)
			one.Fixed = max(before-len(found), 0)
		}
	}
	one.Err = err
	one.Derivable = derivable(found)
	one.Files = byFile(state, found)
	return one
}

// links hands on the links in the place of task folders that lead out of the
// workspace: no handoff behind them is seen, linked or proved.
func (v *verifier) links(links []string, emit func(*Verified) error) error {
	for _, link := range links {
		out := LeadsOut(v.Trusted(), v.Full(link))
		if out == nil {
			continue // its tasks are seen where they are
		}
		found := rules.LinkedOutside.At(&v.Config.Settings, link, 0, "%v: nothing below it is checked", Reason(out))
		if err := emit(&Verified{Dir: link, Files: byFile(reconcile.State{}, found)}); err != nil {
			return err
		}
	}
	return nil
}

// check finds what is wrong with a task, in the order of the files.
func (v *verifier) check(ctx context.Context, dir string) (reconcile.State, []lint.Finding, error) {
	state, err := v.LoadTask(nil, v.store, dir)
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

// byFile groups findings, which are ordered by path, by their files.
func byFile(state reconcile.State, found []lint.Finding) (files []VerifiedFile) {
	texts := rules.Texts(state)
	for _, f := range found {
		if n := len(files); n == 0 || files[n-1].Path != f.Path {
			files = append(files, VerifiedFile{Path: f.Path, Doc: texts[f.Path]})
		}
		last := &files[len(files)-1]
		last.Findings = append(last.Findings, f)
	}
	return files
}

// TasksOf finds the task folders that an argument means: a task's number, its
// folder, a file in it, or a folder of tasks. dir is where relative paths
// start.
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
		return nil, notFound{fmt.Sprintf("no task %q in %s (a number like 259, or the task's folder)", arg, w.Specs())}
	}
	return dirs, nil
}

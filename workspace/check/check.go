// Package check runs the lint rules over files, folders, standard input and git's
// index, and fixes and renames files. It knows which configuration is valid for which
// file; what a rule checks, package lint knows.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"handoff"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/task"
	"handoff/workspace"
)

// Request selects the documents to check, and the rules.
type Request struct {
	Dir      string   // where relative paths start
	Paths    []string // files and folders; none: the workspace's specs folder
	Only     []string // names of the rules to run; none: all
	Disable  []string // names of rules not to run
	Config   string   // configuration file to use; "": the nearest one
	Isolated bool     // use no configuration file
	Override func(*lint.Settings)

	Stdin     io.Reader // read for the path "-"
	StdinName string    // file name to report for it
	Staged    bool      // check the content of git's index; Paths narrow it

	Fix    bool // write each file with its safe fixes
	Diff   bool // compute the fixes, write nothing
	Rename bool // before fixing, rename files whose better name is known, also in the metadata

	AllowEmpty bool // it is no error if there is no place for handoffs
}

// Places are the files and folders that a request looks in, as it names them.
func (r *Request) Places() []string {
	if len(r.Paths) > 0 {
		return r.Paths
	}
	root, _ := workspace.Locate(r.Dir)
	return []string{(&workspace.Workspace{Root: root}).Specs()}
}

// Result is a document that was checked.
type Result struct {
	Path     string // as findings print it
	Doc      *handoff.Document
	Findings []lint.Finding // those that are left after a fix
	Applied  int            // edits that were made, or would be
	Before   string         // the source before the fix, when Applied is not 0
	Renamed  string         // the new path, when the file was renamed, or would be
	Err      error          // it could not be read or written
}

// Run checks documents and passes each result to emit as soon as it is known,
// in the order of the paths; emit may keep what the result points to, not the
// result itself. The error is the first one that stops the whole run; problems of
// a single file are in its Checked.
func Run(ctx context.Context, o workspace.Options, req Request, emit func(*Result) error) error {
	rules, err := req.rules(o.Rules)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := checker{Request: req, options: o, rules: rules, now: o.Time(), trees: trees{names: o.RuleNames(), override: req.Override}, here: workspace.Here()}
	if err := l.config(); err != nil {
		cancel()
		return err
	}
	c := newWorkers(ctx, &l, emit)
	defer c.stop()
	defer cancel() // first: lest the workers go on with what nobody waits for
	listing := l.list(ctx, c.add)
	if err := c.finish(); err != nil {
		return err
	}
	return listing
}

// rules are the rules that a request selects.
func (r *Request) rules(all []*lint.Rule) ([]*lint.Rule, error) {
	var list []*lint.Rule
	for _, rule := range all {
		if (len(r.Only) == 0 || slices.Contains(r.Only, rule.Name)) && !slices.Contains(r.Disable, rule.Name) {
			list = append(list, rule)
		}
	}
	if len(list) == 0 && len(all) > 0 {
		return nil, errors.New("--only and --disable leave no rule to run")
	}
	return list, nil
}

type checker struct {
	Request
	options workspace.Options
	rules   []*lint.Rule // that run
	now     time.Time
	trees   trees
	here    workspace.WorkingDir
}

// config sets the configuration that the request names.
func (l *checker) config() error {
	if l.Isolated {
		c := workspace.DefaultConfig()
		l.trees.fixed = &c
	}
	if l.Config != "" {
		c, err := workspace.LoadConfig(l.abs(l.Config), l.trees.names)
		l.trees.fixed = &c
		return err
	}
	return nil
}

func (l *checker) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.Dir, path)
}

// job is a unit of work: documents of one folder, or one result that is known
// already.
type job struct {
	folder
	listed bool              // names are given: do not list the folder
	src    map[string][]byte // content by base name, instead of the files'
	known  *Result
}

// list finds what to check, in order.
func (l *checker) list(ctx context.Context, add func(job) error) error {
	var paths []string
	for _, arg := range l.Paths {
		meant, err := l.named(ctx, arg)
		if err != nil {
			return err
		}
		paths = append(paths, meant...)
	}
	if l.Staged {
		l.Paths = paths
		return l.listStaged(ctx, add)
	}
	if len(paths) == 0 {
		root, _ := workspace.Locate(l.Dir)
		w := workspace.Workspace{Root: root}
		if err := w.Missing(); err != nil && !l.AllowEmpty {
			return err
		}
		specs := w.Specs()
		if !workspace.IsDir(specs) {
			return nil // nothing to check, which the caller reports
		}
		shown, err := filepath.Rel(l.Dir, specs)
		if err != nil {
			shown = specs
		}
		return l.listPath(ctx, shown, false, add)
	}
	for _, p := range paths {
		if err := l.listPath(ctx, p, true, add); err != nil {
			return err
		}
	}
	return nil
}

// listPath finds what to check at a path: a file, or what is in a folder; with
// nested, in all workspaces below it.
func (l *checker) listPath(ctx context.Context, path string, nested bool, add func(job) error) error {
	if path == "-" {
		return l.listStdin(add)
	}
	full := l.abs(path)
	above := full
	st, statErr := os.Stat(full)
	if statErr != nil || !st.IsDir() {
		above = filepath.Dir(full)
	}
	t, err := l.trees.above(above)
	if err != nil {
		return err
	}
	f := folder{shown: filepath.Dir(path), dir: filepath.Dir(full), names: []string{filepath.Base(full)}, tree: t}
	if err := workspace.LeadsOut(f.trusted(), full); err != nil {
		return add(failed(path, err))
	}
	switch {
	case statErr != nil:
		return add(failed(path, statErr))
	case !st.IsDir():
		return add(job{folder: f, listed: true})
	}
	return l.listFolder(ctx, finder{trees: &l.trees, nested: nested, add: add, at: []folder{{shown: path, dir: full, tree: t}}})
}

// listFolder finds the folders of documents in a folder that was named. In a specs
// folder they are of its workspace; other folders may contain many workspaces.
func (l *checker) listFolder(ctx context.Context, w finder) error {
	f, kind := w.at[0], kindOf(w.at[0].dir)
	switch kind {
	case task.Documents:
		return w.add(job{folder: f})
	case task.Task:
		f.shown, f.dir = join(f.shown, handoff.Folder), inTask(f.dir)
		return w.add(job{folder: f})
	}
	if err := w.walk(ctx, task.Found{Kind: kind}); err != nil || w.places || kind != task.Outside || l.AllowEmpty {
		return err
	}
	return w.add(failed(f.shown, errNoHandoffs))
}

func (l *checker) listStdin(add func(job) error) error {
	src, err := io.ReadAll(io.LimitReader(l.Stdin, workspace.MaxSize+1))
	if err != nil {
		return fmt.Errorf("standard input: %w", workspace.Reason(err))
	}
	if len(src) > workspace.MaxSize {
		return fmt.Errorf("standard input: %w", &regular.TooLargeError{Size: int64(len(src)), Max: workspace.MaxSize})
	}
	shown, full := "<stdin>", filepath.Join(l.Dir, "-")
	if l.StdinName != "" {
		shown, full = l.StdinName, l.abs(l.StdinName)
	}
	t, err := l.trees.above(filepath.Dir(full))
	if err != nil {
		return err
	}
	base := filepath.Base(full)
	f := folder{shown: filepath.Dir(shown), dir: filepath.Dir(full), names: []string{base}, tree: t}
	j := job{folder: f, listed: true, src: map[string][]byte{base: src}}
	if l.StdinName == "" {
		j.folder.names[0], j.src[""] = "", src
	}
	return add(j)
}

func failed(path string, err error) job {
	return job{known: &Result{Path: path, Err: workspace.Reason(err)}}
}

// errNoHandoffs reports that a folder cannot contain handoffs.
var errNoHandoffs = errors.New("no handoffs to check: no " + handoff.Root + "/ or " + handoff.Folder + "/ folder in it")

// named are the paths that an argument names: itself, or the folders of the task if
// it is a number and no file has that name.
func (l *checker) named(ctx context.Context, arg string) ([]string, error) {
	number, err := strconv.Atoi(arg)
	if err != nil || number < 1 {
		return []string{arg}, nil
	}
	if _, err := os.Lstat(l.abs(arg)); !errors.Is(err, fs.ErrNotExist) {
		return []string{arg}, nil
	}
	root, _ := workspace.Locate(l.Dir)
	w := workspace.Workspace{Root: root}
	tasks, err := w.TasksOf(ctx, l.Dir, arg)
	if err != nil {
		return nil, err
	}
	for i, task := range tasks {
		tasks[i] = filepath.Join(root, filepath.FromSlash(task))
		if shown, err := filepath.Rel(l.Dir, tasks[i]); err == nil {
			tasks[i] = shown
		}
	}
	return tasks, nil
}

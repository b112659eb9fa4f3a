package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/task"
)

// LintRequest says what to lint and how.
type LintRequest struct {
	Dir      string   // where relative paths start
	Paths    []string // files and folders; none: the workspace's specs folder
	Only     []string // names of the rules to run; none: all
	Disable  []string // names of rules not to run
	Config   string   // a configuration file in place of the one found; "" to look
	Isolated bool     // no configuration file at all
	Override func(*lint.Settings)

	Stdin     io.Reader // read for the path "-"
	StdinName string    // what it is to be taken for
	Staged    bool      // the content of git's index in place of the disk; Paths narrow it

	Fix    bool // write what the safe edits make of each file
	Diff   bool // show it, write nothing
	Rename bool // give files the better name where there is one, before Fix fixes them, and tell the metadata

	AllowEmpty bool // finding no place for handoffs is no error
}

// Places are the files and folders that a request looks in, as it names them.
func (r *LintRequest) Places() []string {
	if len(r.Paths) > 0 {
		return r.Paths
	}
	root, _ := Locate(r.Dir)
	return []string{(&Workspace{Root: root}).Specs()}
}

// Checked is a document that was checked.
type Checked struct {
	Path     string // as findings print it
	Doc      *handoff.Document
	Findings []lint.Finding // those that are left after a fix
	Applied  int            // edits that were made, or would be
	Before   string         // the source before the fix, when Applied is not 0
	Renamed  string         // the new path, when the file was renamed, or would be
	Err      error          // it could not be read or written
}

// Lint checks documents and passes each result to emit as soon as it is known,
// in the order of the paths; emit may keep what the result points to, not the
// result itself. The error is the first one that stops the whole run; problems of
// a single file are in its Checked.
func Lint(ctx context.Context, o Options, req LintRequest, emit func(*Checked) error) error {
	rules, err := req.rules(o.Rules)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := linter{LintRequest: req, options: o, rules: rules, now: o.now(), trees: trees{names: o.RuleNames(), override: req.Override}, here: here()}
	if err := l.config(); err != nil {
		cancel()
		return err
	}
	c := newCrew(ctx, &l, emit)
	defer c.stop()
	defer cancel() // first: lest the workers go on with what nobody waits for
	listing := l.list(ctx, c.add)
	if err := c.finish(); err != nil {
		return err
	}
	return listing
}

// rules are the rules that a request selects.
func (r *LintRequest) rules(all []*lint.Rule) ([]*lint.Rule, error) {
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

type linter struct {
	LintRequest
	options Options
	rules   []*lint.Rule // that run
	now     time.Time
	trees   trees
	here    workingDir
}

// config settles which configuration holds, where the request says so.
func (l *linter) config() error {
	if l.Isolated {
		c := DefaultConfig()
		l.trees.fixed = &c
	}
	if l.Config != "" {
		c, err := LoadConfig(l.abs(l.Config), l.trees.names)
		l.trees.fixed = &c
		return err
	}
	return nil
}

func (l *linter) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.Dir, path)
}

// job is a unit of work: documents of one folder, or one outcome that is
// known already.
type job struct {
	folder
	listed bool              // names are given: look for no others
	src    map[string][]byte // content by base name, in place of the files'
	known  *Checked
}

// list finds what is to be checked, in order.
func (l *linter) list(ctx context.Context, add func(job) error) error {
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
		root, _ := Locate(l.Dir)
		w := Workspace{Root: root}
		if err := w.Missing(); err != nil && !l.AllowEmpty {
			return err
		}
		specs := w.Specs()
		if !IsDir(specs) {
			return nil // nothing to check: the caller says so
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

// listPath finds what is to be checked at a path: a file, or what is in a
// folder, with nested in all workspaces below it.
func (l *linter) listPath(ctx context.Context, path string, nested bool, add func(job) error) error {
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
	if err := LeadsOut(f.trusted(), full); err != nil {
		return add(failed(path, err))
	}
	switch {
	case statErr != nil:
		return add(failed(path, statErr))
	case !st.IsDir():
		return add(job{folder: f, listed: true})
	}
	return l.listFolder(ctx, lintWalk{trees: &l.trees, nested: nested, add: add, at: []folder{{shown: path, dir: full, tree: t}}})
}

// listFolder finds the folders of documents in a folder that was named. One in a
// specs folder is in the workspace of that; all others may hold many workspaces.
func (l *linter) listFolder(ctx context.Context, w lintWalk) error {
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

func (l *linter) listStdin(add func(job) error) error {
	src, err := io.ReadAll(io.LimitReader(l.Stdin, MaxSize+1))
	if err != nil {
		return fmt.Errorf("standard input: %w", Reason(err))
	}
	if len(src) > MaxSize {
		return fmt.Errorf("standard input: %w", &regular.TooLargeError{Size: int64(len(src)), Max: MaxSize})
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
	return job{known: &Checked{Path: path, Err: Reason(err)}}
}

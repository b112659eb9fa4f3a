// Package check runs the lint rules over files, folders, standard input and git's
// index, and fixes and renames files. It finds the configuration of each file; the
// rules themselves are in packages lint and lint/rules.
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

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/workspace"
	"handoff/workspace/config"
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
	// Relink brings the metadata of a task up to date after Rename renamed documents of it: the
	// new path by the old one. It is [handoff/workspace/sync.Relink]; nil reports that no
	// metadata was changed.
	Relink func(ctx context.Context, w *workspace.Workspace, task string, moved map[string]string) error
	// Taken returns an error if a document must keep its name. It is
	// [handoff/workspace/documents.Taken]; Rename needs it.
	Taken func(w *workspace.Workspace, path string) error
	// Named returns the paths, below the root, of the documents that an argument names for which
	// no file exists. It is [handoff/workspace/documents.PathsOf]; nil: such an argument is a path.
	Named func(ctx context.Context, w *workspace.Workspace, dir, ref string) ([]string, error)

	AllowEmpty bool // a path without a place for handoffs is not an error
	SkipOthers bool // leave out files among Paths that are not handoffs, see [PlaceOf]
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
	Findings []lint.Finding // those that remain after a fix
	Applied  int            // number of edits made, or with Diff that would be made
	Before   string         // the source before the fix; set only if Applied is not 0
	Renamed  string         // the new path if the file was renamed, or with Diff would be
	Err      error          // why the file could not be read or written
}

// Run checks documents and passes each result to emit as soon as it is known,
// in the order of the paths. The result is reused after emit returns; what it
// points to is not. The error is the first one that stops the whole run; the error
// of a single file is in its Result.
func Run(ctx context.Context, o workspace.Options, req Request, emit func(*Result) error) error {
	l, err := newChecker(o, req)
	if err != nil {
		return err
	}
	defer l.trees.close()
	ctx, cancel := context.WithCancel(ctx)
	c := newWorkers(ctx, l, emit)
	defer c.stop()
	defer cancel() // runs before stop, so that the workers do not finish jobs whose results are dropped
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
	rules   []*lint.Rule // the selected ones
	now     time.Time
	trees   trees
	here    workspace.WorkingDir
}

func newChecker(o workspace.Options, req Request) (*checker, error) {
	rules, err := req.rules(o.Rules)
	if err != nil {
		return nil, err
	}
	l := &checker{Request: req, options: o, rules: rules, now: o.Time(), trees: trees{names: o.RuleNames, override: req.Override, say: o.Say, options: o}, here: workspace.Here()}
	return l, l.config()
}

// config loads the configuration that the request prescribes, if any.
func (l *checker) config() error {
	if l.Isolated {
		c := config.Default()
		l.trees.fixed = &c
	}
	if l.Config != "" {
		c, err := config.Load(l.abs(l.Config), l.trees.names)
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

// job is a unit of work: the documents of one folder, or a result that is already
// known, such as an error.
type job struct {
	folder
	listed bool              // names is complete: do not list the folder
	fresh  bool              // the commit adds its document, so it is checked as a new one
	src    map[string][]byte // content by base name, used instead of the files on disk
	known  *Result
}

// list passes everything to check to add, in the order of the paths.
func (l *checker) list(ctx context.Context, add func(job) error) error {
	var paths []string
	for _, arg := range l.Paths {
		named, err := l.named(ctx, arg)
		if err != nil {
			return err
		}
		paths = append(paths, named...)
	}
	if l.Staged {
		l.Paths = paths
		return l.listStaged(ctx, add)
	}
	if len(paths) == 0 {
		root, _ := workspace.Locate(l.Dir)
		w := workspace.Workspace{Root: root}
		if err := w.Missing(); err != nil && !l.AllowEmpty && !errors.As(err, new(*workspace.ChoiceError)) { // all of those are checked
			return err
		}
		if specs := w.Specs(); workspace.IsDir(specs) { // otherwise the caller reports that there was nothing to check
			if err := l.listPath(ctx, l.shown(specs), false, add); err != nil {
				return err
			}
		}
		found, err := l.elsewhere(ctx, root, "", add)
		if err == nil && !found && !l.AllowEmpty {
			err = l.unmatched(ctx, root)
		}
		return err
	}
	for _, p := range paths {
		if err := l.listPath(ctx, p, true, add); err != nil {
			return err
		}
	}
	return nil
}

// listPath adds the file or folder at a path. With nested it also enters the
// workspaces within a specs folder.
func (l *checker) listPath(ctx context.Context, path string, nested bool, add func(job) error) error {
	if path == "-" {
		return l.listStdin(add)
	}
	full := l.abs(path)
	path = filepath.ToSlash(path)
	above := full
	st, statErr := os.Stat(full)
	if statErr != nil || !st.IsDir() {
		above = filepath.Dir(full)
	}
	t, err := l.trees.above(above)
	if err != nil {
		return err
	}
	f := folder{shown: filepath.ToSlash(filepath.Dir(path)), dir: filepath.Dir(full), names: []string{filepath.Base(full)}, tree: t}
	if err := workspace.LeadsOut(f.trusted(), full); err != nil {
		return add(failed(path, err))
	}
	switch {
	case statErr != nil:
		return add(failed(path, statErr))
	case !st.IsDir() && l.SkipOthers:
		if p, err := l.trees.placeOf(full); err != nil || !p.Document {
			return err
		}
		fallthrough
	case !st.IsDir():
		return add(job{folder: f, listed: true})
	}
	return l.listFolder(ctx, finder{trees: &l.trees, nested: nested, add: add, at: []folder{{shown: path, dir: full, tree: t}}})
}

// listFolder adds the folders of documents in a folder that the user named. A specs
// folder belongs to one workspace; any other folder may contain several.
func (l *checker) listFolder(ctx context.Context, w finder) error {
	f, kind := w.at[0], kindOf(w.at[0].dir)
	switch kind {
	case task.Documents:
		if err := w.add(job{folder: f}); err != nil {
			return err
		}
		_, err := l.elsewhere(ctx, f.dir, f.shown, w.add)
		return err
	case task.Task:
		f.shown, f.dir = join(f.shown, handoff.Folder), inTask(f.dir)
		return w.add(job{folder: f})
	}
	err := w.walk(ctx, task.Found{Kind: kind})
	if err == nil && kind == task.Outside {
		found, failed := l.elsewhere(ctx, f.dir, f.shown, w.add)
		w.places, err = w.places || found, failed
	}
	if err != nil || w.places || kind != task.Outside || l.AllowEmpty {
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
	j, err := l.textJob(shown, full, src)
	if err != nil {
		return err
	}
	if l.StdinName == "" {
		j.folder.names[0], j.src[""] = "", src
	}
	return add(j)
}

// textJob checks a text as if it were the content of the file at full.
func (l *checker) textJob(shown, full string, src []byte) (job, error) {
	t, err := l.trees.above(filepath.Dir(full))
	base := filepath.Base(full)
	f := folder{shown: filepath.ToSlash(filepath.Dir(shown)), dir: filepath.Dir(full), names: []string{base}, tree: t}
	return job{folder: f, listed: true, src: map[string][]byte{base: src}}, err
}

func failed(path string, err error) job {
	return job{known: &Result{Path: path, Err: workspace.Reason(err)}}
}

// errNoHandoffs reports that a folder cannot contain handoffs.
var errNoHandoffs = errors.New("no handoffs to check: no " + handoff.Root + "/ or " + handoff.Folder + "/ folder in it")

// named returns the paths that an argument means for which no file exists: the folders of a
// task for its number, else the documents that [Request.Named] finds. Any other argument is
// itself the path.
func (l *checker) named(ctx context.Context, arg string) ([]string, error) {
	if _, err := os.Lstat(l.abs(arg)); arg == "-" || !errors.Is(err, fs.ErrNotExist) {
		return []string{arg}, nil
	}
	number, err := strconv.Atoi(arg)
	if err != nil || number < 0 {
		return l.referred(ctx, arg)
	}
	root, _ := workspace.Locate(l.Dir)
	w := workspace.Workspace{Root: root}
	tasks, err := w.TasksOf(ctx, l.Dir, arg)
	if errors.Is(err, handoff.ErrNoTask) {
		if paths, other := l.referred(ctx, arg); other != nil || paths[0] != arg {
			return paths, other
		}
	}
	if err != nil {
		return nil, err
	}
	for i, task := range tasks {
		tasks[i] = l.shownBelow(root, task)
	}
	return tasks, nil
}

// shownBelow is a path below the root of a workspace, relative to where relative paths start.
func (l *checker) shownBelow(root, path string) string {
	return l.shown(filepath.Join(root, filepath.FromSlash(path)))
}

// referred returns the paths of the documents that a reference names, or the argument if it is
// none: then the error about that path is the better one.
func (l *checker) referred(ctx context.Context, arg string) ([]string, error) {
	if l.Named == nil {
		return []string{arg}, nil
	}
	o := l.options
	o.Say = nil // what there is to say of the workspace, the caller has said
	w, err := workspace.Open(l.Dir, o)
	if err != nil {
		return []string{arg}, nil
	}
	defer w.Close()
	paths, err := l.Named(ctx, w, l.Dir, arg)
	switch {
	case errors.As(err, new(*handoff.AmbiguousError)):
		return nil, err
	case err != nil || len(paths) == 0:
		return []string{arg}, nil
	}
	for i, path := range paths {
		paths[i] = l.shownBelow(w.Root, path)
	}
	return paths, nil
}

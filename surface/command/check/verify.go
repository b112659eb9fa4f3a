package check

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/check"
	"handoff/workspace/documents"
	"handoff/workspace/staged"
	"handoff/workspace/verify"
)

// verifyOptions are the options of verify; it reports like lint.
type verifyOptions struct {
	lintOptions
	claims bool
}

// Verify is the command `handoff verify`.
func Verify(w *command.Process) *cli.Command {
	o := new(verifyOptions)
	return &cli.Command{
		Name:  "verify",
		Usage: "check that handoffs, metadata, bundles and plans agree",
		UsageText: "handoff verify [TASK …] [flags]\n\n" +
			"TASK is a number, a task's folder, or a file in it; without one, all tasks, threads and runs.",
		Flags: append(append([]cli.Flag{
			&cli.BoolFlag{Name: "fix", Destination: &o.fix, Usage: "rebuild what can be derived from the documents"},
			&cli.BoolFlag{Name: "staged", Destination: &o.staged, Usage: "check the tasks that the next commit touches, as git's index has them: paths, names and JSON; not bundles, receipts, counts and times"},
			&cli.BoolFlag{Name: "claims", Aliases: []string{"checks"}, Destination: &o.claims, Usage: "check what the newest documents say was checked; runs the commands that checks.allow in .handoff.yaml has"},
		}, reportFlags(&o.reportOptions, cli.Published("checks"))...), command.AllowEmptyFlag(&o.allowEmpty)),
		Action: func(c *cli.Context) error { return runVerify(c.Context, w, o, command.ArgsOf(c)) },
	}
}

// verifying is one run of verify.
type verifying struct {
	linting
	ws        *workspace.Workspace
	derivable int
	ctx       context.Context
	loose     int // documents that the arguments name and that are in no task folder
	threads   int // with findings
	read      int // threads
}

func runVerify(ctx context.Context, w *command.Process, o *verifyOptions, args command.Arguments) error {
	switch {
	case o.staged:
		return verifyStaged(ctx, w, o, args)
	case o.claims:
		return verifyClaims(ctx, w, o, args)
	}
	groups, loose, err := verified(ctx, w, args)
	if err != nil {
		return err
	}
	v := newVerifying(ctx, w, o)
	v.loose = loose
	defer v.abandon()
	if err := v.open(); err != nil {
		return err
	}
	w.NewProgress(o.quiet, "task")
	for _, g := range groups {
		v.ws = g.ws
		req := verify.Request{Tasks: g.tasks, Fix: o.fix, Progress: w.Line.Show}
		if err := verify.Run(ctx, g.ws, req, v.take); err != nil {
			return v.breakOff(err)
		}
	}
	if err := v.nothing(); err != nil && !o.allowEmpty {
		return v.breakOff(err)
	}
	return v.close(v.countLine())
}

func newVerifying(ctx context.Context, w *command.Process, o *verifyOptions) *verifying {
	req := check.Request{Dir: w.Dir, Staged: o.staged}
	return &verifying{ctx: ctx, linting: linting{Process: w, o: &o.lintOptions, req: req, out: w.Out(), describe: command.ReportRules(true)}}
}

// verifyStaged verifies what a commit would take.
func verifyStaged(ctx context.Context, w *command.Process, o *verifyOptions, args command.Arguments) error {
	switch {
	case o.claims:
		return errors.New("--staged checks git's index, --claims the working tree: give one of them")
	case o.fix:
		return errors.New("--staged checks git's index, which --fix cannot change: run `handoff sync`, then `git add`")
	case len(args) > 0:
		return errors.New("--staged chooses the tasks that the next commit touches: leave out TASK")
	}
	v := newVerifying(ctx, w, o)
	defer v.abandon()
	if err := v.open(); err != nil {
		return err
	}
	err := staged.Run(ctx, w.Dir, w.Options(), func(ws *workspace.Workspace, r *verify.Result) error {
		v.ws = ws
		return v.take(r)
	})
	if err != nil {
		return v.breakOff(err)
	}
	return v.close(v.countLine())
}

// nothing explains why there was nothing to verify; nil if something was
// verified, or if there is a folder for handoffs.
func (v *verifying) nothing() error {
	if v.ws == nil || v.sum.Files > 0 || v.read > 0 || v.sum.Findings() > 0 || v.problems > 0 {
		return nil
	}
	return v.ws.Missing()
}

// group is a list of tasks of one workspace; an empty list means all of them.
type group struct {
	ws    *workspace.Workspace
	tasks []string
}

// verified are the tasks that the arguments name. A path names a task of its
// innermost workspace, as workspaces can be nested. loose is how many documents they name that
// are in no task folder, so that there is nothing to verify.
func verified(ctx context.Context, w *command.Process, args command.Arguments) (groups []group, loose int, err error) {
	here, err := w.Here()
	if err != nil || len(args) == 0 {
		return []group{{ws: here}}, 0, err
	}
	seen := map[string]bool{}
	for _, arg := range args {
		ws := here
		if dir := filepath.Dir(w.Path(arg)); strings.ContainsAny(arg, `/\`) {
			if ws, err = workspace.Open(dir, here.Options); err != nil {
				return nil, 0, err
			}
		}
		found, err := documents.TasksOf(ctx, ws, w.Dir, arg)
		if n := looseOf(ctx, ws, w.Dir, arg, err); n > 0 {
			loose += n
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if n := len(groups); n == 0 || groups[n-1].ws.Root != ws.Root {
			groups = append(groups, group{ws: ws})
		}
		g := &groups[len(groups)-1]
		for _, dir := range found {
			if key := filepath.Join(ws.Root, dir); !seen[key] {
				seen[key] = true
				g.tasks = append(g.tasks, dir)
			}
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.tasks) == 0 }), loose, nil
}

// looseOf counts the documents outside of task folders that an argument names, if it names no
// task: err is why.
func looseOf(ctx context.Context, ws *workspace.Workspace, dir, arg string, err error) (n int) {
	if !errors.Is(err, handoff.ErrNoTask) {
		return 0
	}
	list, _ := documents.Named(ctx, ws, dir, arg, documents.Filter{})
	for _, e := range list {
		if e.Name.Layout != "" {
			n++
		}
	}
	return n
}

// take handles the result of one task.
func (v *verifying) take(t *verify.Result) error {
	if t.Err != nil {
		v.out.Flush()
		v.Complain(t.Err)
		v.problems++
		if err := v.unchecked("", t.Err); err != nil {
			return err
		}
	}
	v.derivable += t.Derivable
	v.sum.Fixable = v.derivable
	v.sum.Fixed += t.Fixed
	var all []lint.Finding
	for _, f := range t.Files {
		all = append(all, f.Findings...)
		if err := v.report(f); err != nil {
			return err
		}
	}
	v.sum.Count(all)
	if t.Threads {
		v.threads += len(t.Files)
		v.read += t.Count
		v.sum.Files--
		if len(all) > 0 {
			v.sum.FilesWith--
		}
		return nil
	}
	if len(t.Files) > 0 {
		return nil
	}
	return v.report(verify.File{Path: t.Dir})
}

func (v *verifying) report(f verify.File) error {
	path := filepath.Join(v.ws.Root, filepath.FromSlash(f.Path))
	if rel, err := filepath.Rel(v.Dir, path); err == nil {
		path = filepath.ToSlash(rel)
	}
	for i := range f.Findings {
		f.Findings[i].Path = path
	}
	if len(f.Findings) > 0 {
		v.Line.Clear()
	}
	for _, o := range v.outputs {
		if err := o.File(path, f.Doc, f.Findings); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere reports that documents outside of task folders have nothing to verify.
func (v *verifying) elsewhere() string {
	n := v.loose
	if n == 0 && v.ws != nil {
		found, _ := v.ws.Elsewhere(v.ctx, func(string, error) error { return nil })
		n = len(found)
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "; 1 handoff is in no task folder, so it has no metadata"
	}
	return fmt.Sprintf("; %d handoffs are in no task folder, so they have no metadata", n)
}

// countLine is the last line of a check, "" if there is nothing to print.
func (v *verifying) countLine() string {
	s := v.sum
	switch {
	case s.Files == 0 && s.Findings() == 0 && v.read > 0:
		return fmt.Sprintf("0 tasks and %s verified", command.Plural(v.read, "thread"))
	case v.req.Staged && s.Findings() == 0:
		return command.Plural(s.Files, "task") + " verified; only what is staged was checked"
	case s.Files == 0 && s.Findings() == 0:
		return "0 tasks verified" + v.elsewhere()
	case s.Findings() == 0 && s.Fixed == 0 && v.Line.Terminal:
		return command.Plural(s.Files, "task") + " verified"
	case s.Findings() == 0 && s.Fixed == 0:
		return ""
	case s.Findings() == 0:
		return fmt.Sprintf("%d fixed, nothing left in %s", s.Fixed, command.Plural(s.Files, "task"))
	}
	var where []string
	if s.FilesWith > 0 || v.threads == 0 {
		where = append(where, fmt.Sprintf("%d of %s", s.FilesWith, command.Plural(s.Files, "task")))
	}
	if v.threads > 0 {
		where = append(where, command.Plural(v.threads, "thread"))
	}
	if v.o.fix {
		s.Fixable = 0 // what is left could not be fixed
	}
	return s.Line(strings.Join(where, " and "))
}

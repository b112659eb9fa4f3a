package serving

import (
	"bufio"
	"context"
	"fmt"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/reconcile"
	"handoff/workspace/sync"
)

// syncOptions are the options of sync.
type syncOptions struct {
	dryRun, check, json, quiet, allowEmpty bool
}

// Sync is the command `handoff sync`.
func Sync(w *command.Process) *cli.Command {
	o := new(syncOptions)
	return &cli.Command{
		Name:  "sync",
		Usage: "bring metadata, progress files and bundles up to date with the handoffs",
		UsageText: "handoff sync [TASK …] [flags]\n\nTASK is a number or a task's folder; without one, all tasks. Files that are as git has them are then\n" +
			"left alone in a task whose handoffs have not changed.",
		Description: "Exit status: 1 if a damaged file was left alone or, with --check or --dry-run, if a task would\n" +
			"change.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Destination: &o.dryRun, Usage: "print the changes as a diff, write nothing"},
			&cli.BoolFlag{Name: "check", Destination: &o.check, Usage: "list the tasks that would change, write nothing"},
			cli.JSON(&o.json, "print JSON", cli.Prints[[]synced]("sync")),
			command.QuietFlag(&o.quiet), command.AllowEmptyFlag(&o.allowEmpty),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runSync(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

// synced is a task as sync --json prints it.
type synced struct {
	Task     string              `json:"task"` // its folder
	Changes  []string            `json:"changes"`
	Blobs    []string            `json:"blobs"`
	Files    []string            `json:"files"`
	Problems []reconcile.Problem `json:"problems"`
	// Threads is only set if the configuration enables threads.
	Threads []workspace.TaskThread `json:"threads,omitempty"`
}

func runSync(ctx context.Context, w *command.Process, o *syncOptions, ws *workspace.Workspace, args command.Arguments) error {
	if err := ws.Missing(); err != nil && !o.allowEmpty {
		return err
	}
	req := sync.Request{DryRun: o.dryRun || o.check}
	if !req.DryRun {
		if err := command.Fence(ctx, w, ws, nil); err != nil {
			return err
		}
	}
	tasks, err := command.TasksNamed(ctx, w.Dir, ws, args)
	if err != nil {
		return err
	}
	req.Tasks = tasks
	out := w.Out()
	defer out.Flush()
	list := []synced{}
	work, broken, undone, left := 0, 0, 0, 0
	p := w.NewProgress(o.quiet, "task")
	req.Progress = p.Show
	err = sync.Run(ctx, ws, req, func(s sync.Result) error {
		if len(s.Plan.Left) > 0 {
			left++
		}
		if s.Err == nil && s.Empty() && len(s.Plan.Problems) == 0 {
			return nil
		}
		if o.json {
			list = append(list, syncedOf(s))
		}
		if s.Err != nil {
			undone++
			out.Flush()
			p.Clear()
			w.Complain(s.Err)
			return nil
		}
		broken += len(s.Plan.Problems)
		if !s.Empty() {
			work++
		}
		if o.json {
			return nil
		}
		p.Clear()
		printSynced(w, o.dryRun, out, s)
		if p.Terminal {
			return out.Flush() // print the results above the progress line
		}
		return nil
	})
	p.Clear()
	if err != nil {
		return err
	}
	if o.json {
		if err := command.WriteJSON(out, list); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	switch {
	case req.DryRun && work > 0:
		w.Say("%s would change (run `handoff sync`)", command.Plural(work, "task"))
	case !req.DryRun && !o.quiet && (work+broken+undone > 0 || p.Terminal):
		fmt.Fprintln(w.Stderr, syncCount(p.All, work, broken, undone))
	}
	if left > 0 && !o.quiet {
		w.Say("%s left unchanged: no handoff changed there, and git tracks the files (`handoff sync specs` updates them, too)", command.Plural(left, "task"))
	}
	if undone > 0 {
		return command.Exit(command.Failed)
	}
	return command.Found(broken > 0 || req.DryRun && work > 0)
}

// syncCount is the last line of a sync.
func syncCount(all, work, broken, undone int) string {
	line := fmt.Sprintf("%d of %s changed", work, command.Plural(all, "task"))
	if broken > 0 {
		line += fmt.Sprintf(", %s left alone", command.Plural(broken, "problem"))
	}
	if undone > 0 {
		line += fmt.Sprintf(", %d not written", undone)
	}
	return line
}

func syncedOf(s sync.Result) synced {
	v := synced{Task: s.Plan.Dir, Changes: append([]string{}, s.Plan.Changes...), Blobs: []string{}, Files: []string{}, Problems: []reconcile.Problem{}, Threads: s.Threads}
	if s.Err != nil { // the plan failed
		v.Changes, v.Problems = []string{}, append(v.Problems, reconcile.Problem{Path: s.Plan.Dir, Text: s.Err.Error()})
		return v
	}
	for _, b := range s.Plan.Blobs {
		v.Blobs = append(v.Blobs, b.ID.String())
	}
	for _, f := range s.Plan.Writes {
		v.Files = append(v.Files, f.Path)
	}
	v.Problems = append(v.Problems, s.Plan.Problems...)
	return v
}

func printSynced(w *command.Process, diff bool, out *bufio.Writer, s sync.Result) {
	for _, p := range s.Plan.Problems {
		fmt.Fprintf(out, "%s: %s\n", command.Plain(placeOf(p.Path, p.Line, p.Col)), command.Plain(p.Text))
	}
	if s.Empty() {
		return
	}
	if diff {
		for _, f := range s.Plan.Writes {
			old, name := "a/"+f.Path, "b/"+f.Path
			if f.Old == nil {
				old = "/dev/null"
			}
			_ = w.PrintDiff(out, old, f.Old, name, f.New) // the final flush reports the error
		}
		for _, t := range s.Threads {
			fmt.Fprintf(out, "thread %s: %s\n", t.ThreadID, command.Plain(t.Path))
		}
		return
	}
	fmt.Fprintf(out, "%s: %s\n", command.Plain(s.Plan.Dir), command.Plain(changesOf(s)))
}

func placeOf(path string, line, col int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d:%d", path, line, col)
}

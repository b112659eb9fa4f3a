package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/tasks"
)

// Task is the command `handoff task`.
func Task(w *command.Process) *cli.Command {
	return &cli.Command{
		Name:  "task",
		Usage: "list tasks, and close, archive, reopen or rename one",
		Description: "TASK is a number like 259, or the task's folder. The status is in the metadata of the task and an archived\n" +
			"task is in specs/archive, so other clones see both. Nothing is deleted.",
		Subcommands: []*cli.Command{taskListCommand(w), taskShowCommand(w), taskCloseCommand(w), taskArchiveCommand(w), taskReopenCommand(w), taskRenameCommand(w)},
	}
}

// taskListOptions are the options of task list.
type taskListOptions struct {
	all, json bool
}

func taskListCommand(w *command.Process) *cli.Command {
	o := new(taskListOptions)
	return &cli.Command{
		Name:  "list",
		Usage: "list the tasks that are not finished, what needs a person first",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "include finished and archived tasks"},
			cli.JSON(&o.json, "print JSON", cli.Prints[[]taskRow]("task-list")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return taskList(c.Context, w, o, ws) })),
	}
}

// taskRow is a task as task list --json prints it.
type taskRow struct {
	overview.Task
	Archived bool `json:"archived,omitempty"`
	receipts.Freshness
}

func taskList(ctx context.Context, w *command.Process, o *taskListOptions, ws *workspace.Workspace) error {
	if err := ws.Missing(); err != nil {
		return err
	}
	all := o.all
	v, unread := overview.Now(ctx, ws, overview.Options{Archived: all, Left: command.LeftIn(w.Getenv, ws.Root)})
	list, left := []taskRow{}, 0
	for _, t := range v.Tasks {
		if !all && t.State == overview.Done {
			left++
			continue
		}
		list = append(list, taskRow{t, t.Dir != "" && documents.TaskName(t.Dir).Archived(), receipts.FreshnessOf(ws)})
	}
	if o.json {
		return cmp.Or(command.WriteJSON(w.Stdout, list), unread)
	}
	var rows [][]string
	for _, t := range list {
		rows = append(rows, t.cells(w))
	}
	if len(rows) == 0 && unread == nil {
		w.Say("no unfinished tasks in %s", command.Plain(ws.Where()))
	}
	if left > 0 {
		w.Say("%s not shown (--all)", command.Plural(left, "finished task"))
	}
	return cmp.Or(w.Print(w.Aligned([]string{"TASK", "STATE", "PHASES", "SINCE", "FOLDER", "WHY"}, rows, 5, 4)), unread)
}

func (t taskRow) cells(w *command.Process) []string {
	number, state, phases, since := "-", string(t.State), "-", "?"
	if t.Dir != "" {
		number = strconv.Itoa(t.Task.Task)
	}
	if t.Archived {
		state = "archived"
	}
	if t.Phases > 0 {
		phases = fmt.Sprintf("%d/%d", t.PhasesDone, t.Phases)
	}
	if t.Since != nil {
		since = command.AgeOf(*t.Since, w.Now())
	}
	return []string{number, state, phases, since, command.Plain(cmp.Or(t.Dir, t.Path)), command.Plain(t.Why)}
}

func taskShowCommand(w *command.Process) *cli.Command {
	var asJSON bool
	cmd := &cli.Command{
		Name:  "show",
		Usage: "show what a task is doing, and its handoffs",
		Flags: []cli.Flag{cli.JSON(&asJSON, "print JSON: the task, and each handoff with its steps", cli.Prints[taskJSON]("task-show"))},
	}
	cmd.Action = ofTask(w, cmd, "TASK", func(ctx context.Context, ws *workspace.Workspace, dir string, _ command.Arguments) error {
		chain, err := overview.Of(ctx, ws, dir, overview.Options{Left: command.LeftIn(w.Getenv, ws.Root)})
		if err != nil {
			return err
		}
		row := taskRow{chain.Task, chain.Task.Dir != "" && documents.TaskName(dir).Archived(), receipts.FreshnessOf(ws)}
		rows := [][]string{row.cells(w)}
		text := w.Aligned([]string{"TASK", "STATE", "PHASES", "SINCE", "FOLDER", "WHY"}, rows, 5, 4)
		if n := chain.Task.Needs; n != "" && !row.Archived {
			text += command.Plain(n) + ": " + command.Plain(chain.Task.Command) + "\n"
		}
		rows = nil
		for _, h := range chain.Handoffs {
			rows = append(rows, []string{command.Plain(cmp.Or(h.Ref, h.Path)), cmp.Or(string(h.State), "-"), command.Plain(cmp.Or(h.Problem, h.NextAction)), command.Plain(h.Path)})
		}
		return w.Answer(asJSON, taskJSON{row.Archived, row.Freshness, chain}, text+w.Aligned([]string{"REF", "STATE", "NEXT ACTION", "PATH"}, rows, 2))
	})
	return cmd
}

// taskJSON is what task show --json prints.
type taskJSON struct {
	Archived bool `json:"archived,omitempty"`
	receipts.Freshness
	overview.Chain
}

// taskChanged is what --json prints of a change.
type taskChanged struct {
	Dir     string `json:"dir" doc:"folder of the task, relative to the workspace"`
	Changed bool   `json:"changed" doc:"false: it was so before"`
}

func taskCloseCommand(w *command.Process) *cli.Command {
	o := new(tasks.Request)
	return taskChange(w, o, &cli.Command{
		Name:  "close",
		Usage: "record that a task is over, so that none of its handoffs waits",
		Description: "Writes the status of the task: implemented if its plan says that all phases are completed, else closed.\n" +
			"Exit status: 1 if somebody holds its handoff.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "why", Destination: &o.Why, Usage: "`TEXT`  the reason, for others"}, &cli.BoolFlag{Name: "force", Destination: &o.Force, Usage: "close it although somebody holds its handoff"}},
	}, "TASK", "closed", tasks.Close)
}

func taskArchiveCommand(w *command.Process) *cli.Command {
	o := new(tasks.Request)
	return taskChange(w, o, &cli.Command{
		Name:  "archive",
		Usage: "move a finished task to specs/archive",
		Description: "The paths in its metadata follow. Commands that list tasks and handoffs then leave it out, unless you pass --all.\n" +
			"Exit status: 1 if the task is not finished, or somebody holds its handoff.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "force", Destination: &o.Force, Usage: "archive it although it is not finished, or somebody holds its handoff"}},
	}, "TASK", "archived", tasks.Archive)
}

func taskReopenCommand(w *command.Process) *cli.Command {
	o := new(tasks.Request)
	return taskChange(w, o, &cli.Command{
		Name:        "reopen",
		Usage:       "continue a task that is finished or archived",
		Description: "Its last handoff waits again, unless it is done. An archived task moves back.",
	}, "TASK", "open", tasks.Reopen)
}

func taskRenameCommand(w *command.Process) *cli.Command {
	o := new(tasks.Request)
	return taskChange(w, o, &cli.Command{
		Name:  "rename",
		Usage: "give the folder of a task another slug",
		Description: "The paths in its metadata follow; those that documents name stay as they were written. Receipts stay with the old name.\n" +
			"Exit status: 1 if somebody holds its handoff.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "force", Destination: &o.Force, Usage: "rename it although somebody holds its handoff"}},
	}, "TASK SLUG", "called so", tasks.Rename)
}

// taskChange completes a command that changes a task. It prints the folder of the task.
func taskChange(w *command.Process, o *tasks.Request, cmd *cli.Command, usage, state string, do func(context.Context, *workspace.Workspace, tasks.Request) (tasks.Result, error)) *cli.Command {
	var asJSON bool
	cmd.Flags = append(cmd.Flags, cli.JSON(&asJSON, "print JSON: the folder, and whether something changed", cli.Prints[taskChanged]("task-change")))
	cmd.Action = ofTask(w, cmd, usage, func(ctx context.Context, ws *workspace.Workspace, dir string, args command.Arguments) error {
		r, err := do(ctx, ws, tasks.Request{Dir: dir, Why: o.Why, Slug: args.Get(1), Force: o.Force})
		if err != nil {
			return command.SayRefused(w, err)
		}
		if !r.Changed {
			w.Say("%s is %s already", command.Plain(r.Dir), state)
		}
		return w.Answer(asJSON, taskChanged{r.Dir, r.Changed}, command.Plain(r.Dir)+"\n")
	})
	return cmd
}

// ofTask is the action of a command about one task, with its arguments as the usage has them.
func ofTask(w *command.Process, cmd *cli.Command, usage string, do func(ctx context.Context, ws *workspace.Workspace, dir string, args command.Arguments) error) cli.ActionFunc {
	cmd.UsageText = "handoff task " + cmd.Name + " " + usage + " [flags]"
	want := 1
	if usage != "TASK" {
		want = 2
	}
	return w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
		if c.NArg() != want {
			return fmt.Errorf("%w: want %s: handoff task %s %s", handoff.ErrInvalid, command.Plural(want, "argument"), cmd.Name, usage)
		}
		dir, err := tasks.Find(c.Context, ws, w.Dir, c.Args().First())
		if chains, _ := documents.ChainsOf(c.Context, ws, w.Dir, c.Args().First()); errors.Is(err, handoff.ErrNoTask) && len(chains) == 1 {
			if cmd.Name != "show" {
				return fmt.Errorf("%w: task %s has no folder, and that is all that `task %s` changes", handoff.ErrInvalid, c.Args().First(), cmd.Name)
			}
			dir, err = chains[0], nil
		}
		if err != nil {
			return err
		}
		return do(c.Context, ws, dir, command.ArgsOf(c))
	})
}

package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/text/tree"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/graphs"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// graphOptions are the options of graph.
type graphOptions struct {
	task, thread, tape, format                string
	threadGiven, tapeGiven, formatGiven, json bool
}

// Graph is the command `handoff graph`.
func Graph(w *command.Process) *cli.Command {
	o := new(graphOptions)
	return &cli.Command{
		Name:  "graph",
		Usage: "draw the handoffs of a task, threads or tapes",
		Description: "Without a flag it draws the unfinished tasks, what needs a person first: a line each, on which time runs to the\n" +
			"right. Phases are dots, ● if complete; a handoff is ◆ with the agent that took it up, ◇ while none has it. The text\n" +
			"format is for terminals; svg is a picture that any browser shows, mermaid is for Markdown, dot for Graphviz.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Destination: &o.task, Usage: "`N`  the handoffs of this task, by its number or folder"},
			&cli.StringFlag{Name: "thread", Destination: &o.thread, Action: command.Noting[string](&o.threadGiven), Usage: "`THREAD`  the ancestors and descendants of this thread, with their runs; all for all threads"},
			&cli.StringFlag{Name: "tape", Destination: &o.tape, Action: command.Noting[string](&o.tapeGiven), Usage: "`NAME`  this tape with its anchors and forks; all for all tapes"},
			command.OneOf(&cli.StringFlag{Name: "format", Destination: &o.format, Action: command.Noting[string](&o.formatGiven), Value: "text", Usage: "`FORMAT`  output format: text, svg, mermaid or dot"}),
			cli.JSON(&o.json, "print the nodes as JSON", cli.Published("graph")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runGraph(c.Context, w, o, ws) })),
	}
}

func runGraph(ctx context.Context, w *command.Process, o *graphOptions, ws *workspace.Workspace) error {
	if set := slices.DeleteFunc([]string{o.task, o.thread, o.tape}, func(name string) bool { return name == "" }); len(set) > 1 {
		return errors.New("--task, --thread and --tape: give one of them")
	}
	if o.json && o.formatGiven {
		return errors.New("--format and --json: give one of them")
	}
	if !o.json && o.format == "text" && o.task+o.thread+o.tape == "" {
		return printTasks(ctx, w, ws)
	}
	title, roots, err := rootsOf(ctx, w.Dir, o, ws)
	w.Incomplete = (o.threadGiven || o.tapeGiven) && hasBroken(roots) // tasks are shown with their problems
	if o.json && (len(roots) > 0 || err == nil) {
		return errors.Join(command.WriteJSON(w.Stdout, drawn{title, tree.Values(roots...)}), err)
	}
	if len(roots) == 0 {
		if err == nil {
			w.Say("nothing to draw")
		}
		return err
	}
	text := tree.Draw(o.format, roots...)
	if o.format == "svg" {
		text = tree.SVG(tree.Picture{Title: title, Style: true}, roots...)
	}
	return errors.Join(w.Print(text), err)
}

// printTasks prints the unfinished tasks, a line each, on which time runs to the right.
func printTasks(ctx context.Context, w *command.Process, ws *workspace.Workspace) error {
	if err := ws.Missing(); err != nil {
		return err
	}
	rows, err := graphs.Rows(ctx, ws, w.Columns()/2)
	if len(rows) == 0 && err == nil {
		w.Say("nothing to draw")
	}
	return errors.Join(w.Print(w.Aligned([]string{"TASK", "PHASES AND HANDOFFS", "STATE", "SINCE"}, rows, 2, 0)), err)
}

// shortStreams are the short ids of all threads and runs, and of those that a drawing has
// although they are gone.
func shortStreams(t *threads.Threads, drawn []*tree.Node) map[string]string {
	all, _ := t.Streams(thread.Continuity) // those that cannot be listed stay whole
	runs, _ := t.Streams(thread.Session)
	return handoff.ShortIDs(slices.Concat(all, runs, streamsIn(drawn)))
}

func streamsIn(drawn []*tree.Node) (ids []string) {
	for _, n := range drawn {
		if thread.CheckID(n.ID) == nil {
			ids = append(ids, n.ID)
		}
		ids = append(ids, streamsIn(n.Children)...)
	}
	return ids
}

// hasBroken reports whether a node is for something that cannot be read.
func hasBroken(nodes []*tree.Node) bool {
	return slices.ContainsFunc(nodes, func(n *tree.Node) bool { return n.Kind == "broken" || hasBroken(n.Children) })
}

// drawn is what graph --json prints: see docs/schema/graph.schema.json.
type drawn struct {
	Title string       `json:"title"`
	Nodes []tree.Value `json:"nodes"`
}

// all is the value of --thread and --tape that means each of them.
const all = "all"

func unlessAll(name string) string {
	if name == all {
		return ""
	}
	return name
}

// rootsOf returns the trees that the flags select. With an error, it returns those
// that could be read.
func rootsOf(ctx context.Context, dir string, o *graphOptions, ws *workspace.Workspace) (title string, roots []*tree.Node, err error) {
	switch {
	case o.thread != "":
		t, err := threads.In(ctx, ws, false)
		if err != nil {
			return "", nil, err
		}
		defer t.Close()
		id := unlessAll(o.thread)
		if id != "" {
			if id, err = t.Find(ctx, id); err != nil {
				return "", nil, err
			}
		}
		roots, err = graphs.Thread(ctx, t, id, graphs.Links{})
		if o.format == "text" && !o.json {
			short := shortStreams(t, roots)
			for _, n := range roots {
				command.Shorten(n, short)
			}
		}
		return "Threads", roots, err
	case o.tape != "":
		t, err := tapes.In(ws, "", false)
		if err != nil {
			return "", nil, err
		}
		defer t.Close()
		roots, err = graphs.Tape(ctx, t, unlessAll(o.tape), graphs.Links{})
		return "Tapes", roots, err
	case o.task != "":
		chains, err := documents.ChainsOf(ctx, ws, dir, o.task)
		if err != nil {
			return "", nil, err
		}
		if len(chains) == 0 {
			return "", nil, fmt.Errorf("--task %s: no such task (`handoff ls` lists them)", o.task)
		}
		for _, chain := range chains {
			some, one := graphs.Task(ctx, ws, chain)
			roots, err = append(roots, some...), errors.Join(err, one)
		}
		return "Task " + o.task, roots, err
	}
	if err := ws.Missing(); err != nil {
		return "", nil, err
	}
	roots, err = graphs.Tasks(ctx, ws)
	return "Tasks", roots, err
}

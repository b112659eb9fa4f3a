package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/internal/text/tree"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/graphs"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

func graphCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "graph",
		Usage: "draw the handoffs of a task, threads or tapes",
		Description: "Without a flag it draws the unfinished tasks, what needs a person first. The text format is for terminals; svg is a\n" +
			"picture that any browser shows, mermaid is for Markdown, dot for Graphviz.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "the handoffs of task `N`, a number or its folder"},
			&cli.StringFlag{Name: "thread", Usage: "the ancestors and descendants of `THREAD`, with their runs; all for all threads"},
			&cli.StringFlag{Name: "tape", Usage: "the tape `NAME` with its anchors and forks; all for all tapes"},
			oneOf(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: text, svg, mermaid or dot"}),
			&cli.BoolFlag{Name: "json", Usage: "print the nodes as JSON"},
		},
		Action: alone(w.inWorkspace(w.graph)),
	}
}

func (w *process) graph(c *cli.Context, ws *workspace.Workspace) error {
	set := 0
	for _, name := range []string{"task", "thread", "tape"} {
		if c.String(name) != "" {
			set++
		}
	}
	if set > 1 {
		return errors.New("--task, --thread and --tape: give one of them")
	}
	if c.Bool("json") && c.IsSet("format") {
		return errors.New("--format and --json: give one of them")
	}
	title, roots, err := w.roots(c, ws)
	w.incomplete = (c.IsSet("thread") || c.IsSet("tape")) && hasBroken(roots) // tasks are shown with their problems
	if c.Bool("json") && (len(roots) > 0 || err == nil) {
		return errors.Join(writeJSON(w.stdout, drawn{title, tree.Values(roots...)}), err)
	}
	if len(roots) == 0 {
		if err == nil {
			w.say("nothing to draw")
		}
		return err
	}
	text := tree.Draw(c.String("format"), roots...)
	if c.String("format") == "svg" {
		text = tree.SVG(tree.Picture{Title: title, Style: true}, roots...)
	}
	return errors.Join(w.print(text), err)
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

// drawn is what graph --json prints: see schema/graph.schema.json.
type drawn struct {
	Title string       `json:"title"`
	Nodes []tree.Value `json:"nodes"`
}

// all is the value of --thread and --tape that means each of them.
const all = "all"

func named(c *cli.Context, flag string) string {
	if name := c.String(flag); name != all {
		return name
	}
	return ""
}

// roots returns the trees that the flags select. With an error, it returns those
// that could be read.
func (w *process) roots(c *cli.Context, ws *workspace.Workspace) (title string, roots []*tree.Node, err error) {
	switch {
	case c.String("thread") != "":
		t, err := threads.In(c.Context, ws, false)
		if err != nil {
			return "", nil, err
		}
		defer t.Close()
		id := named(c, "thread")
		if id != "" {
			if id, err = t.Find(c.Context, id); err != nil {
				return "", nil, err
			}
		}
		roots, err = graphs.Thread(c.Context, t, id, graphs.Links{})
		if c.String("format") == "text" && !c.Bool("json") {
			short := shortStreams(t, roots)
			for _, n := range roots {
				shorten(n, short)
			}
		}
		return "Threads", roots, err
	case c.String("tape") != "":
		t, err := tapes.In(ws, "", false)
		if err != nil {
			return "", nil, err
		}
		defer t.Close()
		roots, err = graphs.Tape(c.Context, t, named(c, "tape"), graphs.Links{})
		return "Tapes", roots, err
	case c.String("task") != "":
		dirs, err := documents.TasksOf(c.Context, ws, w.dir, c.String("task"))
		if err != nil {
			return "", nil, err
		}
		if len(dirs) == 0 {
			return "", nil, fmt.Errorf("--task %s: no such task (`handoff ls` lists them)", c.String("task"))
		}
		for _, dir := range dirs {
			some, one := graphs.Task(c.Context, ws, dir, graphs.Links{})
			roots, err = append(roots, some...), errors.Join(err, one)
		}
		return "Task " + c.String("task"), roots, err
	}
	if err := ws.Missing(); err != nil {
		return "", nil, err
	}
	roots, err = graphs.Tasks(c.Context, ws, graphs.Links{})
	return "Tasks", roots, err
}

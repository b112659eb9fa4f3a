package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/internal/text/tree"
	"handoff/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

// threadLooks show threads.
func (w *process) threadLooks() []threadSub {
	return []threadSub{
		w.operation(threadops.List, w.threadList),
		w.operation(threadops.Get, nil),
		{name: "show", usage: "print a thread's conversation", args: "THREAD", most: 1,
			flags: flags(&cli.BoolFlag{Name: "json", Usage: "print JSON"}), do: w.threadShow},
		{name: "events", usage: "print a thread's events, one JSON object per line", args: "THREAD", most: 1,
			flags: flags(
				&cli.Uint64Flag{Name: "from-seq", Usage: "start at event `N`"},
				&cli.Uint64Flag{Name: "max-events", Usage: "stop after `N` events", DefaultText: "all"},
				&cli.BoolFlag{Name: "follow", Usage: "wait for more at the end"}), do: w.threadEvents},
		{name: "lineage", usage: "draw a thread's ancestors and descendants", args: "THREAD", most: 1,
			flags: flags(oneOf(&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: text, json, mermaid or dot"}),
				&cli.BoolFlag{Name: "json", Usage: "print JSON"}), do: w.threadLineage},
	}
}

// threadStates show and change saved cursors and contexts.
func (w *process) threadStates() []threadSub {
	return []threadSub{
		{name: "provider-cursor-status", usage: "show saved provider cursors", args: "THREAD", most: 1,
			do: func(c *cli.Context, t threadStore, id string) (any, error) { return t.CursorStatus(c.Context, id) }},
		{name: "provider-cursor-rotate", usage: "invalidate a provider's cursor", args: "THREAD", most: 1, writes: true,
			flags: flags(
				&cli.StringFlag{Name: "provider", Usage: "the newest cursor of `NAME`", DefaultText: "of any"},
				&cli.StringFlag{Name: "endpoint", Usage: "of `URL`"},
				&cli.StringFlag{Name: "model", Usage: "of `NAME`"},
				&cli.StringFlag{Name: "reason", Usage: "`TEXT`: why"}, actorFlags()), do: threadRotate},
		{name: "context-selection-status", usage: "show what the last contexts were compiled from", args: "THREAD", most: 1,
			flags: flags(&cli.UintFlag{Name: "limit", Usage: "of the last `N` contexts", DefaultText: "10"}),
			do: func(c *cli.Context, t threadStore, id string) (any, error) {
				return t.SelectionStatus(c.Context, id, thread.SelectionRequest{Limit: optional(c, "limit", uint32Of(c))})
			}},
	}
}

func threadRotate(c *cli.Context, t threadStore, id string) (any, error) {
	return t.RotateCursor(c.Context, id, thread.RotateRequest{
		Provider: optional(c, "provider", c.String), Endpoint: optional(c, "endpoint", c.String), Model: optional(c, "model", c.String), Reason: optional(c, "reason", c.String),
		ActorID: c.String("actor-id"), Origin: c.String("origin"),
	})
}

func (w *process) threadEvents(c *cli.Context, t threadStore, id string) (any, error) {
	max := c.Uint64("max-events")
	if max == 0 && c.IsSet("max-events") {
		return nil, nil
	}
	follow, short := c.Bool("follow"), !c.Bool("json") && isTerminal(w.stdout)
	events := t.EventsFrom(c.Context, id, c.Uint64("from-seq"), follow)
	return nil, printLines(w, events, max, follow, func(e thread.Event) ([]byte, error) {
		if short {
			return []byte(eventText(e, w.columns())), nil
		}
		return e.Line()
	})
}

func (w *process) threadList(c *cli.Context, t threadStore, _ string) (any, error) {
	list, err := threadops.List.On(c.Context, t, "", ops.None{}) // the readable threads, also with an error
	if err != nil && len(list) == 0 {
		return nil, err // the list is unknown, not empty
	}
	if c.Bool("json") || !isTerminal(w.stdout) {
		return nil, cmp.Or(writeLine(w.stdout, list), err)
	}
	if len(list) == 0 {
		w.say("no threads here (`handoff thread create --title TEXT` creates one)")
		return nil, err
	}
	return nil, cmp.Or(w.print(w.threadTable(list)), err)
}

func (w *process) threadLineage(c *cli.Context, t threadStore, id string) (any, error) {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	node, err := t.Lineage(c.Context, id)
	if node == nil {
		return nil, err
	}
	if format == "json" { // the tree has all readable threads, also with an error
		return nil, errors.Join(writeLine(w.stdout, node), err)
	}
	drawn := node.Drawn()
	if format == "text" {
		list, _ := threadops.List.On(c.Context, t, "", ops.None{}) // without it, the ids stay whole
		shorten(drawn, shortThreads(list))
	}
	return nil, errors.Join(w.print(tree.Draw(format, drawn)), err)
}

// shortThreads are the short ids of threads. They must be all threads, so that each of these
// ids names one.
func shortThreads(list []thread.Info) map[string]string {
	var ids []string
	for _, info := range list {
		ids = append(ids, info.ThreadID)
	}
	return handoff.ShortIDs(ids)
}

// shorten replaces the ids of a drawing that have a short form.
func shorten(n *tree.Node, short map[string]string) {
	n.ID = cmp.Or(short[n.ID], n.ID)
	for _, child := range n.Children {
		shorten(child, short)
	}
}

// threadTable prints threads for people, with enough of each ID to distinguish
// them.
func (w *process) threadTable(list []thread.Info) string {
	var rows [][]string
	short := shortThreads(list)
	for _, info := range list {
		what := ""
		if info.Parent != nil {
			what = info.Parent.Kind
		}
		if info.Archived {
			what += " (archived)"
		}
		title := "-"
		if info.Title != nil {
			title = plain(*info.Title)
		}
		rows = append(rows, []string{plain(short[info.ThreadID]), age(w.now().Sub(time.UnixMilli(int64(info.CreatedAtMS)))), title, plain(what)})
	}
	return w.aligned(nil, rows, 2)
}

// indexing shows the progress of building an index on a terminal, if that takes
// long.
func (w *process) indexing() func(path string, done, total int64) {
	if !isTerminal(w.stderr) {
		return nil
	}
	start := w.now()
	var last time.Time
	return func(path string, done, total int64) {
		now := w.now()
		if total == 0 || now.Sub(start) < time.Second || done < total && now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		// Only the base name: a line that wraps cannot be overwritten.
		fmt.Fprintf(painted(w.stderr), "\rindexing %s: %d %%", plain(filepath.Base(path)), 100*done/total)
		if done >= total {
			fmt.Fprintln(w.stderr)
		}
	}
}

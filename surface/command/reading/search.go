package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/search"
)

// searchOptions are the options of search.
type searchOptions struct {
	task  *int
	n     int
	json  bool
	since string
}

// Search is the command `handoff search`.
func Search(w *command.Process) *cli.Command {
	o := new(searchOptions)
	return &cli.Command{
		Name:      "search",
		Usage:     "find handoffs by their words",
		UsageText: "handoff search WORD … [flags]",
		Description: "A handoff must contain all words, in any order and case. Those with the words in their next action, title or\n" +
			"file name come first, and then the newest. Archived handoffs are searched, too; hidden text is not.\n" +
			"Exit status: 1 if there is none.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "task", Action: command.Some(&o.task), Usage: "only task `N`", DefaultText: "all"},
			sinceFlag(&o.since),
			command.AtLeast(1, &cli.IntFlag{Name: "n", Destination: &o.n, Value: search.DefaultLimit, Usage: "at most `COUNT` handoffs"}),
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON"},
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runSearch(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func sinceFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "since", Destination: to, Usage: "at most `AGE` old: 90m, 12h, 7d, or since a date 2026-02-12"}
}

func runSearch(ctx context.Context, w *command.Process, o *searchOptions, ws *workspace.Workspace, args command.Arguments) error {
	if len(args) == 0 {
		return errors.New("search needs words to look for (`handoff ls` lists all handoffs)")
	}
	since, err := earliest(w, o.since)
	if err != nil {
		return err
	}
	r, err := search.Run(ctx, ws, search.Request{Query: strings.Join(args, " "), Task: o.task, Since: since, Limit: o.n})
	if err != nil && r.Hits == nil {
		return err
	}
	var text strings.Builder
	for _, h := range r.Hits {
		h.Path = w.Shown(ws, h.Path)
		text.WriteString(command.Plain(h.String()) + "\n")
	}
	if rest := r.Total - len(r.Hits); rest > 0 && !o.json {
		w.Say("%s not shown (-n)", command.Plural(rest, "more handoff"))
	}
	if failed := w.Answer(o.json, r, text.String()); failed != nil {
		return failed
	}
	return cmp.Or(err, command.Found(r.Total == 0)) // err comes after the readable handoffs
}

// earliest is the earliest time that a command's --since accepts.
func earliest(w *command.Process, since string) (time.Time, error) {
	t, err := documents.ParseSince(since, w.Now())
	if err != nil {
		err = fmt.Errorf("--since %w", err)
	}
	return t, err
}

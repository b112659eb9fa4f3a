package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/search"
)

func searchCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find handoffs by their words",
		UsageText: "handoff search WORD … [flags]",
		Description: "A handoff must contain all words, in any order and case. Those with the words in their next action, title or\n" +
			"file name come first, and then the newest. Archived handoffs are searched, too; hidden text is not.\n" +
			"Exit status: 1 if there is none.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "task", Usage: "only task `N`", DefaultText: "all"},
			sinceFlag(),
			atLeast(1, &cli.IntFlag{Name: "n", Value: search.DefaultLimit, Usage: "at most `COUNT` handoffs"}),
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: w.inWorkspace(w.search),
	}
}

func sinceFlag() cli.Flag {
	return &cli.StringFlag{Name: "since", Usage: "at most `AGE` old: 90m, 12h, 7d, or since a date 2026-02-12"}
}

func (w *process) search(c *cli.Context, ws *workspace.Workspace) error {
	if !c.Args().Present() {
		return errors.New("search needs words to look for (`handoff ls` lists all handoffs)")
	}
	since, err := w.since(c)
	if err != nil {
		return err
	}
	r, err := search.Run(c.Context, ws, search.Request{Query: strings.Join(c.Args().Slice(), " "), Task: taskOf(c), Since: since, Limit: c.Int("n")})
	if err != nil && r.Hits == nil {
		return err
	}
	var text strings.Builder
	for _, h := range r.Hits {
		h.Path = w.shown(ws, h.Path)
		text.WriteString(plain(h.String()) + "\n")
	}
	if rest := r.Total - len(r.Hits); rest > 0 && !c.Bool("json") {
		w.say("%s not shown (-n)", plural(rest, "more handoff"))
	}
	if failed := w.result(c, r, text.String()); failed != nil {
		return failed
	}
	return cmp.Or(err, found(r.Total == 0)) // err comes after the readable handoffs
}

// since is the earliest time that a command's --since accepts.
func (w *process) since(c *cli.Context) (time.Time, error) {
	t, err := documents.ParseSince(c.String("since"), w.now())
	if err != nil {
		err = fmt.Errorf("--since %w", err)
	}
	return t, err
}

package main

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/lint/rules"
	"handoff/surface/lsp"
)

func lspCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "lsp",
		Usage:     "run a language server on standard input and output",
		UsageText: "handoff lsp [flags]\n\nAn editor starts it: docs/editors.md has the configuration for each.",
		Description: "It reports what `handoff lint` reports while you type, with quick fixes, and offers help, completion,\n" +
			"links and an outline for handoff documents. For any other Markdown it does nothing. Messages for people\n" +
			"go to stderr. It ends with the editor.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "stdio", Usage: "accepted because many editors pass it: there is no other way"},
			&cli.StringFlag{Name: "rules-page", Usage: "link each finding to `URL`#RULE, where your team has docs/rules.md"},
		},
		Action: alone(w.lsp),
	}
}

// clientPoll is how often the server looks whether its editor still exists. An editor that
// is killed closes the pipes, too, unless another process has inherited them.
const clientPoll = 3 * time.Second

func (w *process) lsp(c *cli.Context) error {
	o := w.options()
	log := func(text string) { w.say("%s", plain(text)) }
	o.Say, o.Progress = log, nil
	err := lsp.Serve(c.Context, w.stdin, w.stdout, lsp.Options{Workspace: o, Docs: rules.Docs, Version: handoff.Version,
		RulesPage: c.String("rules-page"), Log: log, Poll: clientPoll})
	if errors.Is(err, lsp.ErrNoShutdown) {
		return exit(findings) // the protocol requires 1
	}
	return err
}

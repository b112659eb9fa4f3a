package serving

import (
	"context"
	"errors"
	"time"

	"handoff/document/handoff"
	"handoff/lint/rules"
	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/lsp"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
)

// lspOptions are the options of lsp.
type lspOptions struct {
	stdio     bool
	rulesPage string
}

// LSP is the command `handoff lsp`.
func LSP(w *command.Process) *cli.Command {
	o := new(lspOptions)
	return &cli.Command{
		Name:      "lsp",
		Usage:     "run a language server on standard input and output",
		UsageText: "handoff lsp [flags]\n\nAn editor starts it: docs/editors.md has the configuration for each.",
		Description: "It reports what `handoff lint` reports while you type, with quick fixes, and offers help, completion,\n" +
			"links and an outline for handoff documents, and to claim, finish and rename. For any other Markdown it does nothing. Messages for people\n" +
			"go to stderr. It ends with the editor.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "stdio", Destination: &o.stdio, Usage: "accepted because many editors pass it: there is no other way"},
			&cli.StringFlag{Name: "rules-page", Destination: &o.rulesPage, Usage: "`URL`  where your team has docs/rules.md: each finding links to URL#RULE"},
		},
		Action: command.Alone(func(c *cli.Context) error { return runLSP(c.Context, w, o) }),
	}
}

// clientPoll is how often the server looks whether its editor still exists. An editor that
// is killed closes the pipes, too, unless another process has inherited them.
const clientPoll = 3 * time.Second

func runLSP(ctx context.Context, w *command.Process, o *lspOptions) error {
	options := w.Options()
	log := func(text string) { w.Say("%s", command.Plain(text)) }
	options.Say, options.Progress = log, nil
	err := lsp.Serve(ctx, w.Stdin, w.Stdout, lsp.Options{Workspace: options, Docs: rules.Docs, Version: handoff.Version,
		RulesPage: o.rulesPage, Log: log, Poll: clientPoll, Handoffs: lspHandoffs(w)})
	if errors.Is(err, lsp.ErrNoShutdown) {
		return command.Exit(command.Findings) // the protocol requires 1
	}
	return err
}

// stale is what is out of date in a handoff. Without git that is not known.
func stale(ctx context.Context, ws *workspace.Workspace, path string, doc *handoff.Document) []string {
	lines, _ := outdated.Of(ctx, ws, documents.EntryAt(ws, path), doc)
	return lines
}

// linked is the bundle that the metadata names for a handoff.
func linked(ws *workspace.Workspace, path string) (artifact.ID, bool) {
	id, _, err := documents.LinkedBundle(ws, documents.EntryAt(ws, path))
	return id, err == nil
}

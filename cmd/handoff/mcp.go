package main

import (
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"

	"handoff/surface/mcp"
	"handoff/workspace"
)

func mcpCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the workspace to agents over the Model Context Protocol",
		Description: "It speaks the protocol on standard input and output, and ends when its input ends.\n" +
			"Agents start it in the workspace, or with -C.",
		Action: alone(w.mcp),
	}
}

func (w *process) mcp(c *cli.Context) error {
	if _, err := w.open(c); err != nil {
		w.complain(err) // each call reports it, too, until it is fixed
	}
	s := mcp.New(w.mcpConfig(c, w.claim()))
	return s.Run(c.Context, io.NopCloser(w.stdin), w.stdout)
}

func (w *process) mcpConfig(c *cli.Context, claim string) mcp.Config {
	return mcp.Config{
		Open:    func() (*workspace.Workspace, error) { return w.open(c) },
		Claim:   claim,
		Version: build(),
		Explain: ruleText,
		Log:     slog.New(slog.NewTextHandler(w.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

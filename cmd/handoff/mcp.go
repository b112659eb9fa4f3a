package main

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/urfave/cli/v2"

	"handoff/agents/host"
	"handoff/internal/web/listening"
	"handoff/receipt"
	"handoff/surface/mcp"
	"handoff/workspace"
)

func mcpCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the workspace to agents over the Model Context Protocol",
		Description: "It speaks the protocol on standard input and output, and ends when its input ends.\n" +
			"Agents start it in the workspace, or with -C. With --http it serves any number of agents over\n" +
			"streamable HTTP instead, at " + mcp.Path + ", on loopback only unless you pass --token-file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "http", Usage: "listen on `ADDR`: HOST:PORT, port 0 for any, or unix:PATH"},
			hostFlag(), tokenFlag(),
		},
		Action: alone(w.mcp),
	}
}

func (w *process) mcp(c *cli.Context) error {
	if _, err := w.open(c); err != nil {
		w.complain(err) // each call reports it, too, until it is fixed
	}
	config := mcp.Config{
		Open:    func() (*workspace.Workspace, error) { return w.open(c) },
		Version: build(),
		Explain: ruleText,
		Log:     slog.New(slog.NewTextHandler(w.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if c.IsSet("http") {
		return w.mcpOverHTTP(c, mcp.New(config))
	}
	if set := given(c, "host", "token-file"); set != nil {
		return fmt.Errorf("%s requires --http ADDR", set[0])
	}
	// Over HTTP these would be of whoever started the server.
	name, session, _ := host.Here(w.getenv)
	config.Claim, config.Session = w.claim(), receipt.Session{Host: name, ID: session}
	return mcp.New(config).Run(c.Context, io.NopCloser(w.stdin), w.stdout)
}

func (w *process) mcpOverHTTP(c *cli.Context, s *mcp.Server) error {
	token, err := w.token(c)
	if err != nil {
		return err
	}
	w.drains.Store(true) // requests may take longer than patience to end
	l, err := w.listener(c, "http", token != "")
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stderr, "handoff mcp listening on %s%s\n", plain(listening.Name(l)), mcp.Path)
	return s.Serve(c.Context, l, mcp.Access{Token: token, Hosts: c.StringSlice("host")})
}

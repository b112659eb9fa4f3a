package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/agents/host"
	"handoff/internal/file/nofollow"
	"handoff/internal/web/listening"
	"handoff/log/receipt"
	"handoff/surface/mcp"
	"handoff/workspace"
	"handoff/workspace/drain"
)

// mcpOptions are the options of mcp.
type mcpOptions struct {
	tokenOptions
	http      string
	httpGiven bool
	hosts     []string
	given     []string // the flags that the user set of those that need --http
}

func mcpCommand(w *process) *cli.Command {
	o := new(mcpOptions)
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the workspace to agents over the Model Context Protocol",
		Description: "It speaks the protocol on standard input and output, and ends when its input ends.\n" +
			"Agents start it in the workspace, or with -C. Elsewhere, as in the folder of a plugin, it looks in the\n" +
			"folder of " + strings.Join(projectVars, ", ") + ", then in the roots of the client. With --http it serves any number of agents over\n" +
			"streamable HTTP instead, at " + mcp.Path + ", on loopback only unless you pass --token-file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "http", Destination: &o.http, Action: noting[string](&o.httpGiven), Usage: "listen on `ADDR`: HOST:PORT, port 0 for any, or unix:PATH"},
			hostFlag(&o.hosts), tokenFlags(&o.tokenOptions)[0], tokenFlags(&o.tokenOptions)[1],
		},
		Action: alone(func(c *cli.Context) error {
			o.given = given(c, "host", "token-file", "no-token")
			return runMCP(c.Context, w, o)
		}),
	}
}

func runMCP(ctx context.Context, w *process, o *mcpOptions) error {
	w.dir = projectDir(w, w.under != "")
	if _, err := w.here(); err != nil {
		w.complain(err) // each call reports it, too, until it is fixed
	}
	log := slog.New(slog.NewTextHandler(w.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := w.options()
	options.Progress, options.Say = nil, func(text string) { log.Warn(text) } // calls run at the same time
	// Calls run at the same time, so none may open through the process, which remembers its workspace.
	openIn := func(dir string) (*workspace.Workspace, error) { return workspace.Open(dir, options) }
	config := mcp.Config{
		Open:    func() (*workspace.Workspace, error) { return openIn(w.dir) },
		Version: build(),
		Explain: ruleText,
		Log:     log,
	}
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	say := func(text string) { config.Log.Warn(text) }
	go drain.Keeper{Open: func() (*workspace.Workspace, error) { return workspace.Open(w.dir, w.quietly(say)) }, Say: say}.Keep(keeping)
	if o.httpGiven {
		return mcpOverHTTP(ctx, w, o, mcp.New(config))
	}
	if set := o.given; set != nil {
		return fmt.Errorf("%s requires --http ADDR", set[0])
	}
	// Over HTTP these would belong to the user who started the server.
	name, session, _ := host.Here(w.getenv)
	config.OpenIn = openIn
	config.Who, config.Session = serverCaller(w), receipt.Session{Host: name, ID: session}
	return mcp.New(config).Run(ctx, io.NopCloser(w.stdin), w.stdout)
}

// Variables in which hosts name the folder of the project to the servers and hooks that they
// start, and those in which they name the folder of a plugin.
var (
	projectVars = []string{"CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS"}
	pluginVars  = []string{"PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "COPILOT_PLUGIN_ROOT"}
)

// projectDir is the folder in which the server looks for the workspace. The working
// directory comes first, because a server may be started in another project than the host;
// but not if it is a plugin's folder.
func projectDir(w *process, named bool) string {
	if named || inWorkspaceOf(w, w.dir) && !inPlugin(w) {
		return w.dir
	}
	for _, name := range projectVars {
		for _, dir := range filepath.SplitList(w.getenv(name)) {
			if filepath.IsAbs(dir) && inWorkspaceOf(w, dir) {
				return dir
			}
		}
	}
	return w.dir
}

// inWorkspaceOf reports whether a folder is in a workspace, valid or not.
func inWorkspaceOf(w *process, dir string) bool {
	ws, err := workspace.Open(dir, w.options())
	if err == nil {
		err = ws.Missing()
	}
	return !errors.Is(err, fs.ErrNotExist)
}

func inPlugin(w *process) bool {
	return slices.ContainsFunc(pluginVars, func(name string) bool {
		root := w.getenv(name)
		return root != "" && nofollow.Within(root, w.dir)
	})
}

func mcpOverHTTP(ctx context.Context, w *process, o *mcpOptions, s *mcp.Server) (err error) {
	given, err := tokenIn(w, o.tokenFile)
	if err != nil {
		return err
	}
	w.drains.Store(true) // requests may take longer than patience to end
	l, err := listenerAt(w, "http", o.http, given != "")
	if err != nil {
		return err
	}
	admits, err := admissionTo(w.getenv, l, given, o.open)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, admits.leave()) }()
	fmt.Fprintf(w.stderr, "handoff mcp listening on %s%s\n", plain(listening.Name(l)), mcp.Path)
	if admits.file != "" {
		w.say("clients send the header Authorization: Bearer TOKEN, with the token in %s", plain(admits.file))
	}
	return s.Serve(ctx, l, mcp.Access{Token: admits.token, Hosts: o.hosts})
}

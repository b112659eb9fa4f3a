package serving

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

	"handoff/agents"
	"handoff/agents/host"
	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/web/listening"
	"handoff/log/receipt"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/surface/mcp"
	"handoff/workspace"
	"handoff/workspace/drain"
)

// mcpOptions are the options of mcp.
type mcpOptions struct {
	tokenOptions
	http      string
	httpGiven bool
	resources bool
	artifacts bool
	tapes     bool
	hosts     []string
	given     []string // the flags that the user set of those that need --http
}

// MCP is the command `handoff mcp`.
func MCP(w *command.Process) *cli.Command {
	o := new(mcpOptions)
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the workspace to agents over the Model Context Protocol",
		Description: "It speaks the protocol on standard input and output, and ends when its input ends.\n" +
			"Agents start it in the workspace, or with -C. Elsewhere, as in the folder of a plugin, it looks in the\n" +
			"folder of " + strings.Join(projectVars, ", ") + ", then in the roots of the client. With --http it serves any number of agents over\n" +
			"streamable HTTP instead, at " + mcp.Path + ", on loopback only unless you pass --token-file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "http", Destination: &o.http, Action: command.Noting[string](&o.httpGiven), Usage: "`ADDR`  where to listen: HOST:PORT, port 0 for any, or unix:PATH"},
			&cli.BoolFlag{Name: "resources", Destination: &o.resources, Usage: "offer handoffs as resources, too; some hosts then send more with each request"},
			&cli.BoolFlag{Name: "artifacts", Destination: &o.artifacts, Usage: "offer the tool artifact_fetch, too, which reads what handoffs and contexts refer to"},
			&cli.BoolFlag{Name: "tapes", Destination: &o.tapes, Usage: "offer tools for tapes, too; their definitions are in each request of a model"},
			hostFlag(&o.hosts), tokenFlags(&o.tokenOptions)[0], tokenFlags(&o.tokenOptions)[1],
		},
		Action: command.Alone(func(c *cli.Context) error {
			o.given = command.Given(c, "host", "token-file", "no-token")
			return runMCP(c.Context, w, o)
		}),
	}
}

func runMCP(ctx context.Context, w *command.Process, o *mcpOptions) error {
	w.Dir = projectDir(w, w.Under != "")
	if _, err := w.Here(); err != nil {
		w.Complain(err) // each call reports it, too, until it is fixed
	}
	log := slog.New(slog.NewTextHandler(w.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := w.Options()
	options.Progress, options.Say = nil, func(text string) { log.Warn(text) } // calls run at the same time
	// Calls run at the same time, so none may open through the process, which remembers its workspace.
	openIn := func(dir string) (*workspace.Workspace, error) { return workspace.Open(dir, options) }
	config := mcp.Config{
		Open:    func() (*workspace.Workspace, error) { return openIn(w.Dir) },
		Version: command.Version(),
		Explain: command.RuleText,
		Log:     log,

		Resources: o.resources,
		Artifacts: o.artifacts,
		Tapes:     o.tapes,
	}
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	say := func(text string) { config.Log.Warn(text) }
	go drain.Keeper{Open: func() (*workspace.Workspace, error) { return workspace.Open(w.Dir, w.Quietly(say)) }, Say: say}.Keep(keeping)
	if o.httpGiven {
		options.Elsewhere = nil // clients read this workspace only
		return mcpOverHTTP(ctx, w, o, mcp.New(config))
	}
	if set := o.given; set != nil {
		return fmt.Errorf("%s requires --http ADDR", set[0])
	}
	// Over HTTP these would belong to the user who started the server.
	name, session, _ := host.Here(w.Getenv)
	config.OpenIn = openIn
	level, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	config.Who, config.Session, config.Level = command.ServerCaller(w), receipt.Session{Host: name, ID: session}, level.OfClaim()
	config.Seen = func(ws *workspace.Workspace) string { return author.Session(w.Getenv, ws).String() }
	config.Author = func(ctx context.Context, ws *workspace.Workspace) (func(*handoff.Document) string, []string) {
		return author.Marks(ctx, w.Getenv, ws)
	}
	return mcp.New(config).Run(ctx, io.NopCloser(w.Stdin), w.Stdout)
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
func projectDir(w *command.Process, named bool) string {
	if named || inWorkspaceOf(w, w.Dir) && !inPlugin(w) {
		return w.Dir
	}
	for _, name := range projectVars {
		for _, dir := range filepath.SplitList(w.Getenv(name)) {
			if filepath.IsAbs(dir) && inWorkspaceOf(w, dir) {
				return dir
			}
		}
	}
	return w.Dir
}

// inWorkspaceOf reports whether a folder is in a workspace, valid or not.
func inWorkspaceOf(w *command.Process, dir string) bool {
	ws, err := workspace.Open(dir, w.Options())
	if err == nil {
		err = ws.Missing()
	}
	return !errors.Is(err, fs.ErrNotExist)
}

func inPlugin(w *command.Process) bool {
	return slices.ContainsFunc(pluginVars, func(name string) bool {
		root := w.Getenv(name)
		return root != "" && nofollow.Within(root, w.Dir)
	})
}

func mcpOverHTTP(ctx context.Context, w *command.Process, o *mcpOptions, s *mcp.Server) (err error) {
	given, err := operations.TokenIn(w, o.tokenFile)
	if err != nil {
		return err
	}
	w.Drains.Store(true) // requests may take longer than patience to end
	l, err := listenerAt(w, "http", o.http, given != "")
	if err != nil {
		return err
	}
	admits, err := admissionTo(w.Getenv, l, given, o.open)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, admits.leave()) }()
	fmt.Fprintf(w.Stderr, "handoff mcp listening on %s%s\n", command.Plain(listening.Name(l)), mcp.Path)
	if admits.file != "" {
		w.Say("clients send the header Authorization: Bearer TOKEN, with the token in %s", command.Plain(admits.file))
	}
	return s.Serve(ctx, l, mcp.Access{Token: admits.token, Hosts: o.hosts})
}

// Package serving has the commands that run on: serve, mcp, lsp and watch, the services of the user that run them, and sync,
// which watch repeats.
package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"handoff/document/handoff"
	"handoff/internal/web/caller"
	"handoff/internal/web/listening"
	"handoff/log/thread/rip"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/surface/dashboard"
	"handoff/surface/httpapi"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/tapes"
)

// serveOptions are the options of serve.
type serveOptions struct {
	serviceOptions
	tokenOptions
	listen, runner, rip, ripWorkspace, form, logFormat   string
	bub                                                  string
	link, ripGiven, ripWorkspaceGiven, refs, refsText    bool
	bubGiven                                             bool
	maxRuns, maxConnections, maxStreams, maxBody, budget int
	hosts, origins                                       []string
	asService                                            []string // the flags of the service that it installs
}

// Serve is the command `handoff serve`.
func Serve(w *command.Process, asked Answering) *cli.Command {
	o := new(serveOptions)
	return &cli.Command{
		Name:      "serve",
		Usage:     "serve the workspace over HTTP, to programs and to people",
		UsageText: "handoff serve [flags]\n\nOpen the link that it prints in a browser to see what each task is doing; --link prints it again. It listens on\nloopback only, unless you pass --token-file. There every user of the machine can connect, so clients need a token:\nthe server makes one, in a file that only you can read, where your own commands find it. A socket passed by a\nservice manager (LISTEN_FDS) takes precedence over --listen.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "listen", Destination: &o.listen, Value: "127.0.0.1:7341", Usage: "`ADDR`  where to listen: HOST:PORT, port 0 for any, unix:PATH, or - for one client on standard input and output, with which the server ends"},
			&cli.StringFlag{Name: "bub", Destination: &o.bub, Action: command.Noting[string](&o.bubGiven), Usage: "`DIR`  serve the tapes in this home of Bub (BUB_HOME), and nothing else"},
			hostFlag(&o.hosts), tokenFlags(&o.tokenOptions)[0], tokenFlags(&o.tokenOptions)[1],
			&cli.StringSliceFlag{Name: "allow-origin", Action: command.To(&o.origins), Usage: "`ORIGIN`  let pages of this origin, such as http://localhost:5173, call the server with its token; repeat for more"},
			&cli.BoolFlag{Name: "link", Destination: &o.link, Usage: "print the link that signs a browser in to the server that runs at --listen, and exit"},
			&cli.StringFlag{Name: "runner", Destination: &o.runner, Usage: "`COMMAND`  shell command that answers messages, with the context on its standard input, as `handoff run` does; not with --no-token"},
			command.AtLeast(1, &cli.IntFlag{Name: "max-runs", Destination: &o.maxRuns, Value: httpapi.DefaultRuns, Usage: "`N`  most commands of --runner at once; further messages wait in order"}),
			operations.FormFlag(&o.form, "the context for --runner"),
			operations.BudgetFlag(&o.budget, "the context for --runner has "), operations.RefsFlag(&o.refs, "in the context for --runner, "),
			operations.RefsTextFlag(&o.refsText, "in the context for --runner, and for clients that ask for it, "),
			command.AtLeast(1, &cli.IntFlag{Name: "max-connections", Destination: &o.maxConnections, Value: httpapi.DefaultConnections, Usage: "`N`  most connections at once; others wait"}),
			command.AtLeast(1, &cli.IntFlag{Name: "max-streams", Destination: &o.maxStreams, Usage: "`N`  most event streams at once; further clients get 503", DefaultText: fmt.Sprintf("%d, or half of the connections", httpapi.DefaultStreams)}),
			command.AtLeast(1, &cli.IntFlag{Name: "max-body", Destination: &o.maxBody, Value: httpapi.DefaultBody, Usage: "`BYTES`  most bytes of a request, except for artifacts; unless it is changed, entries of tapes may have 17 MiB"}),
			&cli.StringFlag{Name: "rip", Destination: &o.rip, Action: command.Noting[string](&o.ripGiven), Usage: "`DIR`  store (RIP_DATA_DIR) of RIP's clients that shall find this server; not with --token-file or a socket"},
			&cli.StringFlag{Name: "rip-workspace", Destination: &o.ripWorkspace, Action: command.Noting[string](&o.ripWorkspaceGiven), Usage: "`DIR`  RIP_WORKSPACE_ROOT, or working directory, of those clients", DefaultText: "this workspace"},
			command.LogFlag(&o.logFormat),
		}, serviceFlags(&o.serviceOptions, "serves")...),
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.asService = givenAgain(w, c, "C", "log-format", "install-service", "remove-service")
			return runServe(c.Context, w, o, ws, asked)
		})),
	}
}

func hostFlag(hosts *[]string) cli.Flag {
	return &cli.StringSliceFlag{Name: "host", Action: command.To(hosts), Usage: "`NAME`  host name to accept besides those of loopback; repeat for more"}
}

func runServe(ctx context.Context, w *command.Process, o *serveOptions, ws *workspace.Workspace, asked Answering) (err error) {
	if o.ripWorkspaceGiven && !o.ripGiven {
		return errors.New("--rip-workspace requires --rip DIR")
	}
	if o.link {
		return serveLink(w, o)
	}
	log := serveLog(w.Stderr, o.logFormat)
	given, err := operations.TokenIn(w, o.tokenFile)
	if err != nil {
		return err
	}
	if given != "" && o.open {
		return errors.New("--token-file and --no-token exclude each other")
	}
	if o.runner != "" && !strings.HasPrefix(o.listen, "unix:") {
		switch {
		case o.ripGiven:
			return errRIPRunner
		case o.open:
			return errOpenRunner
		}
	}
	if err := checkOrigins(o); err != nil {
		return err
	}
	if o.bubGiven && (o.bub == "" || o.runner != "" || o.ripGiven) {
		return errBub
	}
	if o.Install || o.Remove {
		return manageServe(w, o, ws.Root)
	}
	tell, err := serviceManager(w.Getenv)
	if err != nil {
		return err
	}
	w.Drains.Store(true) // requests may take longer than patience to end
	ws.Options.Say = func(text string) { log.Warn(text) }
	now, err := o.opened(ctx, w, ws)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.close()) }()
	if now.only != nil {
		w.Say("read-only: %s (pages, documents, threads and tapes are shown; each request that writes is refused, and there are no events: reload a page to see what changed)", command.Plain(now.only.Error()))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l, err := o.listener(w, given != "", stop)
	if err != nil {
		return err
	}
	admits, err := admissionTo(w.Getenv, l, given, o.open || o.ripGiven)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, admits.leave()) }()
	leave, err := announce(ctx, w, o, ws.Root, l, admits.token != "")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, leave()) }()
	open := func() (*workspace.Workspace, error) { return workspace.Open(ws.Root, ws.Options) }
	if !o.bubGiven {
		go drain.Keeper{Open: open, Say: func(text string) { log.Warn(text) }}.Keep(ctx)
	}
	if o.listen != listening.Standard {
		greet(w, l, admits)
	}
	if err := ws.Missing(); err != nil && !o.bubGiven { // threads and tapes need no handoffs
		w.Say("no handoffs to serve: %s", command.Plain(err.Error()))
	}
	tell("READY=1\nSTATUS=listening on " + listening.Name(l))
	config := httpapi.Config{
		Open: open, NewID: w.NewID, Command: shell(o.runner), Runs: o.maxRuns, Form: operations.Form(o.form), Budget: o.budget, Refs: o.refs, RefsText: o.refsText,
		Reason:  command.RuleSummary,
		Version: handoff.Version, Log: log,
		Token: admits.token, Hosts: o.hosts, Origins: o.origins,
		Connections: o.maxConnections, Streams: o.maxStreams, Body: int64(o.maxBody),
		Stopping: func() {
			if ctx.Err() != nil { // else it continues with another store
				tell("STOPPING=1")
			}
		},
	}
	if o.listen == listening.Standard {
		config.Idle = math.MaxInt64 // its client ends it
	}
	if _, tcp := l.Addr().(*net.TCPAddr); tcp && admits.token == "" {
		asked = nil // other users of the machine can call it
	}
	shared := listening.Share(l)
	defer context.AfterFunc(ctx, func() { shared.Close() })()
	for {
		next, err := serveStore(ctx, w, config, now, shared.Part(), asked)
		if next == nil {
			return errors.Join(err, closed(shared))
		}
		if err = errors.Join(err, now.close()); err != nil {
			log.Error("closing the previous store", "error", err)
		}
		now = next
		log.Info("the store is now " + now.store())
	}
}

// checkOrigins checks the origins that may call the server. What keeps other programs of a browser out is the token.
func checkOrigins(o *serveOptions) error {
	if len(o.origins) > 0 && (o.open || o.ripGiven) {
		return errors.New("--allow-origin needs a token: leave out --no-token and --rip")
	}
	for i, text := range o.origins {
		origin, err := caller.ParseOrigin(text)
		if err != nil {
			return fmt.Errorf("--allow-origin %w", err)
		}
		o.origins[i] = origin
	}
	return nil
}

// closed closes a listener, unless it is.
func closed(l net.Listener) error {
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// serveStore serves until the context ends, or the configuration names another store: then
// that is returned, opened. asked is nil if others than the user of the server can call it.
func serveStore(ctx context.Context, w *command.Process, config httpapi.Config, now *serving, l net.Listener, asked Answering) (next *serving, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan *serving, 1)
	go func() {
		changed <- now.replaced(ctx, lookEvery, config.Open, func(err error) {
			config.Log.Error("the configuration names another store, which cannot be used: the previous one stays in use", "error", err)
		})
		cancel()
	}()
	if now.threads == nil { // only tapes of Bub
		config.Tapes = now.tapes
		err = httpapi.New(config).Serve(ctx, l)
		cancel()
		return <-changed, err
	}
	var pages *dashboard.Dashboard
	config.Threads, config.Tapes, config.Reads, config.Left = now.threads, now.tapes, now.ws, command.LeftIn(w.Getenv, now.ws.Root)
	config.Pages = func(f httpapi.ForPages) http.Handler {
		pages = dashboard.New(dashboard.Config{Open: config.Open, Left: config.Left, Died: command.DiedIn(w, now.ws), Reason: command.RuleSummary, Version: handoff.Version, Log: config.Log,
			Acts: actsOf(ctx, w, f, asked)}, f.Stream)
		return pages
	}
	server := httpapi.New(config)
	defer pages.Close()
	err = server.Serve(ctx, l)
	cancel()
	return <-changed, err
}

// Access to a port must not be enough to run commands with the rights of the
// server's user: every user of the machine can reach loopback.
var (
	errOpenRunner = errors.New("--runner and --no-token: any user of this machine could run the command")
	errBub        = errors.New("--bub needs Bub's home folder (usually ~/.bub), and excludes --runner and --rip: only tapes are served")
	errRIPRunner  = errors.New("--runner and --rip: RIP's clients support neither tokens nor sockets, so any user of this machine could run the command")
)

// announce registers the server for RIP's clients if a flag requests that.
func announce(ctx context.Context, w *command.Process, o *serveOptions, root string, l net.Listener, token bool) (leave func() error, err error) {
	if !o.ripGiven {
		return func() error { return nil }, nil
	}
	if _, tcp := l.Addr().(*net.TCPAddr); !tcp || token {
		return nil, errors.New("--rip: RIP's clients support neither tokens nor sockets: use --listen 127.0.0.1:PORT, and no --token-file")
	}
	at := rip.Place{Data: w.Path(o.rip), Workspace: root}
	if o.ripWorkspaceGiven {
		at.Workspace = o.ripWorkspace // unresolved: clients compare it with their own as text
	}
	if at.HasEvents() {
		w.Say("RIP's clients will see the threads of this workspace, not those in %s (`handoff thread import --rip` imports them)", command.Plain(o.rip))
	}
	leave, err = at.Announce(ctx, "http://"+l.Addr().String(), w.Now())
	if err != nil {
		return nil, fmt.Errorf("--rip: %w", err)
	}
	return leave, nil
}

// manageServe installs a service that serves with the flags given next to
// --install-service, or removes it. Paths in its unit file are absolute.
func manageServe(w *command.Process, o *serveOptions, root string) error {
	if o.Install && o.Remove {
		return errors.New("--install-service and --remove-service exclude each other")
	}
	return manageService(w, &o.serviceOptions, func(program string) service { return serveService(program, root, o.asService) })
}

// givenAgain are the flags of serve as the user gave them, without the excepted
// ones.
func givenAgain(w *command.Process, c *cli.Context, except ...string) (flags []string) {
	for _, name := range command.GivenNames(c) {
		if slices.Contains(except, name) {
			continue
		}
		switch v := c.Value(name).(type) {
		case bool:
			flags = append(flags, fmt.Sprintf("--%s=%t", name, v))
		case cli.StringSlice:
			for _, s := range v.Value() {
				flags = append(flags, "--"+name, s)
			}
		case string:
			switch name {
			case "token-file", "rip", "bub":
				v = w.Path(v)
			case "listen":
				v = operations.AbsoluteSocket(w, v)
			}
			flags = append(flags, "--"+name, v)
		default:
			flags = append(flags, "--"+name, fmt.Sprint(v))
		}
	}
	return flags
}

// opened are the stores to serve.
func (o *serveOptions) opened(ctx context.Context, w *command.Process, ws *workspace.Workspace) (*serving, error) {
	if !o.bubGiven {
		return openServing(ctx, ws)
	}
	ws.Options.Elsewhere = nil
	ta, err := tapes.In(ws, w.Path(o.bub), true)
	return &serving{ws: ws, tapes: ta}, err
}

// listener is where to listen. That on standard input calls ended when its client is gone.
func (o *serveOptions) listener(w *command.Process, token bool, ended func()) (net.Listener, error) {
	if o.listen == listening.Standard {
		return listening.Stream(w.Stdin, w.Stdout, ended), nil
	}
	return listenerAt(w, "listen", o.listen, token)
}

// listenerAt is the service manager's socket, or a new one at the address of a flag.
func listenerAt(w *command.Process, flag, addr string, token bool) (net.Listener, error) {
	addr = operations.AddressIn(w, addr)
	l, err := listening.Activated(w.Getenv, token)
	if l == nil && err == nil {
		l, err = listening.Open(addr, token)
	}
	if errors.Is(err, listening.ErrBeyond) {
		return nil, fmt.Errorf("--%s %w: add --token-file (`(umask 077; openssl rand -hex 32 > token)`)", flag, err)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken: choose another address with --%s (`handoff serve --link` prints the link of a server that runs there)", addr, flag)
	}
	return l, err
}

// shell is the command that runs a command line; nil for an empty one.
func shell(line string) []string {
	switch {
	case line == "":
		return nil
	case runtime.GOOS == "windows":
		return []string{"cmd", "/c", line}
	}
	return []string{"sh", "-c", line}
}

// serveLog is the log of a server's errors.
func serveLog(out io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(out, nil))
	}
	return slog.New(slog.NewTextHandler(out, nil))
}

package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/daemon"
	"handoff/workspace/drain"
	"handoff/workspace/sync"
)

// watchingFlags are the flags of a running watch. They have no meaning when a
// watch is queried or installed.
var watchingFlags = []string{"notify", "log-format", "debounce", "interval", "poll"}

// watchOptions are the options of watch. asks and settings are the flags that the user set of those
// that ask or install, and of those of a running watch.
type watchOptions struct {
	serviceOptions
	notify, poll, status, json bool
	debounce, interval         time.Duration
	logFormat                  string
	asks, settings             []string
}

// Watch is the command `handoff watch`.
func Watch(w *command.Process) *cli.Command {
	o := new(watchOptions)
	return &cli.Command{
		Name:        "watch",
		Usage:       "sync each task as its handoffs change",
		UsageText:   "handoff watch [flags]\n\nIt syncs each task that changes, as `handoff sync` does, until it is interrupted.\nSIGHUP reloads the configuration and rescans everything.",
		Description: "Exit status of --status: 1 if no watch runs here.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "notify", Destination: &o.notify, Usage: "print one line per event on stdout, and nothing else"},
			command.LogFlag(&o.logFormat),
			&cli.DurationFlag{Name: "debounce", Destination: &o.debounce, Value: 20 * time.Millisecond, Usage: "`TIME`  how long a task must be unchanged before it is synced, at most 225ms if it keeps changing; 0 for at once"},
			&cli.DurationFlag{Name: "interval", Destination: &o.interval, Value: 5 * time.Minute, Usage: "`TIME`  time between two full scans"},
			&cli.BoolFlag{Name: "poll", Destination: &o.poll, Usage: "look every 2 s instead of waiting for events; less often in large trees, at most every 30 s"},
			&cli.BoolFlag{Name: "status", Destination: &o.status, Usage: "show the tasks, queue and problems of the running watch"},
			cli.JSON(&o.json, "print the status as JSON", cli.Prints[daemon.Status]("watch")),
		}, serviceFlags(&o.serviceOptions, "watches")...),
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.asks, o.settings = command.Given(c, "status", "install-service", "remove-service"), command.Given(c, watchingFlags...)
			return runWatch(c.Context, w, o, ws)
		})),
	}
}

func runWatch(ctx context.Context, w *command.Process, o *watchOptions, ws *workspace.Workspace) error {
	if err := watchUsage(o); err != nil {
		return err
	}
	if err := ws.Missing(); err != nil && !o.status && !o.Remove {
		return err
	}
	switch {
	case o.status:
		return watchStatus(ctx, w, o, ws)
	case o.Install, o.Remove:
		return manageService(w, &o.serviceOptions, func(program string) service { return watchService(program, ws.Root) })
	}
	l, err := newWatchLog(w, o, placesOf(ws))
	if err != nil {
		return err
	}
	w.CollectAt(70)      // it runs for days, mostly idle: only the names of the watched folders are live
	w.Drains.Store(true) // changed tasks are finished first, however long that takes
	ctx, reload, done := watchSignals(ctx, w.Stderr)
	defer done()
	tell, err := serviceManager(w.Getenv)
	if err != nil {
		return err
	}
	totals, err := daemon.Watch(ctx, ws, daemon.Request{
		Debounce: o.debounce,
		Interval: o.interval,
		Poll:     o.poll,
		Reload:   reload,
		Begun:    l.beginning,
		Say:      l.say,
		Progress: l.Line.Show,
		Started: func(tasks, documents int) {
			l.started(tasks, documents)
			tell("READY=1\nSTATUS=" + fmt.Sprintf("watching %s, %s", command.Plural(tasks, "task"), command.Plural(documents, "handoff")))
		},
		Did:   l.did,
		Wrote: l.wrote,
		Beside: func(ctx context.Context, say func(string)) {
			drain.Keeper{Open: func() (*workspace.Workspace, error) { return workspace.Open(ws.Root, ws.Options) }, Say: say}.Keep(ctx)
		},
		Stopping: func() { tell("STOPPING=1") },
	})
	if mayNotWrite(err) {
		return fmt.Errorf("%w: watch keeps the metadata of tasks up to date, and nothing can be written here (`handoff serve` shows the tree, `handoff verify` checks it)", err)
	}
	if err != nil {
		return err
	}
	l.stopped(totals)
	return nil
}

func watchUsage(o *watchOptions) error {
	asks, settings := o.asks, o.settings
	switch {
	case len(asks) > 1:
		return fmt.Errorf("%s and %s exclude each other", asks[0], asks[1])
	case o.json && !o.status:
		return errors.New("--json requires --status (--log-format json is for the log)")
	case o.debounce < 0:
		return errors.New("--debounce: want 0 or more, like 20ms")
	case o.interval < time.Second:
		return errors.New("--interval: want 1s or more, like 5m")
	case len(asks) > 0 && len(settings) > 0:
		return fmt.Errorf("%s and %s exclude each other", asks[0], settings[0])
	}
	return nil
}

func watchStatus(ctx context.Context, w *command.Process, o *watchOptions, ws *workspace.Workspace) error {
	s, err := daemon.Ask(ctx, ws)
	if errors.Is(err, daemon.ErrNotWatched) {
		w.Complain(err)
		return command.Exit(command.Findings)
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	how := ""
	if s.Polling {
		how = ", polling"
	}
	fmt.Fprintf(&text, "watching since %s (pid %d on host %s%s)\n", s.Since.UTC().Format("2006-01-02 15:04Z"), s.PID, command.Plain(s.Host), how)
	if s.Scanning {
		fmt.Fprintln(&text, "the first scan is running: these are the tasks that it has read so far")
	}
	fmt.Fprintf(&text, "%s, %s, %d linked since then, %d in the queue\n", command.Plural(s.Tasks, "task"), command.Plural(s.Documents, "handoff"), s.Links, s.Queue)
	if s.Last != nil {
		fmt.Fprintf(&text, "last: %s at %s\n", command.Plain(s.Last.Task), clock(s.Last.At))
	}
	for _, p := range s.Problems {
		fmt.Fprintf(&text, "%s: %s\n", command.Plain(placeOf(p.Path, p.Line, p.Col)), command.Plain(p.Text))
	}
	fmt.Fprintln(&text, command.Plural(len(s.Problems), "problem"))
	return w.Answer(o.json, s, text.String())
}

// refOf is the short name of a task, with the phase of its newest link.
func refOf(s sync.Result) string {
	n, _, _ := handoff.ParseTask(filepath.Base(s.Plan.Dir))
	ref := fmt.Sprint(n)
	if len(s.Plan.Links) > 0 {
		last := s.Plan.Links[len(s.Plan.Links)-1] // the newest: documents are sorted oldest first
		if phase := handoff.ParseName(last.Path).PhaseText; phase != "" {
			ref += "/" + phase
		}
	}
	return ref
}

// watchSignals converts the signals of a watch into values. A hangup reloads,
// unless it came because the terminal was closed: then it ends the watch.
func watchSignals(ctx context.Context, out io.Writer) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(ctx)
	reload, signals := make(chan struct{}, 1), make(chan os.Signal, 4)
	terminal := command.IsTerminal(out)
	signal.Notify(signals, command.ReloadSignals...)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
				if terminal && !command.IsTerminal(out) {
					cancel()
					return
				}
				select {
				case reload <- struct{}{}:
				default: // a reload is already pending
				}
			}
		}
	}()
	return ctx, reload, func() {
		signal.Stop(signals)
		cancel()
	}
}

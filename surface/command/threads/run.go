package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"syscall"
	"time"

	"handoff/internal/text/shellword"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// runOptions are the options of run.
type runOptions struct {
	content         operations.TextOptions
	message, cancel *string
	form, view      string
	context         operations.ContextOptions
	actor           actorOptions
	server          operations.ServerOptions
	list, detach    bool
	given           []string                      // names of the flags that the user set
	again           func(more ...string) []string // flags to repeat, and the names of more
}

// Run is the command `handoff run`.
func Run(w *command.Process) *cli.Command {
	o := new(runOptions)
	return &cli.Command{
		Name:  "run",
		Usage: "run a command on a thread's context and store its output as the answer",
		UsageText: `handoff run THREAD --content TEXT [flags] -- COMMAND [ARG …]
handoff run THREAD --content TEXT --detach -- COMMAND [ARG …]
handoff run THREAD --content TEXT --server URL
handoff run PROMPT [--server URL | -- COMMAND [ARG …]]
handoff run --list
handoff run --cancel RUN

The command reads the context from standard input. Its output is printed and
stored as the thread's answer to the message. Its environment contains
HANDOFF_WORKSPACE, HANDOFF_THREAD_ID, HANDOFF_MESSAGE_ID, HANDOFF_RUN_ID,
HANDOFF_BUNDLE_ID and HANDOFF_FROM_SEQ. To report files that its tools changed,
it appends one JSON object per line to the file in HANDOFF_EVENTS:
{"type":"tool_side_effects","tool_name":"write","affected_paths":["a.txt"]}.
With --refs, the next run gets a reference to these reports. Lines about tokens,
the provider's events and tool calls become frames of the run.
SIGINT, SIGTERM and SIGHUP are passed on to the command, which is killed if it
still runs after 5 seconds.
If handoff itself is killed, Linux also kills the command; elsewhere the command
ends at its next output.
PROMPT is a message for the workspace's default thread, as in RIP.
Exit status: that of the command, 128 plus the number of the signal that ended
it, or 2 if it could not be started.

With --server the server runs its own command (handoff serve --runner COMMAND),
or its provider if it is RIP; the output is printed here as it arrives.`,
		Flags: command.Flags(operations.ContentFlags(&o.content), &cli.StringFlag{Name: "message-id", Action: command.Some(&o.message), Usage: "`ID`  the existing message to answer"},
			operations.FormFlag(&o.form, "the context"), operations.ContextFlags(&o.context), actorFlags(&o.actor),
			command.OneOf(&cli.StringFlag{Name: "view", Destination: &o.view, Value: "output", Usage: "`WHAT`  what to print: output or raw; raw is the run's frames, one JSON object per line"}),
			&cli.BoolFlag{Name: "detach", Destination: &o.detach, Usage: "return when the run has begun, and print its id: it goes on in the background, also when the terminal closes"},
			&cli.BoolFlag{Name: "list", Destination: &o.list, Usage: "list running runs, one JSON object per line"},
			&cli.StringFlag{Name: "cancel", Action: command.Some(&o.cancel), Usage: "`RUN`  cancel this run, in whichever process it runs: its id, the beginning of that, or latest"}, operations.ServerFlags(&o.server, operations.AnyServer)),
		Action: func(c *cli.Context) error {
			o.given = command.GivenNames(c)
			o.again = func(more ...string) []string {
				return command.Repeated(c, append([]string{"for", "budget", "refs", "refs-text", "no-base", "incomplete", "actor-id", "origin"}, more...)...)
			}
			if other := slices.IndexFunc(o.given, func(name string) bool { return name == "view" || name == "list" || name == "cancel" }); o.detach && other >= 0 {
				return fmt.Errorf("--detach prints the id of the run: leave out --%s", o.given[other])
			}
			switch {
			case o.server.Given:
				return runOnServer(c.Context, w, o, command.ArgsOf(c))
			case o.list:
				return command.Alone(func(c *cli.Context) error { return runList(c.Context, w) })(c)
			case o.cancel != nil:
				return command.Alone(func(c *cli.Context) error { return runCancel(c.Context, w, *o.cancel) })(c)
			}
			return runHere(c.Context, w, o, command.ArgsOf(c))
		},
	}
}

// asked is a message and its thread.
type asked struct {
	thread  string // "" for the default thread
	content string // "" for an existing message
	raw     bool   // print frames
}

// ask reads the first argument and the message. Without --content the
// argument is the message.
func (o *runOptions) ask(w *command.Process, first string) (a asked, err error) {
	a.raw = o.view == "raw"
	switch a.thread = first; {
	case o.message != nil && o.content.Given():
		return a, errors.New("--message-id names an existing message: leave out --content")
	case o.content.Given():
		a.content, err = operations.ContentOf(w, "run", &o.content)
	case o.message == nil:
		if a.thread, a.content = "", a.thread; a.content == "" {
			err = errors.New("the message is empty")
		}
	}
	return a, err
}

// threadOf is the thread of a message. A prompt that is the ID of a thread is an
// error: the message is missing.
func (a asked) threadOf(ctx context.Context, t threadStore, id string) (string, error) {
	if a.thread != "" {
		return id, nil
	}
	if _, err := t.Find(ctx, a.content); err == nil {
		return "", fmt.Errorf("%s is a thread: add the message with --content TEXT or --content-file FILE", a.content)
	}
	def, err := threadops.Ensure.On(ctx, t, "", ops.None{})
	return def.ThreadID, err
}

// commandToRun is the command to run for a message.
func commandToRun(w *command.Process, args command.Arguments) ([]string, error) {
	if len(args) < 2 {
		return nil, errors.New("run needs a thread and a command: handoff run THREAD --content TEXT -- COMMAND; or a server that runs its own: --server URL")
	}
	command := args.Tail()
	if err := runner.Lookup(w.Dir, command[0]); err != nil {
		return nil, fmt.Errorf("%s: %w: nothing was posted", command[0], err)
	}
	return command, nil
}

func runHere(ctx context.Context, w *command.Process, o *runOptions, args command.Arguments) error {
	program, err := commandToRun(w, args)
	if err != nil {
		return err
	}
	asked, err := o.ask(w, args.First())
	if err != nil {
		return err
	}
	if o.detach {
		return runDetached(ctx, w, o, program, asked)
	}
	ctx, stop := command.WhileRunning(ctx, w) // let the program end, and store its output until then
	defer stop()
	var result runner.Result
	var r runner.Options
	err = withLocal(ctx, w, true, asked.thread, func(hurried context.Context, t *threads.Threads, id string) (err error) {
		r = t.RunOptions()
		if r.ThreadID, err = asked.threadOf(hurried, threadops.Here{Threads: t}, id); err != nil {
			return err
		}
		r.MessageID, r.Content, r.Command = *cmp.Or(o.message, new("")), asked.content, program
		r.Render, r.Context = operations.Form(o.form), o.context.Request()
		r.ActorID, r.Origin = o.actor.id, o.actor.origin
		r.Dir, r.Stdout, r.Stderr = w.Dir, w.Stdout, w.Stderr
		if asked.raw {
			result, err = runRaw(ctx, w, r)
		} else {
			result, err = runner.Do(ctx, r)
		}
		return err
	})
	for _, n := range result.Notes {
		w.Say("context: %s", command.Plain(n.String()))
	}
	for _, text := range result.Wrong {
		w.Say("%s", command.Plain(text))
	}
	if errors.Is(err, syscall.EPIPE) { // the reader disconnected; the output is stored
		err = nil
	}
	if err != nil {
		return again(o, err, r, result)
	}
	return command.EndOf(ctx, result)
}

// runRaw runs a command, and prints the frames of the run while they are stored.
func runRaw(ctx context.Context, w *command.Process, o runner.Options) (runner.Result, error) {
	o.Stdout = nil
	run, err := runner.Start(ctx, o)
	if err != nil {
		return runner.Result{}, err
	}
	reading, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	printed := make(chan error, 1)
	go func() { printed <- printFrames(w, o.Store.FollowLines(reading, thread.Session, run.ID, 0)) }()
	result, err := run.Finish(ctx)
	if _, ended, endErr := o.Store.SessionEnded(run.ID); !ended || endErr != nil {
		stop() // no last frame will come
	}
	return result, errors.Join(err, <-printed)
}

// printFrames prints the frames of a run up to its end.
func printFrames(w *command.Process, lines iter.Seq2[thread.Line, error]) error {
	for line, err := range lines {
		if err != nil {
			return err
		}
		if _, err := w.Stdout.Write(append(line.Text, '\n')); err != nil {
			return err
		}
		if e, err := thread.Parse(line.Text); err == nil && e.Payload.Type() == (&thread.SessionEnded{}).Type() {
			return nil
		}
	}
	return nil
}

// again adds how to retry: the message is stored, and would be stored twice.
func again(of *runOptions, err error, o runner.Options, r runner.Result) error {
	switch {
	case o.MessageID != "" || r.Reason != runner.CompileFailed && r.Reason != runner.NotStarted:
		return err
	case of.content.Given():
		return fmt.Errorf("%w (the message is stored: retry with --message-id %s instead of --content)", err, r.MessageID)
	}
	return fmt.Errorf("%w (the message is stored: retry with `%s`)", err, command.Plain(retryCommand(of, o, r.MessageID)))
}

// retryCommand answers a stored message of the default thread, whose id the user does
// not know.
func retryCommand(of *runOptions, o runner.Options, message string) string {
	args := append([]string{"handoff", "run", o.ThreadID, "--message-id", message}, of.again("view", "C")...)
	return shellword.Join(slices.Concat(args, []string{"--"}, o.Command)...)
}

func runList(ctx context.Context, w *command.Process) error {
	return withLocal(ctx, w, false, "", func(_ context.Context, t *threads.Threads, _ string) error {
		runs, err := t.Runs()
		for _, r := range runs {
			if err := command.WriteLine(w.Stdout, r); err != nil {
				return err
			}
		}
		return err
	})
}

// endsWithin is how long --cancel waits: longer than a run waits before it
// kills its command.
const endsWithin = 15 * time.Second

func runCancel(ctx context.Context, w *command.Process, ref string) error {
	return withLocal(ctx, w, true, "", func(ctx context.Context, t *threads.Threads, _ string) error {
		ctx, cancel := context.WithTimeout(ctx, endsWithin)
		defer cancel()
		id, err := t.FindRun(ref)
		if err != nil {
			return err
		}
		return t.CancelRun(ctx, id)
	})
}

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/compile"
	"handoff/compile/render"
	"handoff/runner"
	"handoff/workspace"
)

func runCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "give a thread's context to a command, and keep what it says",
		UsageText: `handoff run THREAD --content TEXT [flags] -- COMMAND [ARG …]
handoff run THREAD --content TEXT --server URL
handoff run --list
handoff run --cancel RUN

The command gets the context on its standard input. What it prints is printed,
and is the thread's answer to the message. In its environment are
HANDOFF_WORKSPACE, HANDOFF_THREAD_ID, HANDOFF_MESSAGE_ID, HANDOFF_RUN_ID,
HANDOFF_BUNDLE_ID and HANDOFF_FROM_SEQ. It may report what its tools changed in
a line of JSON for each, appended to the file that HANDOFF_EVENTS names:
{"type":"tool_side_effects","tool_name":"write","affected_paths":["a.txt"]}.
--refs gives the next run a reference to it.
It is told to end as handoff is, and killed after 5 seconds. Where handoff itself
is killed, Linux kills the command, too; elsewhere it ends when it prints.
The exit code is that of the command, 128 and the number of the signal that
ended it, or 2 where it could not be run.

With --server the server runs its own command (handoff serve --runner COMMAND),
or RIP its provider; what it says is printed here as it comes.`,
		Flags: flags(contentFlags(), &cli.StringFlag{Name: "message-id", Usage: "answer message `ID`, which is there already"},
			formFlag(), contextFlags(), actorFlags(),
			&cli.BoolFlag{Name: "list", Usage: "print what runs, one JSON object a line"},
			&cli.StringFlag{Name: "cancel", Usage: "end `RUN`, whichever process runs it"}, serverFlags(anyServer), dirFlag()),
		Action: func(c *cli.Context) error {
			switch {
			case c.IsSet("server"):
				return w.runThere(c)
			case c.Bool("list"):
				return w.runList(c)
			case c.IsSet("cancel"):
				return w.runCancel(c)
			}
			return w.run(c)
		},
	}
}

func formFlag() cli.Flag {
	return &cli.StringFlag{Name: "for", Value: "prompt", Usage: "`FORM` of the context: prompt, openresponses, anthropic or openai"}
}

func budgetFlag(of string) cli.Flag {
	return &cli.IntFlag{Name: "budget", Usage: of + "about `N` tokens at most", DefaultText: "no limit"}
}

func refsFlag(where string) cli.Flag {
	return &cli.BoolFlag{Name: "refs", Usage: where + "references to bundles, files and side effects, too"}
}

func contextFlags() []cli.Flag {
	return []cli.Flag{
		budgetFlag(""),
		refsFlag(""),
		&cli.BoolFlag{Name: "no-base", Usage: "nothing of what the thread inherits, as RIP does"},
	}
}

// form is the rendering that was asked for. OpenAI's chat goes by both names.
func form(c *cli.Context) (render.Format, error) {
	name := c.String("for")
	if name == "openai" {
		name = "chat"
	}
	f, ok := render.FormatOf(name)
	if !ok {
		return f, fmt.Errorf("--for %q: want prompt, openresponses, anthropic or openai", c.String("for"))
	}
	return f, nil
}

// contextRequest is what the flags say of a context.
func contextRequest(c *cli.Context) (compile.Request, error) {
	if err := fromOneOn(c, "budget"); err != nil {
		return compile.Request{}, err
	}
	return compile.Request{Base: !c.Bool("no-base"), Refs: c.Bool("refs"), Budget: c.Int("budget")}, nil
}

// runOptions are what the flags and arguments say of a run.
func (w *world) runOptions(c *cli.Context) (o runner.Options, err error) {
	if c.NArg() < 2 {
		return o, errors.New("run wants a thread and a command: handoff run THREAD --content TEXT -- COMMAND")
	}
	o.Command = c.Args().Slice()[1:]
	if err := runner.Lookup(w.dir, o.Command[0]); err != nil {
		return o, fmt.Errorf("%s: %w: nothing was posted", o.Command[0], err)
	}
	if o.MessageID = c.String("message-id"); o.MessageID == "" {
		if o.Content, err = w.content(c); err != nil {
			return o, err
		}
	} else if c.IsSet("content") || c.IsSet("content-file") {
		return o, errors.New("--message-id names a message that is there: leave out --content")
	}
	if o.Render, err = form(c); err != nil {
		return o, err
	}
	o.Context, err = contextRequest(c)
	o.ActorID, o.Origin = c.String("actor-id"), c.String("origin")
	return o, err
}

func (w *world) run(c *cli.Context) error {
	asked, err := w.runOptions(c)
	if err != nil {
		return err
	}
	w.drains.Store(true) // the command is told, and what it says until it ends is kept
	ctx, stop := stoppedBy(c.Context, hangUps...)
	defer stop()
	defer keepOn()()
	var result runner.Result
	err = w.withLocal(c, true, c.Args().First(), func(t *workspace.Threads, id string) (err error) {
		o := t.RunOptions()
		o.ThreadID, o.MessageID, o.Content, o.Command, o.Render, o.Context = id, asked.MessageID, asked.Content, asked.Command, asked.Render, asked.Context
		o.ActorID, o.Origin, o.Dir, o.Stdout, o.Stderr = asked.ActorID, asked.Origin, w.dir, w.stdout, w.stderr
		result, err = runner.Do(ctx, o)
		return err
	})
	for _, n := range result.Notes {
		w.say("context: %s", plain(n.String()))
	}
	for _, text := range result.Wrong {
		w.say("%s", plain(text))
	}
	if errors.Is(err, syscall.EPIPE) { // nobody listens any more; it was kept
		err = nil
	}
	if err != nil {
		return again(err, asked, result)
	}
	return endOf(ctx, result)
}

// again says how a run that could not be done is done again: the message stands
// in the thread, and would stand there twice.
func again(err error, asked runner.Options, r runner.Result) error {
	if asked.MessageID == "" && (r.Reason == runner.CompileFailed || r.Reason == runner.NotStarted) {
		return fmt.Errorf("%w (the message is kept: try again with --message-id %s in place of --content)", err, r.MessageID)
	}
	return err
}

// endOf is the exit code of a run.
func endOf(ctx context.Context, r runner.Result) error {
	var s runner.Signal
	switch n, _ := 0, errors.As(context.Cause(ctx), &s); {
	case r.Reason == runner.Cancelled:
		if sig, ok := s.Signal.(syscall.Signal); ok {
			n = int(sig)
		} else {
			n = int(syscall.SIGTERM)
		}
		return exit(128 + n)
	case r.Signal != 0:
		return exit(128 + r.Signal)
	case r.ExitCode != 0:
		return exit(r.ExitCode)
	}
	return nil
}

func (w *world) runList(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return w.withLocal(c, false, "", func(t *workspace.Threads, _ string) error {
		runs, err := t.Runs()
		for _, r := range runs {
			if err := writeLine(w.stdout, r); err != nil {
				return err
			}
		}
		return err
	})
}

// endsWithin is how long --cancel waits for a run: longer than a run waits for
// its command before it kills it.
const endsWithin = 15 * time.Second

func (w *world) runCancel(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	return w.withLocal(c, true, "", func(t *workspace.Threads, _ string) error {
		ctx, cancel := context.WithTimeout(c.Context, endsWithin)
		defer cancel()
		return t.CancelRun(ctx, c.String("cancel"))
	})
}

package relays

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"handoff/agents"
	"handoff/agents/acp"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// acpOptions are the options of acp.
type acpOptions struct {
	session, level          string
	mode, allowExact, allow []string
	nextMinute              bool
}

// ACP is the command `handoff acp`.
func ACP(w *command.Process) *cli.Command {
	o := new(acpOptions)
	return &cli.Command{
		Name:      "acp",
		Usage:     "run one turn of an agent that speaks the Agent Client Protocol",
		UsageText: "handoff acp [flags] -- COMMAND [ARG …]\n\nIt reads the prompt on stdin. `handoff spawn --via acp` calls it.",
		Description: "Starts COMMAND in the folder, opens a session, sends the prompt and prints what the agent reports as JSON\n" +
			"lines: one with the id of the session, the agent's updates, and one with the end. SIGINT, SIGTERM and\n" +
			"SIGHUP cancel the turn. Exit status: 0 if the agent finished its turn; 1 if it stopped for another reason,\n" +
			"such as a limit; 2 for an error; 128 plus the number of the signal that ended it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Destination: &o.session, Usage: "`ID`  continue this session"},
			&cli.StringFlag{Name: "level", Destination: &o.level, Value: string(agents.Edit), Usage: "`LEVEL`  what to answer when the agent asks for permission: read (no changes, no commands), edit (changes of files in the folder) or all"},
			&cli.StringSliceFlag{Name: "mode", Action: command.To(&o.mode), Usage: "`MODE`  mode of the agent, which has its own permissions; repeat it for alternatives: the first that the agent has is set"},
			allowFlag(&o.allow),
			&cli.StringSliceFlag{Name: "allow-exact", Action: command.To(&o.allowExact), Usage: "`CMD`  as --allow, but without further arguments"},
			&cli.BoolFlag{Name: "next-minute", Destination: &o.nextMinute, Usage: "start when the next minute of the clock begins, for an agent that names sessions by the minute"},
		},
		Action: func(c *cli.Context) error { return runACP(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func runACP(ctx context.Context, w *command.Process, o *acpOptions, args command.Arguments) error {
	if len(args) == 0 {
		return errors.New("acp needs a command that speaks the Agent Client Protocol, after --: `handoff acp -- opencode acp`")
	}
	level := agents.Level(o.level)
	if err := level.Check(); err != nil {
		return err
	}
	if err := cmp.Or(checkAllowed(level, o.allow), checkAllowed(level, o.allowExact)); err != nil {
		return err
	}
	prompt, err := io.ReadAll(w.Stdin)
	if err != nil {
		return err
	}
	if len(prompt) == 0 {
		return errors.New("no prompt: acp reads it on stdin")
	}
	ctx, stop := command.WhileRunning(ctx, w) // let the agent end its turn
	defer stop()
	if o.nextMinute {
		untilNextMinute(ctx, w)
	}
	why, err := acp.Run(ctx, acp.Request{Command: args, Dir: w.Dir, Session: o.session, Prompt: string(prompt),
		Level: level, Modes: o.mode, Allow: o.allow, Exact: o.allowExact, Output: w.Stdout, Stderr: w.Stderr})
	if _, stopped := errors.AsType[runner.Signal](context.Cause(ctx)); stopped {
		return command.EndOf(ctx, runner.Result{Reason: runner.Cancelled})
	}
	if err != nil {
		return err
	}
	if why != acp.EndTurn {
		w.Say("the agent stopped: %s", command.Plain(why))
		return command.Exit(command.Findings)
	}
	return nil
}

// untilNextMinute waits, at most until ctx ends.
func untilNextMinute(ctx context.Context, w *command.Process) {
	now := w.Now()
	select {
	case <-time.After(now.Truncate(time.Minute).Add(time.Minute).Sub(now)):
	case <-ctx.Done():
	}
}

package relays

import (
	"context"
	"errors"
	"fmt"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// limitOptions are the options about accounts that have no usage left.
type limitOptions struct {
	onLimit, stop, notify string
	ignoreLimit           bool

	idle, linkTime, budgetTime time.Duration
	budgetTimeGiven            bool
}

func onLimitFlag(o *limitOptions) cli.Flag {
	return &cli.StringFlag{Name: "on-limit", Destination: &o.onLimit, Value: string(chain.NextOnLimit),
		Usage: "`HOW`  what to do when an account has no usage left: next, wait or stop; next starts the next agent of --then that has some, and waits for the reset if none has"}
}

func notifyFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "notify", Destination: to, Usage: "`CMD`  shell command to run when the relay ends, asks something, waits for a limit or ends an agent that hangs; it gets HANDOFF_EVENT and other variables, and JSON on standard input"}
}

func ignoreLimitFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "ignore-limit", Destination: to, Usage: "start agents although their account is known to have no usage left"}
}

func idleFlag(o *limitOptions) cli.Flag {
	return &cli.DurationFlag{Name: "idle", Destination: &o.idle, Value: chain.DefaultIdle, Usage: "`TIME`  an agent that does nothing for so long hangs, unless a command runs: it is asked for a handoff; 0 for never"}
}

func linkTimeFlag(o *limitOptions) cli.Flag {
	return &cli.DurationFlag{Name: "link-time", Destination: &o.linkTime, Value: chain.DefaultLinkTime, Usage: "`TIME`  an agent that works for so long in its link is asked for a handoff, also if a command runs; 0 for never"}
}

func budgetTimeFlag(o *limitOptions) cli.Flag {
	return &cli.DurationFlag{Name: "budget-time", Destination: &o.budgetTime, Action: command.Noting[time.Duration](&o.budgetTimeGiven), Usage: "`TIME`  how long the agents may work in all, without the waits"}
}

// seconds is a limit as a plan has it: below 0 for none.
func seconds(d time.Duration) int {
	if d == 0 {
		return -1
	}
	return int(max(time.Second, d).Seconds())
}

func (o *limitOptions) check() error {
	switch chain.OnLimit(o.onLimit) {
	case chain.NextOnLimit, chain.WaitOnLimit, chain.StopOnLimit:
	default:
		return fmt.Errorf("--on-limit %q: want next, wait or stop", o.onLimit)
	}
	switch {
	case o.idle < 0 || o.linkTime < 0:
		return errors.New("--idle and --link-time: want a time such as 20m, or 0 for never")
	case o.budgetTimeGiven && o.budgetTime < time.Second:
		return fmt.Errorf("--budget-time %s: want a time such as 8h", o.budgetTime)
	}
	return nil
}

// relayStop stops a relay of another process, and returns once it has stopped.
func relayStop(ctx context.Context, w *command.Process, o *relayOptions, ws *workspace.Workspace) error {
	id, err := log.Find(ws, o.stop)
	if err != nil {
		return err
	}
	if err := log.Ask(ws, id); err != nil {
		return err
	}
	tick := time.NewTicker(stopEvery)
	defer tick.Stop()
	for log.Running(ws, id) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	s, err := log.Read(ws, id)
	if err != nil {
		return err
	}
	if s.Over != "" {
		w.Say("relay %s has ended: %s", id, s.Over)
		return nil
	}
	_, again := toResume(ws, id, s)
	w.Say("stopped relay %s; to continue it: `%s`", id, command.Plain(again))
	return nil
}

// stopEvery is how often a relay that was asked to stop is looked at.
const stopEvery = 100 * time.Millisecond

// spell is a limit of a plan as the flag has it.
func spell(seconds int) string { return time.Duration(max(0, seconds) * int(time.Second)).String() }

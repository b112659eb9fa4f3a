package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// limitOptions are the options about accounts that have no usage left.
type limitOptions struct {
	onLimit, stop string
	ignoreLimit   bool
}

func onLimitFlag(o *limitOptions) cli.Flag {
	return &cli.StringFlag{Name: "on-limit", Destination: &o.onLimit, Value: string(chain.NextOnLimit),
		Usage: "when an account has no usage left: next goes on with the next agent of --then that has, and waits for the reset if none has; wait always waits; stop ends: `HOW`"}
}

func ignoreLimitFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "ignore-limit", Destination: to, Usage: "start agents although their account is known to have no usage left"}
}

func checkOnLimit(o chain.OnLimit) error {
	switch o {
	case chain.NextOnLimit, chain.WaitOnLimit, chain.StopOnLimit:
		return nil
	}
	return fmt.Errorf("--on-limit %q: want next, wait or stop", o)
}

// relayStop stops a relay of another process, and returns once it has stopped.
func relayStop(ctx context.Context, w *process, o *relayOptions, ws *workspace.Workspace) error {
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
		w.say("relay %s has ended: %s", id, s.Over)
		return nil
	}
	w.say("stopped relay %s; to continue it: `%s`", id, plain(resumeCommand(id, s.Plan)))
	return nil
}

// stopEvery is how often a relay that was asked to stop is looked at.
const stopEvery = 100 * time.Millisecond

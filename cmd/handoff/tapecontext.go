package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"handoff/tape"
	"handoff/workspace/tapes"
)

// windowFlag is the part of a tape that the flags select, and whether they do.
func windowFlag(c *cli.Context) (window tape.Window, chosen bool, err error) {
	switch {
	case len(given(c, "last-anchor", "after-anchor", "between")) > 1:
		return window, true, errors.New("give one of --last-anchor, --after-anchor and --between")
	case c.IsSet("between"):
		if c.NArg() != 1 {
			return window, true, errors.New("--between needs the names of two anchors: --between A B")
		}
		return tape.BetweenAnchors(c.String("between"), c.Args().First()), true, nil
	case c.NArg() > 0 && c.Command.Name == "context":
		return window, true, noArguments(c)
	case c.IsSet("after-anchor"):
		return tape.AfterAnchor(c.String("after-anchor")), true, nil
	case c.Bool("last-anchor"):
		return tape.FromLastAnchor(), true, nil
	}
	return window, false, nil
}

func (w *process) tapeContext(c *cli.Context, one oneTape) error {
	r := tapes.ContextRequest{For: c.String("for"), WithoutState: c.Bool("no-anchor-state"), WithoutReasoning: c.Bool("no-reasoning"), Contract: c.Bool("contract"), Limit: c.Int("context-limit")}
	window, given, err := windowFlag(c)
	switch {
	case err != nil:
		return err
	case given && c.Bool("all"):
		return errors.New("--all is the whole tape: leave out --last-anchor, --after-anchor and --between")
	case !given && !c.Bool("all"):
		window = tape.FromLastAnchor()
	}
	r.Window = window
	made, err := one.Context(c.Context, r)
	if err != nil {
		return err
	}
	w.sayContext(c, made)
	return w.print(string(made.Request))
}

// sayContext prints the length of a context, and what was left out.
func (w *process) sayContext(c *cli.Context, made tapes.Context) {
	for _, d := range made.Dropped {
		if d.Entry == 0 {
			w.say("%s", plain(d.Why))
			continue
		}
		w.say("entry %d: %s", d.Entry, plain(d.Why))
	}
	w.say("%s, about %d of %d tokens", plural(made.Messages, "message"), made.Tokens, made.Limit)
	if made.Full && !c.IsSet("archive") { // nothing is added to an archived tape
		w.say("time to hand off: `%s`", tapeHint(c, "handoff NAME --summary TEXT"))
	}
}

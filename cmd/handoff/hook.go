package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/agents/host"
	"handoff/surface/hooks"
)

func hookCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "hook",
		Usage:     "answer a hook of an agent: deliver, note, check, ask",
		UsageText: "handoff hook EVENT [flags]",
		Description: "Hosts run it: `handoff setup` writes it to their settings. It reads what the host writes to standard\n" +
			"input and prints that host's answer, or nothing. Events: " + eventNames() + ".\n" +
			"The host's own name of an event works too.\n\n" +
			"The exit status is 0. An error prints nothing and is recorded for `handoff doctor`. Only a wrong\n" +
			"event or host on the command line exits with 1, never with 2, by which hosts stop an agent.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "host", Value: hooks.Auto, Usage: "the program `NAME` that calls it: " + strings.Join(host.Names(), ", ") + "; auto finds it from its input"},
		},
		Action: w.hook,
	}
}

// eventNames are the events, for people.
func eventNames() string {
	names := make([]string, len(host.Events))
	for i, e := range host.Events {
		names[i] = string(e)
	}
	return strings.Join(names, ", ")
}

func (w *process) hook(c *cli.Context) error {
	if c.NArg() != 1 && strings.Join(c.Args().Tail(), " ") != host.Always { // which a shell did not take
		return errors.New("hook takes one event: " + eventNames())
	}
	event, err := host.ParseEvent(c.Args().First())
	if err != nil {
		return err
	}
	name := c.String("host")
	if name != hooks.Auto {
		if _, err := host.Named(name); err != nil {
			return err
		}
	}
	options := w.options()
	options.Say, options.Progress = nil, nil // a host shows messages to the model or the user
	answer := hooks.Answer(c.Context, hooks.Call{Event: event, Host: name, Dir: w.dir, Stdin: w.stdin, Getenv: w.getenv, Options: options})
	_, _ = w.stdout.Write(answer) // a host that reads no answer is not an error
	return nil
}

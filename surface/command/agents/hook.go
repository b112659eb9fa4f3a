package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/agents/transcript/audit"
	"handoff/agents/transcript/facts"
	"handoff/log/receipt"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/hooks"
	"handoff/workspace"
	"handoff/workspace/draft"
	"handoff/workspace/spawn/prompt"
	"handoff/workspace/unreported"
)

// hookOptions are the options of hook.
type hookOptions struct {
	host string
}

// Hook is the command `handoff hook`.
func Hook(w *command.Process) *cli.Command {
	o := new(hookOptions)
	return &cli.Command{
		Name:      "hook",
		Usage:     "answer a hook of an agent: deliver, note, check, ask",
		UsageText: "handoff hook EVENT [flags]",
		Description: "Agent programs, the hosts of sessions such as Claude Code, run it: `handoff setup` writes it to their\n" +
			"settings. It reads what the host writes to standard input and prints that host's answer, or nothing. Events: " + eventNames() + ".\n" +
			"The host's own name of an event works too.\n\n" +
			"The exit status is 0. An error prints nothing and is recorded for `handoff doctor`. Only a wrong\n" +
			"event or host on the command line exits with 1, never with 2: hosts treat 2 as \"stop the agent\".",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "host", Destination: &o.host, Value: hooks.Auto, Usage: "`NAME`  the program that calls it: " + strings.Join(host.Names(), ", ") + "; auto finds it from its input"},
		},
		Action: func(c *cli.Context) error { return runHook(c.Context, w, o, command.ArgsOf(c)) },
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

func runHook(ctx context.Context, w *command.Process, o *hookOptions, args command.Arguments) error {
	if len(args) == 0 || !host.IsRest(args.Tail()) {
		return errors.New("hook takes one event: " + eventNames())
	}
	event, err := host.ParseEvent(args.First())
	if err != nil {
		return err
	}
	name := o.host
	if name != hooks.Auto {
		if _, err := host.Named(name); err != nil {
			if root, _ := workspace.Locate(w.Dir); !sessions.HasOwn(root, name) {
				return err
			}
		}
	}
	options := w.Options()
	options.Say, options.Progress = nil, nil // a host shows messages to the model or the user
	answer := hooks.Answer(ctx, hooks.Call{Event: event, Host: name, Dir: w.Dir, Stdin: w.Stdin, Getenv: w.Getenv, Options: options, Texts: textsOf(w.Getenv)})
	_, _ = w.Stdout.Write(answer) // a host that reads no answer is not an error
	return nil
}

// textsOf are the texts of hooks, from the rooms that write them.
func textsOf(getenv func(string) string) hooks.Texts {
	return hooks.Texts{
		Show: prompt.Shown,
		Died: func(ctx context.Context, ws *workspace.Workspace, own receipt.Session) (string, error) {
			return unreported.Name(ctx, ws, own, getenv)
		},
		Dropped: dropped,
		Draft: func(ws *workspace.Workspace, e hooks.Ended) func(context.Context) error {
			s := draft.Session{Agent: e.Agent, Handoff: e.Handoff, Format: e.Format, Path: draft.Source(ws.Root, getenv("HOME"), e.Path),
				Transcript: e.Transcript, Before: e.Before, Why: e.Why}
			if !s.Worked(ws) {
				return nil
			}
			return func(ctx context.Context) error {
				_, err := s.Write(ctx, ws)
				return err
			}
		},
	}
}

// dropped is a line about the rules and decisions that the compaction which began then dropped. The record is that of the host:
// its summary may be missing there.
func dropped(ws *workspace.Workspace, path, format string, began time.Time) (string, error) {
	found, err := author.Audit(ws, path, format, audit.Options{})
	if errors.Is(err, facts.ErrFormat) {
		return "", nil // the host writes no transcript that is known
	}
	if err != nil || len(found) == 0 || found[len(found)-1].At.Before(began.Add(-time.Second)) {
		return "", err
	}
	n := 0
	for _, it := range found[len(found)-1].Items {
		if it.Fate == audit.Dropped && (it.Kind == audit.Rule || it.Kind == audit.Decision) {
			n++
		}
	}
	if n == 0 {
		return "", nil
	}
	return fmt.Sprintf("The summary of the last compaction lacks %s of the user: `handoff audit` lists them.\n", stated(n)), nil
}

// stated is a number of rules and decisions.
func stated(n int) string {
	if n == 1 {
		return "one rule or decision"
	}
	return fmt.Sprintf("%d rules and decisions", n)
}

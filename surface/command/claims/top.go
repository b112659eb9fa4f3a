package claims

import (
	"cmp"
	"context"
	"errors"
	"os"

	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/top"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
)

// topOptions are the options of top.
type topOptions struct {
	as, agent string
	n         int
	json      bool
}

// Top is the command `handoff top`.
func Top(w *command.Process) *cli.Command {
	o := new(topOptions)
	return &cli.Command{
		Name:  "top",
		Usage: "show what each task is doing, what needs a person first, and act on it",
		Description: "Follows the workspace. A key claims or releases a handoff, spawns an agent for it, or drafts one\n" +
			"from a session that died, after it has shown the command and asked; ? lists the keys, 3 the threads, to branch or hand off after a message. It needs a terminal. --json prints one answer of a\n" +
			"fixed size for programs: what needs a person first, and the command that continues.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Destination: &o.as, Usage: "`NAME`  who claims, shown to others", DefaultText: "your user name"},
			&cli.StringFlag{Name: "agent", Destination: &o.agent, Usage: "`NAME`  the agent to spawn", DefaultText: "the installed one, if there is only one"},
			command.AtLeast(1, &cli.IntFlag{Name: "n", Destination: &o.n, Value: 10, Usage: "`COUNT`  with --json: most tasks to print"}),
			cli.JSON(&o.json, "print one line of JSON (`handoff schema top`)", cli.Published("top")),
		},
		Action: command.Alone(func(c *cli.Context) error { return runTop(c.Context, w, o) }),
	}
}

// topJSON is what top --json prints: see docs/schema/top.schema.json.
type topJSON struct {
	Command string `json:"command"` // for the first task that is not held, unfinished without a handoff, or done; "" without one
	overview.Overview
	Elsewhere []receipts.Elsewhere `json:"elsewhere,omitempty"` // what waits in other working trees of the repository
}

func runTop(ctx context.Context, w *command.Process, o *topOptions) error {
	if o.json {
		ws, err := w.Here()
		if err != nil {
			return err
		}
		return topAnswer(ctx, w, o, ws)
	}
	in, out := command.FileOf(w.Stdin), command.FileOf(w.Stdout)
	if !command.IsTerminal(w.Stdin) || !command.IsTerminal(w.Stdout) || w.Getenv("TERM") == "dumb" {
		return errors.New("top needs a terminal: `handoff top --json` is for programs, `handoff next` prints what waits")
	}
	said := make(chan string, 16)
	options := w.Options()
	options.Progress, options.Say = nil, func(text string) {
		select {
		case said <- text:
		default: // the screen shows one message at a time
		}
	}
	ws, err := workspace.Open(w.Dir, options)
	if err != nil {
		return err
	}
	name, session, _ := host.Here(w.Getenv)
	return top.Run(ctx, top.Options{
		Workspace: ws, As: cmp.Or(o.as, w.Getenv("USER"), w.Getenv("LOGNAME"), w.Getenv("USERNAME"), "somebody"),
		Session: receipt.Session{Host: name, ID: session}, Who: w.Caller(), Left: command.LeftIn(w.Getenv, ws.Root), Died: command.DiedIn(w, ws), Self: self(), Spawn: spawnLine(w.Getenv, o.agent), Said: said, In: in, Out: out, Env: os.Environ(),
	})
}

// topAnswer prints the answer for programs.
func topAnswer(ctx context.Context, w *command.Process, o *topOptions, ws *workspace.Workspace) error {
	if err := ws.Missing(); err != nil {
		return err
	}
	v, err := overview.Now(ctx, ws, overview.Options{Limit: o.n, Left: command.LeftIn(w.Getenv, ws.Root)})
	answer := topJSON{Overview: v}
	if book, bad := receipts.Open(ws); bad == nil {
		answer.Elsewhere = book.Elsewhere(ctx, nil)
	}
	if len(v.Tasks) > 0 && v.Tasks[0].Acts() {
		answer.Command = v.Tasks[0].Command
	}
	return cmp.Or(command.WriteLine(w.Stdout, answer), err)
}

// self is this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "handoff"
	}
	return path
}

// spawnLine is the command that starts an agent. Inside tmux the agent gets a window.
func spawnLine(getenv func(string) string, agent string) func(path string) ([]string, bool) {
	self := self()
	return func(path string) ([]string, bool) {
		line, window := []string{self, "spawn", path}, getenv("TMUX") != ""
		if agent != "" {
			line = append(line, "--agent", agent)
		}
		if window {
			line = append(line, "--via", "tmux")
		}
		return line, window
	}
}

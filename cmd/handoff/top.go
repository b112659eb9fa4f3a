package main

import (
	"cmp"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/receipt"
	"handoff/surface/top"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
)

func topCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "top",
		Usage: "show what each task is doing, what needs a person first, and act on it",
		Description: "Follows the workspace. A key claims or releases a handoff, or spawns an agent for it, after it has\n" +
			"shown the command and asked; ? lists the keys. It needs a terminal. --json prints one answer of a\n" +
			"fixed size for programs: what needs a person first, and the command that continues.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: "`NAME` of the one that claims, for people", DefaultText: "your user name"},
			&cli.StringFlag{Name: "agent", Usage: "`NAME` of the agent that is spawned", DefaultText: "the installed one, if there is only one"},
			atLeast(1, &cli.IntFlag{Name: "n", Value: 10, Usage: "with --json: print at most `COUNT` tasks"}),
			&cli.BoolFlag{Name: "json", Usage: "print one line of JSON (`handoff schema top`)"},
		},
		Action: alone(w.top),
	}
}

// topJSON is what top --json prints: see schema/top.schema.json.
type topJSON struct {
	Command string `json:"command"` // for the first task that is not held, unfinished without a handoff, or done; "" without one
	overview.Overview
	Elsewhere []receipts.Elsewhere `json:"elsewhere,omitempty"` // what waits in other working trees of the repository
}

func (w *process) top(c *cli.Context) error {
	if c.Bool("json") {
		return w.inWorkspace(w.topAnswer)(c)
	}
	in, out := fileOf(w.stdin), fileOf(w.stdout)
	if !isTerminal(w.stdin) || !isTerminal(w.stdout) || w.getenv("TERM") == "dumb" {
		return errors.New("top needs a terminal: `handoff top --json` is for programs, `handoff next` prints what waits")
	}
	said := make(chan string, 16)
	o := w.options()
	o.Progress, o.Say = nil, func(text string) {
		select {
		case said <- text:
		default: // the screen shows one message at a time
		}
	}
	ws, err := workspace.Open(w.dir, o)
	if err != nil {
		return err
	}
	name, session, _ := host.Here(w.getenv)
	return top.Run(c.Context, top.Options{
		Workspace: ws, As: cmp.Or(c.String("as"), w.getenv("USER"), w.getenv("LOGNAME"), w.getenv("USERNAME"), "somebody"),
		Session: receipt.Session{Host: name, ID: session}, Who: w.caller(), Left: w.leftIn(ws), Spawn: w.spawnLine(c), Said: said, In: in, Out: out, Env: os.Environ(),
	})
}

// topAnswer prints the answer for programs.
func (w *process) topAnswer(c *cli.Context, ws *workspace.Workspace) error {
	if err := ws.Missing(); err != nil {
		return err
	}
	v, err := overview.Now(c.Context, ws, overview.Options{Limit: c.Int("n"), Left: w.leftIn(ws)})
	answer := topJSON{Overview: v}
	if book, bad := receipts.Open(ws); bad == nil {
		answer.Elsewhere = book.Elsewhere(c.Context, nil)
	}
	if len(v.Tasks) > 0 && v.Tasks[0].Acts() {
		answer.Command = v.Tasks[0].Command
	}
	return cmp.Or(writeLine(w.stdout, answer), err)
}

// leftIn reads how many tokens a session has left, from its transcript on this machine.
func (w *process) leftIn(ws *workspace.Workspace) func(name, session string) (int, bool) {
	table, _ := sessions.Table(ws.Root) // an entry that cannot be read is reported by `handoff agents`
	return func(name, session string) (int, bool) {
		s, err := sessions.Find(table, sessions.Query{Session: session, Agent: name, Dirs: []string{ws.Root}, Getenv: w.getenv})
		if err != nil {
			return 0, false
		}
		r := s.Read(0, sessions.Progress{}, w.getenv)
		return r.Left, r.Limit > 0 && r.Used > 0
	}
}

// spawnLine is the command that starts an agent. Inside tmux the agent gets a window.
func (w *process) spawnLine(c *cli.Context) func(path string) ([]string, bool) {
	self, err := os.Executable()
	if err != nil {
		self = "handoff"
	}
	return func(path string) ([]string, bool) {
		line, window := []string{self, "spawn", path}, w.getenv("TMUX") != ""
		if agent := c.String("agent"); agent != "" {
			line = append(line, "--agent", agent)
		}
		if window {
			line = append(line, "--via", "tmux")
		}
		return line, window
	}
}

package agents

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"handoff/agents/past"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/unreported"
)

// sessionsOptions are the options of sessions.
type sessionsOptions struct {
	agent     string
	n         int
	all, json bool
	ask       bool
}

// Sessions is the command `handoff sessions`.
func Sessions(w *command.Process) *cli.Command {
	o := new(sessionsOptions)
	return &cli.Command{
		Name:  "sessions",
		Usage: "list the agents' sessions here that ended without a handoff, and why",
		Description: "It reads the ends of the transcripts that agents keep on this machine, of all working trees of the\n" +
			"repository and of subagents, too: when each ended and why, what it was asked, and which files it\n" +
			"changed. The newest comes first. OpenCode keeps its sessions in a database: --ask runs it, for at\n" +
			"most a minute, to have its last ten listed, too. `handoff draft --session ID --save` writes a handoff from one.\n" +
			"Exit status: 1 if there is none.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "list all sessions, also those that left a handoff"},
			command.AtLeast(1, &cli.IntFlag{Name: "n", Destination: &o.n, Value: 20, Usage: "`COUNT`  most sessions to list"}),
			&cli.StringFlag{Name: "agent", Destination: &o.agent, Usage: "`NAME`  only sessions of this agent"},
			&cli.BoolFlag{Name: "ask", Destination: &o.ask, Usage: "run the agents that keep sessions in a database (OpenCode), and list those, too"},
			cli.JSON(&o.json, "print JSON", cli.Prints[sessionsJSON]("sessions")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runSessions(c.Context, w, o, ws) })),
	}
}

// sessionsJSON is what --json prints.
type sessionsJSON struct {
	Sessions []unreported.Session `json:"sessions"`
	Total    int                  `json:"total"`            // of them, also those that are left out (-n)
	Middle   int                  `json:"middle"`           // of all, those that ended in the middle of their work
	Command  string               `json:"command"`          // drafts from the one to continue; empty if there is none
	More     int                  `json:"unread,omitempty"` // transcripts that were not read, because there are too many
}

func runSessions(ctx context.Context, w *command.Process, o *sessionsOptions, ws *workspace.Workspace) error {
	if o.agent != "" {
		table, err := sessions.Table(ws.Root)
		if table == nil {
			return err
		}
		a, err := command.AgentNamed(table, o.agent)
		if err != nil {
			return err
		}
		o.agent = a.Name
	}
	var exported []past.Session
	unread := 0
	if o.ask {
		var err error
		exported, unread, err = askedSessions(ctx, w, ws)
		w.Complain(err)
	}
	f, err := command.SessionsIn(ctx, w, ws, unreported.Whole, exported...)
	if err != nil {
		return err
	}
	f.More += unread
	v := sessionsJSON{Middle: len(f.Middle()), More: f.More}
	if best, ok := f.Best(); ok {
		v.Command = best.Command
	}
	v.Sessions = slices.DeleteFunc(f.Sessions, func(s unreported.Session) bool {
		return o.agent != "" && s.Agent != o.agent || s.Handoff && !o.all
	})
	if v.Total = len(v.Sessions); !o.all {
		v.Sessions = v.Sessions[:min(o.n, v.Total)]
	}
	if err := printSessions(w, o, v); err != nil {
		return err
	}
	return command.Found(v.Total == 0)
}

func printSessions(w *command.Process, o *sessionsOptions, v sessionsJSON) error {
	if o.json {
		return command.WriteJSON(w.Stdout, v)
	}
	if v.Total == 0 {
		what := "no session"
		if o.agent != "" {
			what += " of " + o.agent
		}
		if !o.all {
			what += " without a handoff"
		}
		w.Say("%s: agents keep their transcripts in the home folder, Claude Code for 30 days", what)
	}
	rows := make([][]string, len(v.Sessions))
	for i, s := range v.Sessions {
		rows[i] = sessionRow(s, w.Now())
	}
	err := w.Print(w.Aligned([]string{"SESSION", "AGENT", "ENDED", "FILES", "WHY", "ASKED"}, rows, 5, 4))
	if rest := v.Total - len(v.Sessions); rest > 0 {
		w.Say("%s not shown (-n)", command.Plural(rest, "more session"))
	}
	if v.More > 0 {
		w.Say("%s not read: there are too many", command.Plural(v.More, "more transcript"))
	}
	if note := unlisted(o); note != "" {
		w.Say("%s", note)
	}
	if v.Command != "" {
		w.Say("next: %s", command.Plain(v.Command))
	}
	return err
}

// unlisted says that sessions of an agent are not listed, if it may have some; "" if they are.
func unlisted(o *sessionsOptions) string {
	if o.ask || o.agent != "" && o.agent != transcript.Exporter {
		return ""
	}
	if _, err := exec.LookPath(transcript.Exporter); err != nil {
		return ""
	}
	return "OpenCode keeps its sessions in a database: `handoff sessions --ask` asks it for them"
}

func sessionRow(s unreported.Session, now time.Time) []string {
	why := s.Why
	if s.Subagent {
		why = "subagent: " + why
	}
	if s.Handoff {
		why = "has a handoff; " + why
	}
	files := fmt.Sprint(len(s.Files))
	if s.Partial {
		files += "+"
	}
	if n := s.Uncommitted(); n > 0 {
		files += fmt.Sprintf(" (%d uncommitted)", n)
	}
	return []string{command.Plain(s.Short), s.Agent, say.Ago(now.Sub(s.At)), files, command.Plain(why), command.Plain(s.Asked)}
}

// sayUnreported tells a newcomer in one line what the machine holds of the sessions in a folder, before
// the first handoff. That it cannot be read is no failure of a command that set something up.
func sayUnreported(ctx context.Context, w *command.Process, dir string) {
	ws, err := workspace.Open(dir, w.Options())
	if err != nil {
		return // every command reports it
	}
	defer ws.Close()
	bounds := unreported.Whole
	bounds.Heads, bounds.Ends, bounds.Bytes = 500, 100, 256<<10
	f, err := command.SessionsIn(ctx, w, ws, bounds)
	if line := f.Line(); err == nil && line != "" {
		w.Say("%s", command.Plain(line))
	}
}

package operations

import (
	"errors"

	"handoff/agents/sessions"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// NamedSession is how a person names the session of an agent that a command reads; empty for the one that it runs in.
type NamedSession struct{ Session, Transcript, Agent string }

// SessionFlags name a session. forms are what the command reads: "transcript or saved stream".
func SessionFlags(o *NamedSession, forms string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Destination: &o.Session, Usage: "`ID`  the id of the session, or its beginning"},
		&cli.StringFlag{Name: "transcript", Destination: &o.Transcript, Usage: "`FILE`  " + forms + " of the session"},
		&cli.StringFlag{Name: "agent", Destination: &o.Agent, Usage: "`NAME`  only sessions of this agent; with --transcript: the agent that wrote it"},
	}
}

// Check refuses two names.
func (o NamedSession) Check() error {
	if o.Session != "" && o.Transcript != "" {
		return errors.New("--session and --transcript exclude each other")
	}
	return nil
}

// Query finds the session from the folder of the process and from the root of its workspace.
func (o NamedSession) Query(w *command.Process, root string) sessions.Query {
	q := sessions.Query{Session: o.Session, Agent: o.Agent, Dirs: []string{w.Dir, root}, Getenv: w.Getenv}
	if o.Transcript != "" {
		q.Transcript = w.Path(o.Transcript)
	}
	return q
}

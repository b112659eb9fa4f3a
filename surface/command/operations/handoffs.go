package operations

import (
	"context"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/handoffops"
)

// WithHandoffs opens the handoffs, of the workspace or of a server. What waits in the outbox of the workspace is
// sent first if drains is set.
func WithHandoffs(ctx context.Context, w *command.Process, o *ServerOptions, drains bool, do func(handoffops.Place) error) error {
	if o.Given {
		s, err := ServerOf(w, o)
		if err != nil {
			return err
		}
		defer s.Close()
		return do(s.Handoffs())
	}
	ws, err := w.Here()
	if err != nil {
		return err
	}
	if drains {
		command.DrainFirst(ctx, w, ws)
	}
	return do(handoffops.Here{At: HandoffsIn(w, ws)})
}

// HandoffsIn are the handoffs of a workspace as the caller of a command sees them. What he claims belongs to the
// session in which the command runs; when that ends, the claim is released.
func HandoffsIn(w *command.Process, ws *workspace.Workspace) *handoffops.At {
	name, session, _ := host.Here(w.Getenv)
	level, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	return &handoffops.At{Workspace: ws, Dir: w.Dir, Who: w.Caller(), Session: receipt.Session{Host: name, ID: session}, Level: level.OfClaim(),
		Tests: func() ([][]string, string) { return testsOf(w, ws) },
		Seen:  func() string { return author.Session(w.Getenv, ws).String() }}
}

// testsOf are the commands that show whether work is done, of a repository that the user trusts, or why
// none may be run: the caller may not start programs, or there is none.
func testsOf(w *command.Process, ws *workspace.Workspace) (commands [][]string, none string) {
	switch may, refused := LevelIn(w, ws.Root), ws.MayAct(); {
	case len(ws.Config.Checks.Tests) == 0:
		return nil, "no checks.tests in .handoff.yaml"
	case may != agents.All:
		return nil, "at the level " + string(may) + " no program is started"
	case refused != nil:
		return nil, "the commands of checks.tests were not run: " + refused.Error()
	}
	return ws.Config.Checks.Tests, ""
}

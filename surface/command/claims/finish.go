package claims

import (
	"context"

	"handoff/agents"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/level"
	"handoff/workspace"
	"handoff/workspace/gate"
	"handoff/workspace/receipts"
)

// finish records that work is done, with what is known of it. An agent of a relay only tells the
// relay, which finds out by itself.
func finish(ctx context.Context, w *command.Process, o *StepOptions, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
	if t.Who.Relay != "" && o.As == "" {
		r, err := b.Finish(ctx, t, "")
		if err != nil || r.Said {
			sayTold(w, err)
			return r, err
		}
	}
	e, err := proof(ctx, w, o, o.ws)
	if err != nil {
		return receipts.Record{}, err
	}
	r, err := b.FinishWith(ctx, t, o.As, e)
	if err == nil {
		w.Say("done: %s", command.Plain(e.String()))
	}
	return r, err
}

func sayTold(w *command.Process, err error) {
	if err == nil {
		w.Say("the relay now checks whether the work is done, and asks again if it is not: stop here")
	}
}

// proof runs the tests of a repository that the user trusts, and returns how they ended. A caller
// that may not start programs has no evidence.
func proof(ctx context.Context, w *command.Process, o *StepOptions, ws *workspace.Workspace) (*receipt.Evidence, error) {
	tests, none := ws.Config.Checks.Tests, ""
	may, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	may = agents.Lowest(may, level.ClaimLevel(w, ws.Root))
	switch refused := ws.MayAct(); {
	case o.noCheck:
		none = "--no-check"
	case len(tests) == 0:
		none = "checks.tests is empty"
	case may != agents.All:
		none = "at the level " + string(may) + " no program is started"
	case refused != nil:
		none = "the commands of checks.tests were not run: " + refused.Error()
	}
	if none != "" {
		tests = nil
	}
	found, err := gate.Check(ctx, ws, gate.Request{Commands: tests})
	if found.None = none; err != nil {
		return nil, err
	}
	return &found.Evidence, nil
}

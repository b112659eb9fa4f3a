package hooks

import (
	"context"
	"errors"

	"handoff/agents/host"
)

// begin is the text for a session that starts: the handoff that waits; if none does, which session died
// without one. A session that `handoff` started has its task in its prompt.
func (r *run) begin(ctx context.Context) (string, error) {
	text, err := r.desk.Start(ctx)
	if text != "" || r.desk.Spawned || r.in.Source == "resume" || r.Event != host.SessionStart {
		return text, err
	}
	died, bad := r.Died(ctx, r.ws, r.desk.Session)
	return died, errors.Join(err, bad)
}

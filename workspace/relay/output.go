package relay

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// outputs are those of all turns of a link, which are in the thread with this id; none for
// "". They are on the disk, so they survive if the relay itself is killed.
func outputs(ctx context.Context, ws *workspace.Workspace, id string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if id == "" {
			return
		}
		t, err := threads.In(ctx, ws, false)
		if err != nil {
			yield("", err)
			return
		}
		defer t.Close()
		for e, err := range t.Events(id, 0) {
			text := ""
			if errors.Is(err, fs.ErrNotExist) { // an agent has deleted it
				return
			}
			if err == nil {
				run, ok := e.Payload.(*thread.RunSpawned)
				if !ok {
					continue
				}
				text, _, err = t.SessionText(run.RunSessionID, int(ws.Config.Output)) // which is all that is stored
				if errors.Is(err, fs.ErrNotExist) {
					continue // the relay was killed before the agent was started
				}
			}
			if !yield(text, err) {
				return
			}
		}
	}
}

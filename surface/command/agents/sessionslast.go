package agents

import (
	"context"
	"sync"
	"time"

	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/unreported"
)

// diedAgain is how long a screen shows which session died before transcripts are read again: nothing
// reports changes of them.
const diedAgain = time.Minute

// DiedIn returns the session that ended last in the middle of its work, for screens that show it all the
// time; nil for none.
func DiedIn(w *command.Process, ws *workspace.Workspace) func(context.Context) *unreported.Session {
	var mu sync.Mutex
	var read time.Time
	var last *unreported.Session
	bounds := unreported.Bounds{Names: 5000, Heads: 200, Ends: 40, Bytes: 256 << 10}
	return func(ctx context.Context) *unreported.Session {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(read) >= diedAgain || now.Before(read) {
			last, read = nil, now
			if f, err := sessionsIn(ctx, w, ws, bounds); err == nil {
				if best, ok := f.Best(); ok {
					last = &best
				}
			}
		}
		return last
	}
}

package outbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"handoff/engine"
	"handoff/internal/file/lockfile"
)

// Settle sends what waits for some logs, before a request to them that cannot be queued:
// that request may neither overtake what was acknowledged nor be decided without it. The
// error is a [WaitsError] if something waits still. Nothing is opened, nor locked, if
// nothing waits.
func (b *Box) Settle(ctx context.Context, s Sender, logs ...string) error {
	only := make([]string, len(logs))
	for i, log := range logs {
		only[i] = logDigest(log)
	}
	d := b.drain(s, only)
	if _, waits, err := d.next(); err != nil || !waits {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, b.patience)
	defer cancel()
	unlock, err := lockfile.Lock(limited, b.root, filepath.Join(b.dir, "drain.lock"))
	if err == nil {
		err = b.Ask(func() error { return errors.Join(d.run(ctx), unlock()) })
	} else if ctx.Err() == nil { // another process sends, and the store is slow
		err = fmt.Errorf("%w: another process is sending what waits: %w", engine.ErrUnavailable, err)
	}
	if d.stuck = nil; err == nil && !d.more() {
		return nil
	}
	return &WaitsError{logs, err}
}

// WaitsError refuses a request to logs for which earlier requests wait, that could not be
// sent now.
type WaitsError struct {
	Logs []string
	Why  error
}

func (e *WaitsError) Error() string {
	text := "earlier requests for " + strings.Join(e.Logs, ", ") + " wait in the outbox (`handoff store drain` sends them, `handoff store drain --dry-run` lists them)"
	if e.Why != nil {
		text = e.Why.Error() + ": " + text
	}
	return text
}

// Unwrap is why they wait: [Away] is true if they may be sent later.
func (e *WaitsError) Unwrap() error { return e.Why }

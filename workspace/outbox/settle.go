package outbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/lockfile"
	"handoff/log/engine"
	"handoff/log/receipt"
)

// Settle sends what waits for some logs, before a request to them that cannot be queued:
// that request may neither overtake what was acknowledged nor be decided without it. The
// error is a [WaitsError] if something waits still. Nothing is opened, nor locked, if
// nothing waits.
func (b *Box) Settle(ctx context.Context, s Sender, logs ...string) error {
	if ctx.Value(sending{}) != nil {
		return nil // it is one of those that wait
	}
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

// sending is the key of [Sending].
type sending struct{}

// Sending returns the context in which a request that waited is sent. [Box.Settle] does
// nothing there.
func Sending(ctx context.Context) context.Context { return context.WithValue(ctx, sending{}, true) }

// Final marks errors that the same request will have again, such as that of a thread
// which was never created, as a refusal.
func Final(err error) error {
	for _, kind := range []error{fs.ErrNotExist, fs.ErrExist, handoff.ErrInvalid} {
		if errors.Is(err, kind) && !Away(err) {
			return fmt.Errorf("%w: %w", receipt.ErrRefused, err)
		}
	}
	return err
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

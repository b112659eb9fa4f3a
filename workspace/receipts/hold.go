package receipts

import (
	"context"
	"errors"
	"time"

	"handoff/log/receipt"
)

// Hold renews the lease of the target's claim until stop is called, which returns when nothing more
// is recorded. The returned context ends when another claim has replaced this one, or it was
// released: then its cause is a [receipt.StaleError], and what works with the claim must stop.
func (b *Book) Hold(ctx context.Context, t Target, ttl time.Duration) (holding context.Context, stop func()) {
	holding, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-holding.Done():
				return
			case <-tick.C:
			}
			_, err := b.Renew(holding, t, ttl)
			if _, stale := errors.AsType[*receipt.StaleError](err); stale && holding.Err() == nil {
				cancel(err)
			}
		}
	}()
	return holding, func() { cancel(nil); <-done }
}

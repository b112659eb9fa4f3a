package workspace

import (
	"context"
	"sync"

	"handoff/receipt"
)

// lives opens the receipts of a workspace at first use.
type lives struct {
	once  sync.Once
	store *receipt.Store
	err   error
}

// Receipts returns the store of the receipts of the workspace's handoffs. It returns an
// error if the repository has no safe place for them: see [receipt.Locate].
func (w *Workspace) Receipts() (*receipt.Store, error) {
	w.lives.once.Do(func() {
		place, err := receipt.Locate(w.Root)
		w.lives.store, w.lives.err = receipt.Open(place), err
		if err == nil {
			w.lives.store.Upstream, w.lives.err = w.upstreamOfReceipts(context.Background(), place)
		}
		w.lives.store.Healed = func(aside string) {
			if w.Options.Say != nil {
				w.Options.Say(aside + ": a torn last line of a receipt was moved here")
			}
		}
	})
	return w.lives.store, w.lives.err
}

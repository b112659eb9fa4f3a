package workspace

import (
	"sync"
	"time"

	"handoff/internal/journal"
	"handoff/receipt"
	"handoff/reconcile"
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
		w.lives.store.Healed = func(torn journal.Torn) {
			if w.Options.Say != nil {
				w.Options.Say(torn.Aside + ": a torn last line of a receipt was moved here")
			}
		}
	})
	return w.lives.store, w.lives.err
}

// livesOf reads the histories of some number of documents. They are empty if
// there is no safe place for receipts, because nothing can have been recorded.
func (w *Workspace) livesOf(documents int) func(path string) (receipt.Life, error) {
	store, err := w.Receipts()
	if err != nil {
		return func(string) (l receipt.Life, _ error) { return l, nil }
	}
	lives := store.Lives(documents)
	return func(path string) (receipt.Life, error) { return lives.Life(store.Place().Path(path)) }
}

// receiptOf returns the part of a document's history that package reconcile needs.
func (w *Workspace) receiptOf(path string) (reconcile.Receipt, error) {
	l, err := w.livesOf(1)(path)
	return receiptOf(&l, w.Now()), err
}

func receiptOf(l *receipt.Life, now time.Time) reconcile.Receipt {
	switch state := l.State(now); state {
	case receipt.Claimed, receipt.Done, receipt.Superseded:
		return reconcile.Receipt{Taken: true, Since: l.Since(now)}
	case receipt.Released, receipt.Expired:
		return reconcile.Receipt{Again: true, Since: l.Since(now)}
	}
	return reconcile.Receipt{}
}

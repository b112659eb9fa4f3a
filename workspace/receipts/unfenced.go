package receipts

import (
	"context"
	"errors"

	"handoff/log/receipt"
)

// MayWriteNew is [Book.MayWrite] for a new document: what an agent knows must not be lost because
// the store does not answer. With unfenced it may be written then, and unchecked is the reason,
// with which it must be marked. Nothing else has this way out: what `sync`, `convert` and `draft`
// write can be written again from what is stored already.
func (b *Book) MayWriteNew(ctx context.Context, who Caller, task *int, unfenced bool) (unchecked, err error) {
	err = b.MayWrite(ctx, who, task)
	if unfenced && errors.As(err, new(*receipt.UnsureError)) {
		return err, nil
	}
	return nil, err
}

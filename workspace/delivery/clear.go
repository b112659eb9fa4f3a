package delivery

import (
	"context"
	"time"

	"handoff/workspace/notes"
	"handoff/workspace/receipts"
)

// Clear reserves a handoff for the session that wrote it, so that its host can clear the
// context: [Desk.Resume] shows it then. It is the newest waiting handoff that was written
// since the session began and that saved accepts. used is how many tokens the context has.
// ok is false if there is none, or if `handoff` started the agent and delivers its
// handoffs.
//
// The reservation is on the disk before Clear returns. If the session ends before it is
// shown the handoff, [Desk.Leave] undoes it.
func (d *Desk) Clear(ctx context.Context, used int, saved func(path string) bool) (path string, ok bool, err error) {
	if d.Claim != "" || d.Spawned || d.Session.ID == "" {
		return "", false, nil
	}
	past, err := d.Past()
	if err != nil || past.Started.IsZero() {
		return "", false, err
	}
	began := past.Started.Truncate(time.Second) // the names of documents have no parts of one
	item, ok, err := d.book.Reserve(ctx, d.Session, func(i receipts.Item) bool {
		return i.Since != nil && i.Since.Zoned && !i.Since.Time.Before(began) && saved(i.Path)
	})
	if err != nil || !ok {
		return "", false, err
	}
	ok, err = d.change(ctx, func(p *notes.Past) bool {
		at := d.ws.Now().UTC().Add(time.Millisecond) // later than the step of the receipt
		p.Compacting, p.Cleared, p.Full = at, at, used
		p.Lost, p.Asked = 0, 0 // a new context
		return true
	})
	return item.Path, ok, err
}

// awaits reports whether the host was told to clear the context, and the session has not
// been shown its handoff since.
func awaits(p notes.Past) bool { return p.Cleared.After(p.Resumed) }

// Emptied reports whether the session was compacted since the last call, or cleared.
// compactions is how often it was compacted by its transcript, used how many tokens that shows.
func (d *Desk) Emptied(ctx context.Context, compactions, used int) (bool, error) {
	if d.Session.ID == "" {
		return false, nil
	}
	return d.change(ctx, func(p *notes.Past) bool {
		cleared, more := awaits(*p), compactions > p.Lost
		if p.Lost = max(p.Lost, compactions); cleared && used > p.Full/2 {
			p.Lost = compactions + 1 // the file continues, so that the clearing will look like a compaction
		}
		if more && !cleared { // else Clear has set it
			p.Compacting = d.ws.Now().UTC().Add(time.Millisecond)
		}
		return cleared || more
	})
}

// kept records that an ending session need not be shown its handoff.
func (d *Desk) kept(ctx context.Context) error {
	_, err := d.change(ctx, func(p *notes.Past) bool {
		waits := awaits(*p)
		p.Cleared = time.Time{}
		return waits
	})
	return err
}

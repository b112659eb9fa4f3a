package receipts

import (
	"context"
	"errors"
	"slices"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/current"
	"handoff/workspace/outbox"
	"handoff/workspace/states"
)

// DeliverNext records that the best waiting handoff is about to be shown to a
// session, and returns it. ok is false if there is none, or if the session has an
// unfinished one. Then item is one that waits until it can be delivered, else
// one outside of task folders that may not be the newest: a person must decide. If
// several sessions ask at once, each handoff goes to one of them.
func (b *Book) DeliverNext(ctx context.Context, s receipt.Session) (item Item, ok bool, err error) {
	q, unread := b.Next(ctx, nil)
	item, ok, err = b.DeliverOf(ctx, q, s)
	if !ok || err != nil {
		err = errors.Join(err, unread)
	}
	return item, ok, err
}

// DeliverOf is [Book.DeliverNext] for a caller that has looked just now.
func (b *Book) DeliverOf(ctx context.Context, q Queue, s receipt.Session) (item Item, ok bool, err error) {
	if has := func(i Item) bool { return i.belongsTo(s) }; slices.ContainsFunc(q.Waiting, has) || slices.ContainsFunc(q.Held, has) {
		return item, false, nil
	}
	var refused Item
	for _, item := range q.Waiting {
		if item.Refused != nil && refused.Refused == nil || item.Unclear() && item.entry.Name.Layout != "" && refused.Path == "" {
			refused = item
		}
		if !item.Offered() || item.life.DeliveredTo(s) != nil { // it gave that one back
			continue
		}
		if waits := b.waits(b.store.Place().Path(item.Path)); len(waits) > 0 {
			if slices.ContainsFunc(waits, func(r outbox.Request) bool { return r.Session == s && s.ID != "" }) {
				return Item{}, false, nil // it was shown to this session while the store was away
			}
			continue
		}
		err := b.deliver(ctx, item, outbox.Request{Step: outbox.DeliverOnce, Session: s})
		if now, is := errors.AsType[*receipt.DeliveredError](err); is && now.Step.Host == s.Host && now.Step.Session == s.ID && s.ID != "" {
			return Item{}, false, nil // another process got it for the same session
		}
		if errors.Is(err, receipt.ErrRefused) {
			continue
		}
		return item, err == nil, err
	}
	return refused, false, nil
}

// DeliverAgain records that a session that lost its context is about to be shown its work
// again: the unfinished handoffs that were delivered to it or claimed in it, and that of
// its claim; claim is "" for none. It returns those that the session was not shown since
// the loss.
func (b *Book) DeliverAgain(ctx context.Context, s receipt.Session, claim string, lost time.Time) (items []Item, err error) {
	q, unread := b.Next(ctx, nil)
	for _, item := range slices.Concat(q.Waiting, q.Held) {
		mine := ""
		if claim != "" && item.life.Claim.ID == claim || item.life.ClaimedIn(s) {
			mine = item.life.Claim.ID
		}
		if mine == "" && !item.belongsTo(s) {
			continue
		}
		err := b.deliver(ctx, item, outbox.Request{Step: outbox.DeliverAgain, Session: s, Claim: mine, Lost: lost})
		if errors.Is(err, receipt.ErrRefused) {
			continue
		}
		if err != nil {
			return items, err
		}
		items = append(items, item)
	}
	return items, unread
}

// Of returns the handoffs that were delivered to a session or claimed in it, and are
// neither finished nor given back. A handoff that was claimed elsewhere no longer
// belongs to the session.
func (b *Book) Of(ctx context.Context, s receipt.Session) (items []Item, err error) {
	q, err := b.Next(ctx, nil)
	return q.Of(s), err
}

// Of is [Book.Of] for a caller that has looked just now.
func (q Queue) Of(s receipt.Session) (items []Item) {
	for _, list := range [][]Item{q.Waiting, q.Held} {
		for _, i := range list {
			if i.belongsTo(s) && (i.step != receipt.Claimed || i.life.ClaimedIn(s)) {
				items = append(items, i)
			}
		}
	}
	return items
}

// ReleaseOf releases what was claimed in a session that ends.
func (b *Book) ReleaseOf(ctx context.Context, s receipt.Session, why string) error {
	q, err := b.Next(ctx, nil)
	for _, item := range q.Held {
		if item.step == receipt.Claimed && item.life.ClaimedIn(s) {
			r, bad := b.Release(ctx, Target{Dir: b.ws.Root, Ref: item.Path, Claim: item.life.Claim.ID, Who: current.Caller{Sessions: []receipt.Session{s}}}, Reason(why))
			err = errors.Join(err, bad, r.Unlinked)
		}
	}
	return err
}

// Reserve records that the newest waiting handoff that keep accepts is about to be shown to
// a session. ok is false if there is none.
func (b *Book) Reserve(ctx context.Context, s receipt.Session, keep func(Item) bool) (item Item, ok bool, err error) {
	q, err := b.Next(ctx, nil)
	if err != nil {
		return item, false, err
	}
	for _, item := range q.Waiting {
		if item.step != receipt.Waiting || item.Unclear() || !keep(item) {
			continue
		}
		if len(b.waits(b.store.Place().Path(item.Path))) > 0 {
			continue
		}
		err := b.deliver(ctx, item, outbox.Request{Step: outbox.DeliverOnce, Session: s})
		if errors.Is(err, receipt.ErrRefused) {
			return item, false, nil // another session got it just now
		}
		return item, err == nil, err
	}
	return item, false, nil
}

// GiveBack returns handoffs to waiting that were shown to a session but not taken up by
// it.
func (b *Book) GiveBack(ctx context.Context, s receipt.Session, why string) error {
	q, err := b.Next(ctx, nil)
	for _, item := range slices.Concat(q.Waiting, q.Held) {
		if item.step != receipt.Delivered && item.step != receipt.Acknowledged || !item.belongsTo(s) {
			continue
		}
		bad := b.deliver(ctx, item, outbox.Request{Step: outbox.GiveBack, Session: s, Why: Reason(why)})
		if !errors.Is(bad, receipt.ErrRefused) {
			err = errors.Join(err, bad)
		}
	}
	return err
}

// Lapsed is a handoff that was shown to somebody who has not taken it up and no longer
// runs, as far as is known.
type Lapsed struct {
	Item
	states.Lease
}

// Lapsed returns the handoffs of a queue that can be offered again once [Book.Lapse] recorded that.
func (b *Book) Lapsed(q Queue) (list []Lapsed) {
	judge := states.At(b.ws)
	for i := range q.Waiting {
		item := &q.Waiting[i]
		if lease, shown := judge.Lease(&item.life); shown && !lease.Live && !item.Unclear() {
			list = append(list, Lapsed{*item, lease})
		}
	}
	return list
}

// Lapse records that a handoff waits again. If somebody was shown it or took it up meanwhile,
// it does nothing.
func (b *Book) Lapse(ctx context.Context, l Lapsed) error {
	err := b.deliver(ctx, l.Item, outbox.Request{Step: outbox.GiveBack, Lost: l.Last.At, Why: Reason(l.Ended)})
	if errors.Is(err, receipt.ErrRefused) {
		return nil
	}
	return err
}

// Moved returns the handoffs that a session was shown, and another one after it: since then
// that one has them.
func (b *Book) Moved(ctx context.Context, s receipt.Session) (items []Item, err error) {
	q, err := b.Next(ctx, nil)
	for _, item := range slices.Concat(q.Waiting, q.Held) {
		if item.life.DeliveredTo(s) == nil && !item.life.ClaimedIn(s) && item.life.WasShown(s) {
			items = append(items, item)
		}
	}
	return items, err
}

// Keep records that a session which was shown a handoff runs again, so that it has that
// handoff as before. It does nothing for handoffs that somebody was shown or took up since, nor
// for one whose claim was released.
func (b *Book) Keep(ctx context.Context, s receipt.Session) error {
	q, err := b.Next(ctx, nil)
	for _, item := range q.Waiting {
		if last := item.life.Last(); item.Offered() && item.life.DeliveredTo(s) != nil && (last.Kind != receipt.StepReleased || last.Claim == "") {
			bad := b.deliver(ctx, item, outbox.Request{Step: outbox.DeliverOnce, Session: s})
			if !errors.Is(bad, receipt.ErrRefused) {
				err = errors.Join(err, bad)
			}
		}
	}
	return err
}

// belongsTo reports whether a handoff was claimed in a session, or last delivered
// to it, and not released. A claim may have any name.
func (i Item) belongsTo(s receipt.Session) bool {
	return i.step != receipt.Released && (i.life.DeliveredTo(s) != nil || i.life.ClaimedIn(s))
}

// deliver records a step on an item.
func (b *Book) deliver(ctx context.Context, item Item, r outbox.Request) error {
	f, err := b.find(ctx, Target{Dir: b.ws.Root, Ref: item.Path})
	if err == nil {
		_, err = b.step(ctx, f, r)
	}
	return err
}

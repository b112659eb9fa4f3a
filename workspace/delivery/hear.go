package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/workspace/notes"
	"handoff/workspace/receipts"
)

// Heard is what each hook reports about its session.
type Heard struct {
	Transcript string // absolute path, "" for none
	Over       bool   // the session ends
	Worked     bool   // it changed a file, or committed
}

// Hear records a sign of life: a session that was shown a handoff has it as long as there
// are some. One that was over or quiet, and runs again, has its handoff as before if that is
// still in its context and nobody else was shown it meanwhile.
func (d *Desk) Hear(ctx context.Context, h Heard) error {
	if d.Session.ID == "" {
		return nil
	}
	past, err := d.Past()
	if err != nil {
		return err
	}
	now := d.ws.Now().UTC()
	// The transcript grows just before the hook that reports it, so only hooks count.
	heard := past.Heard
	if past.Started.After(heard) {
		heard = past.Started
	}
	woke := !heard.IsZero() && (!past.Over.IsZero() || now.Sub(heard) >= notes.Quiet)
	changed, err := d.change(ctx, func(p *notes.Past) bool {
		if woke = woke && !h.Over; !woke && !h.Over && p.Over.IsZero() && now.Sub(p.Heard) < often && (!h.Worked || now.Sub(p.Worked) < often) {
			return false
		}
		p.Heard, p.Over = now, time.Time{}
		if h.Over {
			p.Over = now
		}
		if h.Worked {
			p.Worked = now
		}
		if p.Woke = p.Woke || woke; h.Transcript != "" {
			p.Transcript = h.Transcript
		}
		return true
	})
	if woke && changed && !d.has() && !past.Compacting.After(past.Resumed) {
		err = errors.Join(err, d.book.Keep(ctx, d.Session))
	}
	return err
}

// has reports whether the session's work does not come from hooks.
func (d *Desk) has() bool { return d.Claim != "" || d.Spawned }

// Woken is the text for a session that runs again after it was over or quiet: which of its
// handoffs other sessions were shown meanwhile. It is returned once.
func (d *Desk) Woken(ctx context.Context) (string, error) {
	if d.Session.ID == "" || d.has() {
		return "", nil
	}
	if past, err := d.Past(); err != nil || !past.Woke {
		return "", err
	}
	items, err := d.book.Moved(ctx, d.Session)
	if err != nil {
		return "", err // the next hook tries again
	}
	first, err := d.change(ctx, func(p *notes.Past) bool {
		first := p.Woke
		p.Woke = false
		return first
	})
	if err != nil || !first {
		return "", err
	}
	var text strings.Builder
	for _, i := range items {
		line := fmt.Sprintf("The report %s, which this session was shown, was shown to another session since, because nothing was heard of this one. "+
			"Ask the user before you continue it.\n", d.called(i.Path))
		if text.Len()+len(line) < d.Max/10 {
			text.WriteString(line)
		}
	}
	return text.String(), nil
}

// maxLapsed is the most handoffs that one hook has wait again: each may read a transcript,
// write a draft and ask the store, and a host waits.
const maxLapsed = 4

// lapse has the handoffs wait again that were shown to sessions which no longer run, and
// did not take them up. Of one that worked on its handoff a draft is written, as at its end. any is true if
// there were some: then the queue may be another.
func (d *Desk) lapse(ctx context.Context, q receipts.Queue) (any bool, err error) {
	done := 0
	for _, l := range d.book.Lapsed(q) {
		if done == maxLapsed || ctx.Err() != nil {
			break // the next session continues
		}
		if l.To == d.Session && l.To.ID != "" || l.Worked && l.Past.Drafted {
			continue
		}
		done++
		err = errors.Join(err, d.lapsed(ctx, l))
	}
	return done > 0, err
}

func (d *Desk) lapsed(ctx context.Context, l receipts.Lapsed) error {
	back := true
	var err error
	if l.To.ID != "" {
		gone, e := *d, Ending{}
		if gone.Session, gone.known = l.To, nil; d.Ending != nil && l.Past.Transcript != "" {
			e = d.Ending(l.To.Host, l.Past.Transcript)
		}
		e.Why, e.Over = l.Ended, true
		back, err = gone.settle(ctx, e, l.Past, l.Item)
	}
	if back {
		err = errors.Join(err, d.book.Lapse(ctx, l))
	}
	return err
}

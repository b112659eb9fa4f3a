package delivery

import (
	"context"
	"errors"
	"io/fs"

	"handoff/workspace/notes"
	"handoff/workspace/receipts"
)

// Ending describes a session that ends, or whose turn failed.
type Ending struct {
	Why  string
	Over bool // it ends; after a failure it may continue
	// Draft reads the transcript of the session, which got a handoff and left none. It returns
	// what writes a draft, nil if the session did nothing that one could report. It is called
	// only if the session has a handoff; nil if no transcript can be read.
	Draft func(got, why string) (write func(context.Context) error, err error)
}

// Leave saves what it can of a session that continued a handoff and wrote no other one: a
// draft from its transcript, once, if that shows that it wrote files. At the end of a
// session it also releases the handoffs claimed in it, and has those wait again that were
// delivered to it and that it did not work on, or not since it lost its context. For an
// agent that `handoff` started, `handoff` does all of that.
func (d *Desk) Leave(ctx context.Context, e Ending) error {
	if d.has() || d.Session.ID == "" {
		return nil
	}
	past, err := d.Past()
	if err != nil {
		return err
	}
	items, err := d.book.Of(ctx, d.Session)
	if len(items) > 0 {
		back, bad := d.settle(ctx, e, past, items[0])
		if err = errors.Join(err, bad); back {
			err = errors.Join(err, d.book.GiveBack(ctx, d.Session, e.Why), d.kept(ctx))
		}
	}
	if e.Over {
		err = errors.Join(err, d.book.ReleaseOf(ctx, d.Session, e.Why))
	}
	return err
}

// settle decides what becomes of the handoff that a session got: a draft if it wrote files, and
// back is true if it must wait again.
func (d *Desk) settle(ctx context.Context, e Ending, past notes.Past, got receipts.Item) (back bool, err error) {
	lost := awaits(past)
	back = e.Over && (lost || !past.Worked.After(got.Shown(d.ws.Now())))
	if e.Draft == nil {
		return back, nil
	}
	write, err := e.Draft(got.Path, e.Why)
	if errors.Is(err, fs.ErrNotExist) {
		return back, nil // what the hooks saw decides
	}
	if err != nil {
		return back, err
	}
	if lost && e.Over || write == nil {
		return back, nil
	}
	if past.Drafted {
		return false, nil
	}
	return false, d.draft(ctx, write)
}

func (d *Desk) draft(ctx context.Context, write func(context.Context) error) error {
	first, err := d.change(ctx, func(p *notes.Past) bool {
		first := !p.Drafted
		p.Drafted, p.Worked = true, d.ws.Now().UTC()
		return first
	})
	if err != nil || !first {
		return err
	}
	return write(ctx)
}

// Task is the task that the session works on, as far as its receipts show; 0 if they do not.
func (d *Desk) Task(ctx context.Context) int {
	items, err := d.book.Of(ctx, d.Session)
	if err != nil || len(items) == 0 {
		return 0
	}
	return d.ws.NameOf(items[0].Path).Task
}

package delivery

import (
	"context"
	"errors"

	"handoff/workspace/notes"
	"handoff/workspace/relay/draft"
)

// Ending is what is known of a session that ends, or whose turn failed.
type Ending struct {
	Why    string
	Over   bool   // it ends; after a failure it may continue
	Format string // of its transcript: see package transcript
	// Transcript returns the end of the transcript. It is called only if a draft may
	// be written.
	Transcript func() (string, error)
}

// Leave saves what it can of a session that continued a handoff and wrote no other one: a
// draft from its transcript, once, if that shows that it wrote files. A session that ends
// also gives back what was claimed in it. For an agent that `handoff` started,
// `handoff` does both.
func (d *Desk) Leave(ctx context.Context, e Ending) error {
	if d.Claim != "" || d.Spawned || d.Session.ID == "" {
		return nil
	}
	err := d.draft(ctx, e)
	if e.Over {
		err = errors.Join(err, d.book.ReleaseOf(ctx, d.Session, e.Why))
	}
	return err
}

func (d *Desk) draft(ctx context.Context, e Ending) error {
	past, err := d.notes.Past(d.Session.Host, d.Session.ID)
	if err != nil || past.Drafted || e.Format == "" {
		return err
	}
	items, err := d.book.Of(ctx, d.Session)
	if len(items) == 0 {
		return err
	}
	text, err := e.Transcript()
	if err != nil {
		return err
	}
	s := draft.Session{Agent: d.Session.Host, Handoff: items[0].Path, Format: e.Format, Transcript: text, Why: e.Why}
	if !s.Worked(d.ws) {
		return nil
	}
	first, err := d.change(ctx, func(p *notes.Past) bool {
		first := !p.Drafted
		p.Drafted = true
		return first
	})
	if err != nil || !first {
		return err
	}
	_, err = s.Write(ctx, d.ws)
	return err
}

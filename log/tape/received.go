package tape

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/internal/state/names"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

func (s *Store) receptions() lineage.Receptions {
	path := filepath.Join(s.folder, names.Envelopes)
	return lineage.Receptions{Path: path, Pool: &s.pool, Options: s.journalOptions(path)}
}

// note writes that this tape has the envelope, once, and reports whether that was known.
// The error is [ErrReceived] if another tape has it: in a store this decides.
func (t *Tape) note(ctx context.Context, digest string) (known bool, err error) {
	by, err := t.store.receptions().Note(ctx, lineage.Reception{SHA256: digest, Tape: t.name, Date: t.store.now()})
	return t.received(by, err)
}

// receivedFirst reports whether this tape has, or had, the envelope. The error is
// [ErrReceived] if another one has it.
func (t *Tape) receivedFirst(ctx context.Context, digest string) (known bool, err error) {
	f := t.store.receptions()
	if f.Options.Upstream != nil {
		return t.note(ctx, digest)
	}
	return t.received(f.By(ctx, digest))
}

func (t *Tape) received(by string, err error) (known bool, _ error) {
	if err == nil && by != "" && by != t.name {
		err = fmt.Errorf("tape %s: %w", by, ErrReceived)
	}
	return by == t.name, err
}

// receivedInArchive is the anchor of an envelope that this tape received before it was
// reset or deleted; ok is false if no archive has it, as when a process was killed before
// it wrote the tape, or the entries were destroyed.
func (t *Tape) receivedInArchive(digest string) (anchor Entry, ok bool, err error) {
	for snap, err := range t.store.snapshots(t.archives()) {
		if err != nil {
			return anchor, false, err
		}
		v := &view.View{Segments: []view.Segment{view.File(snap, snap.Len())}}
		if anchor, ok, err = v.Received(digest); err != nil || ok {
			return anchor, ok, err
		}
	}
	return anchor, false, nil
}

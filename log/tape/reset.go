package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// ResetRequest asks to archive a tape and start a new one.
type ResetRequest struct {
	// NoArchive destroys the tape's entries.
	NoArchive bool
	// Key, if not "", is the idempotency key: repeating the request has no
	// further effect while what the tape started with is on it or archived.
	Key string
}

// mode is how the request is recorded on the tape: see [entry.Request].
func (r ResetRequest) mode() string {
	if r.NoArchive {
		return "destroy"
	}
	return "archive"
}

// Reset archives the tape and starts a new one, with a first anchor that names
// the archive. It returns the archive, below the store's folder. Ids start at 1
// again. A fork remains a fork, without entries of its own. A tape that does not
// exist is fs.ErrNotExist, and is not created.
func (t *Tape) Reset(ctx context.Context, r ResetRequest) (archived string, err error) {
	if err := errors.Join(t.inStore("reset"), entry.CheckKey(r.Key), t.earlier(ctx)); err != nil {
		return "", err
	}
	sealing := t.sealing()
	if sealing && r.NoArchive {
		if err := t.mayDestroy(); err != nil {
			return "", err
		}
	}
	switch exists, failed := t.Exists(); {
	case failed != nil:
		return "", failed
	case !exists:
		err = cmp.Or(t.resetBefore(r), t.store.mayBegin(t.name), t.missing())
	case sealing && !r.NoArchive:
		archived, err = t.resetSealed(ctx, r)
	default:
		archived, err = t.replace(ctx, change{keep: func() (bool, error) { return !r.NoArchive, nil }, content: func(archived string) ([]byte, error) {
			data, err := t.beginning(ctx, archived, r)
			if err == nil && r.NoArchive {
				err = t.linkedBy()
			}
			return data, err
		}})
	}
	if done := (*resetDone)(nil); errors.As(err, &done) {
		return done.archived, nil
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

// start is the entries that a tape starts with after a reset.
func (r ResetRequest) start(archived string) ([]Entry, error) {
	state := []jsontext.Member{entry.TextMember("owner", "human")}
	if archived != "" {
		state = append(state, entry.TextMember("archived", archived))
	}
	first, err := entry.Start(state...)
	if err == nil && r.Key != "" {
		first, err = entry.WithRequest(first, entry.Request{Key: r.Key, Entries: len(first), Reset: r.mode()})
	}
	return first, err
}

// beginning is the content of the tape's file after a reset. The error is a
// [resetDone] if the request was carried out before.
func (t *Tape) beginning(ctx context.Context, archived string, r ResetRequest) (data []byte, err error) {
	j, release, err := t.store.journal(ctx, t.atIn(ctx))
	if err != nil {
		return nil, err
	}
	defer release()
	if err := t.resetBefore(r); err != nil {
		return nil, err
	}
	f, isFork, err := lineage.EventOf(j)
	if err != nil {
		return nil, err
	}
	entries, err := r.beginning(f, isFork, archived)
	if err != nil {
		return nil, err
	}
	lines, _, err := t.lines(view.Format.First, entries)
	for _, line := range lines {
		data = append(append(data, line...), '\n')
	}
	return data, err
}

// beginning is the entries of the tape's file after a reset. A fork remains one.
func (r ResetRequest) beginning(f lineage.Event, isFork bool, archived string) (entries []Entry, err error) {
	if isFork {
		f.Links, f.Entries = nil, 0
		event, err := entry.NewEvent(entry.EventFork, f)
		if err != nil {
			return nil, err
		}
		entries = append(entries, event)
	}
	start, err := r.start(archived)
	return append(entries, start...), err
}

// resetDone: the request was carried out before, and archived the tape there.
type resetDone struct{ archived string }

func (*resetDone) Error() string { return "the tape was already reset by this request" }

// resetBefore is a [resetDone] if the tape or one of its archives starts with
// what the same request has written, nil if none does, and else [ErrKeyUsed].
func (t *Tape) resetBefore(r ResetRequest) error {
	if r.Key == "" {
		return nil
	}
	for snap, err := range t.store.snapshots(t.store.filesOf(t.name)) {
		if err != nil {
			return err
		}
		positions, err := snap.Find(view.RequestKey(r.Key))
		if err != nil {
			return err
		}
		for _, pos := range positions {
			entries, err := view.EntriesAt(snap, pos)
			if err != nil {
				return err
			}
			for i := range entries {
				switch request, _ := entries[i].Request(); {
				case request.Key != r.Key:
				case request.Reset != r.mode():
					return fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
				default:
					archived, _ := entry.Text(entries[i].State(), "archived")
					return &resetDone{archived}
				}
			}
		}
	}
	return nil
}

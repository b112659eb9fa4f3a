package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/internal/file/lockfile"
	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// ErrNotOwner: the tape was handed over to somebody else. It is fs.ErrExist.
var ErrNotOwner = fmt.Errorf("the sender is not its owner: %w", fs.ErrExist)

// ErrReceived: the envelope was taken over by another tape. It is fs.ErrExist.
var ErrReceived = fmt.Errorf("the envelope was already received: %w", fs.ErrExist)

// owner is who goes on with the tape: to whom it was handed over last, or who
// has taken something over by it; "" if neither was ever done. What a fork has
// copied of its parent is not about the fork.
func (v *view) owner() (string, error) {
	f, ok, err := v.last(listOwners, func(e *Entry) bool {
		own := e.Source == "" && jsontext.Get(e.Meta, "origin") == ""
		return own && e.Kind == KindEvent && (e.Name() == eventSent || e.Name() == eventReceived) && ownerIn(e) != ""
	})
	if err != nil || !ok {
		return "", err
	}
	return ownerIn(&f.Entry), nil
}

func ownerIn(e *Entry) string {
	owner, _ := memberText(e.Data(), "owner")
	return owner
}

// mayHandOver is [ErrNotOwner] where the tape is somebody else's. To hand it
// over to its owner again takes nothing from anybody.
func (t *Tape) mayHandOver(j *journal.Journal, e Envelope) error {
	return t.viewed(j, func(v *view) error {
		owner, err := v.owner()
		if err == nil && owner != "" && owner != e.From && owner != e.To {
			err = fmt.Errorf("tape %s was handed over to %s, not to %s: %w", t.name, clip(owner), clip(e.From), ErrNotOwner)
		}
		return err
	})
}

// takenOver is [ErrReceived] where another tape of the store has taken the
// envelope over. The caller holds [Store.receiving].
func (t *Tape) takenOver(digest string) error {
	names, err := t.store.List()
	for _, name := range names {
		if err != nil {
			break
		}
		if name != t.name {
			err = t.store.hasReceived(name, digest)
		}
	}
	return err
}

func (s *Store) hasReceived(name, digest string) error {
	other, err := s.Tape(name)
	if err != nil {
		return err
	}
	j, release, err := s.snapshot(other.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	positions, err := j.Find(receiveKey(digest))
	for _, pos := range positions {
		if err != nil {
			break
		}
		var entries []Entry
		entries, err = entriesAt(j, pos)
		for i := range entries {
			if e := &entries[i]; e.Kind == KindEvent && e.Name() == eventReceived && jsontext.Get(e.Meta, "origin") == "" {
				return fmt.Errorf("tape %s: %w", name, ErrReceived)
			}
		}
	}
	return err
}

// receiving lets one process at a time take envelopes over.
func (s *Store) receiving(ctx context.Context) (unlock func() error, err error) {
	return lockfile.Lock(ctx, s.root(), filepath.Join(s.folder, tapeFolder, "receive.lock"))
}

package tape

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"

	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// Create creates a tape with its first anchor, or bare, without an entry.
// created is false if it exists.
func (t *Tape) Create(ctx context.Context, bare bool) (created bool, err error) {
	if err := errors.Join(t.inStore("created: append to it"), t.earlier(ctx), t.store.mayBegin(t.name)); err != nil {
		return false, err
	}
	first, err := t.first(bare)
	if err != nil {
		return false, err
	}
	_, err = t.create(ctx, first)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return err == nil, err
}

// first is what a new tape begins with. A store has no log without a record, so a bare
// tape begins with an event there.
func (t *Tape) first(bare bool) ([]Entry, error) {
	switch {
	case !bare:
		return entry.Start()
	case t.store.upstream(t.path) == nil:
		return nil, nil
	}
	event, err := entry.NewEvent(entry.EventCreated, struct{}{})
	return []Entry{event}, err
}

// DeleteRequest asks to remove a tape.
type DeleteRequest struct {
	NoArchive bool // destroy its entries
}

// Delete archives a tape and removes it, and returns the archive, below the
// store's folder, "" if the tape had no entries. The next append creates it
// again. A fork cannot be deleted: [Tape.Merge] and [Tape.Discard] end it, and
// record that on its parent.
func (t *Tape) Delete(ctx context.Context, r DeleteRequest) (archived string, err error) {
	if err := errors.Join(t.inStore("deleted"), t.earlier(ctx)); err != nil {
		return "", err
	}
	if exists, err := t.Exists(); err != nil || !exists {
		return "", cmp.Or(err, t.missing())
	}
	switch sealing := t.sealing(); {
	case sealing && !r.NoArchive:
		archived, err = t.deleteSealed(ctx)
	case sealing:
		archived, err = t.destroy(ctx, change{keep: t.deletable(ctx, r), content: func(string) ([]byte, error) { return t.sealLine(lineage.SealedDelete) }})
	default:
		archived, err = t.replace(ctx, change{keep: t.deletable(ctx, r)})
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

// destroy is replace for a change that archives nothing.
func (t *Tape) destroy(ctx context.Context, c change) (string, error) {
	if err := t.mayDestroy(); err != nil {
		return "", err
	}
	return t.replace(ctx, c)
}

// deletable returns an error if the tape must not be deleted, and whether it is archived.
func (t *Tape) deletable(ctx context.Context, r DeleteRequest) func() (bool, error) {
	return func() (bool, error) {
		j, release, err := t.openExisting(ctx)
		if err != nil {
			return false, err
		}
		defer release()
		if err := t.notAFork(j); err != nil {
			return false, err
		}
		st, err := os.Lstat(t.at())
		if err != nil || !r.NoArchive && st.Size() > 0 {
			return true, err
		}
		return false, t.linkedBy()
	}
}

// notAFork is an error for a fork, which cannot be deleted.
func (t *Tape) notAFork(r view.Records) error {
	if _, isFork, err := lineage.EventOf(r); err != nil || isFork {
		return cmp.Or(err, entry.Invalid("tape %s is a fork: merge or discard it", t.name))
	}
	return nil
}

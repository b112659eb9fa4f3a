package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"handoff/tape/entry"
)

// Create creates a tape with its first anchor, or bare, without an entry.
// created is false if it exists.
func (t *Tape) Create(bare bool) (created bool, err error) {
	if err := t.inStore("created: append to it"); err != nil {
		return false, err
	}
	if bare && t.store.upstream(t.path) != nil {
		return false, fmt.Errorf("tape %s cannot be created without an entry: %w", t.name, ErrCopy)
	}
	if err := t.store.mayBegin(t.name); err != nil {
		return false, err
	}
	var first []Entry
	if !bare {
		if first, err = entry.Start(); err != nil {
			return false, err
		}
	}
	_, err = t.create(first)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return err == nil, err
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
	if err := errors.Join(t.inStore("deleted"), t.mayBeReplaced("deleted")); err != nil {
		return "", err
	}
	if exists, err := t.Exists(); err != nil || !exists {
		return "", cmp.Or(err, t.missing())
	}
	archived, err = t.replace(ctx, change{keep: func() (bool, error) {
		j, release, err := t.openExisting()
		if err != nil {
			return false, err
		}
		defer release()
		if _, isFork, err := forkOf(j); err != nil || isFork {
			return false, cmp.Or(err, entry.Invalid("tape %s is a fork: merge or discard it", t.name))
		}
		st, err := os.Lstat(t.path)
		if err != nil || !r.NoArchive && st.Size() > 0 {
			return true, err
		}
		return false, t.linkedBy()
	}})
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

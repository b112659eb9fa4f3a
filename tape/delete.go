package tape

import (
	"context"
	"errors"
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
	if err := t.inStore("deleted"); err != nil {
		return "", err
	}
	entries, err := t.deletable()
	if err != nil {
		return "", err
	}
	if r.NoArchive || entries == 0 {
		_, err = t.replace(ctx, change{may: func() error {
			if st, err := os.Lstat(t.path); err == nil && !r.NoArchive && st.Size() > 0 {
				return errNotEmpty
			}
			return t.linkedBy()
		}})
	}
	if !r.NoArchive && (entries > 0 || errors.Is(err, errNotEmpty)) {
		archived, err = t.replace(ctx, change{keep: true})
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

// deletable is how many entries the tape has, if it may be deleted.
func (t *Tape) deletable() (n uint64, err error) {
	j, release, err := t.openExisting()
	if err != nil {
		return 0, err
	}
	defer release()
	if _, isFork, err := forkOf(j); err != nil || isFork {
		return 0, errors.Join(err, invalid("tape %s is a fork: merge or discard it", t.name))
	}
	return j.Len()
}

// errNotEmpty: an entry was appended since the tape was found empty.
var errNotEmpty = errors.New("the tape is not empty")

package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/file/lockfile"
)

// Create begins a tape that is not there: with its bootstrap anchor, or bare,
// without an entry. created is false if it is there.
func (t *Tape) Create(bare bool) (created bool, err error) {
	if t.bare {
		return false, invalid("%s does not belong to a store and cannot be created: append to it", t.path)
	}
	if err := t.store.mayBegin(t.name); err != nil {
		return false, err
	}
	var first []Entry
	if !bare {
		if first, err = bootstrapEntries(nil); err != nil {
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

// DeleteRequest asks for a tape to be gone.
type DeleteRequest struct {
	NoArchive bool // destroy what the tape has
}

// Delete takes a tape away, and archives what it has: archived is where, below
// the store's folder, "" if it had nothing. Who appends to it afterwards begins
// it anew. A fork is ended by [Tape.Merge] or [Tape.Discard] instead, which its
// parent is told of.
func (t *Tape) Delete(ctx context.Context, r DeleteRequest) (archived string, err error) {
	if t.bare {
		return "", invalid("%s does not belong to a store and cannot be deleted", t.path)
	}
	n, err := t.deletable()
	if err != nil {
		return "", err
	}
	if r.NoArchive || n == 0 {
		err = t.remove(ctx, !r.NoArchive)
	}
	if !r.NoArchive && (n > 0 || errors.Is(err, errNotEmpty)) {
		archived, err = t.store.archive(ctx, t, nil)
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

// deletable is how many entries the tape has, if it may be deleted.
func (t *Tape) deletable() (n uint64, err error) {
	j, release, err := t.store.journal(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, t.missing()
	}
	if err != nil {
		return 0, err
	}
	defer release()
	if _, isFork, err := forkOf(j); err != nil || isFork {
		return 0, errors.Join(err, invalid("tape %s is a fork: merge or discard it", t.name))
	}
	return j.Len()
}

// errNotEmpty: somebody has appended since the tape was looked at.
var errNotEmpty = errors.New("the tape is not empty")

// lock takes the turn of those who write to the tape. If the tape is gone at the
// end, so is the lock file.
func (t *Tape) lock(ctx context.Context) (unlock func() error, err error) {
	root, path := t.store.root(), t.path+".lock"
	free, err := lockfile.Lock(ctx, root, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	return func() error {
		if _, err := os.Lstat(t.path); errors.Is(err, fs.ErrNotExist) {
			lockfile.RemoveHeld(root, path)
		}
		return free()
	}, nil
}

// remove takes the tape's file away; empty tells that it has to be.
func (t *Tape) remove(ctx context.Context, empty bool) (err error) {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if child, err := t.linkedBy(); err != nil || child != "" {
		return errors.Join(err, invalid("tape %s continues from %s by reference: archive the tape, or merge or discard that fork first", child, t.name))
	}
	if st, err := os.Lstat(t.path); err == nil && empty && st.Size() > 0 {
		return errNotEmpty
	}
	if err := t.store.root().Remove(t.path); err != nil {
		return err
	}
	t.store.forget(t)
	t.store.root().RemoveAll(t.path + ".idx") // derived, and of no more use
	return t.store.root().Sync(filepath.Dir(t.path))
}

package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/internal/atomicfile"
	"handoff/internal/lockfile"
	"handoff/internal/pyjson"
)

// ResetRequest asks for a tape to begin anew.
type ResetRequest struct {
	// NoArchive destroys what the tape has: nothing else does.
	NoArchive bool
}

// Reset begins the tape anew, with its bootstrap anchor, which tells where what
// it had is kept: below the store's folder. Ids begin at 1 again. A fork stays
// one, of which nothing is its own yet.
func (t *Tape) Reset(ctx context.Context, r ResetRequest) (archived string, err error) {
	if t.bare {
		return "", invalid("%s is in no store, and cannot be reset", t.path)
	}
	there, err := t.Exists()
	if err != nil {
		return "", err
	}
	if !there {
		return "", t.Ensure(ctx)
	}
	if r.NoArchive {
		err = t.destroy(ctx)
	} else {
		archived, err = t.putAway(ctx)
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

func (t *Tape) destroy(ctx context.Context) error {
	if child, err := t.linkedBy(); err != nil || child != "" {
		return errors.Join(err, invalid("tape %s goes on from %s by reference: archive it, or merge or discard that fork first", child, t.name))
	}
	unlock, err := lockfile.Lock(ctx, t.path+".lock")
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	defer unlock()
	data, err := t.beginning("")
	if err == nil {
		err = atomicfile.Write(t.path, data, 0o644)
	}
	t.store.forget(t)
	return err
}

// putAway archives the file; its new beginning names the archive, and so has
// to be made when that has its name.
func (t *Tape) putAway(ctx context.Context) (string, error) {
	return t.store.archive(ctx, t, t.beginning)
}

// beginning is what a tape begins with after a reset.
func (t *Tape) beginning(archived string) ([]byte, error) {
	var entries []Entry
	j, release, err := t.store.journal(t.path)
	if err != nil {
		return nil, err
	}
	defer release()
	f, isFork, err := forkOf(j)
	if err != nil {
		return nil, err
	}
	if isFork {
		f.Links, f.Entries = nil, 0
		event, err := newEvent(eventFork, f)
		if err != nil {
			return nil, err
		}
		entries = append(entries, event)
	}
	state := []pyjson.Member{text("owner", "human")}
	if archived != "" {
		state = append(state, text("archived", archived))
	}
	first, err := bootstrapEntries(pyjson.AppendMembers(nil, state))
	if err != nil {
		return nil, err
	}
	lines, _, err := t.lines(lineFormat.First, append(entries, first...))
	var data []byte
	for _, l := range lines {
		data = append(append(data, l...), '\n')
	}
	return data, err
}

// linkedBy is a fork that refers to entries of the tape, "" if there is none.
func (t *Tape) linkedBy() (string, error) {
	names, err := t.store.List()
	if err != nil {
		return "", err
	}
	for _, name := range names {
		other, err := t.store.Tape(name)
		if err != nil {
			return "", err
		}
		j, release, err := t.store.journal(other.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		f, _, err := forkOf(j)
		release()
		if err != nil || slices.ContainsFunc(f.Links, func(l link) bool { return l.Tape == t.name }) {
			return name, err
		}
	}
	return "", nil
}

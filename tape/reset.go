package tape

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/internal/file/atomicfile"
	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// ResetRequest asks for a tape to begin anew.
type ResetRequest struct {
	// NoArchive destroys what the tape has: nothing else does.
	NoArchive bool
	// Key, if not "", makes the request safe to be sent again: the tape is not
	// begun anew a second time, for as long as what it began with is on the tape
	// or in an archive.
	Key string
}

// does is what the mark of the request says that it does.
func (r ResetRequest) does() string {
	if r.NoArchive {
		return "destroy"
	}
	return "archive"
}

// Reset begins the tape anew, with its bootstrap anchor, which tells where what
// it had is kept: below the store's folder. Ids begin at 1 again. A fork stays
// one, of which nothing is its own yet.
func (t *Tape) Reset(ctx context.Context, r ResetRequest) (archived string, err error) {
	if t.bare {
		return "", invalid("%s does not belong to a store and cannot be reset", t.path)
	}
	if err := checkKey(r.Key); err != nil {
		return "", err
	}
	there, err := t.Exists()
	if err == nil && !there {
		err = t.beginFor(r)
		there = errors.Is(err, fs.ErrExist) // another was faster
	}
	switch {
	case !there:
	case r.NoArchive:
		err = t.destroy(ctx, r)
	default: // the new beginning names the archive, and is made when that has its name
		archived, err = t.store.archive(ctx, t, func(archived string) ([]byte, error) { return t.beginning(archived, r) })
	}
	if done := (*resetDone)(nil); errors.As(err, &done) {
		return done.archived, nil
	}
	if err == nil {
		t.store.refresh(t.name)
	}
	return archived, err
}

// beginFor begins a tape that is not there.
func (t *Tape) beginFor(r ResetRequest) error {
	if err := t.store.mayBegin(t.name); err != nil {
		return err
	}
	first, err := r.bootstrap("")
	if err == nil {
		_, err = t.create(first)
	}
	return err
}

func (t *Tape) destroy(ctx context.Context, r ResetRequest) (err error) {
	unlock, err := t.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := t.beginning("", r)
	if err != nil {
		return err
	}
	if child, err := t.linkedBy(); err != nil || child != "" {
		return errors.Join(err, invalid("tape %s continues from %s by reference: archive the tape, or merge or discard that fork first", child, t.name))
	}
	err = atomicfile.Write(t.store.root(), t.path, data, 0o644)
	t.store.forget(t)
	return err
}

// resetDone ends a reset that the same request has done before.
type resetDone struct{ archived string }

func (*resetDone) Error() string { return "the tape was already reset by this request" }

// before is the [resetDone] of the request, nil if it was not done. The tape may
// have been reset by others since.
func (r ResetRequest) before(t *Tape, j *journal.Journal) error {
	if r.Key == "" {
		return nil
	}
	positions, err := j.Find(requestKey(r.Key))
	if err != nil {
		return err
	}
	if len(positions) > 0 {
		entries, err := entriesAt(j, positions[0])
		return errors.Join(err, r.among(t, entries))
	}
	archives, _, err := t.store.archivesOf(t)
	if err != nil {
		return err
	}
	for _, path := range archives {
		lines, err := t.store.opening(path)
		for _, entries := range lines {
			err = errors.Join(err, r.among(t, entries))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it was taken away by hand
			return err
		}
	}
	return nil
}

// among is before for some entries.
func (r ResetRequest) among(t *Tape, entries []Entry) error {
	for i := range entries {
		switch mark, ok := requestOf(&entries[i]); {
		case !ok || mark.Key != r.Key:
		case mark.Reset != r.does():
			return fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
		default:
			archived, _ := memberText(entries[i].State(), "archived")
			return &resetDone{archived}
		}
	}
	return nil
}

// bootstrap is what a tape begins with.
func (r ResetRequest) bootstrap(archived string) ([]Entry, error) {
	state := []jsontext.Member{text("owner", "human")}
	if archived != "" {
		state = append(state, text("archived", archived))
	}
	first, err := bootstrapEntries(jsontext.Python.AppendMembers(nil, state))
	if err != nil || r.Key == "" {
		return first, err
	}
	return marked(first, requestMark{Key: r.Key, Entries: len(first), Reset: r.does()})
}

// beginning is what a tape begins with after a reset.
func (t *Tape) beginning(archived string, r ResetRequest) ([]byte, error) {
	var entries []Entry
	j, release, err := t.store.journal(t.path)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := r.before(t, j); err != nil {
		return nil, err
	}
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
	first, err := r.bootstrap(archived)
	if err != nil {
		return nil, err
	}
	lines, _, err := t.lines(lineFormat.First, append(entries, first...))
	return asFile(lines), err
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
		j, release, err := t.store.snapshot(other.path)
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

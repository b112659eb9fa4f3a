package tape

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"handoff/internal/file/atomicfile"
	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// Append appends entries in one write, and returns them as stored: with ids, and
// the current date if they have none. A tape that does not exist is created,
// with the anchor "session/start".
func (t *Tape) Append(ctx context.Context, entries ...Entry) ([]Entry, error) {
	return t.write(ctx, journal.Any(), func(*journal.Journal, uint64) ([]Entry, error) { return entries, nil })
}

// Handoff appends an anchor and its event in one write, and returns them: see
// [Tape.HandoffEntries].
func (t *Tape) Handoff(ctx context.Context, name string, state, meta json.RawMessage) ([]Entry, error) {
	entries, err := t.HandoffEntries(name, state, meta)
	if err != nil {
		return nil, err
	}
	return t.Append(ctx, entries...)
}

// HandoffEntries is an anchor and its event, to be appended in one write, and
// the message with the state if the tape's readers need it. state and meta are
// JSON objects or nil; all of the entries get meta.
func (t *Tape) HandoffEntries(name string, state, meta json.RawMessage) ([]Entry, error) {
	entries, err := entry.Handoff(name, state, meta)
	if err != nil || !t.store.options.StateMessages {
		return entries, err
	}
	message, ok, err := entries[0].StateMessage()
	if ok {
		entries = append(entries, message)
	}
	return entries, err
}

// Ensure creates the tape, or appends its first anchor if it has no anchor.
func (t *Tape) Ensure(ctx context.Context) error {
	_, err := t.decide(ctx, func(j *journal.Journal, _ uint64) ([]Entry, error) {
		if j == nil && !t.bare {
			return nil, nil // it is created with that anchor
		}
		if j != nil {
			for _, list := range []string{view.Anchors, view.Forks} { // a linked fork has its parent's anchors
				if n, err := j.Count(list); err != nil || n > 0 {
					return nil, err
				}
			}
		}
		return entry.Start()
	})
	return err
}

// build returns the entries to append, the first of which gets the id next. It is
// called while the tape is locked; j is nil if the tape does not exist.
type build func(j *journal.Journal, next uint64) ([]Entry, error)

// earlier carries out what was requested earlier for the tape: see [Options.First].
func (t *Tape) earlier(ctx context.Context) error {
	if t.bare || t.store.options.First == nil {
		return nil
	}
	return t.store.options.First(ctx, t.name)
}

// decide is write for entries that depend on the tape's content: build can read
// all of it.
func (t *Tape) decide(ctx context.Context, entries build) ([]Entry, error) {
	return t.write(ctx, journal.Settled(), entries)
}

// oneAtATime is for decisions that involve several files.
func (s *Store) oneAtATime(ctx context.Context) (done func(), err error) {
	select {
	case s.deciding <- struct{}{}:
		return func() { <-s.deciding }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write appends entries to the tape, or creates it with them. An error of
// entries is final; other errors may mean that the file was just created or
// archived.
func (t *Tape) write(ctx context.Context, expect journal.Expect, entries build) (stored []Entry, err error) {
	if err := t.earlier(ctx); err != nil {
		return nil, err
	}
	var failed error
	decided := func(j *journal.Journal, next uint64) (wanted []Entry, err error) {
		wanted, failed = entries(j, next)
		return wanted, failed
	}
	for here := t.likely(); ; {
		stored, err = here.writeTo(ctx, expect, decided)
		if failed == nil && errors.Is(err, errSealed) {
			moved, err := t.movedOn(ctx, here.path, err)
			if moved {
				here, err = t.fixed(ctx)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if failed != nil || !errors.Is(err, fs.ErrNotExist) {
			return stored, err
		}
		stored, err = here.begin(ctx, decided)
		if failed != nil || !errors.Is(err, fs.ErrExist) {
			return stored, err
		}
	}
}

// writeTo appends entries to the tape's file; fs.ErrNotExist if there is none.
func (t *Tape) writeTo(ctx context.Context, expect journal.Expect, entries build) ([]Entry, error) {
	j, release, err := t.store.journal(ctx, t.path)
	if err != nil {
		return nil, err
	}
	defer release()
	return t.appendOpen(ctx, j, expect, entries)
}

// appendOpen appends entries to a file, unless it is that of a fork that is over.
func (t *Tape) appendOpen(ctx context.Context, j *journal.Journal, expect journal.Expect, entries build) ([]Entry, error) {
	stored, err := t.appendTo(ctx, j, expect, func(j *journal.Journal, next uint64) ([]Entry, error) {
		if err := t.closed(j); err != nil {
			return nil, err
		}
		return entries(j, next)
	})
	if err == nil && slices.ContainsFunc(stored, func(e Entry) bool { return e.Kind == entry.KindAnchor }) {
		t.store.outdate(t)
	}
	return stored, err
}

// appendTo appends entries to a file, also to that of a fork that is over.
func (t *Tape) appendTo(ctx context.Context, j *journal.Journal, expect journal.Expect, entries build) (stored []Entry, err error) {
	_, err = j.Append(ctx, expect, func(next uint64) ([]journal.Line, error) {
		event, done, err := t.lostEvent(j, next)
		if err != nil {
			return nil, err
		}
		if stored, err = entries(j, next); err != nil || len(stored) == 0 {
			return nil, err
		}
		var first []Entry
		switch retried := event != nil && sameEvent(stored[0], *event); {
		case retried && done:
			stored = stored[1:]
		case event != nil && !retried && !done:
			first = []Entry{*event}
		}
		lines, numbered, err := t.lines(next, append(first, stored...))
		stored = numbered[min(len(first), len(numbered)):]
		return journal.Lines(lines), err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// begin creates the tape with the entries, all or nothing.
func (t *Tape) begin(ctx context.Context, entries build) (stored []Entry, err error) {
	var first []Entry
	if !t.bare {
		if err := t.store.mayBegin(t.name); err != nil {
			return nil, err
		}
		if !t.plain {
			if first, err = entry.Start(); err != nil {
				return nil, err
			}
		}
	}
	more, err := entries(nil, view.Format.First)
	if err != nil || len(more)+len(first) == 0 {
		return nil, err
	}
	numbered, err := t.create(ctx, append(first, more...))
	if err == nil {
		t.store.outdate(t)
	}
	return numbered[min(len(first), len(numbered)):], err
}

// create creates the tape's file with these entries; fs.ErrExist if it exists. The file
// is the next one if the tape was ended in the store meanwhile.
func (t *Tape) create(ctx context.Context, entries []Entry) (stored []Entry, err error) {
	err = t.createFrom(ctx, func(add func(...Entry) error) error {
		stored = slices.Clone(entries)
		return add(stored...)
	})
	return stored, err
}

// createFrom is create for entries that may not fit into memory: write adds them
// one by one. The file has all of them or does not exist.
func (t *Tape) createFrom(ctx context.Context, write func(add func(...Entry) error) error) error {
	here, err := t.fixed(ctx)
	if err != nil {
		return err
	}
	for {
		err = here.createAt(ctx, write)
		if t.bare || t.pinned || !errors.Is(err, fs.ErrExist) {
			return err
		}
		now, liveErr := t.fixed(ctx)
		if liveErr != nil || now.path == here.path {
			return errors.Join(err, liveErr)
		}
		here = now
	}
}

// createAt is createFrom for the file that was found.
func (t *Tape) createAt(ctx context.Context, write func(add func(...Entry) error) error) error {
	n := t.numbering(view.Format.First)
	return t.createLines(ctx, func(add func(line []byte) error) error {
		return write(func(entries ...Entry) error {
			for i := range entries {
				line, err := n.Line(&entries[i])
				if err == nil {
					err = add(line)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// CreateLines creates the tape with lines that have their ids already: write adds them one
// by one. The tape has all of them or does not exist; if it existed, the error is
// fs.ErrExist.
func (t *Tape) CreateLines(ctx context.Context, write func(add func(line []byte) error) error) error {
	here, err := t.fixed(ctx)
	if err != nil {
		return err
	}
	return here.createLines(ctx, write)
}

func (t *Tape) createLines(ctx context.Context, write func(add func(line []byte) error) error) error {
	if !t.bare {
		write = view.Signed(t.name, write)
	}
	root := t.store.rootOf(t.path)
	if err := root.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return err
	}
	if t.store.upstream(t.path) != nil {
		return t.createUpstream(ctx, write)
	}
	p, err := atomicfile.BeginNew(root, t.path, 0o644)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(p, 256<<10)
	err = write(func(line []byte) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		p.Abort()
		return err
	}
	return p.CommitNew()
}

// createUpstream is createLines for a tape that is a copy of a log in a store. The lines
// are in memory, as they are for the store.
func (t *Tape) createUpstream(ctx context.Context, write func(add func(line []byte) error) error) error {
	var lines [][]byte
	err := write(func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	if err != nil {
		return err
	}
	j, err := journal.Create(ctx, t.path, view.Format, t.store.journalOptions(t.path), journal.Lines(lines))
	if err != nil {
		return err
	}
	return j.Close()
}

// lines numbers entries and returns their lines.
func (t *Tape) lines(next uint64, entries []Entry) (lines [][]byte, numbered []Entry, err error) {
	n := t.numbering(next)
	numbered = slices.Clone(entries)
	for i := range numbered {
		line, err := n.Line(&numbered[i])
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, line)
	}
	return lines, numbered, nil
}

func (t *Tape) numbering(next uint64) *view.Numbering {
	n := &view.Numbering{Path: t.path, Next: next, Now: t.store.now(), Longest: MaxEntry}
	if !t.bare {
		n.Tape = t.name
	}
	return n
}

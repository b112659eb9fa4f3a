package tape

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// AppendRequest asks to append entries, all or none.
type AppendRequest struct {
	Entries []Entry `json:"entries"`
	// Key, if not "", is the idempotency key: repeating the request has no
	// further effect while its entries are on the tape or archived. It is stored
	// in the meta of the first entry.
	Key string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect"`
	// Bare creates a tape that does not exist without its first anchor: Bub
	// writes its own.
	Bare bool `json:"bare,omitempty" flag:"bare" usage:"do not write the anchor session/start, for a program that writes its own"`
	// After, if not nil, is the largest id that the tape must have, 0 if it must
	// have no entry or not exist: else the error is [ErrMoved].
	After *int64 `json:"after,omitempty" flag:"after=ID" usage:"write only if this is still the largest id on the tape; 0 for a new tape"`
	// At, if not zero, is the date of entries that have none, instead of the current one:
	// the time of a request that could not be sent then.
	At time.Time `json:"-"`
}

// ErrMoved: the tape has entries that the caller has not seen, or is shorter than the
// caller expects.
var ErrMoved = errors.New("the tape has new entries")

// shorter is ErrMoved without its text, which is false for a tape that has no new entries.
type shorter string

func (s shorter) Error() string { return string(s) }

func (shorter) Is(target error) bool { return target == ErrMoved }

// moved is the error for a tape whose largest id is last, not after.
func moved(name string, last uint64, after int64) error {
	if uint64(after) > last {
		return shorter(fmt.Sprintf("tape %s: it has no entry %d: its largest id is %d", name, after, last))
	}
	return fmt.Errorf("tape %s: its largest id is %d, not %d: %w", name, last, after, ErrMoved)
}

// ErrKeyUsed: the key was used for another request. It is handoff.ErrKeyUsed.
var ErrKeyUsed = entry.ErrKeyUsed

// AppendOnce is [Tape.Append] for a caller that does not know whether the request was
// already carried out, or that decided by the entries it has read. existed reports that
// the entries were appended before. A key that was used for another request is
// [ErrKeyUsed].
func (t *Tape) AppendOnce(ctx context.Context, r AppendRequest) (stored []Entry, existed bool, err error) {
	if r.Bare {
		plain := *t
		plain.plain = true
		t = &plain
	}
	if r.After != nil && (*r.After < 0 || *r.After > view.MaxID) {
		return nil, false, entry.Invalid("%d cannot be the largest id of a tape", *r.After)
	}
	expect := journal.Any()
	if r.Key != "" {
		request, err := entry.NewRequest(r.Key, r.Entries)
		if err == nil {
			r.Entries, err = entry.WithRequest(r.Entries, request)
		}
		if err != nil {
			return nil, false, err
		}
		expect = journal.Settled()
	}
	var before []Entry
	stored, err = t.write(ctx, expect, func(j *journal.Journal, next uint64) (rest []Entry, err error) {
		if before, rest, err = t.appendedBefore(j, r); err != nil {
			return nil, err
		}
		if j == nil && len(before) > 0 {
			return nil, errArchived
		}
		if r.After != nil && len(rest) > 0 {
			last := uint64(*r.After)
			if n := len(before); n > 0 {
				last = uint64(before[n-1].ID)
			}
			if last+1 != next {
				return nil, moved(t.name, next-1, *r.After)
			}
		}
		return dated(rest, r.At), nil
	})
	if errors.Is(err, errArchived) {
		return before, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return append(before, stored...), len(before) > 0, nil
}

// dated returns entries with a date, unless that is zero.
func dated(entries []Entry, at time.Time) []Entry {
	if at.IsZero() {
		return entries
	}
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].Date = cmp.Or(entries[i].Date, entry.FormatTime(at))
	}
	return entries
}

// CheckEntries is the error with which AppendOnce would refuse entries whatever the tape
// has. It reads nothing.
func (t *Tape) CheckEntries(r AppendRequest) error {
	request, err := entry.NewRequest(r.Key, r.Entries)
	if err == nil {
		r.Entries, err = entry.WithRequest(r.Entries, request)
	}
	if err == nil {
		_, _, err = t.lines(view.Format.First, r.Entries)
	}
	return err
}

// errArchived prevents that a tape is created for entries that are archived.
var errArchived = errors.New("the entries are in an archive")

// appendedBefore returns the entries that the same request has already appended, and the
// missing ones: all, or those lost by an interrupted write. j is nil if the tape does not
// exist.
func (t *Tape) appendedBefore(j *journal.Journal, r AppendRequest) (stored, rest []Entry, err error) {
	if j != nil {
		if stored, rest, err = t.appendedIn(j, r); err != nil || len(stored) > 0 {
			return stored, rest, err
		}
	}
	return t.archivedBefore(r)
}

// archivedBefore is appendedBefore for the archives of the tape. An interrupted
// write there was never acknowledged: all of it is appended again, so that the
// next repetition finds it on the tape.
func (t *Tape) archivedBefore(r AppendRequest) (stored, rest []Entry, err error) {
	if r.Key == "" || t.bare {
		return nil, r.Entries, nil
	}
	for snap, err := range t.store.snapshots(t.archives()) {
		if err == nil {
			stored, rest, err = t.appendedIn(snap, r)
		}
		if err != nil || len(stored) > 0 && len(rest) == 0 {
			return stored, nil, err
		}
	}
	return nil, r.Entries, nil
}

// appendedIn is appendedBefore for one file.
func (t *Tape) appendedIn(j view.Records, r AppendRequest) (stored, rest []Entry, err error) {
	if r.Key == "" {
		return nil, r.Entries, nil
	}
	positions, err := j.Find(view.RequestKey(r.Key))
	if err != nil || len(positions) == 0 {
		return nil, r.Entries, err
	}
	pos, identified := positions[0], len(r.Entries) > 1
	for i, e := range r.Entries {
		entries, err := view.EntriesAt(j, pos)
		if errors.Is(err, journal.ErrNoRecord) {
			return stored, r.Entries[i:], nil
		}
		if err != nil {
			return nil, nil, err
		}
		if i == 0 && !entries[0].Same(e) { // a caller may repeat entries as it read them: with dates, so with another digest
			was, _ := entries[0].Request()
			undigested, err := entry.WithRequest(r.Entries, entry.Request{Key: r.Key, Entries: len(r.Entries), Digest: was.Digest})
			if err != nil {
				return nil, nil, err
			}
			e, identified = undigested[0], false
		}
		if i == 1 && len(r.Entries) == 2 && stored[0].Kind == entry.KindAnchor && sameEvent(e, stored[0].Event()) && !entries[0].Same(e) {
			return stored, nil, nil // the event was lost, and other entries follow
		}
		if i > 0 && !entries[0].Same(e) && (identified || tornBefore(j, pos)) {
			rest, err := entry.WithRequest(r.Entries[i:], entry.Request{Key: r.Key, Entries: len(r.Entries), From: i})
			if positions = positions[1:]; err != nil || len(positions) == 0 {
				return stored, rest, err
			}
			pos, e = positions[0], rest[0]
			if entries, err = view.EntriesAt(j, pos); err != nil {
				return nil, nil, err
			}
		}
		if !entries[0].Same(e) {
			return nil, nil, fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
		}
		stored = append(stored, entries[0])
		pos++
	}
	return stored, nil, nil
}

// HandoffOnce is [Tape.Handoff], unless the tape has an anchor of that name and
// state: then nothing is written, and existed is true. The anchors that a linked
// fork has from its parent count.
func (t *Tape) HandoffOnce(ctx context.Context, name string, state json.RawMessage) (anchor Entry, existed bool, err error) {
	entries, err := t.HandoffEntries(name, state, nil)
	if err != nil {
		return Entry{}, false, err
	}
	return t.appendUnless(ctx, entries, func(v *view.View) (Entry, bool, error) {
		wanted := Entry{Kind: entry.KindAnchor, Payload: entries[0].Payload}
		f, ok, err := v.LastWith(view.AnchorKey(name), func(e *Entry) bool {
			return wanted.Same(Entry{Kind: e.Kind, Payload: e.Payload})
		})
		return f.Entry, ok, err
	})
}

// appendUnless appends entries, the first of which is an anchor, unless find
// returns the anchor of an earlier, equal request.
func (t *Tape) appendUnless(ctx context.Context, entries []Entry, find func(*view.View) (anchor Entry, ok bool, err error)) (anchor Entry, existed bool, err error) {
	var written []Entry
	stored, err := t.decide(ctx, func(j *journal.Journal, _ uint64) ([]Entry, error) {
		existed = false
		err := t.viewed(j, func(v *view.View) (err error) {
			anchor, existed, err = find(v)
			return err
		})
		if err != nil || existed {
			return nil, err
		}
		written, err = alreadyWritten(j, entries)
		return entries[len(written):], err
	})
	if err != nil || existed {
		return anchor, existed, err
	}
	return append(written, stored...)[0], false, nil
}

package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"unicode/utf8"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// AppendRequest asks for entries to be appended, all of them or none.
type AppendRequest struct {
	Entries []Entry
	// Key, if not "", makes the request safe to be sent again, for as long as
	// its entries are on the tape or in an archive of it. It is kept in the meta
	// of the first entry.
	Key string
	// After, if not nil, is the largest id that the tape may have, 0 if it may
	// have none or not be there: else the error is [ErrMoved].
	After *int64
	// Bare begins a tape that is not there without its bootstrap anchor: Bub
	// writes one of its own.
	Bare bool
}

// ErrMoved: the tape has entries that the caller has not seen.
var ErrMoved = errors.New("the tape has new entries")

// ErrKeyUsed: the key was given to another request before. It is fs.ErrExist.
var ErrKeyUsed = fmt.Errorf("the key was used for another request: %w", fs.ErrExist)

// maxKey is the longest key of a request, in bytes.
const maxKey = 255

func checkKey(key string) error {
	if len(key) > maxKey || !utf8.ValidString(key) {
		return invalid("want an idempotency key of at most %d bytes, in UTF-8", maxKey)
	}
	return nil
}

// AppendOnce is [Tape.Append] for who does not know whether it was done before,
// or wants it done only if the tape is as it was seen. existed tells that the
// same request has appended the entries before. A key that was used for another
// request is [ErrKeyUsed].
func (t *Tape) AppendOnce(ctx context.Context, r AppendRequest) (stored []Entry, existed bool, err error) {
	if r.Bare {
		plain := *t
		plain.plain = true
		t = &plain
	}
	expect := journal.Any()
	if r.After != nil {
		if *r.After < 0 || *r.After > mostID {
			return nil, false, invalid("%d cannot be the largest id of a tape", *r.After)
		}
		expect = journal.At(uint64(*r.After) + 1)
	}
	if r.Key != "" {
		if r.Entries, err = withRequest(r.Entries, r.Key); err != nil {
			return nil, false, err
		}
		expect = expect.Settled()
	}
	var before []Entry
	var archived error // apart from others, as ErrKeyUsed is fs.ErrExist, at which write tries again
	stored, err = t.write(ctx, expect, func(j *journal.Journal) (rest []Entry, err error) {
		if j != nil {
			before, rest, err = t.requested(j, r)
			return rest, err
		}
		if before, rest, archived = t.archivedBefore(r); archived != nil || len(before) > 0 {
			return nil, errArchived
		}
		if r.After != nil && *r.After != 0 {
			return nil, t.moved(*r.After, 0)
		}
		return rest, nil
	})
	if errors.Is(err, errArchived) {
		return before, archived == nil, archived
	}
	var conflict *journal.ConflictError
	if !errors.As(err, &conflict) {
		return append(before, stored...), len(before) > 0, err
	}
	// The request itself may have moved the tape on, when it was sent before.
	before, rest, err := t.before(r)
	if err != nil || len(before) > 0 && len(rest) == 0 {
		return before, err == nil, err
	}
	if last := len(before) - 1; last >= 0 && uint64(before[last].ID)+1 == conflict.Next {
		stored, err = t.write(ctx, journal.At(conflict.Next), func(*journal.Journal) ([]Entry, error) { return rest, nil })
		return append(before, stored...), true, err
	}
	return nil, false, t.moved(*r.After, conflict.Next-1)
}

// errArchived keeps a tape from being begun for entries that an archive has.
var errArchived = errors.New("the entries are in an archive")

func (t *Tape) moved(after int64, last uint64) error {
	return fmt.Errorf("tape %s: its largest id is %d, not %d: %w", t.name, last, after, ErrMoved)
}

// before is requested for who holds no lock.
func (t *Tape) before(r AppendRequest) (stored, rest []Entry, err error) {
	j, release, err := t.store.snapshot(t.path)
	if errors.Is(err, fs.ErrNotExist) { // it was deleted in this moment
		return t.archivedBefore(r)
	}
	if err != nil {
		return nil, nil, err
	}
	defer release()
	return t.requested(j, r)
}

// requestMember is the member of an entry's meta that tells by which request
// it was appended, with how many entries. What is copied has an origin, too.
const requestMember = "append_request"

type requestMark struct {
	Key     string `json:"key"`
	Entries int    `json:"entries"`
	From    int    `json:"from,omitempty"`  // how many of them a write that was cut off had kept: this entry continues it
	Reset   string `json:"reset,omitempty"` // of a tape that was begun anew: see [ResetRequest.does]
}

// withRequest marks the first of the entries.
func withRequest(entries []Entry, key string) ([]Entry, error) {
	if len(entries) == 0 {
		return nil, invalid("an idempotency key needs entries")
	}
	return marked(entries, requestMark{Key: key, Entries: len(entries)})
}

// marked is entries whose first bears the mark.
func marked(entries []Entry, r requestMark) ([]Entry, error) {
	if err := checkKey(r.Key); err != nil {
		return nil, err
	}
	mark, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	members, err := withoutRequest(entries[0].Meta)
	if err != nil {
		return nil, err
	}
	entries[0].Meta = jsontext.Python.AppendMembers(nil, append(members, jsontext.Member{Name: requestMember, Value: string(mark)}))
	return entries, nil
}

// withoutRequest is a meta without that mark.
func withoutRequest(meta json.RawMessage) ([]jsontext.Member, error) {
	if len(meta) == 0 {
		return nil, nil
	}
	members, err := jsontext.Python.Object(string(meta))
	if err != nil {
		return nil, invalid("meta: %w", err)
	}
	return slices.DeleteFunc(members, func(m jsontext.Member) bool { return m.Name == requestMember }), nil
}

// requestOf is how an entry was marked, if it was.
func requestOf(e *Entry) (r requestMark, ok bool) {
	if !bytes.Contains(e.Meta, []byte(`"`+requestMember+`"`)) || jsontext.Get(e.Meta, "origin") != "" {
		return r, false
	}
	mark := memberObject(e.Meta, requestMember)
	return r, mark != nil && json.Unmarshal(mark, &r) == nil && r.Key != ""
}

// requested are the entries that the same request has appended before, and
// those that are still to be: all of them, or what a power failure has cut off.
func (t *Tape) requested(j records, r AppendRequest) (stored, rest []Entry, err error) {
	if stored, rest, err = t.requestedIn(j, r); err != nil || len(stored) > 0 {
		return stored, rest, err
	}
	return t.archivedBefore(r)
}

// archivedBefore is requested for the archives of the tape. What a power failure
// has cut off there was never acknowledged: it is appended anew, all of it, so
// that the next retry finds it on the tape.
func (t *Tape) archivedBefore(r AppendRequest) (stored, rest []Entry, err error) {
	if r.Key == "" || t.bare {
		return nil, r.Entries, nil
	}
	archives, _, err := t.store.archivesOf(t)
	for _, path := range archives {
		j, release, err := t.store.snapshot(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was taken away by hand
		}
		if err != nil {
			return nil, nil, err
		}
		stored, rest, err := t.requestedIn(j, r)
		release()
		if err != nil || len(stored) > 0 && len(rest) == 0 {
			return stored, nil, err
		}
	}
	return nil, r.Entries, err
}

// requestedIn is requested for one file.
func (t *Tape) requestedIn(j records, r AppendRequest) (stored, rest []Entry, err error) {
	if r.Key == "" {
		return nil, r.Entries, nil
	}
	positions, err := j.Find(requestKey(r.Key))
	if err != nil || len(positions) == 0 {
		return nil, r.Entries, err
	}
	pos := positions[0]
	for i, e := range r.Entries {
		entries, err := entriesAt(j, pos)
		if errors.Is(err, journal.ErrNoRecord) {
			return stored, r.Entries[i:], nil
		}
		if err == nil && i == 1 && len(r.Entries) == 2 && isEventOf(e, stored[0]) && !sameEntry(entries[0], e) {
			return stored, nil, nil // the event was torn off, and others have gone on
		}
		if err == nil && i > 0 && !sameEntry(entries[0], e) && tornBefore(j, pos) {
			rest, unmarked := marked(r.Entries[i:], requestMark{Key: r.Key, Entries: len(r.Entries), From: i})
			if positions = positions[1:]; unmarked != nil || len(positions) == 0 {
				return stored, rest, unmarked
			}
			pos, e = positions[0], rest[0]
			entries, err = entriesAt(j, pos)
		}
		if err == nil && !sameEntry(entries[0], e) {
			err = fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
		}
		if err != nil {
			return nil, nil, err
		}
		stored = append(stored, entries[0])
		pos++
	}
	return stored, nil, nil
}

// tornBefore reports whether there is more than a line end before a record: what a
// crash left of the write of the records before it.
func tornBefore(j records, pos uint64) bool {
	before, err := j.Get(pos - 1)
	if err != nil {
		return false
	}
	rec, err := j.Get(pos)
	return err == nil && rec.Offset > before.Offset+int64(len(before.Line))+1
}

// sameEntry reports whether an entry is what came of one that was to be
// appended.
func sameEntry(stored, asked Entry) bool {
	if asked.ID = stored.ID; asked.Date == "" {
		asked.Date = stored.Date
	}
	a, err := stored.Line()
	if err != nil {
		return false
	}
	b, err := asked.Line()
	return err == nil && bytes.Equal(a, b)
}

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
	"handoff/internal/pyjson"
)

// AppendRequest asks for entries to be appended, all of them or none.
type AppendRequest struct {
	Entries []Entry
	// Key, if not "", makes the request safe to be sent again, for as long as
	// the tape is not reset. It is kept in the meta of the first entry.
	Key string
	// After, if not nil, is the largest id that the tape may have, 0 if it may
	// have none or not be there: else the error is [ErrMoved].
	After *int64
}

// ErrMoved: the tape has entries that the caller has not seen.
var ErrMoved = errors.New("the tape has moved on")

// maxKey is the longest key of a request, in bytes.
const maxKey = 255

// AppendOnce is [Tape.Append] for who does not know whether it was done before,
// or wants it done only if the tape is as it was seen. existed tells that the
// same request has appended the entries before. A key that was used for another
// request is fs.ErrExist.
func (t *Tape) AppendOnce(ctx context.Context, r AppendRequest) (stored []Entry, existed bool, err error) {
	expect := journal.Any()
	if r.After != nil {
		if *r.After < 0 || *r.After > mostID {
			return nil, false, invalid("%d is no id that a tape can have come to", *r.After)
		}
		expect = journal.At(uint64(*r.After) + 1)
	}
	if r.Key != "" {
		if r.Entries, err = withRequest(r.Entries, r.Key); err != nil {
			return nil, false, err
		}
		done, err := t.store.oneAtATime(ctx)
		if err != nil {
			return nil, false, err
		}
		defer done()
	}
	var before []Entry
	stored, err = t.write(ctx, expect, func(j *journal.Journal) (_ []Entry, err error) {
		switch {
		case j == nil && r.After != nil && *r.After != 0:
			return nil, t.moved(*r.After, 0)
		case j != nil:
			if before, existed, err = t.requested(j, r); err != nil || existed {
				return nil, err
			}
		}
		return r.Entries, nil
	})
	var conflict *journal.ConflictError
	if errors.As(err, &conflict) { // by the request itself, when it was sent before
		if entries, existed, err := t.before(r); err != nil || existed {
			return entries, existed, err
		}
		return nil, false, t.moved(*r.After, conflict.Next-1)
	}
	if existed && err == nil {
		stored = before
	}
	return stored, existed, err
}

func (t *Tape) moved(after int64, last uint64) error {
	return fmt.Errorf("tape %s: its largest id is %d, not %d: %w", t.name, last, after, ErrMoved)
}

// before is requested for who holds no lock.
func (t *Tape) before(r AppendRequest) (stored []Entry, existed bool, err error) {
	j, release, err := t.store.journal(t.path)
	if err != nil {
		return nil, false, err
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
}

// withRequest marks the first of the entries.
func withRequest(entries []Entry, key string) ([]Entry, error) {
	if len(entries) == 0 || len(key) > maxKey || !utf8.ValidString(key) {
		return nil, invalid("want entries, and a key of at most %d bytes in UTF-8", maxKey)
	}
	mark, err := json.Marshal(requestMark{key, len(entries)})
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	meta := entries[0].Meta
	if len(meta) == 0 {
		meta = json.RawMessage("{}")
	}
	members, err := pyjson.Members(string(meta))
	if err != nil {
		return nil, invalid("meta: %w", err)
	}
	members = slices.DeleteFunc(members, func(m pyjson.Member) bool { return m.Name == requestMember })
	entries[0].Meta = pyjson.AppendMembers(nil, append(members, pyjson.Member{Name: requestMember, Value: string(mark)}))
	return entries, nil
}

// requestOf is how an entry was marked, if it was.
func requestOf(e *Entry) (r requestMark, ok bool) {
	if !bytes.Contains(e.Meta, []byte(`"`+requestMember+`"`)) || member(e.Meta, "origin") != "" {
		return r, false
	}
	mark := memberObject(e.Meta, requestMember)
	return r, mark != nil && json.Unmarshal(mark, &r) == nil && r.Key != ""
}

// requested are the entries that the same request has appended before.
func (t *Tape) requested(j *journal.Journal, r AppendRequest) (stored []Entry, existed bool, err error) {
	if r.Key == "" {
		return nil, false, nil
	}
	positions, err := j.Find(requestKey(r.Key))
	if err != nil || len(positions) == 0 {
		return nil, false, err
	}
	used := fmt.Errorf("tape %s: the key was used for another request: %w", t.name, fs.ErrExist)
	for i, e := range r.Entries {
		entries, err := entriesAt(j, positions[0]+uint64(i))
		if errors.Is(err, journal.ErrNoRecord) || err == nil && !sameEntry(entries[0], e) {
			err = used
		}
		if err != nil {
			return nil, false, err
		}
		stored = append(stored, entries[0])
	}
	return stored, true, nil
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

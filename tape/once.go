package tape

import (
	"context"
	"encoding/json"
	"slices"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// HandoffOnce is [Tape.Handoff], unless an anchor of that name and state stands
// on the tape already: then nothing is written, and existed tells so. What a
// linked fork reads from others stands on it, as a copy does.
func (t *Tape) HandoffOnce(ctx context.Context, name string, state json.RawMessage) (anchor Entry, existed bool, err error) {
	entries, err := t.HandoffEntries(name, state, nil)
	if err != nil {
		return Entry{}, false, err
	}
	return t.appendUnless(ctx, entries, func(v *view) (anchor Entry, ok bool, err error) {
		payload := string(jsontext.Python.AppendValue(nil, string(entries[0].Payload)))
		f, ok, err := v.lastWith(anchorKey(name), func(e *Entry) bool {
			return e.Kind == KindAnchor && string(jsontext.Python.AppendValue(nil, string(e.Payload))) == payload
		})
		return f.Entry, ok, err
	})
}

// appendUnless appends entries, the first of which is an anchor, unless the one
// that was written for the same before is found.
func (t *Tape) appendUnless(ctx context.Context, entries []Entry, find func(*view) (anchor Entry, ok bool, err error)) (anchor Entry, existed bool, err error) {
	var kept []Entry
	stored, err := t.decide(ctx, func(j *journal.Journal) ([]Entry, error) {
		existed = false
		err := t.viewed(j, func(v *view) (err error) {
			anchor, existed, err = find(v)
			return err
		})
		if err != nil || existed {
			return nil, err
		}
		kept, err = begun(j, entries)
		return entries[len(kept):], err
	})
	if err != nil || existed {
		return anchor, existed, err
	}
	return append(kept, stored...)[0], false, nil
}

// begun are the first of some entries, with which a tape ends: a crash within
// their write has cut the others off. A nil journal is one that does not exist.
func begun(j *journal.Journal, entries []Entry) (last []Entry, err error) {
	if j == nil {
		return nil, nil
	}
	n, err := j.Len()
	if err != nil {
		return nil, err
	}
	for rec, err := range j.Since(lineFormat.First + n - min(n, uint64(len(entries)-1))) { // also a last line that lacks its line end
		var of []Entry
		if err == nil {
			of, err = entriesOf(rec)
		}
		if err != nil {
			return nil, err
		}
		last = append(last, of...)
	}
	for len(last) > 0 && !(len(last) < len(entries) && slices.EqualFunc(last, entries[:len(last)], sameEntry)) {
		last = last[1:]
	}
	return last, nil
}

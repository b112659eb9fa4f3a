package tape

import (
	"context"
	"encoding/json"

	"handoff/internal/journal"
	"handoff/internal/pyjson"
)

// HandoffOnce is [Tape.Handoff], unless an anchor of that name and state stands
// on the tape already: then nothing is written, and existed tells so. Which
// entries a linked fork reads from others does not matter.
func (t *Tape) HandoffOnce(ctx context.Context, name string, state json.RawMessage) (anchor Entry, existed bool, err error) {
	entries, err := HandoffEntries(name, state, nil)
	if err != nil {
		return Entry{}, false, err
	}
	stored, err := t.decide(ctx, func(j *journal.Journal) ([]Entry, error) {
		existed = false
		if j != nil {
			if anchor, existed, err = sameAnchor(j, entries[0]); err != nil || existed {
				return nil, err
			}
		}
		return entries, nil
	})
	if err != nil || existed {
		return anchor, existed, err
	}
	return stored[0], false, nil
}

// sameAnchor is the last anchor with the name and the state of the one given.
func sameAnchor(j *journal.Journal, want Entry) (anchor Entry, ok bool, err error) {
	positions, err := j.Find(anchorKey(want.Name()))
	if err != nil {
		return Entry{}, false, err
	}
	payload := string(pyjson.AppendValue(nil, string(want.Payload)))
	for i := len(positions) - 1; i >= 0; i-- {
		entries, err := entriesAt(j, positions[i])
		if err != nil {
			return Entry{}, false, err
		}
		for _, e := range entries {
			if e.Kind == KindAnchor && string(pyjson.AppendValue(nil, string(e.Payload))) == payload {
				return e, true, nil
			}
		}
	}
	return Entry{}, false, nil
}

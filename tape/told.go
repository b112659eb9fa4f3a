package tape

import (
	"encoding/json"

	"handoff/internal/json/jsontext"
)

// AnchorText is what a model is told of an anchor, in Bub's words:
// "[Anchor created: NAME]: STATE".
func (e *Entry) AnchorText() string {
	name := "None"
	if value := jsontext.Get(e.Payload, "name"); jsontext.IsText(value) {
		name = jsontext.Text(value)
	}
	state := "null"
	if value := jsontext.Get(e.Payload, "state"); value != "" {
		state = string(jsontext.Python.AppendValue(nil, value))
	}
	return "[Anchor created: " + name + "]: " + state
}

// toldMember marks a message that repeats an anchor's state.
const toldMember = "anchor_state"

// TellsState reports whether the entry is a message that repeats the state of
// the anchor before it: see [Options.TellState]. A reader that shows the anchor
// itself leaves it out.
func (e *Entry) TellsState() bool {
	return e.Kind == KindMessage && jsontext.Get(e.Meta, toldMember) == "true"
}

// HandoffEntries are [HandoffEntries] for this tape: with the message that
// repeats the state, where the tape's readers need it.
func (t *Tape) HandoffEntries(name string, state, meta json.RawMessage) ([]Entry, error) {
	entries, err := HandoffEntries(name, state, meta)
	if err != nil || !t.store.options.TellState {
		return entries, err
	}
	if members, err := jsontext.Python.Object(string(entries[0].State())); err != nil || len(members) == 0 {
		return entries, nil // there is nothing to tell
	}
	told, err := stateMessage(&entries[0])
	return append(entries, told), err
}

// stateMessage is of the user: some providers want that of the first message,
// and what others have handed over is no instruction of the system.
func stateMessage(anchor *Entry) (Entry, error) {
	members, err := withoutRequest(anchor.Meta)
	if err != nil {
		return Entry{}, err
	}
	meta := jsontext.Python.AppendMembers(nil, append(members, jsontext.Member{Name: toldMember, Value: "true"}))
	payload := jsontext.Python.AppendMembers(nil, []jsontext.Member{text("role", "user"), text("content", anchor.AnchorText())})
	return NewEntry(KindMessage, json.RawMessage(payload), json.RawMessage(meta))
}

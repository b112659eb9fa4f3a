package entry

import (
	"encoding/json"

	"handoff/internal/json/jsontext"
)

// The names of events that are written here. Bub shows them and ignores them
// otherwise.
const (
	EventHandoff  = "handoff" // written with each anchor
	EventRun      = "run"     // a model call and its usage
	EventCommand  = "command"
	EventFork     = "tape.fork"
	EventClosed   = "tape.closed"
	EventCreated  = "tape.created" // of a bare tape in a store
	EventMerge    = "tape.merge"
	EventDiscard  = "tape.discard"
	EventTitle    = "tape.title"
	EventSent     = "context_handoff.sent"
	EventReceived = "context_handoff.received"
)

// The names of anchors that are written here.
const (
	AnchorStart     = "session/start" // begins every tape
	AnchorIntention = "intention"     // what a fork is for
)

// anchorPayload is the payload of an anchor, and the data of its event.
type anchorPayload struct {
	Name  string          `json:"name"`
	State json.RawMessage `json:"state,omitempty"`
}

type eventPayload struct {
	Name string `json:"name"`
	Data any    `json:"data,omitempty"`
}

// NewEvent is an event; data becomes a JSON object.
func NewEvent(name string, data any) (Entry, error) {
	return New(KindEvent, eventPayload{name, data}, nil)
}

// Handoff is an anchor and its event, to be appended in one write. state and
// meta are JSON objects or nil; both entries get meta.
func Handoff(name string, state, meta json.RawMessage) ([]Entry, error) {
	if len(state) > 0 {
		if _, err := object("state", state); err != nil {
			return nil, err
		}
	}
	anchor, err := New(KindAnchor, anchorPayload{name, state}, meta)
	if err != nil {
		return nil, err
	}
	return []Entry{anchor, anchor.Event()}, nil
}

// Start is the handoff that begins a tape. Without members its state is
// {"owner": "human"}.
func Start(members ...jsontext.Member) ([]Entry, error) {
	if len(members) == 0 {
		members = []jsontext.Member{TextMember("owner", "human")}
	}
	return Handoff(AnchorStart, jsontext.Python.AppendMembers(nil, members), nil)
}

// Event is the event that is written with an anchor, which must be valid. An
// idempotency key is in the anchor's meta only.
func (e Entry) Event() Entry {
	state := e.State()
	if state == nil {
		state = json.RawMessage("{}")
	}
	event, err := New(KindEvent, eventPayload{EventHandoff, anchorPayload{e.Name(), state}}, e.Meta)
	if _, ok := e.Request(); ok && err == nil {
		event.Meta, err = setMeta(e.Meta, requestMember, "")
	}
	if err != nil {
		panic(err) // the anchor was read, or made, as JSON
	}
	return event
}

// IsEventOf reports whether an entry is the event of an anchor on the same tape,
// on the next line or, in tapes of other programs, an earlier one.
func (e *Entry) IsEventOf(anchor *Entry) bool {
	if e.Kind != KindEvent || e.Name() != EventHandoff || e.Source != anchor.Source {
		return false
	}
	name, _ := Text(e.Data(), "name")
	return name == anchor.Name() && e.At.Pos <= anchor.At.Pos+1
}

// AnchorText is how an anchor is shown to a model, in Bub's words:
// "[Anchor created: NAME]: STATE".
func (e *Entry) AnchorText() string {
	name, ok := Text(e.Payload, "name")
	if !ok {
		name = "None"
	}
	state := "null"
	if value := jsontext.Get(e.Payload, "state"); value != "" {
		state = string(jsontext.Python.AppendValue(nil, value))
	}
	return "[Anchor created: " + name + "]: " + state
}

// stateMember marks a message that repeats an anchor's state.
const stateMember = "anchor_state"

// StateMessage is the message that repeats an anchor's state, for models that
// do not see anchors; ok is false if there is no state. The role is user: some
// providers require it of the first message, and a handoff of others is not an
// instruction of the system.
func (e *Entry) StateMessage() (message Entry, ok bool, err error) {
	if members, err := jsontext.Python.Object(string(e.State())); err != nil || len(members) == 0 {
		return Entry{}, false, nil
	}
	meta, err := setMeta(e.Meta, requestMember, "")
	if err == nil {
		meta, err = setMeta(meta, stateMember, "true")
	}
	if err != nil {
		return Entry{}, false, err
	}
	payload := jsontext.Python.AppendMembers(nil, []jsontext.Member{TextMember("role", "user"), TextMember("content", e.AnchorText())})
	message, err = New(KindMessage, json.RawMessage(payload), meta)
	return message, true, err
}

// IsStateMessage reports whether the entry is a [Entry.StateMessage]. A reader
// that shows the anchor itself leaves it out.
func (e *Entry) IsStateMessage() bool {
	return e.Kind == KindMessage && jsontext.Get(e.Meta, stateMember) == "true"
}

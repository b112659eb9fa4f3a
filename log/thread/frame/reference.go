package frame

import (
	"encoding/json"

	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// selector is where a reference cuts the other thread, and why it refers to it.
type selector struct {
	Seq       *uint64 `json:"seq"`
	MessageID *string `json:"message_id,omitempty"`
	Note      *string `json:"note,omitempty"`
}

// Refer is a reference in the thread with the id, without an actor.
func Refer(id string, ref bundle.ThreadRef) *ThreadReferenced {
	at, _ := jsontext.Marshal(selector{&ref.Seq, ref.MessageID, ref.Note}) // texts and numbers
	return &ThreadReferenced{FromThreadID: id, ToThreadID: ref.ThreadID, Selector: at}
}

// Cut is the cut that a reference selects; false if the selector has another form than that of [Refer].
func (p *ThreadReferenced) Cut() (ref bundle.ThreadRef, ok bool) {
	var at selector
	if json.Unmarshal(p.Selector, &at) != nil || at.Seq == nil {
		return ref, false
	}
	return bundle.ThreadRef{ThreadID: p.ToThreadID, Seq: *at.Seq, MessageID: at.MessageID, Note: at.Note}, true
}

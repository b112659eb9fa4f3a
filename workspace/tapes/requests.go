package tapes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/log/tape/comma"
)

// Requests that a server also takes as they are; package tape has the others.

// HandoffRequest asks for an anchor and its handoff event. Its members are the
// arguments of the tool tape.handoff.
type HandoffRequest struct {
	Name      string          `json:"name,omitempty" arg:"0" doc:"anchor name; default: handoff"`
	Summary   *string         `json:"summary,omitempty" flag:"summary=TEXT" usage:"the summary" doc:"summary for the successor"`
	NextSteps *string         `json:"next_steps,omitempty" flag:"next-steps=TEXT" usage:"the next steps" doc:"next steps"`
	State     json.RawMessage `json:"state,omitempty" flag:"state=JSON" usage:"further facts, a JSON object" type:"object" doc:"additional state"`
	Meta      json.RawMessage `json:"meta,omitempty" flag:"meta=JSON" usage:"meta of both entries, a JSON object: {\"run_id\": \"r1\"}" type:"object" doc:"meta of both entries; by convention run_id"`
	Overflow  string          `json:"overflow,omitempty" flag:"overflow=ERROR" usage:"the error with which the model refused the context" doc:"the error with which a model refused the context as too long, instead of all other members: the anchor has the summary and next steps of the last one, or else the first and the last prompt; 400 if that would not make the context shorter"`
	Key       string          `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
	Bare      bool            `json:"bare,omitempty" flag:"bare" usage:"do not write the anchor session/start, for a program that writes its own" doc:"create a missing tape without the anchor session/start, for a program that writes its own"`
	After     *int64          `json:"after,omitempty" flag:"after=ID" usage:"write only if this is still the largest id on the tape; 0 for a new tape" min:"0" max:"4611686018427387903" doc:"only if this is still the largest ID on the tape, 0 for a missing tape; otherwise 409"`
}

// onlyOverflow reports whether the request has nothing besides the error of an overflow.
func (r HandoffRequest) onlyOverflow() bool {
	return r.Name == "" && r.Summary == nil && r.NextSteps == nil && r.State == nil && r.Meta == nil && r.Key == "" && r.After == nil && !r.Bare
}

// ForkRequest asks for a tape that continues another.
type ForkRequest struct {
	To                string  `json:"to,omitempty" arg:"0" doc:"name of the new tape; with an Idempotency-Key it can be left out and is made from the key"`
	FromAnchor        *string `json:"from_anchor,omitempty" flag:"from-anchor=NAME" usage:"anchor to start at, the last of this name" doc:"start at the last anchor with this name"`
	FromEntry         *int64  `json:"from_entry,omitempty" flag:"from-entry=ID" usage:"entry to start at" doc:"start at the last entry with this ID"`
	Until             string  `json:"until,omitempty" flag:"until=NAME" usage:"anchor to end before, the next of this name" unset:"latest, the end" doc:"stop before the next anchor with this name; default: latest, the end of the tape"`
	NextSteps         *string `json:"next_steps,omitempty" flag:"next-steps=TEXT" usage:"what the fork is for" doc:"purpose of the fork"`
	ContextSummary    *string `json:"context_summary,omitempty" flag:"context-summary=TEXT" usage:"context for it" doc:"context for the fork"`
	TriggerOnComplete *string `json:"trigger_on_complete,omitempty" flag:"trigger-on-complete=WHAT" usage:"what happens when it is merged: notify_parent appends a message to the parent" doc:"what happens when the fork is merged: notify_parent appends a message to the parent; other values are only stored"`
	// Intention is another form of the three above.
	Intention *ForkIntention `json:"intention,omitempty" doc:"next_steps, context_summary and trigger_on_complete as one object, instead of the members of those names"`
	Link      bool           `json:"link,omitempty" flag:"link" usage:"refer to the entries instead of copying them" doc:"refer to the entries instead of copying them"`
	Key       string         `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// ForkIntention is what a fork is for.
type ForkIntention struct {
	NextSteps         *string `json:"next_steps,omitempty" doc:"purpose of the fork"`
	ContextSummary    *string `json:"context_summary,omitempty" doc:"context for the fork"`
	TriggerOnComplete *string `json:"trigger_on_complete,omitempty" doc:"what happens when the fork is merged: notify_parent appends a message to the parent; other values are only stored"`
}

// ErrNoName: a fork has neither a name nor a key to make one from.
var ErrNoName = fmt.Errorf("want to, the name of the new tape, or an Idempotency-Key to make the name from: %w", handoff.ErrInvalid)

// forTape is the request to package tape. Without a name, or with both forms of the intention,
// the error is handoff.ErrInvalid.
func (r ForkRequest) forTape() (tape.ForkRequest, error) {
	if r.To == "" && r.Key == "" {
		return tape.ForkRequest{}, ErrNoName
	}
	if i := r.Intention; i != nil {
		if r.NextSteps != nil || r.ContextSummary != nil || r.TriggerOnComplete != nil {
			return tape.ForkRequest{}, fmt.Errorf("want intention, or next_steps, context_summary and trigger_on_complete, not both: %w", handoff.ErrInvalid)
		}
		r.NextSteps, r.ContextSummary, r.TriggerOnComplete = i.NextSteps, i.ContextSummary, i.TriggerOnComplete
	}
	f := tape.ForkRequest{To: r.To, FromAnchor: r.FromAnchor, FromEntry: r.FromEntry, Until: r.Until, Link: r.Link, Key: r.Key}
	if r.NextSteps != nil || r.ContextSummary != nil || r.TriggerOnComplete != nil {
		f.Intention = &tape.Intention{NextSteps: text(r.NextSteps), ContextSummary: text(r.ContextSummary), TriggerOnComplete: r.TriggerOnComplete}
	}
	return f, nil
}

// MergeRequest asks for a fork's entries to be appended to its parent.
type MergeRequest struct {
	KeepAnchors bool `json:"keep_anchors,omitempty" flag:"keep-anchors" usage:"its anchors also cut the parent's context" doc:"the fork's anchors also cut the parent's context"`
}

// DiscardRequest asks for a fork to be archived without merging it.
type DiscardRequest struct {
	Reason string `json:"reason,omitempty" flag:"reason=TEXT" usage:"the reason" doc:"reason"`
}

// ResetRequest asks for a tape's entries to be archived and for the tape to start
// again.
type ResetRequest struct {
	Archive *bool  `json:"archive,omitempty" flag:"!no-archive" usage:"archive nothing; requires --yes" doc:"archive the entries; default: true"`
	Confirm string `json:"confirm,omitempty" doc:"the tape's name, to confirm that entries are destroyed without an archive"`
	Key     string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// ExecRequest asks for a comma command.
type ExecRequest struct {
	Command  string `json:"command" arg:"0" doc:"a comma command, such as ,handoff name=phase-1 state={tables: 5}"`
	Confirm  string `json:"confirm,omitempty" doc:"the tape's name, to confirm that ,reset archive=false destroys entries"`
	NoRecord bool   `json:"no_record,omitempty" flag:"no-record" usage:"do not record it on the tape" doc:"do not record the command on the tape as an event"`
}

// DeleteRequest asks for a tape to be deleted.
type DeleteRequest struct {
	Archive *bool  `query:"archive" flag:"!no-archive" usage:"archive nothing; requires --yes" default:"true" doc:"archive the entries"`
	Confirm string `query:"confirm" doc:"the tape's name, to confirm that entries are destroyed without an archive"`
}

// ErrUnconfirmed: entries would be destroyed, and the request does not confirm
// that.
var ErrUnconfirmed = errors.New("confirm")

// CheckConfirmed is ErrUnconfirmed for a request that destroys entries without
// naming their tape.
func CheckConfirmed(name string, archive *bool, confirm string) error {
	if archive != nil && !*archive && confirm != name {
		return fmt.Errorf("this destroys tape %s without an archive: %w", name, ErrUnconfirmed)
	}
	return nil
}

// SendRequest asks for an envelope. What it leaves out is taken from the state of
// the last anchor.
type SendRequest struct {
	From           string  `json:"from" flag:"from=WHO" usage:"who hands over, such as agent:worker-1" doc:"sender, e.g. agent:worker-1"`
	To             string  `json:"to" flag:"to=WHOM" usage:"who gets it" doc:"receiver"`
	Reason         string  `json:"reason,omitempty" flag:"reason=TEXT" usage:"the reason" doc:"reason"`
	Summary        string  `json:"summary,omitempty" flag:"summary=TEXT" usage:"summary for the receiver" doc:"summary for the receiver; default: that of the last anchor"`
	NextSteps      *string `json:"next_steps,omitempty" flag:"next-steps=TEXT" usage:"next steps for the receiver" doc:"next steps for the receiver; default: those of the last anchor"`
	ContextSummary *string `json:"context_summary,omitempty" flag:"context-summary=TEXT" usage:"context for the receiver" doc:"context for the next steps"`
	// Intention is another form of the two above.
	Intention *SendIntention `json:"intention,omitempty" doc:"next_steps and context_summary as one object, as the envelope has them, instead of the members of those names"`
}

// SendIntention is what the receiver is asked to do.
type SendIntention struct {
	NextSteps      *string `json:"next_steps,omitempty" doc:"next steps for the receiver"`
	ContextSummary *string `json:"context_summary,omitempty" doc:"context for the next steps"`
}

// flat is the request with its intention in the other form. With both the error is
// handoff.ErrInvalid.
func (r SendRequest) flat() (SendRequest, error) {
	if r.Intention == nil {
		return r, nil
	}
	if r.NextSteps != nil || r.ContextSummary != nil {
		return r, fmt.Errorf("want intention, or next_steps and context_summary, not both: %w", handoff.ErrInvalid)
	}
	r.NextSteps, r.ContextSummary = r.Intention.NextSteps, r.Intention.ContextSummary
	return r, nil
}

// ReceiveRequest is an envelope, and how to receive it.
type ReceiveRequest struct {
	Name string `query:"name" flag:"name=NAME" usage:"name of the anchor" unset:"context_handoff" default:"context_handoff" doc:"anchor name"`
	As   string `query:"as" flag:"as=WHO" usage:"who the envelope must be for, such as agent:worker-2" doc:"receiver; 409 if the envelope is addressed to another one"`
	Body tape.Envelope
}

// ErrNotAddressed: the envelope is for another receiver. It is fs.ErrExist.
var ErrNotAddressed = fmt.Errorf("leave it to its receiver: %w", fs.ErrExist)

func (r ReceiveRequest) check() error {
	if r.As != "" && r.As != r.Body.To {
		return fmt.Errorf("the envelope is for %q, not for %q: %w", r.Body.To, r.As, ErrNotAddressed)
	}
	return nil
}

// text returns the string, or "" for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Anchor are the name, the state and the meta of the anchor.
func (r HandoffRequest) Anchor() (h comma.HandoffRequest, err error) {
	h, err = comma.NewHandoff(r.Name, r.Summary, r.NextSteps, r.State)
	if err != nil {
		return h, fmt.Errorf("state: want an object: %w", handoff.ErrInvalid)
	}
	h.Meta = r.Meta
	return h, nil
}

package tapes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"handoff"
	"handoff/tape"
	"handoff/tape/comma"
)

// Requests that a server also takes as they are; package tape has the others.

// HandoffRequest asks for an anchor and its handoff event. Its members are the
// arguments of the tool tape.handoff.
type HandoffRequest struct {
	Name      string          `json:"name,omitempty" doc:"anchor name; default: handoff"`
	Summary   *string         `json:"summary,omitempty" doc:"summary for the successor"`
	NextSteps *string         `json:"next_steps,omitempty" doc:"next steps"`
	State     json.RawMessage `json:"state,omitempty" type:"object" doc:"additional state"`
	Meta      json.RawMessage `json:"meta,omitempty" type:"object" doc:"meta of both entries; by convention run_id"`
	After     *int64          `json:"after,omitempty" min:"0" max:"4611686018427387903" doc:"only if this is still the largest ID on the tape, 0 for a missing tape; otherwise 409"`
	Bare      bool            `json:"bare,omitempty" doc:"create a missing tape without the anchor session/start, for a program that writes its own"`
	Key       string          `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// ForkRequest asks for a tape that continues another.
type ForkRequest struct {
	To                string  `json:"to,omitempty" doc:"name of the new tape; with an Idempotency-Key it can be left out and is made from the key"`
	FromAnchor        *string `json:"from_anchor,omitempty" doc:"start at the last anchor with this name"`
	FromEntry         *int64  `json:"from_entry,omitempty" doc:"start at the last entry with this ID"`
	Until             string  `json:"until,omitempty" doc:"stop before the next anchor with this name; default: latest, the end of the tape"`
	NextSteps         *string `json:"next_steps,omitempty" doc:"purpose of the fork"`
	ContextSummary    *string `json:"context_summary,omitempty" doc:"context for the fork"`
	TriggerOnComplete *string `json:"trigger_on_complete,omitempty" doc:"what happens when the fork ends"`
	// Intention is another form of the three above.
	Intention *ForkIntention `json:"intention,omitempty" doc:"next_steps, context_summary and trigger_on_complete as one object, instead of the members of those names"`
	Link      bool           `json:"link,omitempty" doc:"refer to the entries instead of copying them"`
	Key       string         `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// ForkIntention is what a fork is for.
type ForkIntention struct {
	NextSteps         *string `json:"next_steps,omitempty" doc:"purpose of the fork"`
	ContextSummary    *string `json:"context_summary,omitempty" doc:"context for the fork"`
	TriggerOnComplete *string `json:"trigger_on_complete,omitempty" doc:"what happens when the fork ends"`
}

// forTape is the request to package tape. With both forms of the intention the error is
// handoff.ErrInvalid.
func (r ForkRequest) forTape() (tape.ForkRequest, error) {
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
	KeepAnchors bool `json:"keep_anchors,omitempty" doc:"the fork's anchors also cut the parent's context"`
}

// DiscardRequest asks for a fork to be archived without merging it.
type DiscardRequest struct {
	Reason string `json:"reason,omitempty" doc:"reason"`
}

// ResetRequest asks for a tape's entries to be archived and for the tape to start
// again.
type ResetRequest struct {
	Archive *bool  `json:"archive,omitempty" doc:"archive the entries; default: true"`
	Confirm string `json:"confirm,omitempty" doc:"the tape's name, to confirm that entries are destroyed without an archive"`
	Key     string `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// DeleteRequest asks for a tape to be deleted.
type DeleteRequest struct {
	Archive *bool  `query:"archive" default:"true" doc:"archive the entries"`
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
	From           string  `json:"from" doc:"sender, e.g. agent:worker-1"`
	To             string  `json:"to" doc:"receiver"`
	Reason         string  `json:"reason,omitempty" doc:"reason"`
	Summary        string  `json:"summary,omitempty" doc:"summary for the receiver; default: that of the last anchor"`
	NextSteps      *string `json:"next_steps,omitempty" doc:"next steps for the receiver; default: those of the last anchor"`
	ContextSummary *string `json:"context_summary,omitempty" doc:"context for the next steps"`
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

// ReceiveRequest describes how to receive an envelope.
type ReceiveRequest struct {
	Name string `query:"name" default:"context_handoff" doc:"anchor name"`
	As   string `query:"as" doc:"receiver; 409 if the envelope is addressed to another one"`
}

// ErrNotAddressed: the envelope is for another receiver. It is fs.ErrExist.
var ErrNotAddressed = fmt.Errorf("leave it to its receiver: %w", fs.ErrExist)

func (r ReceiveRequest) check(e tape.Envelope) error {
	if r.As != "" && r.As != e.To {
		return fmt.Errorf("the envelope is for %q, not for %q: %w", e.To, r.As, ErrNotAddressed)
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

// forTape are the name, the state and the meta of the anchor.
func (r HandoffRequest) forTape() (h comma.HandoffRequest, err error) {
	h, err = comma.NewHandoff(r.Name, r.Summary, r.NextSteps, r.State)
	if err != nil {
		return h, fmt.Errorf("state: want an object: %w", handoff.ErrInvalid)
	}
	h.Meta = r.Meta
	return h, nil
}

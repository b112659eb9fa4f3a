package feed

import (
	"encoding/json"
	"errors"
	"time"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
	"handoff/log/receipt"
)

// Type is what happened to a handoff.
type Type string

// The types of events besides those of [receipt.Kind].
const (
	Written Type = "written" // the document exists; outside of task folders also with new content
	Linked  Type = "linked"  // the metadata of its task names its bundle, or a new one
)

// Types are all types of events.
var Types = []Type{Written, Linked, Type(receipt.StepDelivered), Type(receipt.StepAcknowledged), Type(receipt.StepClaimed), Type(receipt.StepRenewed),
	Type(receipt.StepReleased), Type(receipt.StepExpired), Type(receipt.StepDone), Type(receipt.StepSuperseded)}

// Event is one line of the feed. The order of the fields is the order in the file.
type Event struct {
	Seq     uint64    `json:"seq" doc:"number of the event: 0, 1, 2 …"`
	At      time.Time `json:"at" doc:"when it happened, as far as known: time of the step, or of the last change of the document or the metadata. Not ordered: seq is"`
	Type    Type      `json:"type" doc:"written, linked, or the step of a receipt" enum:"written,linked,delivered,acknowledged,claimed,renewed,released,expired,done,superseded"`
	Path    string    `json:"path" doc:"path of the handoff relative to the workspace, with forward slashes; of work that was claimed without a document what it is called: issue:311, task:7, path:src/x/**"`
	Ref     string    `json:"ref,omitempty" doc:"short name, 259/3"`
	Task    int       `json:"task,omitempty" doc:"task number"`
	Phase   string    `json:"phase,omitempty" doc:"phase as written: 3, 3A"`
	Bundle  string    `json:"bundle_artifact_id,omitempty" doc:"of linked: the bundle"`
	Step    *uint64   `json:"step,omitempty" doc:"number of the step in the receipts of the handoff"`
	SHA256  string    `json:"sha256,omitempty" doc:"of the document at the time of the step; of written, if the document is outside of task folders"`
	By      string    `json:"by,omitempty" doc:"name of the one that took the step"`
	Token   uint64    `json:"token,omitempty" doc:"fencing token of the claim"`
	Until   time.Time `json:"until,omitzero" doc:"end of the lease"`
	Why     string    `json:"why,omitempty" doc:"reason of released, or of a claim by force"`
	Next    string    `json:"superseded_by,omitempty" doc:"path of the next handoff"`
	Host    string    `json:"host,omitempty" doc:"program of the session that was shown the handoff, or claimed it: claude, codex, …"`
	Session string    `json:"session,omitempty" doc:"that program's id of the session"`

	sorted time.Time // see inOrder
}

// line is the encoded event.
func (e Event) line() ([]byte, error) {
	return jsontext.Marshal(e)
}

// format is the feed's format. Like that of receipts, it accepts types of newer versions.
var format = journal.Format{Version: 1, Read: func(line []byte) (journal.Facts, error) {
	var e struct {
		Seq *uint64 `json:"seq"`
	}
	err := json.Unmarshal(line, &e)
	if err == nil && e.Seq == nil {
		err = errors.New(`"seq" is missing`)
	}
	if err != nil {
		return journal.Facts{}, err
	}
	return journal.Facts{Number: *e.Seq}, nil
}}

// state is the content of a feed's events. It only grows. Comparing it with the tree
// and the receipts gives the missing events.
type state struct {
	next uint64 // number of the next event
	of   map[string]told
}

// told is the content of the feed about one handoff.
type told struct {
	written bool
	sum     string // SHA-256 of the content, if it is outside of task folders
	bundle  string
	steps   uint64
	last    Type // of the steps, and when
	at      time.Time
}

// isOf reports whether a life continues the steps that the feed has. One that does not
// began again, after the receipts were deleted.
func (t told) isOf(life receipt.Life) bool {
	if t.steps > uint64(len(life.Steps)) {
		return false
	}
	if t.steps == 0 {
		return true
	}
	s := life.Steps[t.steps-1]
	return Type(s.Kind) == t.last && s.At.Equal(t.at)
}

func (s *state) apply(line []byte) error {
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	t := s.of[e.Path]
	switch {
	case e.Type == Written:
		t.written, t.sum = true, e.SHA256
	case e.Type == Linked:
		t.bundle = e.Bundle
	case e.Step != nil:
		t.steps, t.last, t.at = *e.Step+1, e.Type, e.At
	}
	s.of[e.Path] = t
	s.next++
	return nil
}

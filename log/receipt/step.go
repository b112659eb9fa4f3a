package receipt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// Kind is what a step records.
type Kind string

// The kinds of steps.
const (
	StepDelivered    Kind = "delivered"    // a successor was shown the handoff
	StepAcknowledged Kind = "acknowledged" // a successor confirmed that it read it
	StepClaimed      Kind = "claimed"      // a successor works on it, until the lease ends
	StepRenewed      Kind = "renewed"      // the lease was extended
	StepReleased     Kind = "released"     // the holder gave it back, or the session that was shown it ended
	StepExpired      Kind = "expired"      // the lease had ended when the next claim came
	StepDone         Kind = "done"         // the work is finished
	StepSuperseded   Kind = "superseded"   // the holder wrote the next handoff of the task
)

// Kinds are all kinds of steps.
var Kinds = []Kind{StepDelivered, StepAcknowledged, StepClaimed, StepRenewed, StepReleased, StepExpired, StepDone, StepSuperseded}

// Step is one line of a receipt file. The order of the fields is the order in
// the file.
type Step struct {
	Seq     uint64    `json:"seq"`            // from 0, one more in each line
	At      time.Time `json:"at"`             // UTC, to the millisecond
	Kind    Kind      `json:"step"`           //
	Handoff string    `json:"handoff"`        // path of the document: see [Place.Path]; or name of work: see [Place.Work]
	Part    string    `json:"part,omitempty"` // which of the leases of a log that has several: the glob of paths
	SHA256  string    `json:"sha256,omitempty"`
	By      string    `json:"by,omitempty"`    // who: a name for people
	Claim   string    `json:"claim,omitempty"` // the claim that the step belongs to
	Token   uint64    `json:"token,omitempty"` // fencing token of that claim
	Until   time.Time `json:"until,omitzero"`  // end of the lease, UTC
	Took    string    `json:"took,omitempty"`  // the claim that was taken over by force
	Why     string    `json:"why,omitempty"`   // reason of a release or a takeover
	Matched bool      `json:"first_action_matched,omitempty"`
	Next    string    `json:"superseded_by,omitempty"` // path of the next handoff
	Host    string    `json:"host,omitempty"`          // program of the session that was shown it, or claimed it
	Session string    `json:"session,omitempty"`       // that program's id of it
	Level   string    `json:"level,omitempty"`         // what the holder may do, if it was started with less than all: read or edit

	Evidence *Evidence `json:"evidence,omitempty"` // done: which commands ran, and how they ended
}

// Name is the name of the handoff or the work that the step is about.
func (s Step) Name() string { return s.Handoff + s.Part }

// line returns the encoded step.
func (s Step) line() ([]byte, error) {
	return jsontext.Marshal(s)
}

// parseStep reads a line. A step of an unknown kind is an error, because no
// decision is safe on a history that is not understood.
func parseStep(line []byte) (s Step, err error) {
	if err := json.Unmarshal(line, &s); err != nil {
		return s, err
	}
	if slices.Contains(Kinds, s.Kind) {
		return s, nil
	}
	return s, fmt.Errorf("unknown step %q: a newer handoff wrote it; update this one", s.Kind)
}

// format is the journals' format. Read accepts unknown kinds of steps, because
// the journal would cut an unreadable last line off as torn.
var format = journal.Format{Version: 1, Begun: true, Whole: true, Read: func(line []byte) (journal.Facts, error) {
	var s struct {
		Seq *uint64 `json:"seq"`
	}
	err := json.Unmarshal(line, &s)
	if err == nil && s.Seq == nil {
		err = errors.New(`"seq" is missing`)
	}
	if err != nil {
		return journal.Facts{}, err
	}
	return journal.Facts{Number: *s.Seq}, nil
}}

package thread

import (
	"context"
	"encoding/json"
)

// Decision is what a context was to be compiled from, as an event says it.
type Decision struct {
	DecisionEventID  string               `json:"decision_event_id"`
	RunSessionID     string               `json:"run_session_id"`
	MessageID        string               `json:"message_id"`
	CompilerID       string               `json:"compiler_id"`
	CompilerStrategy string               `json:"compiler_strategy"`
	Limits           json.RawMessage      `json:"limits"`
	Checkpoint       *SelectedCheckpoint  `json:"compaction_checkpoint"`
	Checkpoints      []SelectedCheckpoint `json:"compaction_checkpoints,omitempty"`
	Resets           []Reset              `json:"resets"`
	Reason           json.RawMessage      `json:"reason"` // nil for none
	ActorID          string               `json:"actor_id"`
	Origin           string               `json:"origin"`
	Seq              uint64               `json:"seq"`
	TimestampMS      uint64               `json:"timestamp_ms"`
}

// SelectionStatus are the last decisions, the newest first.
type SelectionStatus struct {
	ThreadID  string     `json:"thread_id"`
	Decisions []Decision `json:"decisions"`
}

// The numbers of decisions that a status tells of.
const (
	defaultDecisions = 10
	maxDecisions     = 50
)

// SelectionRequest asks for the last decisions.
type SelectionRequest struct {
	Limit *uint32 `json:"limit,omitempty" doc:"maximum number, up to 50; default: 10"`
}

// SelectionStatus returns what the last contexts were compiled from.
func (s *Store) SelectionStatus(_ context.Context, id string, r SelectionRequest) (SelectionStatus, error) {
	most := uint32(defaultDecisions)
	if r.Limit != nil {
		most = min(*r.Limit, maxDecisions)
	}
	status := SelectionStatus{ThreadID: id, Decisions: []Decision{}}
	j, release, err := s.thread(id)
	if err != nil {
		return status, err
	}
	defer release()
	if most == 0 {
		return status, nil
	}
	err = newest(j, listSelections, func(e Event, p *SelectionDecided) bool {
		d := Decision{e.ID, p.RunSessionID, p.MessageID, p.CompilerID, p.CompilerStrategy, p.Limits, p.Checkpoint, p.Checkpoints, p.Resets,
			p.Reason, p.ActorID, p.Origin, e.Seq, e.TimestampMS}
		if d.Resets == nil {
			d.Resets = []Reset{}
		}
		status.Decisions = append(status.Decisions, d)
		return len(status.Decisions) < int(most)
	})
	return status, err
}

package thread

import (
	"context"

	"handoff/internal/journal"
)

// Decision is a selection of the inputs of a context, with its event.
type Decision struct {
	DecisionEventID string `json:"decision_event_id"`
	SelectionDecided
	Seq         uint64 `json:"seq"`
	TimestampMS uint64 `json:"timestamp_ms"`
}

// SelectionStatus are the last decisions, the newest first.
type SelectionStatus struct {
	ThreadID  string     `json:"thread_id"`
	Decisions []Decision `json:"decisions"`
}

const defaultDecisions, maxDecisions = 10, 50

// SelectionRequest asks for the last decisions.
type SelectionRequest struct {
	Limit *uint32 `json:"limit,omitempty" flag:"limit=N" usage:"how many contexts, the last ones" unset:"10" doc:"maximum number, up to 50; default: 10"`
}

// SelectionStatus returns what the last contexts were compiled from.
func (s *Store) SelectionStatus(ctx context.Context, id string, r SelectionRequest) (SelectionStatus, error) {
	most := uint32(defaultDecisions)
	if r.Limit != nil {
		most = min(*r.Limit, maxDecisions)
	}
	return onThread(ctx, s, id, func(j *journal.Journal) (SelectionStatus, error) {
		status := SelectionStatus{ThreadID: id, Decisions: []Decision{}}
		for found, err := range newest[*SelectionDecided](j, listSelections, int(most)) {
			if err != nil {
				return status, err
			}
			d := Decision{found.ID, *found.payload, found.Seq, found.TimestampMS}
			if d.Resets == nil {
				d.Resets = []Reset{}
			}
			status.Decisions = append(status.Decisions, d)
		}
		return status, nil
	})
}

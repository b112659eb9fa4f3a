package thread

import (
	"cmp"
	"context"
	"math"
	"slices"

	"handoff/internal/journal"
)

// Cursor is where a provider can resume, with the event that saved it.
type Cursor struct {
	CursorEventID string `json:"cursor_event_id"`
	CursorUpdated
	Seq         uint64 `json:"seq"`
	TimestampMS uint64 `json:"timestamp_ms"`
}

// CursorStatus is the newest cursor of all, and the newest of each provider,
// endpoint and model, sorted by these.
type CursorStatus struct {
	ThreadID string   `json:"thread_id"`
	Active   *Cursor  `json:"active"`
	Cursors  []Cursor `json:"cursors"`
}

const (
	maxCursors     = 32   // in a status
	maxCursorsKept = 256  // that are found however long the thread is
	maxCursorsRead = 1024 // events that are read from the end if there are more
)

// CursorStatus returns the cursors that events saved last, 32 at most.
func (s *Store) CursorStatus(_ context.Context, id string) (CursorStatus, error) {
	status := CursorStatus{ThreadID: id, Cursors: []Cursor{}}
	events, err := s.cursors(id)
	if err != nil {
		return status, err
	}
	for _, e := range events[:min(len(events), maxCursors)] {
		status.Cursors = append(status.Cursors, Cursor{e.ID, *e.payload, e.Seq, e.TimestampMS})
	}
	if len(status.Cursors) > 0 {
		status.Active = new(status.Cursors[0])
	}
	slices.SortFunc(status.Cursors, func(a, b Cursor) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), compareTexts(a.Endpoint, b.Endpoint), compareTexts(a.Model, b.Model))
	})
	return status, nil
}

// compareTexts sorts nil before all texts.
func compareTexts(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// cursors are the last event about each cursor, the newest first. If a thread
// has very many cursors, only its last events about cursors are searched.
func (s *Store) cursors(id string) ([]found[*CursorUpdated], error) {
	return onThread(context.Background(), s, id, func(j *journal.Journal) (events []found[*CursorUpdated], err error) {
		for most := uint64(journal.MaxMark); ; most-- {
			rec, number, ok, err := j.Floor(markCursor, most, math.MaxUint64)
			if err != nil {
				return nil, err
			}
			if ok && len(events) == maxCursorsKept {
				return lastCursors(j)
			}
			if ok {
				e, err := foundIn[*CursorUpdated](j, rec)
				if err != nil {
					return nil, err
				}
				events = append(events, e)
			}
			if most = number; !ok || most == 0 {
				break
			}
		}
		slices.SortFunc(events, func(a, b found[*CursorUpdated]) int { return cmp.Compare(b.Seq, a.Seq) })
		return events, nil
	})
}

// lastCursors searches the last events about cursors.
func lastCursors(j *journal.Journal) (events []found[*CursorUpdated], err error) {
	seen := map[uint64]bool{}
	for e, err := range newest[*CursorUpdated](j, listCursors, maxCursorsRead) {
		if err != nil {
			return nil, err
		}
		if n := e.payload.Number() % journal.MaxMark; !seen[n] {
			seen[n] = true
			events = append(events, e)
		}
	}
	return events, nil
}

// RotateRequest selects the cursor to invalidate: the newest one that matches
// every field given.
type RotateRequest struct {
	Provider *string `json:"provider" flag:"provider=NAME" usage:"only cursors of this provider" unset:"of any" doc:"provider of the cursor; default: any"`
	Endpoint *string `json:"endpoint" flag:"endpoint=URL" usage:"only of this endpoint" doc:"endpoint of the cursor"`
	Model    *string `json:"model" flag:"model=NAME" usage:"only of this model" doc:"model of the cursor"`
	Reason   *string `json:"reason" flag:"reason=TEXT" usage:"the reason" doc:"reason"`
	ActorID  string  `json:"actor_id" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; blank means user"`
	Origin   string  `json:"origin" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; blank means server"`
}

// RotateResult is the cursor that was invalidated, if there was one.
type RotateResult struct {
	ThreadID      string  `json:"thread_id"`
	Rotated       bool    `json:"rotated"`
	Provider      *string `json:"provider"`
	Endpoint      *string `json:"endpoint"`
	Model         *string `json:"model"`
	CursorEventID *string `json:"cursor_event_id"`
}

// RotateCursor records that a cursor is no longer valid. If none matches,
// nothing is appended.
func (s *Store) RotateCursor(ctx context.Context, id string, r RotateRequest) (RotateResult, error) {
	events, err := s.cursors(id)
	if err != nil {
		return RotateResult{}, err
	}
	i := slices.IndexFunc(events, func(e found[*CursorUpdated]) bool { return r.matches(e.payload) })
	if i < 0 {
		return RotateResult{ThreadID: id}, nil
	}
	old := events[i].payload
	p := &CursorUpdated{Provider: old.Provider, Endpoint: old.Endpoint, Model: old.Model, Action: "rotated", Reason: r.Reason, ActorID: r.ActorID, Origin: r.Origin}
	e, err := s.one(ctx, id, by(p, &p.ActorID, &p.Origin))
	if err != nil {
		return RotateResult{}, err
	}
	return RotateResult{id, true, &old.Provider, old.Endpoint, old.Model, &e.ID}, nil
}

func (r RotateRequest) matches(p *CursorUpdated) bool {
	match := func(want, is *string) bool { return want == nil || is != nil && *is == *want }
	return match(r.Provider, &p.Provider) && match(r.Endpoint, p.Endpoint) && match(r.Model, p.Model)
}

package thread

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"handoff/internal/journal"
)

// Cursor is where a provider would go on, as an event has left it.
type Cursor struct {
	CursorEventID string          `json:"cursor_event_id"`
	Provider      string          `json:"provider"`
	Endpoint      *string         `json:"endpoint"`
	Model         *string         `json:"model"`
	Cursor        json.RawMessage `json:"cursor"` // nil for none
	Action        string          `json:"action"`
	Reason        *string         `json:"reason"`
	RunSessionID  *string         `json:"run_session_id"`
	ActorID       string          `json:"actor_id"`
	Origin        string          `json:"origin"`
	Seq           uint64          `json:"seq"`
	TimestampMS   uint64          `json:"timestamp_ms"`
}

// CursorStatus is the newest cursor of all, and the newest of each provider,
// endpoint and model, in their order.
type CursorStatus struct {
	ThreadID string   `json:"thread_id"`
	Active   *Cursor  `json:"active"`
	Cursors  []Cursor `json:"cursors"`
}

const (
	maxCursors     = 32   // that a status tells of
	maxCursorsKept = 256  // of a thread that are told apart however long it is
	maxCursorsRead = 1024 // events that are looked back over where there are more
)

// CursorStatus returns the cursors that events saved last, 32 at most.
func (s *Store) CursorStatus(_ context.Context, id string) (CursorStatus, error) {
	status := CursorStatus{ThreadID: id, Cursors: []Cursor{}}
	events, err := s.cursors(id)
	if err != nil {
		return status, err
	}
	for _, e := range events[:min(len(events), maxCursors)] {
		p := e.Payload.(*CursorUpdated)
		status.Cursors = append(status.Cursors, Cursor{e.ID, p.Provider, p.Endpoint, p.Model, p.Cursor, p.Action, p.Reason, p.RunSessionID, p.ActorID, p.Origin, e.Seq, e.TimestampMS})
	}
	if len(status.Cursors) > 0 {
		status.Active = new(status.Cursors[0])
	}
	slices.SortFunc(status.Cursors, func(a, b Cursor) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), compareTexts(a.Endpoint, b.Endpoint), compareTexts(a.Model, b.Model))
	})
	return status, nil
}

// compareTexts has none before all others.
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

// cursors are the last event about each cursor, the newest first. Of a thread
// with very many cursors they are those that its last events are about.
func (s *Store) cursors(id string) ([]Event, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	defer release()
	var events []Event
	for most := uint64(journal.MaxMark); ; most-- {
		rec, number, ok, err := j.Floor(markCursor, most, math.MaxUint64)
		if err != nil {
			return nil, err
		}
		if ok && len(events) == maxCursorsKept {
			return lastCursors(j)
		}
		if ok {
			e, err := Parse(rec.Line)
			if err != nil {
				return nil, err
			}
			events = append(events, e)
		}
		if most = number; !ok || most == 0 {
			break
		}
	}
	slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(b.Seq, a.Seq) })
	return events, nil
}

// lastCursors looks for them among the last events about cursors.
func lastCursors(j *journal.Journal) (events []Event, err error) {
	read, seen := 0, map[uint64]bool{}
	err = newest(j, listCursors, func(e Event, p *CursorUpdated) bool {
		if n := cursorNumber(p); !seen[n] {
			seen[n] = true
			events = append(events, e)
		}
		read++
		return read < maxCursorsRead
	})
	return events, err
}

// SetCursor appends what a provider can go on from.
func (s *Store) SetCursor(ctx context.Context, id string, p CursorUpdated) (Event, error) {
	if blank(&p.Provider) {
		return Event{}, invalid("cursor: provider is missing")
	}
	p.Action = or(p.Action, "set")
	p.ActorID, p.Origin = or(p.ActorID, defaultActor), or(p.Origin, defaultOrigin)
	return s.one(ctx, id, &p)
}

// RotateRequest says which cursor to invalidate: the newest one that matches
// every field given.
type RotateRequest struct {
	Provider *string `json:"provider" doc:"provider of the cursor; default: any"`
	Endpoint *string `json:"endpoint" doc:"endpoint of the cursor"`
	Model    *string `json:"model" doc:"model of the cursor"`
	Reason   *string `json:"reason" doc:"reason"`
	ActorID  string  `json:"actor_id" default:"user" doc:"actor; blank means user"`
	Origin   string  `json:"origin" default:"server" doc:"origin of the request; blank means server"`
}

// RotateResult says which cursor it was, if there was one.
type RotateResult struct {
	ThreadID      string  `json:"thread_id"`
	Rotated       bool    `json:"rotated"`
	Provider      *string `json:"provider"`
	Endpoint      *string `json:"endpoint"`
	Model         *string `json:"model"`
	CursorEventID *string `json:"cursor_event_id"`
}

// RotateCursor records that a cursor must not be used any more. If none
// matches, nothing is appended.
func (s *Store) RotateCursor(ctx context.Context, id string, r RotateRequest) (RotateResult, error) {
	events, err := s.cursors(id)
	if err != nil {
		return RotateResult{}, err
	}
	i := slices.IndexFunc(events, func(e Event) bool { return r.fits(e.Payload.(*CursorUpdated)) })
	if i < 0 {
		return RotateResult{ThreadID: id}, nil
	}
	found := events[i].Payload.(*CursorUpdated)
	e, err := s.one(ctx, id, &CursorUpdated{Provider: found.Provider, Endpoint: found.Endpoint, Model: found.Model, Action: "rotated",
		Reason: r.Reason, ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin)})
	if err != nil {
		return RotateResult{}, err
	}
	return RotateResult{id, true, &found.Provider, found.Endpoint, found.Model, &e.ID}, nil
}

func (r RotateRequest) fits(p *CursorUpdated) bool {
	fits := func(want, is *string) bool { return want == nil || is != nil && *is == *want }
	return fits(r.Provider, &p.Provider) && fits(r.Endpoint, p.Endpoint) && fits(r.Model, p.Model)
}

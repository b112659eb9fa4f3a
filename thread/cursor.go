package thread

import (
	"cmp"
	"context"
	"encoding/json"
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
	maxCursorsRead = 1024 // events that it looks back over
)

// CursorStatus tells of at most 32 cursors, as the last 1,024 events about
// cursors have left them.
func (s *Store) CursorStatus(id string) (CursorStatus, error) {
	status := CursorStatus{ThreadID: id, Cursors: []Cursor{}}
	read := 0
	err := s.eachCursor(id, func(e Event, p *CursorUpdated) bool {
		c := Cursor{e.ID, p.Provider, p.Endpoint, p.Model, p.Cursor, p.Action, p.Reason, p.RunSessionID, p.ActorID, p.Origin, e.Seq, e.TimestampMS}
		if status.Active == nil {
			status.Active = &c
		}
		if !slices.ContainsFunc(status.Cursors, func(other Cursor) bool { return other.same(c) }) {
			status.Cursors = append(status.Cursors, c)
		}
		read++
		return len(status.Cursors) < maxCursors && read < maxCursorsRead
	})
	slices.SortFunc(status.Cursors, func(a, b Cursor) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), compareTexts(a.Endpoint, b.Endpoint), compareTexts(a.Model, b.Model))
	})
	return status, err
}

func (c Cursor) same(other Cursor) bool {
	return c.Provider == other.Provider && compareTexts(c.Endpoint, other.Endpoint) == 0 && compareTexts(c.Model, other.Model) == 0
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

// eachCursor goes back over the events about cursors.
func (s *Store) eachCursor(id string, each func(Event, *CursorUpdated) bool) error {
	j, release, err := s.thread(id)
	if err != nil {
		return err
	}
	defer release()
	return newest(j, listCursors, each)
}

// newest goes back over a list, from its end, until each has had enough.
func newest[P Payload](j *journal.Journal, list string, each func(Event, P) bool) error {
	n, err := j.Count(list)
	for ; err == nil && n > 0; n-- {
		pos, _, err := j.Nth(list, n-1)
		if err != nil {
			return err
		}
		e, p, err := payloadAt[P](j, pos)
		if err != nil || !each(e, p) {
			return err
		}
	}
	return err
}

// SetCursor appends what a provider can go on from.
func (s *Store) SetCursor(ctx context.Context, id string, p CursorUpdated) (Event, error) {
	if blank(&p.Provider) {
		return Event{}, invalid("cursor: say of which provider it is")
	}
	p.Action = or(p.Action, "set")
	p.ActorID, p.Origin = or(p.ActorID, defaultActor), or(p.Origin, defaultOrigin)
	return s.one(ctx, id, &p)
}

// RotateRequest says which cursor is not to be used any more: the newest one
// that has all that is given.
type RotateRequest struct {
	Provider *string `json:"provider"`
	Endpoint *string `json:"endpoint"`
	Model    *string `json:"model"`
	Reason   *string `json:"reason"`
	ActorID  string  `json:"actor_id"`
	Origin   string  `json:"origin"`
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

// RotateCursor appends that a cursor is done with. Where none fits it appends
// nothing.
func (s *Store) RotateCursor(ctx context.Context, id string, r RotateRequest) (RotateResult, error) {
	var found *CursorUpdated
	err := s.eachCursor(id, func(_ Event, p *CursorUpdated) bool {
		if r.fits(p) {
			found = p
		}
		return found == nil
	})
	if err != nil || found == nil {
		return RotateResult{ThreadID: id}, err
	}
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

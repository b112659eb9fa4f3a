package thread

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/document/handoff"
	"handoff/log/bundle"
)

// CreateRequest asks for a thread that continues no other.
type CreateRequest struct {
	Title *string `json:"title" flag:"title=TEXT" usage:"title of the thread" doc:"title; null for none"`
	// Key, if not "", is the idempotency key: repeating the request returns the
	// thread that it created. For another request it is [handoff.ErrKeyUsed].
	Key string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// Create creates a thread. existed reports that an earlier request with the key
// has created it.
func (s *Store) Create(ctx context.Context, r CreateRequest) (info Info, existed bool, err error) {
	child := s.child("create", "", r.Key, r)
	events, err := s.createOnce(ctx, child, r.Title, nil)
	if err != nil {
		return Info{}, false, err
	}
	if events == nil {
		info, err = s.Get(ctx, child.id)
		return info, true, err
	}
	return infoOf(events), false, nil
}

// Ensure returns the default thread of the workspace, and creates it if there is
// none.
func (s *Store) Ensure(ctx context.Context) (Info, error) {
	id, err := s.catalogue.defaultThread(s.options.Workspace)
	if err != nil {
		return Info{}, err
	}
	if id != "" {
		if info, err := s.Get(ctx, id); !errors.Is(err, fs.ErrNotExist) {
			return info, err
		} // its file was deleted
	}
	// All concurrent calls use the same id, and one of them creates the thread.
	child := child{id: derived("handoff default thread", s.options.Workspace)}
	if _, err := s.createThread(ctx, child, nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return Info{}, err
	}
	if err := s.catalogue.add(ctx, entry{Type: entryDefault, ThreadID: child.id, Workspace: s.options.Workspace}); err != nil {
		return Info{}, err
	}
	return s.Get(ctx, child.id)
}

// child is a thread to be created.
type child struct {
	id      string
	request string // the digest of the request, "" without a key
}

// requestField is the field with the digest of a request with a key, in the first frame of the thread, or in the frame of the
// message, that it made. RIP ignores it.
const requestField = "handoff_request"

// child returns the id of the thread that a request creates: with a key always
// the same, which makes a repetition recognizable.
func (s *Store) child(verb, parent, key string, request any) child {
	if key == "" {
		return child{id: s.options.NewID()}
	}
	text, err := json.Marshal([]any{verb, parent, request})
	if err != nil {
		panic(err) // requests are structs of texts and numbers
	}
	sum := sha256.Sum256(text)
	return child{ChildID(parent, key), hex.EncodeToString(sum[:])}
}

// ChildID is the id of the thread that a request with a key creates: with
// [Store.Create], where parent is "", by branching the parent or by a handoff.
func ChildID(parent, key string) string { return derived("handoff child thread", parent, key) }

// field is the [requestField] of a request with a key.
func (c child) field() bundle.Field {
	return bundle.Field{Name: requestField, Value: []byte(`"` + c.request + `"`)}
}

// made reports whether an event was appended for the request.
func (c child) made(e Event) bool {
	return slices.ContainsFunc(e.Extra, func(f bundle.Field) bool { return f.Name == requestField && string(f.Value) == string(c.field().Value) })
}

// existed reports whether the same request has already created the thread.
func (s *Store) existed(c child) (bool, error) {
	if c.request == "" {
		return false, nil
	}
	e, err := s.Event(c.id, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !c.made(e):
		return false, fmt.Errorf("the key was used for another request, which created thread %s: use a new key for each request: %w", c.id, handoff.ErrKeyUsed)
	}
	return true, nil
}

// createOnce creates a thread and returns its events, nil if the same request has
// already created it. relation, if not nil, returns its second event.
func (s *Store) createOnce(ctx context.Context, c child, title *string, relation func() (Payload, error)) ([]Event, error) {
	if existed, err := s.existed(c); existed || err != nil {
		return nil, err
	}
	var payloads []Payload
	if relation != nil {
		p, err := relation()
		if err != nil {
			return nil, err
		}
		payloads = append(payloads, p)
	}
	events, err := s.createThread(ctx, c, title, payloads...)
	if errors.Is(err, fs.ErrExist) && c.request != "" { // created in the meantime, perhaps by the same request
		_, err = s.existed(c)
		return nil, err
	}
	return events, err
}

// related creates a thread that continues another one, or finds the one that the
// same request has created, and returns its second event.
func related[P Payload](ctx context.Context, s *Store, c child, title *string, relation func() (P, error)) (p P, existed bool, err error) {
	events, err := s.createOnce(ctx, c, title, func() (Payload, error) { return relation() })
	if err != nil {
		return p, false, err
	}
	if events != nil {
		return events[1].Payload.(P), false, nil
	}
	e, err := s.Event(c.id, 1)
	if err != nil {
		return p, true, err
	}
	p, ok := e.Payload.(P)
	if !ok {
		err = invalid("thread %s starts with %s, want %s", c.id, e.Payload.Type(), p.Type())
	}
	return p, true, err
}

// createThread writes the first events of a thread in one file, and adds it to
// the catalogue.
func (s *Store) createThread(ctx context.Context, c child, title *string, relation ...Payload) ([]Event, error) {
	events := s.frames(c.id, 0, append([]Payload{&Created{Workspace: s.options.Workspace, Title: title}}, relation...)...)
	if c.request != "" {
		events[0].Extra = []bundle.Field{c.field()}
	}
	last := &events[len(events)-1]
	last.Extra = append(last.Extra, s.above(c.id, last.Payload)...)
	if err := s.create(ctx, Continuity, c.id, events); err != nil {
		return nil, err
	}
	// A failure here does not fail the request: the thread exists, and its first
	// events contain everything that the catalogue would.
	info := infoOf(events)
	_ = s.catalogue.add(ctx, info.entry())
	return events, nil
}

// infoOf is the information in the first events of a thread.
func infoOf(events []Event) Info {
	created := events[0].Payload.(*Created)
	info := Info{ThreadID: events[0].StreamID, CreatedAtMS: events[0].TimestampMS, Title: created.Title, Workspace: created.Workspace, created: true}
	if len(events) > 1 {
		info.Parent = ParentOf(events[1])
	}
	return info
}

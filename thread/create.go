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

	"handoff/bundle"
)

// CreateRequest asks for a thread that goes on from nothing.
type CreateRequest struct {
	Title *string `json:"title" doc:"title; null for none"`
	// Key, if not "", makes the request safe to be sent again: the thread that
	// it made is given, none is made twice. For another request it is fs.ErrExist.
	Key string `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// Create makes a thread. existed tells that the same key had made it before.
func (s *Store) Create(ctx context.Context, r CreateRequest) (info Info, existed bool, err error) {
	child := s.child("create", "", r.Key, r)
	if existed, err = s.again(child); err != nil || existed {
		info, infoErr := s.Get(ctx, child.id)
		return info, existed, errors.Join(err, infoErr)
	}
	events, err := s.bear(ctx, child, r.Title)
	if errors.Is(err, errBorn) {
		info, err = s.Get(ctx, child.id)
		return info, true, err
	}
	if err != nil {
		return Info{}, false, err
	}
	return infoOf(events), false, nil
}

// Ensure gives the default thread of the workspace, and makes it if there is
// none.
func (s *Store) Ensure(ctx context.Context) (Info, error) {
	id, err := s.catalogue.defaultThread(s.options.Workspace)
	if err != nil {
		return Info{}, err
	}
	if id != "" {
		if info, err := s.Get(ctx, id); !errors.Is(err, fs.ErrNotExist) {
			return info, err
		} // its file was taken away
	}
	// The same id for all who ensure at once: one of them makes it.
	child := child{id: derived("handoff default thread", s.options.Workspace)}
	if _, err := s.bear(ctx, child, nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return Info{}, err
	}
	if err := s.catalogue.add(ctx, entry{Type: entryDefault, ThreadID: child.id, Workspace: s.options.Workspace}); err != nil {
		return Info{}, err
	}
	return s.Get(ctx, child.id)
}

// child is a thread that is to be made.
type child struct {
	id      string
	request string // the digest of the request, "" where no key was given
}

// requestField tells, in the first frame of a thread that was made by a
// request with a key, which request that was. RIP passes over it.
const requestField = "handoff_request"

// child gives the thread that a request is to make its id: with a key always
// the same, by which a repetition is known.
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

// ChildID is the id of the thread that a request with a key makes: by
// [Store.Create], where parent is "", by a branch of the parent or by a handoff.
func ChildID(parent, key string) string { return derived("handoff child thread", parent, key) }

// again reports whether the same request has made the thread before.
func (s *Store) again(c child) (bool, error) {
	if c.request == "" {
		return false, nil
	}
	e, err := s.Event(c.id, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	want := bundle.Field{Name: requestField, Value: []byte(`"` + c.request + `"`)}
	same := func(f bundle.Field) bool { return f.Name == want.Name && string(f.Value) == string(want.Value) }
	if !slices.ContainsFunc(e.Extra, same) {
		return false, fmt.Errorf("the key was used for another request, which created thread %s: use a new key for each request: %w", c.id, fs.ErrExist)
	}
	return true, nil
}

// errBorn: the same request has made the thread just now.
var errBorn = errors.New("the thread was created meanwhile")

// bear makes a thread with all its first frames at once, and notes it.
func (s *Store) bear(ctx context.Context, c child, title *string, relation ...Payload) ([]Event, error) {
	events := s.frames(c.id, 0, append([]Payload{&Created{Workspace: s.options.Workspace, Title: title}}, relation...)...)
	if c.request != "" {
		events[0].Extra = []bundle.Field{{Name: requestField, Value: []byte(`"` + c.request + `"`)}}
	}
	err := s.create(Continuity, c.id, events)
	if errors.Is(err, fs.ErrExist) && c.request != "" {
		if _, err := s.again(c); err != nil {
			return nil, err
		}
		return nil, errBorn
	}
	if err != nil {
		return nil, err
	}
	// The thread is there, and its first frames say all that the catalogue
	// would: that this could not be noted is no reason to say that it failed.
	info := infoOf(events)
	_ = s.catalogue.add(ctx, info.entry())
	return events, nil
}

// infoOf is what the first frames say.
func infoOf(events []Event) Info {
	created := events[0].Payload.(*Created)
	info := Info{ThreadID: events[0].StreamID, CreatedAtMS: events[0].TimestampMS, Title: created.Title, Workspace: created.Workspace, created: true}
	if len(events) > 1 {
		info.Parent = parentOf(events[1])
	}
	return info
}

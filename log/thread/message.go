package thread

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/log/bundle"
	"handoff/log/thread/frame"
)

// MessageRequest is a message to be posted. Over HTTP the default origin is
// "server"; the store's is "handoff".
type MessageRequest struct {
	Content string `json:"content" flag:"content=TEXT" usage:"the message" text:"message,content-file" doc:"message text; a run is started for it"`
	ActorID string `json:"actor_id,omitempty" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; default: user"`
	Origin  string `json:"origin,omitempty" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; default: server"`
	// Key, if not "", is the idempotency key: repeating the request returns the message that it appended. For another message it is fs.ErrExist.
	Key string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first message and its run, and has no further effect"`
	// Refs are appended after the message.
	Refs MessageRefs `json:"refs,omitzero" members:"known" ours:"references to threads" doc:"other threads that a context with references includes"`

	At time.Time `json:"-"` // when it was asked for; zero for now
}

// By is who asks for a change.
type By struct {
	ActorID string `json:"actor_id,omitempty" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; default: user"`
	Origin  string `json:"origin,omitempty" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; default: server"`
}

// RenameRequest asks for another title.
type RenameRequest struct {
	Title *string `json:"title" arg:"1" doc:"new title; null removes it"`
	By
}

// PostMessage appends a message. Its id is that of the event.
func (s *Store) PostMessage(ctx context.Context, id string, r MessageRequest) (message Event, err error) {
	if r.Key != "" {
		message, _, err = s.PostOnce(ctx, id, MessageID(id, r.Key), r)
		return message, err
	}
	if err := s.checkThreads(r.Refs.Threads); err != nil {
		return Event{}, err
	}
	return s.one(ctx, id, &Message{ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin), Content: r.Content}, references(id, r)...)
}

// MessageID is the id of the message that a request with a key appends.
func MessageID(id, key string) string { return derived("handoff message", id, key) }

// PostOnce is PostMessage with an id for the message. If the thread has a message with
// that id, nothing is written, and existed is true; any other content is fs.ErrExist.
func (s *Store) PostOnce(ctx context.Context, id, messageID string, r MessageRequest) (message Event, existed bool, err error) {
	return s.post(ctx, id, messageID, r, references(id, r), nil, journal.Settled())
}

// post appends a message and what follows it, in one write. If it is [journal.Settled], a message that the thread has is not appended again.
func (s *Store) post(ctx context.Context, id, messageID string, r MessageRequest, after []Payload, last []bundle.Field, expect journal.Expect) (message Event, existed bool, err error) {
	if err := errors.Join(CheckID(messageID), s.checkThreads(r.Refs.Threads), s.first(ctx, id)); err != nil {
		return Event{}, false, err
	}
	message, err = onThread(ctx, s, id, func(j *journal.Journal) (Event, error) {
		_, err := j.Append(ctx, expect, func(next uint64) ([]journal.Line, error) {
			if expect == journal.Settled() {
				was, _, err := messageByID(j, messageID)
				if existed = err == nil; existed || !errors.Is(err, fs.ErrNotExist) {
					message = was
					return nil, err
				}
			}
			rest := s.frames(id, next+1, after...)
			if len(rest) > 0 {
				rest[len(rest)-1].Extra = last
				r.At = cmp.Or(r.At, time.UnixMilli(int64(rest[0].TimestampMS)))
			}
			message = s.message(id, messageID, next, r)
			return linesOf(Continuity, append([]Event{message}, rest...))
		})
		return message, err
	})
	if err == nil && existed {
		err = s.repeats(id, message, r)
	}
	return message, existed, err
}

// repeats is an error if a message was appended for another request. One that waited for the store has no digest of its request.
func (s *Store) repeats(id string, message Event, r MessageRequest) error {
	p, ok := message.Payload.(*Message)
	if ok && p.Content == r.Content && (r.Key == "" || len(message.Extra) == 0 || s.child("post", id, r.Key, r).made(message)) {
		return nil
	}
	return fmt.Errorf("thread %s has another message with the id %s: %w", id, message.ID, handoff.ErrKeyUsed)
}

// Repeated is the message that a request like r with its key has appended, and the run that was started first for it, "" for none.
func (s *Store) Repeated(id string, r MessageRequest) (message Event, sessionID string, err error) {
	message, err = onThread(context.Background(), s, id, func(j *journal.Journal) (Event, error) {
		message, runs, err := messageByID(j, MessageID(id, r.Key))
		for _, e := range runs {
			if p, ok := e.Payload.(*RunSpawned); ok {
				sessionID = cmp.Or(sessionID, p.RunSessionID)
			}
		}
		return message, err
	})
	if err == nil {
		err = s.repeats(id, message, r)
	}
	return message, sessionID, err
}

// message is a message that is not yet written.
func (s *Store) message(id, messageID string, seq uint64, r MessageRequest) Event {
	if r.At.IsZero() {
		r.At = s.options.Now()
	}
	e := Event{ID: messageID, StreamID: id, TimestampMS: uint64(r.At.UnixMilli()), Seq: seq,
		Payload: &Message{ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin), Content: r.Content}}
	if r.Key != "" {
		e.Extra = []bundle.Field{s.child("post", id, r.Key, r).field()}
	}
	return e
}

// CheckMessage is the error with which PostOnce would refuse a message, as far as that
// depends on the files that are here.
func (s *Store) CheckMessage(id, messageID string, r MessageRequest) error {
	if err := errors.Join(CheckID(messageID), s.Exists(id)); err != nil {
		return err
	}
	_, err := linesOf(Continuity, []Event{s.message(id, messageID, 0, r)})
	return err
}

// PostRun appends a message and the start of a run for it, in one write, and returns the message. r has new ids for both, or,
// with a key, that of the message is [MessageID]: if the thread has it, nothing is written, and [Store.Repeated] has its run. ended is
// the reason if the run has already ended, because it is [Acknowledged]; "" if it continues.
func (s *Store) PostRun(ctx context.Context, id string, m MessageRequest, r RunRequest, ended string) (message Event, err error) {
	if err := CheckID(r.SessionID); err != nil {
		return Event{}, err
	}
	actor, origin := or(m.ActorID, defaultActor), or(m.Origin, defaultOrigin)
	payloads := append(references(id, m), &RunSpawned{RunSessionID: r.SessionID, MessageID: r.MessageID, ActorID: &actor, Origin: &origin})
	var acknowledged []bundle.Field
	if ended != "" {
		payloads = append(payloads, &RunEnded{RunSessionID: r.SessionID, MessageID: r.MessageID, Reason: ended, ActorID: &actor, Origin: &origin})
		acknowledged = []bundle.Field{{Name: acknowledgedField, Value: []byte("true")}}
	}
	expect := journal.Any()
	if m.Key != "" {
		expect = journal.Settled()
	}
	message, _, err = s.post(ctx, id, r.MessageID, m, payloads, acknowledged, expect)
	return message, err
}

// Rename changes a thread's title. A title that is nil or blank removes it.
func (s *Store) Rename(ctx context.Context, id string, r RenameRequest) (Info, error) {
	title := r.Title
	if blank(title) {
		title = nil
	}
	if title != nil && !utf8.ValidString(*title) {
		return Info{}, invalid("title: is not UTF-8")
	}
	return s.note(ctx, entry{Type: entryRenamed, ThreadID: id, Title: title, ActorID: r.ActorID, Origin: r.Origin})
}

// Archive marks a thread as archived. It can still be read and written.
func (s *Store) Archive(ctx context.Context, id string, by By) (Info, error) {
	return s.note(ctx, entry{Type: entryArchived, ThreadID: id, ActorID: by.ActorID, Origin: by.Origin})
}

// Unarchive reverses Archive.
func (s *Store) Unarchive(ctx context.Context, id string, by By) (Info, error) {
	return s.note(ctx, entry{Type: entryUnarchived, ThreadID: id, ActorID: by.ActorID, Origin: by.Origin})
}

// note adds an entry on a thread, unless it changes nothing.
func (s *Store) note(ctx context.Context, e entry) (Info, error) {
	info, err := s.Get(ctx, e.ThreadID)
	if err != nil {
		return Info{}, err
	}
	before := info
	info.apply(e)
	sameTitle := before.Title == info.Title || before.Title != nil && info.Title != nil && *before.Title == *info.Title
	if sameTitle && before.Archived == info.Archived {
		return before, nil
	}
	e.ActorID, e.Origin = or(e.ActorID, defaultActor), or(e.Origin, defaultOrigin)
	return info, s.catalogue.add(ctx, e)
}

// MessageRefs are what a message refers to.
type MessageRefs struct {
	Threads []bundle.ThreadRef `json:"threads" doc:"other threads, each up to an event"`
}

// Refer appends a reference to another thread up to a cut, and returns its event.
func (s *Store) Refer(ctx context.Context, id string, ref bundle.ThreadRef, by By) (Event, error) {
	return s.one(ctx, id, referenced(id, ref, by.ActorID, by.Origin))
}

// CutOf is the cut of a thread after a message and its runs or after an event, of which one is given; at the end without both.
func (s *Store) CutOf(id string, messageID *string, seq *uint64) (bundle.ThreadRef, error) {
	cut, err := s.cut(id, messageID, seq)
	return bundle.ThreadRef{ThreadID: id, Seq: cut.seq, MessageID: cut.messageID}, err
}

// referenced is the event of a reference.
func referenced(id string, ref bundle.ThreadRef, actor, origin string) *ThreadReferenced {
	p := frame.Refer(id, ref)
	p.ActorID, p.Origin = actor, origin
	return by(p, &p.ActorID, &p.Origin)
}

// references are the events of what a message refers to.
func references(id string, r MessageRequest) (all []Payload) {
	for _, ref := range r.Refs.Threads {
		all = append(all, referenced(id, ref, r.ActorID, r.Origin))
	}
	return all
}

// checkThreads refuses references to threads that do not exist, or to events after their end.
func (s *Store) checkThreads(refs []bundle.ThreadRef) error {
	for i, ref := range refs {
		if ref.Note != nil && *ref.Note == SourceCut {
			return refuse("refs.threads[%d].note: %q is the note on the thread that is handed off: choose another one", i, SourceCut)
		}
		_, err := s.cut(ref.ThreadID, nil, &ref.Seq)
		if errors.Is(err, fs.ErrNotExist) {
			return &Refusal{fmt.Sprintf("refs.threads[%d].thread_id: no thread with that id here", i), fs.ErrNotExist}
		}
		if err != nil {
			return fmt.Errorf("refs.threads[%d]: %w", i, err)
		}
	}
	return nil
}

// References are the references up to an event, at most the last limit ones, the oldest first. One whose selector names no event is left out.
func (s *Store) References(id string, upTo uint64, limit int) ([]bundle.ThreadRef, error) {
	return onThreadUpTo(s, id, upTo, func(j *journal.Journal) (refs []bundle.ThreadRef, err error) {
		upToNth, err := j.UpTo(listReferences, upTo)
		if err != nil {
			return nil, err
		}
		for e, err := range since[*ThreadReferenced](j, listReferences, upToNth-min(upToNth, uint64(limit))) {
			if err != nil || e.Seq > upTo {
				return refs, err
			}
			if ref, ok := e.payload.Cut(); ok {
				refs = append(refs, ref)
			}
		}
		return refs, nil
	})
}

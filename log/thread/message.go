package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
	"unicode/utf8"

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
func (s *Store) PostMessage(ctx context.Context, id string, r MessageRequest) (Event, error) {
	if err := s.checkThreads(r.Refs.Threads); err != nil {
		return Event{}, err
	}
	message := &Message{ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin), Content: r.Content}
	return s.one(ctx, id, message, references(id, r)...)
}

// PostOnce is PostMessage with an id for the message. If the thread has a message with
// that id, nothing is written, and existed is true; any other content is fs.ErrExist.
func (s *Store) PostOnce(ctx context.Context, id, messageID string, r MessageRequest) (message Event, existed bool, err error) {
	if err := CheckID(messageID); err != nil {
		return Event{}, false, err
	}
	if err := errors.Join(s.checkThreads(r.Refs.Threads), s.first(ctx, id)); err != nil {
		return Event{}, false, err
	}
	message, err = onThread(ctx, s, id, func(j *journal.Journal) (Event, error) {
		_, err := j.Append(ctx, journal.Settled(), func(next uint64) ([]journal.Line, error) {
			was, _, err := messageByID(j, messageID)
			if existed = err == nil; existed {
				message = was
				return nil, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			message = s.message(id, messageID, next, r)
			return linesOf(Continuity, append([]Event{message}, s.frames(id, next+1, references(id, r)...)...))
		})
		return message, err
	})
	if p, ok := message.Payload.(*Message); err == nil && existed && (!ok || p.Content != r.Content) {
		err = fmt.Errorf("thread %s has another message with the id %s: %w", id, messageID, fs.ErrExist)
	}
	return message, existed, err
}

// message is a message that is not yet written.
func (s *Store) message(id, messageID string, seq uint64, r MessageRequest) Event {
	if r.At.IsZero() {
		r.At = s.options.Now()
	}
	return Event{ID: messageID, StreamID: id, TimestampMS: uint64(r.At.UnixMilli()), Seq: seq,
		Payload: &Message{ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin), Content: r.Content}}
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

// PostRun appends a message and the start of a run for it, in one write, and
// returns the message. r has new ids for both. ended is the reason if the run has
// already ended, because it is [Acknowledged]; "" if it continues.
func (s *Store) PostRun(ctx context.Context, id string, m MessageRequest, r RunRequest, ended string) (Event, error) {
	if err := errors.Join(CheckID(r.MessageID), CheckID(r.SessionID), s.checkThreads(m.Refs.Threads)); err != nil {
		return Event{}, err
	}
	if err := s.first(ctx, id); err != nil {
		return Event{}, err
	}
	actor, origin := or(m.ActorID, defaultActor), or(m.Origin, defaultOrigin)
	payloads := append(references(id, m), &RunSpawned{RunSessionID: r.SessionID, MessageID: r.MessageID, ActorID: &actor, Origin: &origin})
	if ended != "" {
		payloads = append(payloads, &RunEnded{RunSessionID: r.SessionID, MessageID: r.MessageID, Reason: ended, ActorID: &actor, Origin: &origin})
	}
	return onThread(ctx, s, id, func(j *journal.Journal) (message Event, err error) {
		_, err = j.Append(ctx, journal.Any(), func(next uint64) ([]journal.Line, error) {
			run := s.frames(id, next+1, payloads...)
			if ended != "" {
				run[len(run)-1].Extra = []bundle.Field{{Name: acknowledgedField, Value: []byte("true")}}
			}
			message = Event{ID: r.MessageID, StreamID: id, TimestampMS: run[0].TimestampMS, Seq: next, Payload: &Message{ActorID: actor, Origin: origin, Content: m.Content}}
			return linesOf(Continuity, append([]Event{message}, run...))
		})
		return message, err
	})
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

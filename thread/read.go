package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"

	"handoff/internal/journal"
)

// eventAt is one event of a journal, or journal.ErrNoRecord.
func eventAt(j *journal.Journal, seq uint64) (Event, error) {
	rec, err := j.Get(seq)
	if err != nil {
		return Event{}, err
	}
	return Parse(rec.Line)
}

// payloadAt is eventAt for an event of a known type: the lists say which.
func payloadAt[P Payload](j *journal.Journal, seq uint64) (Event, P, error) {
	e, err := eventAt(j, seq)
	p, ok := e.Payload.(P)
	if err == nil && !ok {
		err = fmt.Errorf("%s: event %d is a %T, which contradicts the index: delete %s.idx", j.Path(), seq, e.Payload, j.Path())
	}
	return e, p, err
}

// Events goes through the events of a thread from a number on, up to the last
// one that is there when it begins. An error ends it.
func (s *Store) Events(id string, from uint64) iter.Seq2[Event, error] {
	return s.events(Continuity, id, from, math.MaxUint64)
}

// events ends at a number, that one included.
func (s *Store) events(kind StreamKind, id string, from, to uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { each(s.records(kind, id, from), to, yield) }
}

func each(records iter.Seq2[journal.Record, error], to uint64, yield func(Event, error) bool) {
	for rec, err := range records {
		if err == nil && rec.Pos > to {
			return
		}
		var e Event
		if err == nil {
			e, err = Parse(rec.Line)
		}
		if !yield(e, err) || err != nil {
			return
		}
	}
}

// Follow is Events that waits for more at the end, until ctx is done: the last
// thing that it gives is the error that ended it. It never makes a writer wait.
func (s *Store) Follow(ctx context.Context, id string, from uint64) iter.Seq2[Event, error] {
	return s.follow(ctx, Continuity, id, from)
}

func (s *Store) follow(ctx context.Context, kind StreamKind, id string, from uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { each(s.followed(ctx, kind, id, from), math.MaxUint64, yield) }
}

// Line is an event as it stands in a stream.
type Line struct {
	Seq  uint64
	Text []byte // without the line end; the caller's to keep
}

// FollowLines is [Store.Follow], or [Store.FollowSession], for those who pass
// events on: they are not taken apart.
func (s *Store) FollowLines(ctx context.Context, kind StreamKind, id string, from uint64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for rec, err := range s.followed(ctx, kind, id, from) {
			if !yield(Line{rec.Pos, rec.Line}, err) {
				return
			}
		}
	}
}

// Event is one event of a thread.
func (s *Store) Event(id string, seq uint64) (Event, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return Event{}, err
	}
	defer release()
	e, err := eventAt(j, seq)
	if errors.Is(err, journal.ErrNoRecord) {
		return Event{}, fmt.Errorf("thread %s: no event %d: %w", id, seq, fs.ErrNotExist)
	}
	return e, err
}

// Head is the number of a thread's last event.
func (s *Store) Head(id string) (uint64, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, err
	}
	defer release()
	return head(j)
}

func head(j *journal.Journal) (uint64, error) {
	n, err := j.Len()
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: has no events", j.Path())
	}
	return n - 1, err
}

// MessageByID is a message of the thread itself, not of one that it goes on
// from.
func (s *Store) MessageByID(id, messageID string) (Event, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return Event{}, err
	}
	defer release()
	e, _, err := messageByID(j, messageID)
	return e, err
}

// messageByID finds a message, and what was found beside it: the events of
// runs that were started for it.
func messageByID(j *journal.Journal, messageID string) (message Event, runs []Event, err error) {
	positions, err := j.Find(messageKey(messageID))
	if err != nil {
		return Event{}, nil, err
	}
	found := false
	for _, pos := range positions {
		e, err := eventAt(j, pos)
		if err != nil {
			return Event{}, nil, err
		}
		if _, ok := e.Payload.(*Message); ok {
			message, found = e, true
		} else {
			runs = append(runs, e)
		}
	}
	if !found {
		return Event{}, nil, &Refusal{"no message of the thread has that id: see its events", fs.ErrNotExist}
	}
	return message, runs, nil
}

// MessageCount is how many messages the thread itself has.
func (s *Store) MessageCount(id string) (uint64, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, err
	}
	defer release()
	return j.Count(listMessages)
}

// MessagesUpTo is how many messages the thread itself has up to an event.
func (s *Store) MessagesUpTo(id string, seq uint64) (uint64, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, err
	}
	defer release()
	return j.UpTo(listMessages, seq)
}

// Messages are the last messages of the thread itself with a number in
// (after, upTo], at most max of them, in the order of the thread. after is nil
// for all from the start.
func (s *Store) Messages(id string, after *uint64, upTo uint64, max int) ([]Event, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	defer release()
	var found []Event
	n, err := j.UpTo(listMessages, upTo)
	if err != nil {
		return nil, err
	}
	for pos, err := range backwards(j, listMessages, n) {
		if err != nil {
			return nil, err
		}
		if len(found) == max || after != nil && pos <= *after {
			break
		}
		e, err := eventAt(j, pos)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	slices.Reverse(found)
	return found, nil
}

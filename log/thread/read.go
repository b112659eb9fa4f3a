package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// Events yields the events of a thread from a number on, up to the last one that
// exists when it begins. An error ends it.
func (s *Store) Events(id string, from uint64) iter.Seq2[Event, error] {
	return s.StreamEvents(Continuity, id, from)
}

// Backward yields the events of a thread from event upTo, or the last one if it has fewer, to the first. It reads
// only those that are asked for, a block at a time. Damage after upTo does not matter. An error ends it.
func (s *Store) Backward(id string, upTo uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		before, stopped := max(upTo, upTo+1), false
		_, err := onThreadUpTo(s, id, upTo, func(j *journal.Journal) (none struct{}, err error) {
			n, err := j.Len()
			before = min(before, n)
			for size := uint64(leastBack); err == nil && before > 0 && !stopped; size = min(4*size, mostBack) {
				from := before - min(before, size)
				var block []Event
				for e, readErr := range parsed(j.Since(from)) {
					if err = readErr; err != nil || e.Seq >= before {
						break
					}
					block = append(block, e)
				}
				for i := len(block) - 1; err == nil && i >= 0 && !stopped; i-- {
					before, stopped = block[i].Seq, !yield(block[i], nil)
				}
			}
			return none, err
		})
		if err != nil && !stopped {
			yield(Event{}, err)
		}
	}
}

// Blocks of [Store.Backward] grow, since most callers need few events.
const (
	leastBack = 32
	mostBack  = 1024
)

// parsed yields the events of the records. An error ends it.
func parsed(records iter.Seq2[journal.Record, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for rec, err := range records {
			var e Event
			if err == nil {
				e, err = Parse(rec.Line)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Follow is Events that waits for more at the end, until ctx is done; at last it
// yields the error that ended it. Writers do not wait for it.
func (s *Store) Follow(ctx context.Context, id string, from uint64) iter.Seq2[Event, error] {
	return parsed(s.followed(ctx, Continuity, id, from))
}

// Line is the line of an event.
type Line struct {
	Seq  uint64
	Text []byte // without the newline; the caller may keep it
}

// Lines yields the lines of all events of a stream, without parsing them.
func (s *Store) Lines(kind StreamKind, id string) iter.Seq2[Line, error] {
	return lines(s.records(kind, id, 0))
}

// FollowLines is [Store.Follow] for a stream of any kind, without parsing the
// events.
func (s *Store) FollowLines(ctx context.Context, kind StreamKind, id string, from uint64) iter.Seq2[Line, error] {
	return lines(s.followed(ctx, kind, id, from))
}

func lines(records iter.Seq2[journal.Record, error]) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for rec, err := range records {
			if !yield(Line{rec.Pos, rec.Line}, err) {
				return
			}
		}
	}
}

// Event is one event of a thread.
func (s *Store) Event(id string, seq uint64) (Event, error) {
	e, err := onThread(context.Background(), s, id, func(j *journal.Journal) (Event, error) { return eventAt(j, seq) })
	if errors.Is(err, journal.ErrNoRecord) {
		return Event{}, fmt.Errorf("thread %s: no event %d: %w", id, seq, fs.ErrNotExist)
	}
	return e, err
}

// Head is the number of a thread's last event.
func (s *Store) Head(id string) (uint64, error) { return onThread(context.Background(), s, id, head) }

// HeadFrom is [Store.Head] for a caller that needs nothing after an event: of a thread that
// is damaged after it, the number of the last event before the damage.
func (s *Store) HeadFrom(id string, seq uint64) (uint64, error) {
	return onThreadUpTo(s, id, seq, head)
}

func head(j *journal.Journal) (uint64, error) {
	n, err := j.Len()
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: has no events", j.Path())
	}
	return n - 1, err
}

// MessageByID is a message of the thread itself, not of one that it continues.
func (s *Store) MessageByID(id, messageID string) (Event, error) {
	return onThread(context.Background(), s, id, func(j *journal.Journal) (Event, error) {
		e, _, err := messageByID(j, messageID)
		return e, err
	})
}

// messageByID finds a message, and the events of runs that were started for it.
func messageByID(j *journal.Journal, messageID string) (message Event, runs []Event, err error) {
	events, err := withKey(j, messageKey(messageID))
	if err != nil {
		return Event{}, nil, err
	}
	for _, e := range events {
		if _, ok := e.Payload.(*Message); ok {
			message = e
		} else {
			runs = append(runs, e)
		}
	}
	if message.Payload == nil {
		return Event{}, nil, &Refusal{"no message of the thread has that id: see its events", fs.ErrNotExist}
	}
	return message, runs, nil
}

// MessagesUpTo is the number of messages of the thread itself up to an event.
func (s *Store) MessagesUpTo(id string, seq uint64) (uint64, error) {
	return onThreadUpTo(s, id, seq, func(j *journal.Journal) (uint64, error) { return j.UpTo(listMessages, seq) })
}

// Messages are the last messages of the thread itself up to an event, at most max
// of them, in the order of the thread.
func (s *Store) Messages(id string, upTo uint64, max int) ([]Event, error) {
	return onThreadUpTo(s, id, upTo, func(j *journal.Journal) (messages []Event, err error) {
		n, err := j.UpTo(listMessages, upTo)
		if err != nil {
			return nil, err
		}
		for e, err := range before[*Message](j, listMessages, n, 0) {
			if err != nil {
				return nil, err
			}
			if len(messages) == max {
				break
			}
			messages = append(messages, e.Event)
		}
		slices.Reverse(messages)
		return messages, nil
	})
}

package thread

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// StartSession creates the stream of a run, which starts with its input and with
// what it has done so far. If it exists it is fs.ErrExist. A run that has already
// ended is not looked up: the caller must have created its id.
func (s *Store) StartSession(ctx context.Context, id, input string, done ...Payload) (Event, error) {
	if err := CheckID(id); err != nil {
		return Event{}, err
	}
	events := s.frames(id, 0, append([]Payload{&SessionStarted{Input: input}}, done...)...)
	if err := s.startSession(ctx, id, events); err != nil {
		return Event{}, fmt.Errorf("run %s: %w", id, err)
	}
	return events[0], nil
}

func (s *Store) startSession(ctx context.Context, id string, events []Event) error {
	lines, err := linesOf(Session, events)
	if err != nil {
		return err
	}
	if _, ended := events[len(events)-1].Payload.(*SessionEnded); ended {
		if kept, err := s.finished.keep(ctx, id, lines); kept || err != nil {
			return err
		}
	}
	return s.createLines(ctx, Session, id, lines)
}

// AppendSession appends what a run outputs and does. Unlike the events of threads
// these are flushed to the disk a moment later, see [sessionBatch], and at the
// latest with the end of the run.
func (s *Store) AppendSession(ctx context.Context, id string, payloads ...Payload) ([]Event, error) {
	last := false
	for _, p := range payloads {
		if (Event{Payload: p}).Kind() != Session {
			return nil, invalid("%s is not an event of a run", p.Type())
		}
		_, ended := p.(*SessionEnded)
		last = last || ended
	}
	j, release, err := s.open(ctx, Session, id)
	if err != nil {
		return nil, err
	}
	defer release()
	events, err := s.appendTo(ctx, j, Session, id, payloads...)
	if err == nil && last {
		err = j.Flush()
	}
	return events, err
}

// SessionEnded is the event that ended a run, ok false while it has none.
func (s *Store) SessionEnded(id string) (ended *SessionEnded, ok bool, err error) {
	j, release, frames, err := s.opened(Session, id)
	if err != nil {
		return nil, false, err
	}
	defer release()
	var last []byte
	if j == nil {
		last = frames[len(frames)-1]
	} else if rec, ok, err := j.Last(); err != nil || !ok {
		return nil, false, err
	} else {
		last = rec.Line
	}
	e, err := Parse(last)
	ended, ok = e.Payload.(*SessionEnded)
	return ended, ok, err
}

// SessionText is a run's output, up to max bytes of whole characters. more reports
// that it was cut.
func (s *Store) SessionText(id string, max int) (text string, more bool, err error) {
	var b strings.Builder
	for delta, err := range s.deltas(id) {
		if err != nil {
			return "", false, err
		}
		if b.Len()+len(delta) > max {
			b.WriteString(strings.ToValidUTF8(delta[:max-b.Len()], ""))
			return b.String(), true, nil
		}
		b.WriteString(delta)
	}
	return b.String(), false, nil
}

// deltas are the chunks of a run's output.
func (s *Store) deltas(id string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		j, release, frames, err := s.opened(Session, id)
		if err != nil {
			yield("", err)
			return
		}
		defer release()
		if j == nil {
			for _, line := range frames {
				e, _ := Parse(line) // it was checked before
				if p, ok := e.Payload.(*OutputDelta); ok && !yield(p.Delta, nil) {
					return
				}
			}
			return
		}
		for e, err := range since[*OutputDelta](j, listDeltas, 0) {
			if err != nil {
				yield("", err)
				return
			}
			if !yield(e.payload.Delta, nil) {
				return
			}
		}
	}
}

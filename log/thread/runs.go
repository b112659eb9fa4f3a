package thread

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"handoff/internal/journal"
	"handoff/log/bundle"
)

// RunRequest reports that a run is about to start for a message.
type RunRequest struct {
	MessageID string // a message of the thread
	SessionID string // of the run; "" for a new one
	ActorID   string
	Origin    string
}

// SpawnRun appends that a run was started. If it was already started for the same
// message, that event is returned; for another message it is fs.ErrExist.
func (s *Store) SpawnRun(ctx context.Context, id string, r RunRequest) (event Event, sessionID string, err error) {
	if r.SessionID == "" {
		r.SessionID = s.options.NewID()
	}
	if err := CheckID(r.SessionID); err != nil {
		return Event{}, "", err
	}
	events, err := s.decide(ctx, id, func(j *journal.Journal) ([]Payload, error) {
		if _, _, err := messageByID(j, r.MessageID); err != nil {
			return nil, err
		}
		spawned, _, err := runEvents(j, r.SessionID)
		if err != nil {
			return nil, err
		}
		if spawned == nil {
			return []Payload{&RunSpawned{RunSessionID: r.SessionID, MessageID: r.MessageID, ActorID: new(or(r.ActorID, defaultActor)), Origin: new(or(r.Origin, defaultOrigin))}}, nil
		}
		if event = *spawned; event.Payload.(*RunSpawned).MessageID != r.MessageID {
			return nil, fmt.Errorf("run %s already belongs to message %s: %w", r.SessionID, event.Payload.(*RunSpawned).MessageID, fs.ErrExist)
		}
		return nil, nil
	})
	if len(events) > 0 {
		event = events[0]
	}
	return event, r.SessionID, err
}

// NeverBegun are the reasons of runs that may have ended before they had a stream: their
// process was killed, or could not create it. All others have one.
var NeverBegun = []string{"killed", "output_not_kept"}

// EndRun appends the outcome of a run, once: if it has already ended, that event
// is returned and nothing is appended.
func (s *Store) EndRun(ctx context.Context, id, sessionID, reason, actorID, origin string) (event Event, err error) {
	events, err := s.decide(ctx, id, func(j *journal.Journal) ([]Payload, error) {
		spawned, ended, err := runEvents(j, sessionID)
		switch {
		case err != nil:
			return nil, err
		case ended != nil:
			event = *ended
			return nil, nil
		case spawned == nil:
			return nil, fmt.Errorf("thread %s: no run %s was started: %w", id, foreign(sessionID), fs.ErrNotExist)
		}
		messageID := spawned.Payload.(*RunSpawned).MessageID
		end := &RunEnded{RunSessionID: sessionID, MessageID: messageID, Reason: or(reason, "unknown"), ActorID: new(or(actorID, defaultActor)), Origin: new(or(origin, defaultOrigin))}
		if reason == "cancelled" {
			end.Partial = []byte("true")
		}
		return []Payload{end}, nil
	})
	if len(events) > 0 {
		event = events[0]
	}
	return event, err
}

// runEvents are the first start and the last end of a run, nil for none.
func runEvents(j *journal.Journal, sessionID string) (spawned, ended *Event, err error) {
	events, err := withKey(j, runKey(sessionID))
	for i, e := range events {
		switch e.Payload.(type) {
		case *RunSpawned:
			if spawned == nil {
				spawned = &events[i]
			}
		case *RunEnded:
			ended = &events[i]
		}
	}
	return spawned, ended, err
}

// acknowledgedField marks, in the frame of its end, a run that only acknowledged its message. RIP ignores it.
const acknowledgedField = "handoff_acknowledged"

// Acknowledged reports whether an event is the end of a run without a command, whose output only says that the
// message has arrived, as clients of RIP expect: it is no answer to the message.
func Acknowledged(e Event) bool {
	_, end := e.Payload.(*RunEnded)
	return end && slices.ContainsFunc(e.Extra, func(f bundle.Field) bool { return f.Name == acknowledgedField })
}

// EndedRun is the last run that was started for a message and has ended at or
// before an event, and was not only acknowledged; ok is false if there is none.
func (s *Store) EndedRun(id, messageID string, upTo uint64) (run *RunEnded, ok bool, err error) {
	run, err = onThreadUpTo(s, id, upTo, func(j *journal.Journal) (*RunEnded, error) {
		events, err := withKey(j, messageKey(messageID))
		for _, e := range slices.Backward(events) {
			if run, ok := e.Payload.(*RunEnded); ok && e.Seq <= upTo && !Acknowledged(e) {
				return run, nil
			}
		}
		return nil, err
	})
	return run, run != nil, err
}

// Limits of [Store.DecidedAt], so that its cost does not grow with a thread: runs
// of a message, then selections after a run's start, and events after the
// selection. A run compiles its context first.
const (
	maxRunsLooked      = 16
	maxSelectionsAfter = 64
	maxEventsAfter     = 64
)

// DecidedAt is the event with the selection of the first run of a message whose
// context was compiled from the thread up to event fromSeq; ok is false if
// there is none.
func (s *Store) DecidedAt(id, messageID string, fromSeq uint64) (seq uint64, ok bool, err error) {
	found, err := onThreadUpTo(s, id, fromSeq, func(j *journal.Journal) (*uint64, error) {
		_, runs, err := messageByID(j, messageID)
		looked := 0
		for _, e := range runs {
			p, starts := e.Payload.(*RunSpawned)
			if !starts {
				continue
			}
			if seq, err := decidedAt(j, e.Seq, p.RunSessionID, fromSeq); seq != nil || err != nil {
				return seq, err
			}
			if looked++; looked == maxRunsLooked {
				break
			}
		}
		return nil, err
	})
	if found == nil {
		return 0, false, err
	}
	return *found, true, nil
}

// decidedAt looks at one run, from its start on.
func decidedAt(j *journal.Journal, from uint64, run string, fromSeq uint64) (seq *uint64, err error) {
	before, err := j.UpTo(listSelections, from)
	if err != nil {
		return nil, err
	}
	left := maxSelectionsAfter
	for e, err := range since[*SelectionDecided](j, listSelections, before) {
		if left--; err != nil || left < 0 {
			return nil, err
		}
		if e.payload.RunSessionID == run {
			compiled, err := compiledAfter(j, e.Seq, run)
			if compiled == nil || compiled.FromSeq != fromSeq {
				return nil, err
			}
			return &e.Seq, nil
		}
	}
	return nil, nil
}

// compiledAfter is the context of a run, which follows its selection; nil if it
// does not.
func compiledAfter(j *journal.Journal, pos uint64, run string) (*ContextCompiled, error) {
	for rec, err := range j.Since(pos + 1) {
		if err != nil || rec.Pos > pos+maxEventsAfter {
			return nil, err
		}
		e, err := Parse(rec.Line)
		if err != nil {
			return nil, err
		}
		if p, ok := e.Payload.(*ContextCompiled); ok && p.RunSessionID == run {
			return p, nil
		}
	}
	return nil, nil
}

// MessageReach is the number of the last event before the message that follows a
// message, or of the last event of the thread: what RIP compiles the context of
// a message from. It is not the cut of a branch.
func (s *Store) MessageReach(id, messageID string) (uint64, error) {
	return onThread(context.Background(), s, id, func(j *journal.Journal) (uint64, error) {
		message, _, err := messageByID(j, messageID)
		if err != nil {
			return 0, err
		}
		next, err := j.UpTo(listMessages, message.Seq)
		if err != nil {
			return 0, err
		}
		pos, ok, err := j.Nth(listMessages, next)
		if err != nil || ok {
			return pos - 1, err
		}
		return head(j)
	})
}

// RecordReports appends what runs report of themselves, [*SideEffects] and [*CursorUpdated], in one
// write. Paths are sorted, each once, with forward slashes.
func (s *Store) RecordReports(ctx context.Context, id string, all ...Payload) ([]Event, error) {
	for _, payload := range all {
		switch p := payload.(type) {
		case *SideEffects:
			by(p, &p.ActorID, &p.Origin)
			p.AffectedPaths = sortedPaths(p.AffectedPaths)
		case *CursorUpdated:
			by(p, &p.ActorID, &p.Origin)
		default:
			return nil, invalid("%s is not reported by a run", payload.Type())
		}
	}
	return s.append(ctx, id, all...)
}

// sortedPaths is nil for nil: it is unknown what was affected.
func sortedPaths(all []string) []string {
	if all == nil {
		return nil
	}
	paths := make([]string, 0, len(all))
	for _, name := range all {
		paths = append(paths, path.Clean(strings.ReplaceAll(name, `\`, "/")))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// SideEffects are what tools did in a range of events, both ends included. Other
// events are not read.
func (s *Store) SideEffects(id string, from, upTo uint64) ([]*SideEffects, error) {
	return onThreadUpTo(s, id, upTo, func(j *journal.Journal) (all []*SideEffects, err error) {
		before := uint64(0)
		if from > 0 {
			if before, err = j.UpTo(listEffects, from-1); err != nil {
				return nil, err
			}
		}
		for e, err := range since[*SideEffects](j, listEffects, before) {
			if err != nil {
				return nil, err
			}
			if e.Seq > upTo {
				break
			}
			all = append(all, e.payload)
		}
		return all, nil
	})
}

// RecordContext appends what a run's context was compiled from, and the bundle
// that it was compiled to, in one write.
func (s *Store) RecordContext(ctx context.Context, id string, decided SelectionDecided, compiled ContextCompiled) ([]Event, error) {
	return s.append(ctx, id, by(&decided, &decided.ActorID, &decided.Origin), by(&compiled, &compiled.ActorID, &compiled.Origin))
}

package thread

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"handoff/internal/journal"
)

// RunRequest says that a run is about to start for a message.
type RunRequest struct {
	MessageID string // a message of the thread
	SessionID string // of the run; "" for a new one
	ActorID   string
	Origin    string
}

// SpawnRun appends that a run was started. A run that is there already for
// the same message is given again; for another message it is fs.ErrExist.
func (s *Store) SpawnRun(ctx context.Context, id string, r RunRequest) (event Event, sessionID string, err error) {
	if r.SessionID == "" {
		r.SessionID = s.options.NewID()
	}
	if err := CheckID(r.SessionID); err != nil {
		return Event{}, "", err
	}
	events, err := s.decide(ctx, Continuity, id, func(j *journal.Journal) ([]Payload, error) {
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

// EndRun appends how a run came out, once: of one that has ended, how it did
// is given, and nothing is added.
func (s *Store) EndRun(ctx context.Context, id, sessionID, reason, actorID, origin string) (event Event, err error) {
	events, err := s.decide(ctx, Continuity, id, func(j *journal.Journal) ([]Payload, error) {
		spawned, ended, err := runEvents(j, sessionID)
		switch {
		case err != nil:
			return nil, err
		case ended != nil:
			event = *ended
			return nil, nil
		case spawned == nil:
			return nil, fmt.Errorf("thread %s: no run %s was started: %w", id, clip(sessionID), fs.ErrNotExist)
		}
		messageID := spawned.Payload.(*RunSpawned).MessageID
		return []Payload{&RunEnded{RunSessionID: sessionID, MessageID: messageID, Reason: or(reason, "unknown"), ActorID: new(or(actorID, defaultActor)), Origin: new(or(origin, defaultOrigin))}}, nil
	})
	if len(events) > 0 {
		event = events[0]
	}
	return event, err
}

// runEvents are the first beginning and the last end of a run, nil for none.
func runEvents(j *journal.Journal, sessionID string) (spawned, ended *Event, err error) {
	positions, err := j.Find(runKey(sessionID))
	for _, pos := range positions {
		e, err := eventAt(j, pos)
		if err != nil {
			return nil, nil, err
		}
		switch e.Payload.(type) {
		case *RunSpawned:
			if spawned == nil {
				spawned = &e
			}
		case *RunEnded:
			ended = &e
		}
	}
	return spawned, ended, err
}

// OpenRuns are the beginnings of runs that have not ended, the newest first,
// at most max. It looks back no further than for as many as are missing.
func (s *Store) OpenRuns(id string, max int) ([]Event, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	defer release()
	begun, err := j.Count(listSpawned)
	if err != nil {
		return nil, err
	}
	ended, err := j.Count(listEnded)
	if err != nil {
		return nil, err
	}
	var open []Event
	for ; begun > ended && len(open) < max; begun-- {
		pos, _, err := j.Nth(listSpawned, begun-1)
		if err != nil {
			return nil, err
		}
		e, p, err := payloadAt[*RunSpawned](j, pos)
		if err != nil {
			return nil, err
		}
		_, end, err := runEvents(j, p.RunSessionID)
		if err != nil {
			return nil, err
		}
		if end == nil {
			open = append(open, e)
		} else if ended > 0 {
			ended--
		}
	}
	return open, nil
}

// EndedRun is the last run that was started for a message and has ended at or
// before an event; ok is false if there is none.
func (s *Store) EndedRun(id, messageID string, upTo uint64) (run *RunEnded, ok bool, err error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, false, err
	}
	defer release()
	positions, err := j.Find(messageKey(messageID))
	for _, pos := range slices.Backward(positions) {
		if pos > upTo {
			continue
		}
		e, err := eventAt(j, pos)
		if err != nil {
			return nil, false, err
		}
		if run, ok := e.Payload.(*RunEnded); ok {
			return run, true, nil
		}
	}
	return nil, false, err
}

// How far [Store.DecidedAt] looks, so that its cost does not grow with a
// thread: at so many runs of a message, and after a run's beginning at so many
// selections and then events. A run compiles its context first of all.
const (
	maxRunsLooked      = 16
	maxSelectionsAfter = 64
	maxEventsAfter     = 64
)

// DecidedAt is the event with the selection of the first run of a message whose
// context was compiled from the thread up to event fromSeq; ok is false if
// there is none.
func (s *Store) DecidedAt(id, messageID string, fromSeq uint64) (seq uint64, ok bool, err error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, false, err
	}
	defer release()
	_, runs, err := messageByID(j, messageID)
	looked := 0
	for _, e := range runs {
		p, begins := e.Payload.(*RunSpawned)
		if !begins {
			continue
		}
		if seq, ok, err = decidedAt(j, e.Seq, p.RunSessionID, fromSeq); ok || err != nil {
			return seq, ok, err
		}
		if looked++; looked == maxRunsLooked {
			break
		}
	}
	return 0, false, err
}

// decidedAt looks at one run, from its beginning on.
func decidedAt(j *journal.Journal, from uint64, run string, fromSeq uint64) (seq uint64, ok bool, err error) {
	before, err := j.UpTo(listSelections, from)
	if err != nil {
		return 0, false, err
	}
	left := maxSelectionsAfter
	for pos, err := range listed(j, listSelections, before) {
		if left--; err != nil || left < 0 {
			return 0, false, err
		}
		_, p, err := payloadAt[*SelectionDecided](j, pos)
		if err != nil {
			return 0, false, err
		}
		if p.RunSessionID == run {
			compiled, err := compiledAfter(j, pos, run)
			return pos, compiled != nil && compiled.FromSeq == fromSeq, err
		}
	}
	return 0, false, nil
}

// compiledAfter is the context of a run, which follows its selection; nil where
// it does not.
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

// MessageReach is the number of the last event before the message that comes
// after a message, or of the last event of the thread: what RIP compiles the
// context of a message from. It is another cut than that of a branch.
func (s *Store) MessageReach(id, messageID string) (uint64, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, err
	}
	defer release()
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
}

// RecordSideEffects appends what tools did to the workspace, in one write. Paths
// are sorted, each once, with forward slashes.
func (s *Store) RecordSideEffects(ctx context.Context, id string, all ...SideEffects) ([]Event, error) {
	payloads := make([]Payload, len(all))
	for i, p := range all {
		if p.AffectedPaths != nil {
			paths := make([]string, 0, len(p.AffectedPaths))
			for _, name := range p.AffectedPaths {
				paths = append(paths, path.Clean(strings.ReplaceAll(name, `\`, "/")))
			}
			slices.Sort(paths)
			p.AffectedPaths = slices.Compact(paths)
		}
		p.ActorID, p.Origin = or(p.ActorID, defaultActor), or(p.Origin, defaultOrigin)
		payloads[i] = &p
	}
	return s.append(ctx, Continuity, id, payloads...)
}

// SideEffects are what tools did in a span of events, both ends included. What
// else stands there is not read.
func (s *Store) SideEffects(id string, from, upTo uint64) (all []*SideEffects, err error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	defer release()
	before := uint64(0)
	if from > 0 {
		if before, err = j.UpTo(listEffects, from-1); err != nil {
			return nil, err
		}
	}
	for pos, err := range listed(j, listEffects, before) {
		if err != nil || pos > upTo {
			return all, err
		}
		_, p, err := payloadAt[*SideEffects](j, pos)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// RecordContext appends what a run's context was compiled from, and to which
// bundle, in one write.
func (s *Store) RecordContext(ctx context.Context, id string, decided SelectionDecided, compiled ContextCompiled) ([]Event, error) {
	decided.ActorID, decided.Origin = or(decided.ActorID, defaultActor), or(decided.Origin, defaultOrigin)
	compiled.ActorID, compiled.Origin = or(compiled.ActorID, defaultActor), or(compiled.Origin, defaultOrigin)
	return s.append(ctx, Continuity, id, &decided, &compiled)
}

func (s *Store) one(ctx context.Context, id string, p Payload) (Event, error) {
	events, err := s.append(ctx, Continuity, id, p)
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

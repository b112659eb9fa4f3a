package compile

import (
	"fmt"
	"io/fs"
	"strings"

	"handoff/log/thread"
)

// Replay is a source over whole streams, each in its order. It reads a stream
// from its beginning for every answer. Use it for small streams, for streams in
// memory, and to check faster sources. A stream that does not exist has no
// events.
func Replay(stream func(kind thread.StreamKind, id string) ([]thread.Event, error)) Source {
	r := replay(func(threadID string) ([]thread.Event, error) {
		events, err := stream(thread.Continuity, threadID)
		if err == nil && len(events) == 0 {
			err = fmt.Errorf("thread %s: %w", threadID, fs.ErrNotExist)
		}
		return events, err
	})
	return Source{
		Head: r.head, Reach: r.reach, Recent: r.recent, Count: r.count, Checkpoint: r.checkpoint, Decided: r.decided, Run: r.run, Origin: r.origin, SideEffects: r.sideEffects,
		Output: func(sessionID string, max int) (string, bool, error) {
			events, err := stream(thread.Session, sessionID)
			if err == nil && len(events) == 0 {
				err = fs.ErrNotExist
			}
			var out strings.Builder
			for _, e := range events {
				if p, ok := e.Payload.(*thread.OutputDelta); ok && out.Len() <= max {
					out.WriteString(p.Delta)
				}
			}
			return out.String(), out.Len() > max, err
		},
	}
}

type replay func(threadID string) ([]thread.Event, error)

func (r replay) head(threadID string, _ uint64) (uint64, error) {
	events, err := r(threadID)
	if err != nil {
		return 0, err
	}
	return events[len(events)-1].Seq, nil
}

// messages are those up to an event.
func (r replay) messages(threadID string, upTo uint64) ([]Message, error) {
	events, err := r(threadID)
	var all []Message
	for _, e := range events {
		if p, ok := e.Payload.(*thread.Message); ok && e.Seq <= upTo {
			all = append(all, Message{e.ID, e.Seq, *p})
		}
	}
	return all, err
}

func (r replay) recent(threadID string, upTo uint64, limit int) ([]Message, error) {
	all, err := r.messages(threadID, upTo)
	return all[max(0, len(all)-limit):], err
}

func (r replay) count(threadID string, upTo uint64) (uint64, error) {
	all, err := r.messages(threadID, upTo)
	return uint64(len(all)), err
}

func (r replay) reach(threadID, messageID string) (uint64, error) {
	events, err := r(threadID)
	if err != nil {
		return 0, err
	}
	found := false
	for _, e := range events {
		if _, ok := e.Payload.(*thread.Message); ok && found {
			return e.Seq - 1, nil
		} else if ok {
			found = e.ID == messageID
		}
	}
	if !found {
		return 0, fs.ErrNotExist
	}
	return events[len(events)-1].Seq, nil
}

func (r replay) checkpoint(threadID string, upTo, asOf uint64, kind string) (best *thread.SelectedCheckpoint, err error) {
	events, err := r(threadID)
	for _, e := range events {
		p, ok := e.Payload.(*thread.CheckpointCreated)
		if !ok || e.Seq > asOf || p.ToSeq > upTo || kind != "" && p.SummaryKind != kind {
			continue
		}
		if best == nil || p.ToSeq >= best.ToSeq {
			best = &thread.SelectedCheckpoint{CheckpointID: p.CheckpointID, SummaryKind: p.SummaryKind, SummaryArtifactID: p.SummaryArtifactID, ToSeq: p.ToSeq}
		}
	}
	return best, err
}

// decided asks each run of the message in turn.
func (r replay) decided(threadID, messageID string, fromSeq uint64) (uint64, bool, error) {
	events, err := r(threadID)
	for i, e := range events {
		if p, ok := e.Payload.(*thread.RunSpawned); !ok || p.MessageID != messageID {
			continue
		} else if seq, ok := contextOf(events[i:], p.RunSessionID, fromSeq); ok {
			return seq, true, err
		}
	}
	return 0, false, err
}

// contextOf is the selection for a run's context, if that was compiled at a cut.
func contextOf(events []thread.Event, run string, fromSeq uint64) (seq uint64, ok bool) {
	selected := false
	for _, e := range events {
		switch p := e.Payload.(type) {
		case *thread.SelectionDecided:
			if p.RunSessionID == run && !selected {
				seq, selected = e.Seq, true
			}
		case *thread.ContextCompiled:
			if p.RunSessionID == run && selected {
				return seq, p.FromSeq == fromSeq
			}
		}
	}
	return 0, false
}

func (r replay) run(threadID, messageID string, upTo uint64) (sessionID, failed string, err error) {
	events, err := r(threadID)
	for _, e := range events {
		if p, ok := e.Payload.(*thread.RunEnded); ok && p.MessageID == messageID && e.Seq <= upTo {
			if sessionID, failed = p.RunSessionID, ""; failedHere(p.Reason) {
				failed = p.Reason
			}
		}
	}
	return sessionID, failed, err
}

func (r replay) origin(threadID string) (thread.Event, error) {
	events, err := r(threadID)
	for _, e := range events {
		switch e.Payload.(type) {
		case *thread.Branched, *thread.HandedOff:
			return e, err
		}
	}
	return thread.Event{}, err
}

func (r replay) sideEffects(threadID string, from, upTo uint64) (all []*thread.SideEffects, err error) {
	events, err := r(threadID)
	for _, e := range events {
		if p, ok := e.Payload.(*thread.SideEffects); ok && from <= e.Seq && e.Seq <= upTo {
			all = append(all, p)
		}
	}
	return all, err
}

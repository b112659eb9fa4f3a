package thread

import (
	"context"
	"math"

	"handoff/internal/journal"
)

// BranchRequest asks for a thread that continues another from a cut. At most one
// of FromMessageID and FromSeq selects the cut; without them it is the end.
type BranchRequest struct {
	Title         *string `json:"title" flag:"title=TEXT" usage:"title of the thread" doc:"title of the new thread; null for none"`
	FromMessageID *string `json:"from_message_id" flag:"from-message-id=ID" usage:"cut after this message and its runs" doc:"cut after this message and its runs"`
	FromSeq       *uint64 `json:"from_seq" flag:"from-seq=N" usage:"cut after this event" unset:"the last" doc:"cut after this event; without either field, at the end"`
	ActorID       string  `json:"actor_id,omitempty" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; default: user"`
	Origin        string  `json:"origin,omitempty" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; default: server"`
	// Key is as for [CreateRequest].
	Key string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// BranchResult is the thread that was created.
type BranchResult struct {
	ThreadID        string  `json:"thread_id"`
	ParentThreadID  string  `json:"parent_thread_id"`
	ParentSeq       uint64  `json:"parent_seq"`
	ParentMessageID *string `json:"parent_message_id,omitempty"` // the last message before the cut

	Existed bool `json:"-"` // an earlier request with the key created it
}

const oneCut = "give one of from_message_id and from_seq, not both"

// Branch creates a thread that inherits everything of its parent up to the cut.
// Nothing is written to the parent.
func (s *Store) Branch(ctx context.Context, parent string, r BranchRequest) (BranchResult, error) {
	if r.FromMessageID != nil && r.FromSeq != nil {
		return BranchResult{}, refuse(oneCut)
	}
	if err := s.first(ctx, parent); err != nil {
		return BranchResult{}, err
	}
	child := s.child(ByBranch, parent, r.Key, r)
	p, existed, err := related(ctx, s, child, r.Title, func() (*Branched, error) {
		cut, err := s.cut(parent, r.FromMessageID, r.FromSeq)
		p := &Branched{ParentThreadID: parent, ParentSeq: cut.seq, ParentMessageID: cut.messageID, ActorID: r.ActorID, Origin: r.Origin}
		return by(p, &p.ActorID, &p.Origin), err
	})
	if err != nil {
		return BranchResult{}, err
	}
	return BranchResult{child.id, p.ParentThreadID, p.ParentSeq, p.ParentMessageID, existed}, nil
}

// cut is a place in a thread, after an event.
type cut struct {
	seq       uint64
	messageID *string // the last message before it
}

// cut resolves the selectors as RIP does. The cut of a message is after the events
// of the starts and ends of its runs, even if other events are between them.
func (s *Store) cut(id string, messageID *string, seq *uint64) (cut, error) {
	upTo := uint64(math.MaxUint64)
	if seq != nil {
		upTo = *seq
	}
	return onThreadUpTo(s, id, upTo, func(j *journal.Journal) (cut, error) {
		last, err := head(j)
		if err != nil {
			return cut{}, err
		}
		if messageID != nil {
			return cutAfterMessage(j, *messageID)
		}
		if seq != nil {
			if *seq > last {
				return cut{}, refuse("from_seq is out of range: the last event is %d", last)
			}
			last = *seq
		}
		messageID, err = messageBefore(j, last)
		return cut{last, messageID}, err
	})
}

func cutAfterMessage(j *journal.Journal, messageID string) (cut, error) {
	message, runs, err := messageByID(j, messageID)
	if err != nil {
		return cut{}, err
	}
	c := cut{message.Seq, &messageID}
	for _, run := range runs {
		c.seq = max(c.seq, run.Seq)
	}
	return c, nil
}

// messageBefore is the id of the last message at or before a number.
func messageBefore(j *journal.Journal, seq uint64) (*string, error) {
	pos, ok, err := j.LastOn(listMessages, seq)
	if err != nil || !ok {
		return nil, err
	}
	e, err := eventAt(j, pos)
	return &e.ID, err
}

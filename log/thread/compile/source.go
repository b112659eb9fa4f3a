package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// Source are the compiler's queries. Each may be called with the id of the thread or
// of one that it inherits from. Count, Decided, Pasts, SideEffects, References,
// File and Artifact may be nil;
// Origin is needed for [Request.Base] only.
type Source struct {
	// Head is the number of the thread's last event, or if it is damaged after event
	// need, of the last one before the damage; fs.ErrNotExist if the thread does not
	// exist.
	Head func(threadID string, need uint64) (uint64, error)
	// Reach is the number of the last event before the message that follows the one
	// with that id, or of the thread's last event; fs.ErrNotExist if the message does
	// not exist.
	Reach func(threadID, messageID string) (uint64, error)
	// Recent are the last messages up to an event, oldest first, at most limit.
	Recent func(threadID string, upTo uint64, limit int) ([]Message, error)
	// Count is the number of messages up to an event, for the explanation.
	Count func(threadID string, upTo uint64) (uint64, error)
	// Checkpoint is the compaction checkpoint of that kind ("" for any) with the
	// greatest ToSeq that is at most upTo, of several the newest; nil for none.
	// Checkpoints after event asOf do not count.
	Checkpoint func(threadID string, upTo, asOf uint64, kind string) (*thread.SelectedCheckpoint, error)
	// Decided is the event with the selection of the first run of a message whose
	// context was compiled at that cut; ok is false if there is none.
	Decided func(threadID, messageID string, fromSeq uint64) (seq uint64, ok bool, err error)
	// Run is the message's last run that ended up to an event, and the reason if it failed; "" for none.
	Run func(threadID, messageID string, upTo uint64) (sessionID, failed string, err error)
	// Output is the output of a run, up to max bytes; more reports that it was cut.
	// fs.ErrNotExist if the run's stream is missing.
	Output func(sessionID string, max int) (text string, more bool, err error)
	// Origin is the frame with the parent of the thread, the zero value for none.
	Origin func(threadID string) (thread.Event, error)
	// Pasts yields a thread up to an event, then the one that it branched off up to the cut, and so
	// on, as far as they can be read fast; nil if they cannot. It saves the other queries for
	// ancestors of which nothing is needed.
	Pasts func(threadID string, upTo uint64) iter.Seq[thread.Past]
	// SideEffects are what tools did in a range of events, both ends included, for
	// [Request.Refs].
	SideEffects func(threadID string, from, upTo uint64) ([]*thread.SideEffects, error)
	// References are the last references to other threads up to an event, at most limit, the oldest first, for
	// [Request.Refs].
	References func(threadID string, upTo uint64, limit int) ([]bundle.ThreadRef, error)
	// File reads a file of the workspace as a model may see it, for [Request.RefsText]; nil if files are not included.
	File func(path string) ([]byte, error)
	// Artifact reads an artifact; fs.ErrNotExist if it does not exist. If the function
	// is nil no artifact is read: summaries count as readable and as 0 tokens, a handoff
	// whose text is only in its bundle is [*Lost], and a budget is an error.
	Artifact func(artifact.ID) ([]byte, error)
}

// Message is a message of a thread.
type Message struct {
	ID  string // of its event
	Seq uint64
	thread.Message
}

// cut is where the context ends.
type cut struct {
	seq       uint64
	messageID *string // the message that anchors the cut, nil for none
	asOf      uint64  // checkpoints of the thread after this event do not count
}

// findCut applies RIP's rule for a message: everything up to the next message, even
// if events of its run come later.
func (c *compiler) findCut() (cut, error) {
	need := uint64(math.MaxUint64)
	if c.req.Seq != nil {
		need = *c.req.Seq
	}
	head, err := c.src.Head(c.req.ThreadID, need)
	if err != nil {
		return cut{}, err
	}
	switch {
	case c.req.MessageID != "" && c.req.Seq != nil:
		return cut{}, &thread.Refusal{Text: "give a message or an event as the cut, not both", Kind: handoff.ErrInvalid}
	case c.req.MessageID != "":
		reach, err := c.src.Reach(c.req.ThreadID, c.req.MessageID)
		if err != nil {
			return cut{}, fmt.Errorf("message %s: %w", c.req.MessageID, err)
		}
		return c.recorded(cut{reach, &c.req.MessageID, math.MaxUint64})
	case c.req.Seq != nil && *c.req.Seq > head:
		return cut{}, &thread.Refusal{Text: fmt.Sprintf("the cut is after the last event, which is %d", head), Kind: handoff.ErrInvalid}
	case c.req.Seq != nil:
		head = *c.req.Seq
	}
	last, err := c.src.Recent(c.req.ThreadID, head, 1)
	if err != nil || len(last) == 0 {
		return cut{seq: head, asOf: head}, err
	}
	return c.recorded(cut{head, &last[0].ID, head})
}

// recorded looks for a run with the context of this cut. RIP selects summaries by
// what they cover, also those written after the cut, so the context is compiled
// with the summaries that existed when that run was recorded, to the same bytes.
func (c *compiler) recorded(at cut) (cut, error) {
	seq, ok, err := c.src.Decided(c.req.ThreadID, *at.messageID, at.seq)
	if ok {
		at.asOf = seq
	}
	return at, err
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"handoff"
	"handoff/artifact"
	"handoff/thread"
)

// Source is what the compiler asks about threads. Each function may be called
// with the id of the thread itself or of one that it inherits from. All but
// Count, SideEffects and Artifact are needed; Origin only for [Request.Base].
type Source struct {
	// Head is the number of the thread's last event; fs.ErrNotExist where there
	// is no such thread.
	Head func(threadID string) (uint64, error)
	// Reach is the number of the last event before the message that comes after
	// the one with that id, or of the thread's last event; fs.ErrNotExist where
	// there is no such message.
	Reach func(threadID, messageID string) (uint64, error)
	// Recent are the last messages up to an event, oldest first, at most limit.
	Recent func(threadID string, upTo uint64, limit int) ([]Message, error)
	// Count is how many messages there are up to an event, for the explanation;
	// nil for not known.
	Count func(threadID string, upTo uint64) (uint64, error)
	// Checkpoint is the compaction checkpoint of that kind ("" for any) with
	// the greatest ToSeq that is not above upTo, and of several the one that was
	// written last; nil where there is none. Checkpoints after event asOf do not
	// count.
	Checkpoint func(threadID string, upTo, asOf uint64, kind string) (*thread.SelectedCheckpoint, error)
	// Decided is the event with the selection of the first run of a message
	// whose context was compiled at that cut; ok is false where there is none.
	// Where the function is nil no run has a record.
	Decided func(threadID, messageID string, fromSeq uint64) (seq uint64, ok bool, err error)
	// Run is the run of the message that was the last to end up to an event, ""
	// where none did.
	Run func(threadID, messageID string, upTo uint64) (sessionID string, err error)
	// Output is what a run said, up to max bytes; more says that there is more.
	// "" where nothing is known of the run.
	Output func(sessionID string, max int) (text string, more bool, err error)
	// Origin is the frame that says where the thread comes from, the zero value
	// where it comes from nowhere.
	Origin func(threadID string) (thread.Event, error)
	// SideEffects are what tools did in a span of events, both ends included,
	// for [Request.Refs]; nil for not known.
	SideEffects func(threadID string, from, upTo uint64) ([]*thread.SideEffects, error)
	// Artifact gets a blob; fs.ErrNotExist where it is not there. Where the
	// function is nil no blob is looked at: summaries are taken for readable,
	// have no price, and a budget is an error.
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
	asOf      uint64  // checkpoints of the thread itself after this event do not count
}

// findCut is RIP's rule for a message: all up to the next one, even where
// events of its run come later.
func (c *compiler) findCut() (cut, error) {
	head, err := c.src.Head(c.req.ThreadID)
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

// recorded looks for a run that was given the context of this cut. RIP selects
// summaries by what they cover, also those written after the cut, so the
// context is compiled again with the summaries that existed when it was
// recorded, and gives the same bytes.
func (c *compiler) recorded(at cut) (cut, error) {
	if c.src.Decided == nil {
		return at, nil
	}
	seq, ok, err := c.src.Decided(c.req.ThreadID, *at.messageID, at.seq)
	if ok {
		at.asOf = seq
	}
	return at, err
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

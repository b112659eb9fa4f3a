package compile

import (
	"fmt"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// segment is the part of a context from one thread: summaries, and the messages
// after them up to a cut.
type segment struct {
	threadID    string
	upTo        uint64
	checkpoints []thread.SelectedCheckpoint // oldest first
	turns       []turn                      // oldest first
	older       uint64                      // messages above the limit that no summary covers
	covered     uint64                      // messages that a summary covers
	effects     map[string][]*thread.SideEffects
	unreferring bool   // known to refer to no other thread
	threads     uint64 // that are counted in it, if it was passed without a look; 0 for itself alone
}

// turn is a message and the reply of a run.
type turn struct {
	Message
	session string // of the run, "" if none has ended
	reply   string // "" for no output
	failed  string // why the run failed, "" if it did not
}

// segment reads a part of a thread. Checkpoints after event asOf do not count.
func (c *compiler) segment(threadID string, upTo, asOf uint64, limits Limits) (s segment, err error) {
	s = segment{threadID: threadID, upTo: upTo}
	if s.checkpoints, err = c.hierarchy(threadID, upTo, asOf, limits.Summaries); err != nil {
		return s, err
	}
	if s.turns, err = c.recent(threadID, upTo, s.uncovered(), limits.Messages); err != nil {
		return s, err
	}
	if err := c.countOthers(&s); err != nil {
		return s, err
	}
	for i := range s.turns {
		if err := c.answer(&s, &s.turns[i]); err != nil {
			return s, err
		}
	}
	return s, c.sideEffects(&s)
}

// uncovered is the number of the first event that no summary covers.
func (s *segment) uncovered() uint64 {
	if n := len(s.checkpoints); n > 0 {
		return s.checkpoints[n-1].ToSeq + 1
	}
	return 0
}

// countOthers counts the messages that are not in the segment.
func (c *compiler) countOthers(s *segment) (err error) {
	if n := len(s.checkpoints); n > 0 {
		if s.covered, err = c.src.Count(s.threadID, s.checkpoints[n-1].ToSeq); err != nil {
			return err
		}
	}
	all, err := c.src.Count(s.threadID, s.upTo)
	if in := s.covered + uint64(len(s.turns)); all > in {
		s.older = all - in
	}
	return err
}

// answer reads the output of the message's last run that ended before the cut.
func (c *compiler) answer(s *segment, t *turn) (err error) {
	if t.session, t.failed, err = c.src.Run(s.threadID, t.ID, s.upTo); err != nil || t.session == "" {
		return err
	}
	if c.req.Anew && t.ID == c.req.MessageID && s.threadID == c.req.ThreadID {
		c.anew = true
		c.leftOut = append(c.leftOut, Piece{Kind: "reply", ThreadID: s.threadID, Seq: t.Seq, ID: t.session, Why: "the context is for answering the message anew"})
		t.session = ""
		return nil
	}
	reply, more, err := c.src.Output(t.session, c.room())
	if isMissing(err) || thread.Damaged(err) {
		return c.lose(Piece{Kind: "reply", ThreadID: s.threadID, Seq: t.Seq, ID: t.session},
			thread.Reset{Input: "run_output", Reason: "unavailable"}, map[string]any{"run_session_id": t.session}, err)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", t.session, err)
	}
	if more {
		return &TooLarge{c.req.Max}
	}
	t.reply = reply
	return c.hold(reply)
}

func (c *compiler) sideEffects(s *segment) error {
	if !c.req.Refs || len(s.turns) == 0 {
		return nil
	}
	all, err := c.src.SideEffects(s.threadID, s.turns[0].Seq, s.upTo)
	if err != nil {
		return err
	}
	s.effects = map[string][]*thread.SideEffects{}
	for _, e := range all {
		s.effects[e.RunSessionID] = append(s.effects[e.RunSessionID], e)
	}
	return nil
}

// usable returns why the checkpoint's summary cannot be read, nil if it can.
func (c *compiler) usable(cp thread.SelectedCheckpoint) error {
	id, err := artifact.ParseID(cp.SummaryArtifactID)
	if err == nil && c.src.Artifact != nil {
		var src []byte
		if src, err = c.src.Artifact(id); err == nil {
			_, err = bundle.ParseSummary(src)
		}
	}
	return err
}

package compile

import (
	"errors"
	"fmt"
	"io/fs"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/frame"
)

// start is the handoff that a thread started with.
type start struct {
	threadID string // the thread that was started
	frame    thread.Event
	created  *thread.HandedOff
	bundle   *bundle.Handoff // nil if there is none or it cannot be read
	summary  string
}

// findBase follows the inheritance: through branches to their parents, each up to
// its cut, until a thread has no parent or starts with a handoff, whose summary
// replaces everything before it. Nearer threads count first against the limits.
func (c *compiler) findBase() error {
	w := ancestry{compiler: c, left: c.req.Limits, seen: map[string]bool{}}
	if err := w.reached(c.own); err != nil {
		return err
	}
	at, err := w.origin(c.own)
	for err == nil {
		switch origin := at.Payload.(type) {
		case *thread.HandedOff:
			return c.startFrom(start{threadID: w.last, frame: at, created: origin})
		case *thread.Branched:
			at, err = w.above(at, origin)
		default:
			return nil
		}
	}
	return err
}

// ancestry is a walk from a thread to its ancestors.
type ancestry struct {
	*compiler
	left Limits
	seen map[string]bool
	last string // the thread that it has reached
}

// reached counts a part against the limits.
func (w *ancestry) reached(s segment) error {
	if w.seen[s.threadID] {
		return fmt.Errorf("thread %s is its own ancestor, by way of %s", s.threadID, w.last)
	}
	w.seen[s.threadID], w.last = true, s.threadID
	w.left.Messages -= len(s.turns)
	w.left.Summaries -= len(s.checkpoints)
	return nil
}

// origin is the frame with the parent of a part that contains it. Of a part without it nothing is read
// after the cut, where the thread may be damaged.
func (w *ancestry) origin(s segment) (thread.Event, error) {
	if s.upTo == 0 {
		return thread.Event{}, nil
	}
	origin, err := w.src.Origin(s.threadID)
	if err != nil {
		return origin, fmt.Errorf("origin of %s: %w", s.threadID, err)
	}
	if origin.Payload == nil || origin.Seq > s.upTo {
		return thread.Event{}, nil
	}
	return origin, nil
}

// above adds the parent of a branch, whose frame it gets, and returns the frame with the next one. Once there is no room for
// more messages it passes ancestors of which the context needs nothing.
func (w *ancestry) above(at thread.Event, branch *thread.Branched) (thread.Event, error) {
	if w.left.Messages <= 0 {
		if err := w.leap(at, &branch); err != nil {
			return at, err
		}
		if origin, passed, err := w.pass(branch); passed || err != nil {
			return origin, err
		}
	}
	parent, err := w.inherited(w.last, branch, w.left)
	if err == nil {
		err = w.reached(parent)
	}
	if err != nil {
		return at, err
	}
	w.base = append(w.base, parent)
	return w.origin(parent)
}

// leap passes the ancestors that a frame tells to have nothing but messages, and sets the branch to the one that is
// above them. They are not looked at.
func (w *ancestry) leap(f thread.Event, branch **thread.Branched) error {
	told, ok := frame.AboveOf(f)
	to := told.Next
	if w.left.Summaries <= 0 && !w.req.Refs {
		to = told.End
	}
	if !ok || to.Threads == 0 {
		return nil
	}
	s := segment{threadID: (*branch).ParentThreadID, upTo: (*branch).ParentSeq, older: to.Messages, threads: to.Threads, unreferring: true}
	if err := w.reached(s); err != nil {
		return err
	}
	w.base, w.last = append(w.base, s), to.Child
	*branch = &thread.Branched{ParentThreadID: to.ThreadID, ParentSeq: to.Seq}
	return nil
}

// pass reads ancestors fast, up to one of which something is needed or that tells more.
func (w *ancestry) pass(branch *thread.Branched) (origin thread.Event, passed bool, err error) {
	if w.src.Pasts == nil {
		return origin, false, nil
	}
	for p := range w.src.Pasts(branch.ParentThreadID, branch.ParentSeq) {
		if p.Checkpoints && w.left.Summaries > 0 {
			break
		}
		s := segment{threadID: p.ThreadID, upTo: p.UpTo, older: p.Messages, unreferring: !p.References}
		if err := w.reached(s); err != nil {
			return origin, true, err
		}
		w.base, origin, passed = append(w.base, s), p.Origin, true
		if _, told := frame.AboveOf(origin); told {
			break
		}
	}
	return origin, passed, nil
}

// inherited is the part of the parent up to the branch's cut, with the summaries
// that the parent had at the cut: one that was written later may contain what came
// after it. A missing part is an error, because a context with a gap looks
// complete.
func (c *compiler) inherited(child string, origin *thread.Branched, left Limits) (segment, error) {
	id, at := origin.ParentThreadID, origin.ParentSeq
	head, err := c.src.Head(id, at)
	switch {
	case isMissing(err) || errors.Is(err, handoff.ErrInvalid): // no thread can have that id
		return segment{}, &LostParent{Child: child, Parent: id, Cut: at}
	case err != nil:
		return segment{}, fmt.Errorf("parent %s: %w", id, err)
	case head < at:
		return segment{}, &LostParent{Child: child, Parent: id, Cut: at, Events: head + 1}
	}
	s, err := c.segment(id, at, at, left)
	if err != nil {
		return s, fmt.Errorf("parent %s: %w", id, err)
	}
	return s, nil
}

// LostParent: the parent of a branch does not exist, or has lost events that the
// branch inherits.
type LostParent struct {
	Child, Parent string
	Cut           uint64 // the last event that is inherited
	Events        uint64 // that the parent has, 0 if it does not exist
}

func (e *LostParent) Error() string {
	lost := fmt.Sprintf("thread %s has %d events", e.Parent, e.Events)
	if e.Events == 0 {
		lost = fmt.Sprintf("no thread %s here", e.Parent)
	}
	return fmt.Sprintf("%s, but thread %s branches off after its event %d: restore thread %s, or leave out the inherited part (--no-base)", lost, e.Child, e.Cut, e.Parent)
}

// startFrom reads the summary of a handoff from its bundle or, if that cannot be
// read, from its frame.
func (c *compiler) startFrom(s start) error {
	text := s.created.SummaryMarkdown
	if s.created.SummaryArtifactID != nil {
		h, err := c.readHandoff(*s.created.SummaryArtifactID)
		if err == nil {
			s.bundle, text = &h, &h.SummaryMarkdown
		} else if err := c.withoutBundle(s, err); err != nil {
			return err
		}
	}
	if text == nil {
		return nil
	}
	s.summary = *text
	c.from = &s
	return nil
}

func (c *compiler) readHandoff(id string) (bundle.Handoff, error) {
	parsed, err := artifact.ParseID(id)
	if err != nil {
		return bundle.Handoff{}, err
	}
	if c.src.Artifact == nil {
		return bundle.Handoff{}, fs.ErrNotExist
	}
	src, err := c.src.Artifact(parsed)
	if err != nil {
		return bundle.Handoff{}, err
	}
	return bundle.ParseHandoff(src)
}

// withoutBundle decides whether a handoff is complete without its bundle, which could not
// be read: if it is unchanged, the frame has the same text, and no reference is wanted.
func (c *compiler) withoutBundle(s start, err error) error {
	id := *s.created.SummaryArtifactID
	p := Piece{Kind: "handoff", ThreadID: s.threadID, Seq: s.frame.Seq, ID: id}
	if s.created.SummaryMarkdown != nil && !c.req.Refs && !errors.As(err, new(*artifact.DamagedError)) && unavailable(err) {
		p.Why = "its bundle cannot be read: the summary is that of the thread, and its references are unknown"
		c.leftOut = append(c.leftOut, p)
		return nil
	}
	return c.lose(p, thread.Reset{Input: "handoff_bundle", Reason: "unavailable"}, map[string]any{"thread_id": s.threadID, "artifact_id": id}, err)
}

// baseReason lists the parts of the base context for the log, nearest thread
// first.
func (c *compiler) baseReason() []map[string]any {
	var all []map[string]any
	for _, s := range c.base {
		messages, summaries := c.keptOf("message", s.threadID), c.keptOf("summary", s.threadID)
		if messages+summaries > 0 {
			all = append(all, map[string]any{"kind": "branch", "thread_id": s.threadID, "from_seq": s.upTo, "messages": messages, "summaries": summaries})
		}
	}
	if c.from != nil && c.keptOf("handoff", c.from.threadID) > 0 {
		all = append(all, map[string]any{"kind": "handoff", "thread_id": c.from.created.FromThreadID, "from_seq": c.from.created.FromSeq})
	}
	return all
}

// keptOf counts the pieces of a kind and thread in the context.
func (c *compiler) keptOf(kind, threadID string) (n int) {
	for _, e := range c.entries {
		if e.piece.Kind == kind && e.piece.ThreadID == threadID {
			n++
		}
	}
	return n
}

package threadops

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"handoff/log/thread"
)

// The kinds of parts of a conversation.
const (
	SaidMessage = "message"
	SaidAnswer  = "answer"
	SaidHandoff = thread.ByHandoff // from another thread, or to one
	SaidBranch  = thread.ByBranch
	SaidSummary = "summary" // a checkpoint of a compaction
)

// Said is one part of a conversation.
type Said struct {
	Seq  uint64     `json:"seq"`  // number of the event; for a child, of the last event before the cut
	At   *time.Time `json:"at"`   // null if unknown
	Kind string     `json:"kind"` // message, answer, handoff, branch or summary
	Who  string     `json:"who,omitempty"`
	Text string     `json:"text,omitempty"`
	// Run is the run of an answer, Reason how it ended; "" while it runs.
	Run    string `json:"run_id,omitempty"`
	Reason string `json:"reason,omitempty"`
	// From is the thread that this one continues, To a child.
	From string `json:"from_thread_id,omitempty"`
	To   string `json:"to_thread_id,omitempty"`

	Cut   uint64 `json:"-"` // last event before the cut in From
	Event string `json:"-"` // id of the event; "" for a child

	Answers string `json:"-"` // id of the message that an answer is for
}

// Talk is a thread as a conversation, the oldest part first.
type Talk struct {
	thread.Info
	Earlier uint64 `json:"earlier_events,omitempty"` // events before the parts that Read kept; 0 if it kept all
	Said    []Said `json:"said"`

	Lost int `json:"-"` // answers that cannot be read
}

// Source has threads: it is [threads.Threads], or a client of a server.
type Source interface {
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
}

// reversed is a source that can be read from the end.
type reversed interface {
	Backward(id string) iter.Seq2[thread.Event, error]
}

// Read collects the last parts of the conversation, all if last is 0, without the texts of answers. Of a run only
// the end counts, if it has one. The children are the threads that continue this one.
func (talk *Talk) Read(ctx context.Context, t Source, lineage *thread.Node, last int) error {
	if r, ok := t.(reversed); ok && last > 0 {
		if err := talk.readBack(ctx, r, last); err != nil {
			return err
		}
		talk.Said = slices.Collect(merged(slices.Values(talk.Said), children(lineage)))
	} else {
		for s, err := range talk.Parts(ctx, t, lineage) {
			if err != nil {
				return err
			}
			talk.Said = append(talk.Said, s)
		}
	}
	if last > 0 && last < len(talk.Said) {
		talk.Said = talk.Said[len(talk.Said)-last:]
		talk.Earlier = talk.Said[0].Seq
		if talk.Said[0].To != "" { // it comes after that event
			talk.Earlier++
		}
	}
	return nil
}

// Parts yields what Read collects, without keeping it: a long conversation is larger than what it is printed from.
// The thread is read twice, first to know which runs have ended. An error of that is the only item.
func (talk *Talk) Parts(ctx context.Context, t Source, lineage *thread.Node) iter.Seq2[Said, error] {
	return func(yield func(Said, error) bool) {
		ended, last := map[string]bool{}, uint64(0)
		for e, err := range t.EventsFrom(ctx, talk.ThreadID, 0, false) {
			if err != nil {
				yield(Said{}, err)
				return
			}
			if p, ok := e.Payload.(*thread.RunEnded); ok {
				ended[p.RunSessionID] = true
			}
			last = e.Seq
		}
		var failed error
		own := func(yield func(Said) bool) {
			for e, err := range t.EventsFrom(ctx, talk.ThreadID, 0, false) {
				if failed = err; err != nil || e.Seq > last {
					return
				}
				if s, ok := saidIn(e); ok && !(s.begins() && ended[s.Run]) && !yield(s) {
					return
				}
			}
		}
		for s := range merged(own, children(lineage)) {
			if !yield(s, nil) {
				return
			}
		}
		if failed != nil {
			yield(Said{}, failed)
		}
	}
}

// merged yields the parts of a thread with the children, each after the event that it was cut after.
func merged(own iter.Seq[Said], children []Said) iter.Seq[Said] {
	return func(yield func(Said) bool) {
		for s := range own {
			for ; len(children) > 0 && children[0].Seq < s.Seq; children = children[1:] {
				if !yield(children[0]) {
					return
				}
			}
			if !yield(s) {
				return
			}
		}
		for _, child := range children {
			if !yield(child) {
				return
			}
		}
	}
}

// readBack reads one part more than the last ones, which shows whether there are earlier ones.
func (talk *Talk) readBack(ctx context.Context, t reversed, last int) error {
	ended := map[string]bool{}
	for e, err := range t.Backward(talk.ThreadID) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		s, ok := saidIn(e)
		again := s.begins() && ended[s.Run]
		if ended[s.Run] = ended[s.Run] || s.Reason != ""; !ok || again {
			continue
		}
		if talk.Said = append(talk.Said, s); len(talk.Said) > last {
			break
		}
	}
	slices.Reverse(talk.Said)
	return nil
}

// begins reports whether the part is the start of a run.
func (s *Said) begins() bool { return s.Kind == SaidAnswer && s.Reason == "" }

func saidIn(e thread.Event) (s Said, ok bool) {
	if s, ok = partOf(e.Payload); ok {
		at := time.UnixMilli(int64(e.TimestampMS)).UTC()
		s.Seq, s.At, s.Event = e.Seq, &at, e.ID
	}
	return s, ok && !thread.Acknowledged(e)
}

func partOf(payload thread.Payload) (s Said, ok bool) {
	switch p := payload.(type) {
	case *thread.Message:
		s.Kind, s.Who, s.Text = SaidMessage, p.ActorID, p.Content
	case *thread.RunSpawned:
		s.Kind, s.Run, s.Answers = SaidAnswer, p.RunSessionID, p.MessageID
	case *thread.RunEnded:
		s.Kind, s.Run, s.Reason, s.Answers = SaidAnswer, p.RunSessionID, p.Reason, p.MessageID
	case *thread.Branched:
		s.Kind, s.From, s.Cut = SaidBranch, p.ParentThreadID, p.ParentSeq
	case *thread.HandedOff:
		s.Kind, s.From, s.Cut = SaidHandoff, p.FromThreadID, p.FromSeq
		switch {
		case p.SummaryMarkdown != nil:
			s.Text = *p.SummaryMarkdown
		case p.SummaryArtifactID != nil:
			s.Text = fmt.Sprintf("(its summary: `handoff bundle show %s`)", *p.SummaryArtifactID)
		}
	case *thread.CheckpointCreated:
		s.Kind, s.Text = SaidSummary, fmt.Sprintf("events %d to %d are summarized in artifact %s", p.FromSeq, p.ToSeq, p.SummaryArtifactID)
	default:
		return s, false
	}
	return s, true
}

// Answers is [Talk.Answer] for all parts.
func (talk *Talk) Answers(ctx context.Context, t Source, max int, words func(error) error) {
	for i := range talk.Said {
		talk.Answer(ctx, t, &talk.Said[i], max, words)
	}
}

// Answer reads the output of a run that has ended, up to max bytes. words explains an error.
func (talk *Talk) Answer(ctx context.Context, t Source, s *Said, max int, words func(error) error) {
	if s.Kind != SaidAnswer || s.Reason == "" {
		return
	}
	text, more, err := t.RunText(ctx, s.Run, max)
	switch {
	case err != nil:
		talk.Lost++
		text = fmt.Sprintf("(its answer cannot be read: %v)", words(err))
	case more:
		text += fmt.Sprintf("\n(and more: `handoff thread show` prints %d bytes of an answer)", max)
	}
	s.Text = text
}

// children are the threads that continue the requested one, by the event that they were cut after. Only they have no event.
func children(lineage *thread.Node) (all []Said) {
	node := focus(lineage)
	if node == nil {
		return nil
	}
	for _, child := range node.Children {
		if child.Parent == nil {
			continue
		}
		s := Said{Seq: child.Parent.Seq, Kind: child.Parent.Kind, To: child.ThreadID}
		if child.CreatedAtMS > 0 {
			at := time.UnixMilli(int64(child.CreatedAtMS)).UTC()
			s.At = &at
		}
		if child.Title != nil {
			s.Text = *child.Title
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Said) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// focus is the node of the requested thread.
func focus(n *thread.Node) *thread.Node {
	if n == nil || n.Focus {
		return n
	}
	for _, child := range n.Children {
		if found := focus(child); found != nil {
			return found
		}
	}
	return nil
}

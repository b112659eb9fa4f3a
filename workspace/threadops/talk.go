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
	Earlier int    `json:"earlier,omitempty"` // parts before those that Keep left
	Said    []Said `json:"said"`

	Lost int `json:"-"` // answers that cannot be read
}

// Source has threads: it is [threads.Threads], or a client of a server.
type Source interface {
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
}

// Read collects the parts of the conversation, without the texts of answers. Of a run only the end
// counts, if it has one.
func (talk *Talk) Read(ctx context.Context, t Source) error {
	ended := map[string]bool{}
	for e, err := range t.EventsFrom(ctx, talk.ThreadID, 0, false) {
		if err != nil {
			return err
		}
		at := time.UnixMilli(int64(e.TimestampMS)).UTC()
		if s, ok := partOf(e.Payload); ok {
			s.Seq, s.At, s.Event = e.Seq, &at, e.ID
			talk.Said = append(talk.Said, s)
			ended[s.Run] = ended[s.Run] || s.Reason != ""
		}
	}
	talk.Said = slices.DeleteFunc(talk.Said, func(s Said) bool { return s.Kind == SaidAnswer && s.Reason == "" && ended[s.Run] })
	return nil
}

// Keep drops all but the last parts, if last is not 0.
func (talk *Talk) Keep(last int) {
	if last > 0 && last < len(talk.Said) {
		talk.Earlier = len(talk.Said) - last
		talk.Said = talk.Said[talk.Earlier:]
	}
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

// Answers reads the output of the runs that have ended, up to max bytes of each. words explains an
// error.
func (talk *Talk) Answers(ctx context.Context, t Source, max int, words func(error) error) {
	for i := range talk.Said {
		s := &talk.Said[i]
		if s.Kind != SaidAnswer || s.Reason == "" {
			continue
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
}

// Children adds the threads that continue this one. Only they have no event.
func (talk *Talk) Children(tree *thread.Node) {
	node := focus(tree)
	if node == nil {
		return
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
		talk.Said = append(talk.Said, s)
	}
	slices.SortStableFunc(talk.Said, func(a, b Said) int { return cmp.Compare(a.Seq, b.Seq) })
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

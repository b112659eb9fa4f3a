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
	// Partial: the run did not complete, so the answer may be a part. Usage are the tokens that it reported.
	Partial bool  `json:"partial,omitempty"`
	Usage   Usage `json:"usage,omitempty"`
	// From is the thread that this one continues, To a child. Cut is the last event before the cut in From.
	From string  `json:"from_thread_id,omitempty"`
	Cut  *uint64 `json:"from_seq,omitempty"`
	To   string  `json:"to_thread_id,omitempty"`
	// Thread is the thread that the part is inherited from; "" for the thread's own. Seq is of that thread.
	Thread string `json:"thread_id,omitempty"`

	Event string `json:"-"` // id of the event; "" for a child

	Answers string `json:"-"` // id of the message that an answer is for
	Bundle  string `json:"-"` // of a handoff whose summary is in its bundle alone
}

// Talk is a thread as a conversation, the oldest part first. A branch begins with what it inherits.
type Talk struct {
	thread.Info
	Earlier uint64 `json:"earlier_events,omitempty"` // events before the parts that Read kept, of the thread of the first; 0 if it kept all
	// EarlierIn is the thread that comes before these events: that of the first part inherits from it. "" for none.
	EarlierIn string `json:"earlier_thread_id,omitempty"`
	Said      []Said `json:"said"`

	Own  bool  `json:"-"` // what the thread inherits is left out
	Lost int   `json:"-"` // answers and summaries that cannot be read
	Gap  error `json:"-"` // why a part of what it inherits is left out
}

// Source has threads: it is [threads.Threads], or a client of a server.
type Source interface {
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
}

// reversed is a source that can be read from the end.
type reversed interface {
	Backward(id string, upTo uint64) iter.Seq2[thread.Event, error]
}

// Read collects the last parts of the conversation, all if last is 0, without the texts of answers. Of a run only
// the end counts, if it has one. The children are the threads that continue this one.
func (talk *Talk) Read(ctx context.Context, t Source, children []thread.Info, last int) error {
	if r, ok := t.(reversed); ok && last > 0 {
		if err := talk.readBack(ctx, r, last); err != nil {
			return err
		}
		talk.Said = slices.Collect(merged(slices.Values(talk.Said), leading(children)))
	} else {
		for s, err := range talk.Parts(ctx, t, children) {
			if err != nil {
				return err
			}
			talk.Said = append(talk.Said, s)
		}
	}
	if last > 0 && last < len(talk.Said) {
		talk.Said = talk.Said[len(talk.Said)-last:]
		return talk.earlier(ctx, t)
	}
	return nil
}

// earlier finds what comes before the parts that are kept.
func (talk *Talk) earlier(ctx context.Context, t Source) error {
	first := &talk.Said[0]
	if talk.Earlier = first.Seq; first.To != "" { // it comes after that event
		talk.Earlier++
	}
	if talk.Own {
		return nil
	}
	branch, err := originOf(ctx, t, whole(cmp.Or(first.Thread, talk.ThreadID)))
	if branch != nil {
		talk.EarlierIn = branch.ParentThreadID
	}
	return err
}

// Parts yields what Read collects, without keeping it: a long conversation is larger than what it is printed from.
// An inherited part that cannot be read is left out; Gap says why, at the end.
func (talk *Talk) Parts(ctx context.Context, t Source, children []thread.Info) iter.Seq2[Said, error] {
	return func(yield func(Said, error) bool) {
		var inherited []Part
		if !talk.Own {
			inherited, talk.Gap = Inherited(ctx, t, talk.ThreadID)
		}
		for _, p := range inherited {
			for s, err := range p.said(ctx, t) {
				if err != nil {
					talk.Gap = cmp.Or(talk.Gap, err)
				} else if !yield(s, nil) {
					return
				}
			}
		}
		var failed error
		own := func(yield func(Said) bool) {
			for s, err := range whole(talk.ThreadID).said(ctx, t) {
				if failed = err; err != nil || !yield(s) {
					return
				}
			}
		}
		for s := range merged(own, leading(children)) {
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
			for ; s.Thread == "" && len(children) > 0 && children[0].Seq < s.Seq; children = children[1:] {
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
	ended, seen := map[string]bool{}, map[string]bool{}
	branch, err := talk.back(ctx, t, whole(talk.ThreadID), last, ended)
	if err != nil {
		return err
	}
	for child := talk.ThreadID; branch != nil && !talk.Own && talk.Gap == nil; {
		seen[child] = true
		p := above(branch, child)
		if seen[p.ThreadID] {
			talk.Gap = circle(p)
			break
		}
		branch, talk.Gap = talk.back(ctx, t, p, last, ended)
		child = p.ThreadID
	}
	slices.Reverse(talk.Said)
	return ctx.Err()
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
		s.Kind, s.From, s.Cut = SaidBranch, p.ParentThreadID, &p.ParentSeq
	case *thread.HandedOff:
		s.Kind, s.From, s.Cut = SaidHandoff, p.FromThreadID, &p.FromSeq
		switch {
		case p.SummaryMarkdown != nil:
			s.Text = *p.SummaryMarkdown
		case p.SummaryArtifactID != nil:
			s.Bundle, s.Text = *p.SummaryArtifactID, fmt.Sprintf("(its summary: `handoff bundle show %s`)", *p.SummaryArtifactID)
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

// bundled is a source that has the artifacts, too.
type bundled interface {
	Summary(bundle string) (string, error)
}

// Answer reads the output of a run that has ended, up to max bytes, or the summary of a handoff that is in its bundle. words explains an error.
func (talk *Talk) Answer(ctx context.Context, t Source, s *Said, max int, words func(error) error) {
	if b, ok := t.(bundled); ok && s.Bundle != "" {
		text, err := b.Summary(s.Bundle)
		if err != nil {
			talk.Lost++
			text = fmt.Sprintf("(its summary cannot be read: %v)", words(err))
		}
		s.Text = text
	}
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
	s.Text, s.Partial = text, err == nil && text != "" && s.Reason != completed
	if r, ok := t.(reported); ok && err == nil {
		s.Usage = usageOf(ctx, r, s.Run)
	}
}

// leading are the parts of the conversation that lead to the threads that continue this one, by the event that they were cut after. Only they
// have no event.
func leading(children []thread.Info) (all []Said) {
	for _, child := range children {
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

// Children are the threads that continue the requested one, of a lineage.
func Children(lineage *thread.Node) (all []thread.Info) {
	node := focus(lineage)
	if node == nil {
		return nil
	}
	for _, child := range node.Children {
		all = append(all, thread.Info{ThreadID: child.ThreadID, CreatedAtMS: child.CreatedAtMS, Title: child.Title, Archived: child.Archived, Parent: child.Parent})
	}
	return all
}

// focus is the node of the requested thread. A chain may be long, so it is not recursive.
func focus(root *thread.Node) *thread.Node {
	if root == nil {
		return nil
	}
	for todo := []*thread.Node{root}; len(todo) > 0; todo = todo[1:] {
		if todo[0].Focus {
			return todo[0]
		}
		todo = append(todo, todo[0].Children...)
	}
	return nil
}

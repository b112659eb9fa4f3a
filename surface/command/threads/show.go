package threads

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
)

// The kinds of parts of a conversation.
const (
	saidMessage = "message"
	saidAnswer  = "answer"
	saidHandoff = thread.ByHandoff // from another thread, or to one
	saidBranch  = thread.ByBranch
	saidSummary = "summary" // a checkpoint of a compaction
)

// said is one part of a conversation.
type said struct {
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

	cut uint64 // last event before the cut in From
}

// conversation is a thread for people.
type conversation struct {
	thread.Info
	Said []said `json:"said"`

	lost int // answers that cannot be read
}

// maxSaid is the maximum length of an answer, in bytes.
const maxSaid = 1 << 20

func threadShow(k *operations.Call, t threadStore, id string, _ ops.None) error {
	w := k.W
	info, err := threadops.Get.On(k, t, id, ops.None{})
	if err != nil {
		return err
	}
	talk := conversation{Info: info, Said: []said{}}
	if err := talk.read(k, t); err != nil {
		return err
	}
	tree, err := threadops.Lineage.On(k, t, id, ops.None{}) // all readable threads, also with an error
	if errors.Is(err, fs.ErrNotExist) {                     // RIP has no lineage
		w.Say("the server does not report which threads continue this one")
		err = nil
	}
	talk.children(tree)
	if talk.lost > 0 {
		w.Say("%s cannot be read", command.Plural(talk.lost, "answer"))
		w.Incomplete = true
	}
	if k.JSON {
		return cmp.Or(command.WriteLine(w.Stdout, talk), err)
	}
	out := w.Out()
	talk.print(out, w.Columns())
	return cmp.Or(out.Flush(), err)
}

// read collects the messages of the thread and the output of its runs.
func (talk *conversation) read(ctx context.Context, t threadStore) error {
	for e, err := range t.EventsFrom(ctx, talk.ThreadID, 0, false) {
		if err != nil {
			return err
		}
		at := time.UnixMilli(int64(e.TimestampMS)).UTC()
		s := said{Seq: e.Seq, At: &at}
		switch p := e.Payload.(type) {
		case *thread.Message:
			s.Kind, s.Who, s.Text = saidMessage, p.ActorID, p.Content
		case *thread.RunSpawned:
			s.Kind, s.Run = saidAnswer, p.RunSessionID
		case *thread.RunEnded:
			talk.Said = slices.DeleteFunc(talk.Said, func(o said) bool { // moved to where it ended
				return o.Kind == saidAnswer && o.Run == p.RunSessionID && o.Reason == ""
			})
			s.Kind, s.Run, s.Reason = saidAnswer, p.RunSessionID, p.Reason
			s.Text = talk.answer(ctx, t, p.RunSessionID)
		case *thread.Branched:
			s.Kind, s.From, s.cut = saidBranch, p.ParentThreadID, p.ParentSeq
		case *thread.HandedOff:
			s.Kind, s.From, s.cut = saidHandoff, p.FromThreadID, p.FromSeq
			switch {
			case p.SummaryMarkdown != nil:
				s.Text = *p.SummaryMarkdown
			case p.SummaryArtifactID != nil:
				s.Text = fmt.Sprintf("(its summary: `handoff bundle show %s`)", *p.SummaryArtifactID)
			}
		case *thread.CheckpointCreated:
			s.Kind, s.Text = saidSummary, fmt.Sprintf("events %d to %d are summarized in artifact %s", p.FromSeq, p.ToSeq, p.SummaryArtifactID)
		default:
			continue
		}
		talk.Said = append(talk.Said, s)
	}
	return nil
}

// answer is the output of a run, or an explanation if that cannot be read.
func (talk *conversation) answer(ctx context.Context, t threadStore, run string) string {
	text, more, err := t.RunText(ctx, run, maxSaid)
	switch {
	case err != nil:
		talk.lost++
		return fmt.Sprintf("(its answer cannot be read: %v)", command.ThreadError(err))
	case more:
		return text + fmt.Sprintf("\n(and more: `handoff thread show` prints %d bytes of an answer)", maxSaid)
	}
	return text
}

// children adds the threads that continue this one.
func (talk *conversation) children(tree *thread.Node) {
	node := focus(tree)
	if node == nil {
		return
	}
	for _, child := range node.Children {
		if child.Parent == nil {
			continue
		}
		s := said{Seq: child.Parent.Seq, Kind: child.Parent.Kind, To: child.ThreadID}
		if child.CreatedAtMS > 0 {
			at := time.UnixMilli(int64(child.CreatedAtMS)).UTC()
			s.At = &at
		}
		if child.Title != nil {
			s.Text = *child.Title
		}
		i := slices.IndexFunc(talk.Said, func(o said) bool { return o.Seq > s.Seq })
		if i < 0 {
			i = len(talk.Said)
		}
		talk.Said = slices.Insert(talk.Said, i, s)
	}
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

// print prints the conversation for people, wrapped at columns; 0 for no
// wrapping.
func (talk *conversation) print(out *bufio.Writer, columns int) {
	out.WriteString(infoText(talk.Info))
	for i := range talk.Said {
		s := &talk.Said[i]
		out.WriteString("\n" + s.headline() + "\n")
		text := strings.Trim(s.Text, "\n")
		if text == "" || s.To != "" {
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			rows := []string{command.Plain(line)}
			if columns > 0 {
				rows = command.Wrap("  "+rows[0], max(columns, command.LeastCell))
			} else {
				rows[0] = "  " + rows[0]
			}
			out.WriteString(strings.TrimRight(strings.Join(rows, "\n"), " ") + "\n")
		}
	}
}

// headline is the first line of a part: time, and author or kind.
func (s *said) headline() string {
	when := ""
	if s.At != nil {
		when = s.At.Format("2006-01-02 15:04:05Z") + "  "
	}
	switch {
	case s.To != "" && s.Text != "":
		return fmt.Sprintf("%s-- %s to thread %s: %s", when, s.Kind, shortID(s.To), command.Plain(s.Text))
	case s.To != "":
		return fmt.Sprintf("%s-- %s to thread %s", when, s.Kind, shortID(s.To))
	case s.From != "":
		return fmt.Sprintf("%s-- %s of thread %s after event %d", when, s.Kind, shortID(s.From), s.cut)
	case s.Kind == saidAnswer && s.Reason == "":
		return fmt.Sprintf("%srun %s (running)", when, shortID(s.Run))
	case s.Kind == saidAnswer && s.Reason != runner.Completed:
		return fmt.Sprintf("%srun %s (%s)", when, shortID(s.Run), command.Plain(s.Reason))
	case s.Kind == saidAnswer:
		return fmt.Sprintf("%srun %s", when, shortID(s.Run))
	case s.Kind == saidSummary:
		return when + "-- summary"
	}
	return when + command.Plain(s.Who)
}

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

	"handoff/internal/text/say"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
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
	Earlier int    `json:"earlier,omitempty"` // parts before those that --last left
	Said    []said `json:"said"`

	lost int // answers that cannot be read
}

// maxSaid is the maximum length of an answer, in bytes.
const maxSaid = 1 << 20

// showOptions are those of thread show.
type showOptions struct{ last int }

func (o *showOptions) flags([]cli.Flag) []cli.Flag {
	return command.Flags(command.AtLeast(1, &cli.IntFlag{Name: "last", Destination: &o.last, Usage: "only the last `N` parts of the conversation", DefaultText: "all"}))
}

func (o *showOptions) show(k *operations.Call, t threadStore, id string, _ ops.None) error {
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
	talk.keep(o.last)
	talk.answers(k, t)
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

// read collects the messages of the thread and its runs, of which only the end counts if they have one.
func (talk *conversation) read(ctx context.Context, t threadStore) error {
	ended := map[string]bool{}
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
			ended[p.RunSessionID] = true
			s.Kind, s.Run, s.Reason = saidAnswer, p.RunSessionID, p.Reason
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
	talk.Said = slices.DeleteFunc(talk.Said, func(s said) bool { return s.Kind == saidAnswer && s.Reason == "" && ended[s.Run] })
	return nil
}

// keep drops all but the last parts, if last is not 0.
func (talk *conversation) keep(last int) {
	if last > 0 && last < len(talk.Said) {
		talk.Earlier = len(talk.Said) - last
		talk.Said = talk.Said[talk.Earlier:]
	}
}

// answers reads the output of the runs that are left.
func (talk *conversation) answers(ctx context.Context, t threadStore) {
	for i := range talk.Said {
		if s := &talk.Said[i]; s.Kind == saidAnswer && s.Reason != "" {
			s.Text = talk.answer(ctx, t, s.Run)
		}
	}
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
		talk.Said = append(talk.Said, s)
	}
	slices.SortStableFunc(talk.Said, func(a, b said) int { return cmp.Compare(a.Seq, b.Seq) })
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
	if talk.Earlier > 0 {
		fmt.Fprintf(out, "\n… %s before these\n", say.Count(talk.Earlier, "part"))
	}
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

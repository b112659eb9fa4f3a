package threads

import (
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"handoff/internal/text/say"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// threadText is the result of a thread command as text, "" if there is only JSON.
func threadText(w *command.Process, v any) string {
	switch v := v.(type) {
	case threadops.Ensured:
		return "thread " + command.Plain(v.ThreadID) + "\n"
	case threads.Posted:
		return fmt.Sprintf("message %s in thread %s\n", command.Plain(v.MessageID), command.Plain(v.ThreadID))
	case thread.Info:
		return infoText(v)
	case []thread.Info:
		return threadTable(w, v)
	case thread.BranchResult:
		return fmt.Sprintf("thread %s\nbranch of thread %s after event %d\n", command.Plain(v.ThreadID), command.Plain(v.ParentThreadID), v.ParentSeq)
	case threads.ReferenceResult:
		return fmt.Sprintf("thread %s refers to thread %s up to event %d\n", command.Plain(v.ThreadID), command.Plain(v.ToThreadID), v.Seq)
	case thread.HandoffResult:
		return fmt.Sprintf("thread %s\nhandoff of thread %s after event %d\n", command.Plain(v.ThreadID), command.Plain(v.FromThreadID), v.FromSeq)
	}
	return ""
}

func infoText(info thread.Info) string {
	var b strings.Builder
	fmt.Fprintf(&b, "thread %s\n", command.Plain(info.ThreadID))
	if info.Title != nil {
		fmt.Fprintf(&b, "title %s\n", command.Plain(*info.Title))
	}
	if p := info.Parent; p != nil {
		fmt.Fprintf(&b, "%s of thread %s after event %d\n", p.Kind, command.Plain(p.ThreadID), p.Seq)
	}
	fmt.Fprintf(&b, "created %s\n", clock(info.CreatedAtMS))
	if info.Archived {
		b.WriteString("archived\n")
	}
	return b.String()
}

// clock formats the time of an event.
func clock(ms uint64) string { return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05Z") }

// shortID is enough of an ID to distinguish threads: the first digits of a UUID.
func shortID(id string) string {
	if len(id) == len("00000001-0000-4000-8000-000000000001") {
		id = id[:8]
	}
	return command.Plain(id)
}

// eventText is an event on one line, for people. from is the thread that it is inherited from, "" for none.
func eventText(e thread.Event, from string, columns int) string {
	kind := strings.TrimPrefix(e.Payload.Type(), "continuity_")
	line := fmt.Sprintf("%5d  %s  ", e.Seq, clock(e.TimestampMS))
	if from != "" {
		line += "(" + shortID(from) + ")  "
	}
	line += command.Plain(kind)
	if gist := eventGist(e); gist != "" {
		line += "  " + command.Plain(say.Line(gist))
	}
	if columns > 0 {
		line = displaywidth.TruncateString(line, columns, "…")
	}
	return line
}

// eventGist is a short form of an event's content.
func eventGist(e thread.Event) string {
	switch p := e.Payload.(type) {
	case *thread.Created:
		if p.Title != nil {
			return *p.Title
		}
	case *thread.Message:
		return p.ActorID + ": " + p.Content
	case *thread.RunSpawned:
		return "run " + shortID(p.RunSessionID)
	case *thread.RunEnded:
		return "run " + shortID(p.RunSessionID) + ": " + p.Reason
	case *thread.Branched:
		return fmt.Sprintf("of %s after event %d", shortID(p.ParentThreadID), p.ParentSeq)
	case *thread.HandedOff:
		return fmt.Sprintf("of %s after event %d", shortID(p.FromThreadID), p.FromSeq)
	case *thread.ThreadReferenced:
		return "to " + shortID(p.ToThreadID)
	case *thread.CheckpointCreated:
		return fmt.Sprintf("events %d to %d", p.FromSeq, p.ToSeq)
	}
	return ""
}

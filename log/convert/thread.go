package convert

import (
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// FromThread reads the handoff that a thread starts with: its second frame, its
// title, its time, and the bundle that the frame refers to, nil for none.
func FromThread(p thread.HandedOff, title string, at time.Time, b *bundle.Handoff) Handoff {
	var h Handoff
	switch {
	case b != nil:
		h = FromBundle(*b)
	case p.SummaryMarkdown != nil:
		h = FromBundle(bundle.Handoff{SummaryMarkdown: *p.SummaryMarkdown})
		h.bundle = nil
	}
	h.Form, h.Title, h.Actor, h.Origin, h.Time = Thread, title, p.ActorID, p.Origin, at
	cut := bundle.ThreadRef{ThreadID: p.FromThreadID, Seq: p.FromSeq, MessageID: p.FromMessageID, Note: new(sourceCut)}
	if h.cut() == nil {
		h.Cut, h.bundle = &cut, nil
	}
	var l losses
	l.of(b != nil && p.SummaryMarkdown != nil && *p.SummaryMarkdown != b.SummaryMarkdown, "summary_markdown", "the bundle differs")
	h.lost = l.list
	return h
}

// ContinueAt turns the handoff that a thread starts with, or an empty one, into one at a
// later cut of the thread. summary is what has happened since, "" if unknown.
func (h *Handoff) ContinueAt(at bundle.ThreadRef, title, summary string) {
	text := h.Markdown()
	switch {
	case trimLines(text) == "":
		text = summary
	case summary != "":
		text = trimLines(text) + "\n\n## Since then\n" + summary
	}
	later := Handoff{Form: Thread, Title: title, Text: text, Next: h.Next, Path: h.Path, Task: h.Task, Phase: h.Phase, Refs: h.withCut(), Fields: h.Fields}
	later.CutAt(at)
	*h = later
}

// ThreadHandoff is what a new thread starts with.
type ThreadHandoff struct {
	Title  string
	From   *bundle.ThreadRef // the source cut, nil if unknown
	Bundle bundle.Handoff
}

// Thread returns the handoff as the start of a thread, and what is lost.
func (h *Handoff) Thread() (t ThreadHandoff, lost []Lost) {
	t.Title = h.Title
	if t.Title == "" && h.Path != "" {
		t.Title = strings.TrimSuffix(handoff.ParseName(h.Path).Base, ".md")
	}
	t.From = h.cut()
	t.Bundle, lost = h.Bundle()
	titled := func(l Lost) bool {
		return l.Field == "title" || l.Field == "name" || h.Form == Thread && strings.HasPrefix(l.Field, "actor_id")
	}
	lost = slices.DeleteFunc(lost, titled)
	var l losses
	l.of(h.Form == Thread && !h.Time.IsZero(), "time", "a thread gets the time at which it is created")
	return t, append(lost, l.list...)
}

// Package convert converts handoffs between their forms: the document, the bundle,
// the handoff of a thread, the anchor of a tape, and the envelope that agents
// exchange.
//
// Every form is read into one value, a [Handoff], and written from it. What a form
// cannot represent is returned as a list of [Lost]; if the form has a place that
// other readers ignore, it is kept there for the conversion back.
//
// The content of a handoff is text and data: nothing in it is executed, and no
// template is expanded. The package uses neither the disk nor the clock; its
// callers find handoffs, and check that what they refer to exists.
package convert

import (
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/log/tape"
)

// Form is a form of a handoff.
type Form string

// The forms.
const (
	Document Form = "document"
	Bundle   Form = "bundle"
	Thread   Form = "thread"
	Anchor   Form = "anchor"
	Envelope Form = "envelope"
)

// Forms are all forms.
var Forms = [...]Form{Document, Bundle, Thread, Anchor, Envelope, CE, T3, GSD, GSDState}

// ParseForm reads the name of a form. The error is handoff.ErrInvalid.
func ParseForm(name string) (Form, error) {
	var names []string
	for _, f := range Forms {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown form %q (%s): %w", name, strings.Join(names, ", "), handoff.ErrInvalid)
}

// Lost is a part of a handoff that a form cannot represent.
type Lost struct {
	Field string `json:"field"` // its name in the original form
	Why   string `json:"why"`
	// Kept is where it is kept for the conversion back, in a place that other
	// readers ignore; "" if it is lost.
	Kept string `json:"kept,omitempty"`
}

// Handoff is a handoff independent of its form. Its zero value is empty.
type Handoff struct {
	Form Form // that it was read from

	Text  string // Markdown for the successor; of a document everything but the frontmatter
	Next  string // Markdown: the next step, also if Text has it in a section
	About string // Markdown: what the successor must know for that step, if it is separate
	Title string // of a thread, or the name of an anchor

	Path        string // of the document, below the workspace
	Task, Phase int    // 0 if unknown
	Profile     string // of the document
	Refs        bundle.Refs
	Cut         *bundle.ThreadRef // of a thread's handoff: the source cut, if Refs has none

	From, To, Reason string // sender, receiver, and why
	TapeRef          string // tape:// URI of the anchor or entry at which it was created
	Actor, Origin    string // of the request for the handoff of a thread
	Time             time.Time

	// Facts are unknown members of an anchor's state; Fields are unknown fields of a
	// bundle.
	Facts  []bundle.Field
	Fields []bundle.Field

	// The original, so that conversion to the same form changes nothing.
	bundle   *bundle.Handoff
	anchor   *State
	envelope *tape.Envelope
	original string // of another tool
	lost     []Lost // in reading
}

// sourceCut is the note on the reference to a handoff's source cut.
const sourceCut = "source cut"

// documentNote is the note on the file that is a bundle's document.
const documentNote = "handoff document"

// cut is the cut of the source thread, nil if unknown.
func (h *Handoff) cut() *bundle.ThreadRef {
	if h.Cut != nil {
		return h.Cut
	}
	for i := range h.Refs.Threads {
		if hasNote(h.Refs.Threads[i].Note, sourceCut) {
			return &h.Refs.Threads[i]
		}
	}
	return nil
}

// CutAt sets the source cut of the handoff. An earlier source cut remains as a
// reference.
func (h *Handoff) CutAt(at bundle.ThreadRef) {
	if c := h.cut(); c != nil && c.ThreadID == at.ThreadID && c.Seq == at.Seq {
		return
	}
	at.Note = new(sourceCut)
	threads := []bundle.ThreadRef{at}
	for _, t := range h.Refs.Threads {
		if hasNote(t.Note, sourceCut) {
			t.Note = new("earlier " + sourceCut)
		}
		threads = append(threads, t)
	}
	h.Refs.Threads, h.Cut, h.bundle = threads, nil, nil
}

// withCut are the references including the source cut.
func (h *Handoff) withCut() bundle.Refs {
	refs := h.Refs
	if h.Cut != nil {
		refs.Threads = append([]bundle.ThreadRef{*h.Cut}, refs.Threads...)
	}
	return refs
}

func hasNote(n *string, text string) bool { return n != nil && *n == text }

// losses collects what a form cannot represent.
type losses struct {
	list []Lost
	kept string // where it is kept
}

// of adds a field that the form cannot represent, if the handoff has it.
func (l *losses) of(has bool, field, why string) {
	if has {
		l.list = append(l.list, Lost{field, why, l.kept})
	}
}

// retold adds facts that become text, or are dropped because the text already has
// the section that they would be in.
func (l *losses) retold(h *Handoff) {
	_, _, sections := read(h.Text)
	has := map[handoff.Kind]bool{handoff.NextAction: true}
	for _, s := range sections {
		has[s.kind] = true
	}
	own := func(kind handoff.Kind) string { return "the text has a section " + kind.String() + " of its own" }
	for _, f := range h.Facts {
		kind := keyed(f.Name)
		switch {
		case kind == handoff.NextAction:
			l.of(true, f.Name, "the next step is in "+mNext)
		case kind == handoff.Other && !has[handoff.Context]:
			l.of(true, f.Name, "it becomes text")
		case kind == handoff.Other:
			l.of(true, f.Name, own(handoff.Context))
		default:
			l.of(has[kind], f.Name, own(kind))
		}
	}
	switch {
	case h.About == "":
	case has[handoff.Context]:
		l.of(true, mAbout, own(handoff.Context))
	default:
		l.of(true, mAbout, "it becomes text")
	}
}

// handover adds the fields that only anchors and envelopes have.
func (l *losses) handover(h *Handoff) {
	l.of(h.From != "", "from", "it has no sender")
	l.of(h.To != "", "to", "it has no receiver")
	l.of(h.Reason != "", "reason", "it has no reason")
	l.of(h.TapeRef != "", "tape_ref", "it refers to no tape entry")
}

// asked adds the requester of a thread's handoff.
func (l *losses) asked(h *Handoff) {
	l.of(h.Actor+h.Origin != "", "actor_id, origin", "it has no actor or origin")
}

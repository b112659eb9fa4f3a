// Package convert makes one form of a handoff of another: the document, the
// bundle, the handoff of a thread, the anchor of a tape, and the envelope by
// which agents hand over.
//
// Every form is read into one value, a [Handoff], and written from it. What a
// form has no place for is told, as a list of [Lost]; where it has a place that
// others pass over, what would be lost is kept there for the way back.
//
// What a handoff carries is text and data: nothing here carries it out, and no
// template is expanded in it. The package knows no disk and no clock; where a
// handoff lies, and whether what it names is there, is for its callers.
package convert

import (
	"fmt"
	"strings"
	"time"

	"handoff"
	"handoff/bundle"
	"handoff/tape"
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
var Forms = [...]Form{Document, Bundle, Thread, Anchor, Envelope}

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

// Lost is something of a handoff that a form has no place for.
type Lost struct {
	Field string `json:"field"` // as the form calls it that it was read from
	Why   string `json:"why"`
	// Kept says where it is kept all the same, in a place that others pass over
	// and the way back reads; "" where it is gone.
	Kept string `json:"kept,omitempty"`
}

// Handoff is a handoff in no form. Its zero value says nothing.
type Handoff struct {
	Form Form // that it was read from

	Text  string // Markdown: what the successor is told; of a document all but the frontmatter
	Next  string // Markdown: the step to take next, also where Text has it in a section
	About string // Markdown: what the successor must know for that step, where it is said apart
	Title string // of a thread, or the name of an anchor

	Path        string // of the document, below the workspace
	Task, Phase int    // 0 for not known
	Profile     string // of the document
	Refs        bundle.Refs
	Cut         *bundle.ThreadRef // of a thread's handoff: the source cut, where Refs has none

	From, To, Reason string // who hands over, to whom, and why
	TapeRef          string // a tape:// URI of the anchor or the entry that it was made at
	Actor, Origin    string // who asked for the handoff of a thread, and where
	Time             time.Time

	// Facts are members of an anchor's state that no form knows; Fields those of
	// a bundle.
	Facts  []bundle.Field
	Fields []bundle.Field

	// What was read, so that the same form comes out as it was.
	bundle   *bundle.Handoff
	anchor   *State
	envelope *tape.Envelope
	lost     []Lost // in reading
}

// sourceCut is the note of the thread reference that a handoff was made at.
const sourceCut = "source cut"

// documentNote is the note of the file that is the document of a bundle.
const documentNote = "handoff document"

// cut is where the handoff was cut from a thread; nil where it does not say.
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

// CutAt makes the handoff one of that cut through a thread. What it was cut
// from before stays a reference.
func (h *Handoff) CutAt(at bundle.ThreadRef) {
	if c := h.cut(); c != nil && c.ThreadID == at.ThreadID && c.Seq == at.Seq {
		return
	}
	at.Note = note(sourceCut)
	threads := []bundle.ThreadRef{at}
	for _, t := range h.Refs.Threads {
		if hasNote(t.Note, sourceCut) {
			t.Note = note("earlier " + sourceCut)
		}
		threads = append(threads, t)
	}
	h.Refs.Threads, h.Cut, h.bundle = threads, nil, nil
}

// withCut are the references with the source cut among them.
func (h *Handoff) withCut() bundle.Refs {
	refs := h.Refs
	if h.Cut != nil {
		refs.Threads = append([]bundle.ThreadRef{*h.Cut}, refs.Threads...)
	}
	return refs
}

func hasNote(n *string, text string) bool { return n != nil && *n == text }

func note(text string) *string { return &text }

// losses gathers what a form cannot hold.
type losses struct {
	list []Lost
	kept string // where it is kept
}

// of notes that a field has no place, if the handoff has it.
func (l *losses) of(has bool, field, why string) {
	if has {
		l.list = append(l.list, Lost{field, why, l.kept})
	}
}

// retold notes facts that become text, or not even that, because the text has a
// section of its own that they would be told in.
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

// handover notes what only those forms hold that hand over to somebody.
func (l *losses) handover(h *Handoff) {
	l.of(h.From != "", "from", "it has no sender")
	l.of(h.To != "", "to", "it has no receiver")
	l.of(h.Reason != "", "reason", "it has no reason")
	l.of(h.TapeRef != "", "tape_ref", "it refers to no tape entry")
}

// asked notes who asked for the handoff of a thread.
func (l *losses) asked(h *Handoff) {
	l.of(h.Actor+h.Origin != "", "actor_id, origin", "it has no actor or origin")
}

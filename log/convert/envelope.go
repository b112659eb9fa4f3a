package convert

import (
	"cmp"
	"slices"
	"time"

	"handoff/log/tape"
)

// FromEnvelope reads a valid envelope.
func FromEnvelope(e tape.Envelope) Handoff {
	h := Handoff{Form: Envelope, Text: e.Content.Summary, From: e.From, To: e.To, Reason: e.Content.Reason, TapeRef: e.Content.TapeRef, envelope: &e}
	h.Time, _ = time.Parse(time.RFC3339, e.Timestamp)
	if in := e.Content.Intention; in != nil {
		h.Next, h.About = in.NextSteps, in.ContextSummary
	}
	return h
}

// Sending is what an envelope needs besides the handoff: the sender, the receiver
// and the entry of a tape. Held reports that this entry contains the whole
// handoff.
type Sending struct {
	From, To, Reason string // if From and To are "", those of a received handoff are used
	TapeRef          string
	Time             time.Time
	Held             bool
}

// Envelope returns the handoff as an envelope, and what is lost. It may be
// invalid: call its Check.
func (h *Handoff) Envelope(s Sending) (e tape.Envelope, lost []Lost) {
	l := losses{list: slices.Clone(h.lost)}
	if s.From+s.To == "" {
		if h.envelope != nil && s.Reason == "" {
			return *h.envelope, l.list
		}
		s.From, s.To, s.Reason = h.From, h.To, cmp.Or(s.Reason, h.Reason)
		if h.From != "" && !h.Time.IsZero() {
			s.Time = h.Time
		}
	}
	apart := *h // without the values that have fields
	apart.Next, apart.About = "", ""
	e = tape.Envelope{Type: keptEnvelope, From: s.From, To: s.To, Timestamp: s.Time.UTC().Format(time.RFC3339Nano),
		Content: tape.EnvelopeContent{Reason: s.Reason, Summary: apart.Markdown(), TapeRef: cmp.Or(s.TapeRef, h.TapeRef), Intention: h.Intention(), Ownership: "transfer"}}
	if s.Held {
		l.kept = "the anchor that tape_ref names"
	}
	l.of(len(h.withCut().Threads) > 0, "refs.threads", "an envelope refers only to a tape entry")
	l.of(len(h.Refs.Artifacts) > 0, "refs.artifacts", "an envelope refers only to a tape entry")
	l.of(len(h.Refs.Files) > 0, "refs.files", "an envelope refers only to a tape entry")
	l.of(h.Profile != "", "profile", "an envelope has no profile")
	l.of(h.Form != Anchor && h.Title != "", "title", "an envelope has no title")
	l.retold(&apart)
	for _, f := range h.Fields {
		l.of(true, f.Name, "an envelope has no place for it")
	}
	l.kept = ""
	l.asked(h)
	l.of(h.Form == Thread, "time", "an envelope gets the time at which it is sent")
	return e, l.list
}

// Intention is what the receiver is asked to do, nil for nothing.
func (h *Handoff) Intention() *tape.EnvelopeIntention {
	if h.Next+h.About == "" {
		return nil
	}
	return &tape.EnvelopeIntention{NextSteps: h.Next, ContextSummary: h.About}
}

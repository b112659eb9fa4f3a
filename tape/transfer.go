package tape

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"handoff/internal/journal"
)

// SendRequest asks for an envelope. What it leaves open is taken from the
// state of the anchor: summary, and next_steps for the intention.
type SendRequest struct {
	From, To  string
	Reason    string
	Summary   string
	Intention *EnvelopeIntention
	Anchor    *Entry // of the tape, which it is about; nil for the last one
}

// Send makes an envelope that refers to the tape's last anchor, or to its last
// entry where there is none, and notes on the tape that it was handed over.
func (t *Tape) Send(ctx context.Context, r SendRequest) (Envelope, error) {
	e, err := t.envelope(r)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		return Envelope{}, err
	}
	event, err := newEvent(eventSent, struct {
		SHA256    string   `json:"sha256"`
		Ownership string   `json:"ownership"`
		Owner     string   `json:"owner"`
		Envelope  Envelope `json:"envelope"`
	}{e.Digest(), e.Content.Ownership, e.To, e})
	if err != nil {
		return Envelope{}, err
	}
	_, err = t.decide(ctx, func(j *journal.Journal) ([]Entry, error) { return []Entry{event}, t.mayHandOver(j, e) })
	return e, err
}

// envelope is what is to be sent.
func (t *Tape) envelope(r SendRequest) (Envelope, error) {
	if t.bare {
		return Envelope{}, invalid("%s does not belong to a store, so nothing could refer to it", t.path)
	}
	e := Envelope{Type: envelopeType, From: r.From, To: r.To, Timestamp: t.store.options.Now().UTC().Format(time.RFC3339),
		Content: EnvelopeContent{Reason: r.Reason, Summary: r.Summary, Intention: r.Intention, Ownership: transfer}}
	v, err := t.view()
	if err != nil {
		return e, err
	}
	defer v.close()
	f, ok, err := found{}, false, error(nil)
	if r.Anchor != nil {
		f.Entry, ok = *r.Anchor, true
	} else {
		f, ok, err = v.last(listAnchors, isAnchor)
	}
	if err != nil {
		return e, err
	}
	if ok {
		e.fill(f.State())
		if e.Content.TapeRef, err = t.store.sentRef(t.name, f.Entry); err != nil {
			return e, err
		}
	}
	if e.Content.Summary == "" {
		return e, invalid("tape %s: %w", t.name, errNoSummary)
	}
	if ok {
		return e, nil
	}
	for last, err := range v.fromEnd() {
		if err == nil {
			e.Content.TapeRef, err = t.store.sentRef(t.name, last)
		}
		return e, err
	}
	return e, invalid("tape %s has no entries to refer to", t.name)
}

// fill takes from a state what is not said otherwise.
func (e *Envelope) fill(state json.RawMessage) {
	if text, ok := memberText(state, "summary"); ok && e.Content.Summary == "" {
		e.Content.Summary = text
	}
	next, ok := memberText(state, "next_steps")
	summary, has := memberText(state, "context_summary")
	switch i := e.Content.Intention; {
	case i != nil:
		e.Content.Intention = &EnvelopeIntention{or(i.NextSteps, next), or(i.ContextSummary, summary)}
	case ok || has:
		e.Content.Intention = &EnvelopeIntention{next, summary}
	}
}

// Receive takes an envelope over: an anchor is written, from which the context
// goes on, and that it was received. existed tells that this was done before:
// then nothing is written, and the anchor of that time is given.
//
// name is that of the anchor, "context_handoff" if "".
func (t *Tape) Receive(ctx context.Context, e Envelope, name string) (anchor Entry, existed bool, err error) {
	if err := e.Check(); err != nil {
		return Entry{}, false, err
	}
	entries, err := t.HandoffEntries(or(name, envelopeType), e.State(), nil)
	if err != nil {
		return Entry{}, false, err
	}
	event, err := newEvent(eventReceived, map[string]string{"from": e.From, "owner": e.To, "sha256": e.Digest(), "tape_ref": e.Content.TapeRef})
	if err != nil {
		return Entry{}, false, err
	}
	entries = append(entries, event)
	if !t.bare {
		if err := t.store.root().MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
			return Entry{}, false, err
		}
		unlock, lockErr := t.store.receiving(ctx)
		if lockErr != nil {
			return Entry{}, false, lockErr
		}
		defer func() { err = errors.Join(err, unlock()) }()
		if anchor, existed, err = t.received(e.Digest()); err != nil || existed {
			return anchor, existed, err
		}
		if err := t.takenOver(e.Digest()); err != nil {
			return Entry{}, false, err
		}
	}
	return t.appendUnless(ctx, entries, func(v *view) (Entry, bool, error) { return v.receivedBefore(e.Digest()) })
}

// received is receivedBefore of the tape as it is now.
func (t *Tape) received(digest string) (anchor Entry, ok bool, err error) {
	v, err := t.view()
	if err != nil {
		return Entry{}, false, err
	}
	defer v.close()
	return v.receivedBefore(digest)
}

// receivedBefore is the anchor that was written when the envelope of that
// digest came for the first time: two entries before the event.
func (v *view) receivedBefore(digest string) (anchor Entry, ok bool, err error) {
	f, ok, err := v.lastWith(receiveKey(digest), isEvent(eventReceived))
	if err != nil || !ok {
		return Entry{}, false, err
	}
	at := &f.spot
	for range 3 {
		entries, err := v.at(at.segment, at.pos)
		if err != nil {
			return Entry{}, true, err
		}
		if e := entries[at.part]; e.Kind == KindAnchor {
			return e, true, nil
		}
		if at, err = v.previous(*at); at == nil || err != nil {
			return Entry{}, true, err
		}
	}
	return Entry{}, true, nil
}

// Sent reports whether the tape notes that the envelope was handed over by it.
func (t *Tape) Sent(e Envelope) (bool, error) {
	j, release, err := t.store.journal(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer release()
	positions, err := j.Find(sendKey(e.Digest()))
	return len(positions) > 0, err
}

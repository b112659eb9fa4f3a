package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/regular"
	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/envelope"
	"handoff/log/tape/view"
)

// ErrNotOwner: the tape was handed over to another agent. It is fs.ErrExist.
var ErrNotOwner = fmt.Errorf("the sender is not its owner: %w", fs.ErrExist)

// ErrReceived: another tape has received the envelope. It is fs.ErrExist.
var ErrReceived = fmt.Errorf("the envelope was already received: %w", fs.ErrExist)

// ErrOutdated: the tape was handed over to someone else after the envelope was
// sent. It is fs.ErrExist.
var ErrOutdated = fmt.Errorf("the envelope is outdated: %w", fs.ErrExist)

// SendRequest asks for an envelope. Summary and Intention default to those in
// the state of the anchor.
type SendRequest struct {
	From, To  string
	Reason    string
	Summary   string
	Intention *EnvelopeIntention
	Anchor    *Entry // of the tape; nil for the last one
}

// Send returns an envelope that refers to the tape's last anchor, or to its last
// entry if there is none, and records on the tape that it was handed over.
func (t *Tape) Send(ctx context.Context, r SendRequest) (Envelope, error) {
	e, err := t.envelope(r)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		return Envelope{}, err
	}
	event, err := entry.NewEvent(entry.EventSent, struct {
		SHA256    string   `json:"sha256"`
		Ownership string   `json:"ownership"`
		Owner     string   `json:"owner"`
		Envelope  Envelope `json:"envelope"`
	}{e.Digest(), e.Content.Ownership, e.To, e})
	if err != nil {
		return Envelope{}, err
	}
	_, err = t.decide(ctx, func(j *journal.Journal, _ uint64) ([]Entry, error) {
		return []Entry{event}, t.viewed(j, func(v *view.View) error {
			owner, err := ownerOf(v)
			if err == nil && owner != "" && owner != e.From && owner != e.To { // sending it to its owner again is allowed
				err = fmt.Errorf("tape %s was handed over to %q, not to %q: %w", t.name, owner, e.From, ErrNotOwner)
			}
			return err
		})
	})
	return e, err
}

func (t *Tape) envelope(r SendRequest) (Envelope, error) {
	e := Envelope{Type: envelope.Type, From: r.From, To: r.To, Timestamp: t.store.options.Now().UTC().Format(time.RFC3339),
		Content: EnvelopeContent{Reason: r.Reason, Summary: r.Summary, Intention: r.Intention, Ownership: envelope.Transfer}}
	if t.bare {
		return e, entry.Invalid("%s does not belong to a store, so nothing could refer to it", t.path)
	}
	at, err := ask(t, func(v *view.View) (at Entry, err error) {
		if r.Anchor != nil {
			return *r.Anchor, nil
		}
		if f, ok, err := v.Last(view.Anchors, entry.IsAnchor); err != nil || ok {
			return f.Entry, err
		}
		return v.Newest()
	})
	if err != nil {
		return e, err
	}
	if at.Kind == "" {
		if ok, err := t.Exists(); err != nil || !ok {
			return e, cmp.Or(err, t.missing())
		}
	}
	if at.Kind == entry.KindAnchor {
		complete(&e.Content, &at)
	}
	switch {
	case e.Content.Summary == "":
		return e, entry.Invalid("tape %s: no summary: give one, or hand off with one first", t.name)
	case at.Kind == "":
		return e, entry.Invalid("tape %s has no entries to refer to", t.name)
	}
	ref := t.store.RefTo(t.name, at)
	ref.Workspace, err = t.store.identity()
	e.Content.TapeRef = ref.String()
	return e, err
}

// complete adds what an anchor's state has and the content does not.
func complete(c *EnvelopeContent, anchor *Entry) {
	summary, _ := entry.Text(anchor.State(), "summary")
	c.Summary = cmp.Or(c.Summary, summary)
	next, hasNext := entry.Text(anchor.State(), "next_steps")
	purpose, hasPurpose := entry.Text(anchor.State(), "context_summary")
	if i := c.Intention; i != nil {
		c.Intention = &EnvelopeIntention{NextSteps: cmp.Or(i.NextSteps, next), ContextSummary: cmp.Or(i.ContextSummary, purpose)}
	} else if hasNext || hasPurpose {
		c.Intention = &EnvelopeIntention{NextSteps: next, ContextSummary: purpose}
	}
}

// Receive accepts an envelope: it writes an anchor, with which the context
// continues, and the event of the receipt. existed reports that the tape has
// received it before, also if it was reset or deleted since: then nothing is written, and
// the anchor of that time is returned. The error is [ErrOutdated] for an envelope of this tape if a later one
// has another receiver. name is the anchor's, "context_handoff" if "".
func (t *Tape) Receive(ctx context.Context, e Envelope, name string) (anchor Entry, existed bool, err error) {
	if err := errors.Join(e.Check(), t.earlier(ctx)); err != nil {
		return Entry{}, false, err
	}
	entries, err := t.HandoffEntries(cmp.Or(name, envelope.Type), e.State(), nil)
	if err != nil {
		return Entry{}, false, err
	}
	event, err := entry.NewEvent(entry.EventReceived, map[string]string{"from": e.From, "owner": e.To, "sha256": e.Digest(), "tape_ref": e.Content.TapeRef})
	if err != nil {
		return Entry{}, false, err
	}
	known := false // this tape has received it, at least once
	find := func(v *view.View) (Entry, bool, error) {
		anchor, ok, err := v.Received(e.Digest())
		if err == nil && !ok && known {
			anchor, ok, err = t.receivedInArchive(e.Digest())
		}
		if err == nil && !ok {
			err = t.outdated(v, e)
		}
		return anchor, ok, err
	}
	if !t.bare {
		unlock, lockErr := t.store.lockReceipts(ctx)
		if lockErr != nil {
			return Entry{}, false, lockErr
		}
		defer func() { err = errors.Join(err, unlock()) }()
		if known, err = t.receivedBefore(ctx, e.Digest(), find); err != nil {
			return Entry{}, false, err
		}
		if known && !exists(t.at()) { // nothing is written for it
			if anchor, existed, err = t.receivedInArchive(e.Digest()); err != nil || existed {
				return anchor, existed, err
			}
		}
	}
	if anchor, existed, err = t.appendUnless(ctx, append(entries, event), find); err == nil && !t.bare {
		if _, err = t.note(ctx, e.Digest()); errors.Is(err, ErrReceived) {
			err = nil // by the tape that this is a fork of
		}
	}
	return anchor, existed, err
}

// receivedBefore reports whether this tape has received an envelope; it may have been reset
// or deleted since. The error is [ErrReceived] if another tape has. The caller holds the
// lock of receipts.
func (t *Tape) receivedBefore(ctx context.Context, digest string, find func(*view.View) (Entry, bool, error)) (known bool, err error) {
	known, err = ask(t, func(v *view.View) (bool, error) {
		_, ok, err := find(v)
		return ok, err
	})
	if err == nil && !known {
		err = t.receivedElsewhere(digest)
	}
	if err != nil || known {
		return known, err
	}
	return t.receivedFirst(ctx, digest)
}

// lockReceipts lets one process at a time receive envelopes.
func (s *Store) lockReceipts(ctx context.Context) (unlock func() error, err error) {
	if err := s.root().MkdirAll(s.inTapes(), 0o755); err != nil {
		return nil, err
	}
	return lockfile.Lock(ctx, s.root(), s.inTapes("receive.lock"))
}

// outdated is [ErrOutdated] if the tape sent the envelope, and belongs to someone
// other than its receiver by now: it would be given back to an earlier owner.
func (t *Tape) outdated(v *view.View, e Envelope) error {
	_, sent, err := v.LastWith(view.SendKey(e.Digest()), isOwnEvent(entry.EventSent))
	if err != nil || !sent {
		return err
	}
	owner, err := ownerOf(v)
	if err == nil && owner != e.To {
		err = fmt.Errorf("tape %s was handed over to %q since: %w", t.name, owner, ErrOutdated)
	}
	return err
}

// receivedElsewhere is [ErrReceived] if another tape has received the envelope.
// The caller holds the lock of receipts.
func (t *Tape) receivedElsewhere(digest string) error {
	names, err := t.store.List()
	for _, name := range names {
		if err == nil && name != t.name {
			err = t.store.readTape(name, func(snap *journal.Snapshot) error {
				file := &view.View{Segments: []view.Segment{view.File(snap, snap.Len())}}
				_, ok, err := file.LastWith(view.ReceiveKey(digest), isOwnEvent(entry.EventReceived))
				if err == nil && ok {
					err = fmt.Errorf("tape %s: %w", name, ErrReceived)
				}
				return err
			})
		}
	}
	return err
}

// isOwnEvent reports whether an entry is an event of that name that was not
// copied from another tape: such an event is not about this one.
func isOwnEvent(name string) func(*Entry) bool {
	return func(e *Entry) bool { return e.Source == "" && !e.IsCopy() && entry.IsEvent(name)(e) }
}

// Sent reports whether the tape records that it was handed over with the
// envelope.
func (t *Tape) Sent(e Envelope) (sent bool, err error) {
	err = t.store.read(t.at(), func(snap *journal.Snapshot) error {
		positions, err := snap.Find(view.SendKey(e.Digest()))
		sent = len(positions) > 0
		return err
	})
	return sent, err
}

// ownerOf returns who continues the tape: the receiver of the last handover,
// recorded when it was sent or received; "" if there was none.
func ownerOf(v *view.View) (string, error) {
	sent, received := isOwnEvent(entry.EventSent), isOwnEvent(entry.EventReceived)
	f, _, err := v.Last(view.Owners, func(e *Entry) bool {
		owner, _ := entry.Text(e.Data(), "owner")
		return owner != "" && (sent(e) || received(e))
	})
	owner, _ := entry.Text(f.Data(), "owner")
	return owner, err
}

// identityFile contains the name that identifies a workspace without a label. It
// is created with the first envelope.
const (
	identityFile   = "workspace"
	identityPrefix = "ws-"
)

// identity is the name of this workspace in envelopes: its label, or a generated
// name. The default "workspace" would mean the receiver's own.
func (s *Store) identity() (string, error) {
	if s.options.Workspace != envelope.Workspace {
		return s.options.Workspace, nil
	}
	if name := s.GeneratedName(); name != "" {
		return name, nil
	}
	path := s.inTapes(identityFile)
	if err := s.root().MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	name := identityPrefix + s.options.NewID()
	err := atomicfile.Create(s.root(), path, []byte(name+"\n"), 0o644)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		err = nil
		if name = s.GeneratedName(); name == "" {
			err = fmt.Errorf("%s: it contains no name: remove it", path)
		}
	}
	return name, err
}

// GeneratedName is the name that the first envelope gave this workspace, "" if there is none. It is still
// accepted after the workspace got a label.
func (s *Store) GeneratedName() string {
	src, err := regular.ReadUnlinked(s.inTapes(identityFile), nil, 200)
	if name := strings.TrimSpace(string(src)); err == nil && strings.HasPrefix(name, identityPrefix) {
		return name
	}
	return ""
}

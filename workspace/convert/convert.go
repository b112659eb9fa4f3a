// Package convert turns a handoff of the workspace into another form (document,
// bundle, thread, anchor or envelope) and writes it. Package handoff/log/convert decides
// what each form can hold; this one finds the source and writes the result.
package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
	"handoff/log/convert"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Request selects the handoff to convert, and its new form.
type Request struct {
	// From names the handoff: a document as for [documents.Find], the id of a
	// bundle, a file that contains a bundle, an envelope or an anchor, thread:ID@SEQ
	// or the id of a thread, or the tape:// URI of an anchor. If Source is set, it is
	// used as the content of such a file, and From is only its name in errors.
	From   string
	Source []byte
	Dir    string // where relative paths start
	To     convert.Form
	Write  bool // write the result; otherwise only return it

	Document create.Request  // for a document: values that override those of the handoff
	Tape     string          // for an anchor or an envelope: the tape; "" is the main one
	Name     string          // for an anchor: its name; "" is the handoff's own
	Thread   string          // for a thread: its parent as ID or ID@SEQ; "" is the one that the handoff names
	Title    string          // for a thread: its title; "" is the handoff's own
	Sending  convert.Sending // for an envelope: sender, receiver, reason
}

// Conversion is the handoff in its new form.
type Conversion struct {
	From    convert.Form `json:"from"`
	To      convert.Form `json:"to"`
	Written              // Lost is set for every form, the rest for a document only
	Text    []byte       `json:"-"` // Markdown for a document, else JSON without a newline at the end

	Existed bool                  `json:"existed,omitempty"` // the same result was already there; nothing was written
	Blob    *artifact.ID          `json:"artifact_id,omitempty"`
	Made    *thread.HandoffResult `json:"thread,omitempty"`
	Anchor  *tape.Entry           `json:"anchor,omitempty"`
}

// Run converts a handoff. With Write it also writes the result: a document as
// [create.Run] does, a bundle as an artifact, a thread with its bundle, an anchor with
// its event, an envelope with the anchor that it refers to.
func Run(ctx context.Context, w *workspace.Workspace, r Request) (c Conversion, err error) {
	v := &converting{Workspace: w, ctx: ctx, req: r}
	defer func() { err = errors.Join(err, v.close()) }()
	h, err := v.source()
	if err != nil {
		return c, err
	}
	v.Conversion = Conversion{From: h.Form, To: r.To}
	switch r.To {
	case convert.Document:
		err = v.document(&h)
	case convert.Bundle:
		err = v.bundle(&h)
	case convert.Thread:
		err = v.thread(&h)
	case convert.Anchor:
		err = v.anchor(&h)
	case convert.Envelope:
		err = v.envelope(&h)
	case convert.CE, convert.T3, convert.GSD, convert.GSDState:
		err = v.other(&h)
	default:
		_, err = convert.ParseForm(string(r.To))
	}
	if v.Lost == nil {
		v.Lost = []convert.Lost{}
	}
	return v.Conversion, err
}

// converting is a conversion in progress, with the stores that it opened.
type converting struct {
	*workspace.Workspace
	ctx context.Context
	req Request
	Conversion

	tapes   *tapes.Tapes
	threads *threads.Threads
	at      *tape.Entry // the anchor that the handoff was read from, or that send wrote; nil for none
	ref     tape.Ref    // the reference to the anchor that it was read from
}

func (v *converting) openTapes() (*tapes.Tapes, error) {
	var err error
	if v.tapes == nil {
		v.tapes, err = tapes.In(v.Workspace, "", v.req.Write)
	}
	return v.tapes, err
}

func (v *converting) openThreads() (*threads.Threads, error) {
	var err error
	if v.threads == nil {
		v.threads, err = threads.In(v.ctx, v.Workspace, v.req.Write)
	}
	return v.threads, err
}

func (v *converting) close() (err error) {
	if v.tapes != nil {
		err = v.tapes.Close()
	}
	if v.threads != nil {
		err = errors.Join(err, v.threads.Close())
	}
	return err
}

// other writes the form of another tool. It does not know where that tool keeps it.
func (v *converting) other(h *convert.Handoff) error {
	if v.req.Write {
		return fmt.Errorf("%w: --write is not for --to %s: write the output where its tool reads it", handoff.ErrInvalid, v.req.To)
	}
	text, lost, err := h.Other(v.req.To, v.Now().UTC().Truncate(time.Second))
	v.Text, v.Lost = []byte(text), lost
	return err
}

func (v *converting) document(h *convert.Handoff) (err error) {
	req := v.req.Document
	req.Values, v.Lost = h.DocumentWith(req.Values)
	if v.Text, err = create.Render(v.ctx, v.Workspace, req); err != nil || !v.req.Write {
		return err
	}
	if req.Values.Task > 0 { // a repeated conversion writes nothing
		same := documents.Filter{Task: &req.Values.Task, Phase: strconv.Itoa(req.Values.Phase), Live: true}
		if v.Path, err = documents.Same(v.ctx, v.Workspace, same, v.Text); err != nil || v.Path != "" {
			v.Existed = err == nil
			return err
		}
	}
	v.Created, err = create.Run(v.ctx, v.Workspace, req)
	return err
}

func (v *converting) bundle(h *convert.Handoff) (err error) {
	b, lost := h.Bundle()
	v.Lost = lost
	if v.Text, err = b.Checked(); err != nil {
		return fmt.Errorf("%s: %w: %w", v.req.From, err, handoff.ErrInvalid)
	}
	id := artifact.Sum(v.Text)
	v.Blob = &id
	if v.req.Write {
		var outcome artifact.Outcome
		_, _, outcome, err = v.PutArtifact(strings.NewReader(string(v.Text)), id)
		v.Existed = outcome == artifact.Kept
	}
	return err
}

// ErrNoThread reports that neither the handoff nor the request names the parent of
// the new thread.
var ErrNoThread = errors.New("the thread it continues from is unknown: name one")

func (v *converting) thread(h *convert.Handoff) error {
	if h.Title = cmp.Or(v.req.Title, h.Title); v.req.Thread != "" {
		if err := v.cutAt(h); err != nil {
			return err
		}
	}
	t, lost := h.Thread()
	v.Lost = lost
	if t.From == nil {
		return fmt.Errorf("%s: %w: %w", v.req.From, ErrNoThread, handoff.ErrInvalid)
	}
	id := t.Bundle.ID().String()
	var title *string
	if t.Title != "" {
		title = &t.Title
	}
	if v.Text = threadJSON(title, t, id); !v.req.Write {
		return nil
	}
	store, err := v.openThreads()
	if err != nil {
		return err
	}
	if _, _, err := store.Blobs.Put(t.Bundle.Bytes()); err != nil {
		return err
	}
	made, err := store.Handoff(v.ctx, t.From.ThreadID, thread.HandoffRequest{
		Title: title, SummaryArtifactID: &id, FromSeq: &t.From.Seq, Origin: "convert", Key: "convert " + t.Title + " " + id})
	v.Made, v.Existed = &made, made.Existed
	return err
}

// threadJSON is the handoff as the second frame of the new thread will contain it.
func threadJSON(title *string, t convert.ThreadHandoff, bundleID string) []byte {
	text, _ := jsontext.Marshal(struct { // only strings and numbers, so encoding cannot fail
		Title             *string `json:"title"`
		FromThreadID      string  `json:"from_thread_id"`
		FromSeq           uint64  `json:"from_seq"`
		FromMessageID     *string `json:"from_message_id"`
		SummaryArtifactID string  `json:"summary_artifact_id"`
		SummaryMarkdown   string  `json:"summary_markdown"`
	}{title, t.From.ThreadID, t.From.Seq, t.From.MessageID, bundleID, t.Bundle.SummaryMarkdown})
	return text
}

// cutAt sets the parent thread to the one that the request names. If the handoff was
// already cut from that thread and the request names no event, its cut is kept.
func (v *converting) cutAt(h *convert.Handoff) error {
	store, err := v.openThreads()
	if err != nil {
		return err
	}
	cut, named, err := v.cutOf(store, v.req.Thread)
	if err != nil {
		return err
	}
	if t, _ := h.Thread(); named || t.From == nil || t.From.ThreadID != cut.ThreadID {
		h.CutAt(cut)
	}
	return nil
}

func (v *converting) anchor(h *convert.Handoff) error {
	a, lost := h.Anchor()
	a.Name = cmp.Or(v.req.Name, a.Name)
	v.Text, v.Lost = a.JSON(), lost
	all, err := v.openTapes()
	if err != nil {
		return err
	}
	one, err := all.Tape(v.req.Tape)
	if err != nil || !v.req.Write {
		return err
	}
	var e tape.Entry
	if h.Form == convert.Envelope { // record sender and receiver, too
		received, _ := h.Envelope(convert.Sending{})
		e, v.Existed, err = one.Tape.Receive(v.ctx, received, v.req.Name)
	} else {
		e, v.Existed, err = one.HandoffOnce(v.ctx, a.Name, a.State)
	}
	v.Anchor = &e
	return err
}

var errNoAgents = fmt.Errorf("an envelope needs a sender and a receiver: --from-agent agent:worker-1 --to-agent agent:worker-2: %w", handoff.ErrInvalid)

func (v *converting) envelope(h *convert.Handoff) error {
	s := v.req.Sending
	s.Time = v.Now().Truncate(time.Second)
	name := cmp.Or(v.req.Tape, tape.Main)
	switch {
	case h.Form == convert.Envelope && v.req.Write:
		return fmt.Errorf("%s is already an envelope: receive it (--to anchor) and send from there: %w", v.req.From, handoff.ErrInvalid)
	case v.req.Write && (s.From == "" || s.To == ""):
		return errNoAgents
	case h.Form == convert.Envelope, h.From != "" && s.From+s.To == "": // the handoff has its own sender and receiver
	case s.From == "" || s.To == "":
		return errNoAgents
	case v.at != nil: // it is on a tape: send it from there
		name, s.TapeRef, s.Held = v.ref.Tape, v.ref.String(), true
	default:
		a, _ := h.Anchor()
		s.TapeRef, s.Held = tape.Ref{Workspace: "workspace", Tape: name, Anchor: new(cmp.Or(v.req.Name, a.Name))}.String(), true
	}
	e, lost := h.Envelope(s)
	v.Text, v.Lost = e.Bytes(), lost
	if err := e.Check(); err != nil || !v.req.Write {
		return err
	}
	return v.send(name, h, e)
}

// send appends the event of the handover to the tape. It refers to the handoff's
// anchor, which send writes first if the tape does not have it.
func (v *converting) send(name string, h *convert.Handoff, e tape.Envelope) error {
	all, err := v.openTapes()
	if err != nil {
		return err
	}
	one, err := all.Tape(name)
	if err != nil {
		return err
	}
	if v.at == nil {
		a, _ := h.Anchor()
		at, _, err := one.HandoffOnce(v.ctx, cmp.Or(v.req.Name, a.Name), a.State)
		if err != nil {
			return err
		}
		v.at = &at
	}
	sent, err := one.Tape.Send(v.ctx, tape.SendRequest{From: e.From, To: e.To, Reason: e.Content.Reason, Summary: e.Content.Summary, Intention: e.Content.Intention, Anchor: v.at})
	v.Text, v.Anchor = sent.Bytes(), v.at
	return err
}

// Package envelope is the message with which one agent hands its context over
// to another: "context_handoff" (docs/schema/context-handoff.schema.json).
//
// It only reads, checks and writes the message; package tape sends and receives
// it. A message names a tape, so the package is also how tapes are named: the rules for
// names, and tape:// URIs of tapes, entries and anchors (docs/tape-uri.md). It does not
// check whether the named things exist.
package envelope

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
)

// Envelope is the message. Its content is data: a model is shown it as such,
// never as an instruction.
type Envelope struct {
	Type      string  `json:"type" enum:"context_handoff" doc:"envelope type"`
	From      string  `json:"from" doc:"sender, e.g. agent:worker-1"`
	To        string  `json:"to" doc:"receiver"`
	Timestamp string  `json:"timestamp" format:"date-time" doc:"UTC time: 2026-02-21T12:00:00Z"`
	Content   Content `json:"content" doc:"handoff content"`
}

// Content is what an envelope carries.
type Content struct {
	Reason    string     `json:"reason,omitempty" doc:"reason"`
	Summary   string     `json:"summary" doc:"summary for the receiver"`
	TapeRef   string     `json:"tape_ref" doc:"tape:// URI of an entry or an anchor"`
	Intention *Intention `json:"intention,omitempty" doc:"next steps for the receiver"`
	Ownership string     `json:"ownership" enum:"transfer" doc:"ownership: passes to the receiver"`
}

// Intention is what the receiver is asked to do.
type Intention struct {
	NextSteps      string `json:"next_steps,omitempty" doc:"next steps"`
	ContextSummary string `json:"context_summary,omitempty" doc:"context for the next steps"`
}

const (
	// Type is the type of an envelope, and its ownership Transfer.
	Type     = "context_handoff"
	Transfer = "transfer"
	// MaxBytes is the longest envelope that is accepted.
	MaxBytes = 1 << 20
)

// Parse reads and checks an envelope. The error is handoff.ErrInvalid. Unknown
// members are ignored.
func Parse(data []byte) (e Envelope, err error) {
	if len(data) > MaxBytes {
		return e, entry.Invalid("an envelope of %d bytes, at most %d are allowed", len(data), MaxBytes)
	}
	if !utf8.Valid(data) || jsontext.Plain.Check(string(data)) != nil {
		return e, entry.Invalid("envelope: not JSON")
	}
	if err := jsoncodec.Read(jsontext.Python, string(data), e.fields); err != nil {
		return Envelope{}, entry.Invalid("envelope: %w", err)
	}
	return e, e.Check()
}

func (e *Envelope) fields(c *jsoncodec.Codec) {
	c.Text("type", &e.Type)
	c.Text("from", &e.From)
	c.Text("to", &e.To)
	c.Text("timestamp", &e.Timestamp)
	jsoncodec.Record(c, "content", &e.Content, (*Content).fields)
}

// An intention may be missing, though not null.
func (p *Content) fields(c *jsoncodec.Codec) {
	c.OmitEmptyText("reason", &p.Reason)
	c.Text("summary", &p.Summary)
	c.Text("tape_ref", &p.TapeRef)
	if !c.Writing() && c.Raw("intention") != "" {
		p.Intention = new(Intention)
	}
	if p.Intention != nil {
		jsoncodec.Record(c, "intention", p.Intention, (*Intention).fields)
	}
	c.Text("ownership", &p.Ownership)
}

func (p *Intention) fields(c *jsoncodec.Codec) {
	c.OmitEmptyText("next_steps", &p.NextSteps)
	c.OmitEmptyText("context_summary", &p.ContextSummary)
}

// Check returns the problem of an envelope, as handoff.ErrInvalid.
func (e Envelope) Check() error {
	switch {
	case e.Type != Type:
		return entry.Invalid("envelope: type is %.60q, want %q", e.Type, Type)
	case strings.TrimSpace(e.From) == "" || strings.TrimSpace(e.To) == "":
		return entry.Invalid("envelope: from and to are required: sender and receiver")
	case strings.TrimSpace(e.Content.Summary) == "":
		return entry.Invalid("envelope: summary is empty: write what the receiver must know")
	case e.Content.Ownership != Transfer:
		return entry.Invalid("envelope: ownership is %.60q, want %q", e.Content.Ownership, Transfer)
	}
	if !isUTC(e.Timestamp) {
		return entry.Invalid("envelope: timestamp is %.60q, want a time in UTC: 2026-02-21T12:00:00Z", e.Timestamp)
	}
	ref, err := ParseURI(e.Content.TapeRef)
	if err == nil && ref.Entry == nil && ref.Anchor == nil {
		err = entry.Invalid("it refers to neither an entry nor an anchor")
	}
	if err != nil {
		return fmt.Errorf("envelope: tape_ref: %w", err)
	}
	return nil
}

// isUTC is stricter than time.Parse, which accepts an hour of one digit.
func isUTC(s string) bool {
	const layout = "2006-01-02T15:04:05"
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || len(s) <= len(layout) || t.Format(layout) != s[:len(layout)] {
		return false
	}
	fraction, ok := strings.CutSuffix(s[len(layout):], "Z")
	return ok && !strings.HasPrefix(fraction, ",")
}

// Bytes returns the envelope as it is sent. It is deterministic.
func (e Envelope) Bytes() []byte { return jsoncodec.WriteAll(jsontext.Python, nil, e.fields) }

// Digest is the SHA-256 of Bytes, in hex. It identifies the envelope.
func (e Envelope) Digest() string {
	sum := sha256.Sum256(e.Bytes())
	return hex.EncodeToString(sum[:])
}

// State is the state of the anchor of an envelope that was received.
func (e Envelope) State() json.RawMessage {
	return jsoncodec.WriteAll(jsontext.Python, nil, func(c *jsoncodec.Codec) {
		c.Text("received_from", &e.From)
		c.Text("owner", &e.To)
		e.Content.fields(c)
		c.Text("timestamp", &e.Timestamp)
	})
}

package tape

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
)

// Envelope is a message by which one agent hands its context to another: the
// seed's "context_handoff". What it carries is data, told to a model as such,
// and never an instruction. Its schema is schema/context-handoff.
type Envelope struct {
	Type      string          `json:"type"` // "context_handoff"
	From      string          `json:"from"` // who hands over: "agent:worker-abc123"
	To        string          `json:"to"`
	Timestamp string          `json:"timestamp"` // RFC 3339, in UTC: 2026-02-21T12:00:00Z
	Content   EnvelopeContent `json:"content"`
}

// EnvelopeContent is what an envelope carries.
type EnvelopeContent struct {
	Reason    string             `json:"reason,omitempty"`
	Summary   string             `json:"summary"`
	TapeRef   string             `json:"tape_ref"` // a tape:// URI of an entry or an anchor
	Intention *EnvelopeIntention `json:"intention,omitempty"`
	Ownership string             `json:"ownership"` // "transfer"
}

// EnvelopeIntention is what the receiver is to do.
type EnvelopeIntention struct {
	NextSteps      string `json:"next_steps,omitempty"`
	ContextSummary string `json:"context_summary,omitempty"`
}

const (
	envelopeType = "context_handoff"
	transfer     = "transfer"
	// maxEnvelope is the longest that is taken, in bytes.
	maxEnvelope = 1 << 20
)

// ParseEnvelope reads and checks an envelope. The error is handoff.ErrInvalid.
// Members that are not known are passed over.
func ParseEnvelope(data []byte) (e Envelope, err error) {
	if len(data) > maxEnvelope {
		return e, invalid("an envelope of %d bytes, at most %d are allowed", len(data), maxEnvelope)
	}
	if !utf8.Valid(data) || jsontext.Plain.Check(string(data)) != nil {
		return e, invalid("envelope: not JSON")
	}
	if err := jsoncodec.Read(jsontext.Python, string(data), e.fields); err != nil {
		return Envelope{}, invalid("envelope: %w", err)
	}
	return e, e.Check()
}

func (e *Envelope) fields(c *jsoncodec.Codec) {
	c.Text("type", &e.Type)
	c.Text("from", &e.From)
	c.Text("to", &e.To)
	c.Text("timestamp", &e.Timestamp)
	jsoncodec.Record(c, "content", &e.Content, (*EnvelopeContent).fields)
}

// An intention may be missing, though not null.
func (p *EnvelopeContent) fields(c *jsoncodec.Codec) {
	c.OmitEmptyText("reason", &p.Reason)
	c.Text("summary", &p.Summary)
	c.Text("tape_ref", &p.TapeRef)
	if !c.Writing() && c.Raw("intention") != "" {
		p.Intention = new(EnvelopeIntention)
	}
	if p.Intention != nil {
		jsoncodec.Record(c, "intention", p.Intention, (*EnvelopeIntention).fields)
	}
	c.Text("ownership", &p.Ownership)
}

func (p *EnvelopeIntention) fields(c *jsoncodec.Codec) {
	c.OmitEmptyText("next_steps", &p.NextSteps)
	c.OmitEmptyText("context_summary", &p.ContextSummary)
}

// Check tells what is wrong with an envelope; it is handoff.ErrInvalid.
func (e Envelope) Check() error {
	switch {
	case e.Type != envelopeType:
		return invalid("envelope: type is %s, want %q", clip(e.Type), envelopeType)
	case strings.TrimSpace(e.From) == "" || strings.TrimSpace(e.To) == "":
		return invalid("envelope: from and to are required: sender and receiver")
	case strings.TrimSpace(e.Content.Summary) == "":
		return invalid("envelope: summary is empty: write what the receiver must know")
	case e.Content.Ownership != transfer:
		return invalid("envelope: ownership is %s, want %q", clip(e.Content.Ownership), transfer)
	}
	if !isUTC(e.Timestamp) {
		return invalid("envelope: timestamp is %s, want a time in UTC: 2026-02-21T12:00:00Z", clip(e.Timestamp))
	}
	ref, err := ParseRef(e.Content.TapeRef)
	if err == nil && ref.Entry == nil && ref.Anchor == nil {
		err = invalid("it refers to neither an entry nor an anchor")
	}
	if err != nil {
		return fmt.Errorf("envelope: tape_ref: %w", err)
	}
	return nil
}

// isUTC is stricter than time.Parse, which takes an hour of one digit.
func isUTC(s string) bool {
	const layout = "2006-01-02T15:04:05"
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || len(s) <= len(layout) || t.Format(layout) != s[:len(layout)] {
		return false
	}
	fraction, ok := strings.CutSuffix(s[len(layout):], "Z")
	return ok && !strings.HasPrefix(fraction, ",")
}

// Bytes is the envelope as it is sent: always the same for the same.
func (e Envelope) Bytes() []byte { return jsoncodec.WriteAll(jsontext.Python, nil, e.fields) }

// Digest is the SHA-256 of Bytes, in hex: by it an envelope is known.
func (e Envelope) Digest() string {
	sum := sha256.Sum256(e.Bytes())
	return hex.EncodeToString(sum[:])
}

// State is what an anchor keeps of an envelope that was received.
func (e Envelope) State() json.RawMessage {
	return jsoncodec.WriteAll(jsontext.Python, nil, func(c *jsoncodec.Codec) {
		c.Text("received_from", &e.From)
		c.Text("owner", &e.To)
		e.Content.fields(c)
		c.Text("timestamp", &e.Timestamp)
	})
}

var errNoSummary = errors.New("no summary: give one, or hand off with one first")

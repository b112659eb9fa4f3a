package outbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"handoff/log/receipt"
)

// Request is a request to the store: a step on a handoff, a message to a thread, or
// entries for a tape.
type Request struct {
	Key   string    `json:"key"`             // idempotency key: equal requests have the same one
	At    time.Time `json:"at"`              // when it was made
	Store string    `json:"store,omitempty"` // address of the store that it is for; "" for any
	Step  Step      `json:"step"`

	// Of a step on a handoff.
	Handoff  string            `json:"handoff,omitempty"` // see [receipt.Place.Path]
	SHA256   string            `json:"sha256,omitempty"`
	Claim    string            `json:"claim,omitempty"`
	By       string            `json:"by,omitempty"`                   // also the actor of a message
	Matched  bool              `json:"first_action_matched,omitempty"` // Acknowledge
	TTL      int64             `json:"ttl_ns,omitempty"`               // Renew, in nanoseconds
	Why      string            `json:"why,omitempty"`                  // Release
	Evidence *receipt.Evidence `json:"evidence,omitempty"`             // Done
	Next     string            `json:"next,omitempty"`                 // Supersede: the path of the next handoff
	Session  receipt.Session   `json:"session,omitzero"`               // DeliverOnce, DeliverAgain, GiveBack: none for the session that was shown it last
	Lost     time.Time         `json:"lost,omitzero"`                  // DeliverAgain: since then the session has lost its context. GiveBack: nothing was recorded since then

	// Of a message. The key is the id that the message will have.
	Thread  string `json:"thread,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Content string `json:"content,omitempty"`

	// Of entries. The key is that of the append.
	Tape    string          `json:"tape,omitempty"`
	Entries json.RawMessage `json:"entries,omitempty"` // a JSON array
	Bare    bool            `json:"bare,omitempty"`
}

// Step is the requested step.
type Step string

// The steps that can wait. A claim cannot: its caller has to know who won.
const (
	Acknowledge Step = "ack"
	Renew       Step = "renew"
	Release     Step = "release"
	Done        Step = "done"
	Supersede   Step = "supersede"
	Post        Step = "post"   // a message to a thread
	Append      Step = "append" // entries to a tape

	Deliver      Step = "deliver"
	DeliverOnce  Step = "deliver-once"
	DeliverAgain Step = "deliver-again"
	GiveBack     Step = "give-back"
)

// Log names the log that a request is for: requests for the same one are sent in order.
func (r *Request) Log() string {
	switch {
	case r.Thread != "":
		return ThreadLog(r.Thread)
	case r.Tape != "":
		return TapeLog(r.Tape)
	}
	return HandoffLog(r.Handoff)
}

// ThreadLog, TapeLog and HandoffLog are the logs of a thread, a tape and a handoff.
func ThreadLog(id string) string    { return "thread " + id }
func TapeLog(name string) string    { return "tape " + name }
func HandoffLog(path string) string { return "handoff " + path }

// complete sets the key of a step on a handoff: a digest of the request without the
// time.
func (r *Request) complete() error {
	if r.Key != "" {
		return nil
	}
	same := *r
	same.At = time.Time{}
	data, err := json.Marshal(same)
	r.Key = digest(string(data), 16)
	return err
}

// digest is the beginning of a SHA-256, of so many bytes, in hexadecimal digits.
func digest(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

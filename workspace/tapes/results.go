package tapes

import (
	"encoding/json"

	"handoff/log/tape"
	"handoff/log/tape/chat"
	"handoff/workspace/outbox"
)

// Appended are entries as stored.
type Appended struct {
	Tape    string       `json:"tape"`
	Entries []tape.Entry `json:"entries" doc:"the entries as stored"`
	// Queued: the store is away, and the entries wait in the outbox, without ids yet. Key
	// is the idempotency key that they will have.
	Queued bool   `json:"queued,omitempty" doc:"the store is away: the entries wait in the outbox, and have no ids yet"`
	Key    string `json:"key,omitempty" doc:"the idempotency key of queued entries"`

	Existed bool           `json:"-"` // the same key had appended them before
	Waits   *outbox.Queued `json:"-"` // nil unless they are queued
}

// Later reports whether the entries wait for the store.
func (a Appended) Later() bool { return a.Queued }

// Created reports whether a tape was created.
type Created struct {
	Tape    string `json:"tape"`
	Created bool   `json:"created" doc:"false if the tape already existed"`

	Existed bool `json:"-"` // the opposite of Created
}

// Archived is the result of a reset or a deletion.
type Archived struct {
	Tape     string `json:"tape"`
	Archived string `json:"archived,omitempty"` // path of the archive below the folder of the tool's own files
}

// Text is what Bub's tool prints after a reset.
func (r Archived) Text() string {
	if r.Archived == "" {
		return "ok"
	}
	return "Archived: " + r.Archived
}

// Received is the anchor of an envelope.
type Received struct {
	Anchor  tape.Entry `json:"anchor"`
	Existed bool       `json:"existed" doc:"true if the envelope was already received and nothing was written"`
}

// Hit is an entry found by a search.
type Hit struct {
	Tape  string     `json:"tape"`
	Entry tape.Entry `json:"entry"`
	URI   string     `json:"uri,omitempty"` // tape://…, "" for a tape of no store
}

// hitsOf returns the entries as hits; never nil, so that JSON has a list.
func hitsOf(found []tape.Hit) []Hit {
	hits := make([]Hit, len(found))
	for i, h := range found {
		hits[i] = Hit(h)
	}
	return hits
}

// Context is what a model gets.
type Context struct {
	Request  json.RawMessage `json:"request" doc:"the provider request's messages, and for anthropic also system"`
	Messages int             `json:"messages" doc:"number of messages"`
	Tokens   int             `json:"tokens" doc:"estimated number of tokens"`
	Limit    int             `json:"context_limit"`
	Full     bool            `json:"full" doc:"true if the context is long enough to hand off"`
	Dropped  []chat.Dropped  `json:"dropped" doc:"what was left out or changed"`
}

package client

import (
	"context"

	"handoff/workspace/tapeops"
)

// Tape is a tape of a server. RIP has none.
type Tape struct {
	client    *Client
	name, uri string
}

// Tape returns the server's tape with that name, which may not exist.
func (c *Client) Tape(name string) *Tape { return &Tape{client: c, name: name} }

// URI returns what a tape:// URI names on the server: a tape, or one entry, of which only Query is known.
func (c *Client) URI(uri, name string) *Tape { return &Tape{c, name, uri} }

// Name is the tape's name.
func (t *Tape) Name() string { return t.name }

// Perform asks the server for an operation at this tape, whatever the name: see [ops.Op.On].
func (t *Tape) Perform(ctx context.Context, o tapeops.Operation, _ string, in, result any) error {
	return perform(ctx, t.client, o, t.name, in, result)
}

func (t *Tape) path(what ...string) []string { return append([]string{"tapes", t.name}, what...) }

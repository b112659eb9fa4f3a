package client

import (
	"context"

	"handoff/workspace/tapeops"
)

// Tape is a tape of a server. RIP has none.
type Tape struct {
	client    *Client
	name, uri string
	archived  bool // name is the path of an archive
}

// Tape returns the server's tape with that name, which may not exist.
func (c *Client) Tape(name string) *Tape { return &Tape{client: c, name: name} }

// URI returns what a tape:// URI names on the server: a tape, or one entry, of which only Query is known.
func (c *Client) URI(uri, name string) *Tape { return &Tape{client: c, name: name, uri: uri} }

// Archive returns the archived tape with that path on the server. It can only be read.
func (c *Client) Archive(path string) *Tape { return &Tape{client: c, name: path, archived: true} }

// Name is the tape's name.
func (t *Tape) Name() string { return t.name }

// Perform asks the server for an operation at this tape, whatever the name: see [ops.Op.On].
func (t *Tape) Perform(ctx context.Context, o tapeops.Operation, _ string, in, result any) error {
	r := request{method: o.Described().Verb(), path: o.Described().PathOf(t.name)}
	if t.archived {
		r.path[0] = archives
	}
	return performAt(ctx, t.client, o, r, in, result)
}

// archives is where the server has archived tapes.
const archives = "tape-archives"

func (t *Tape) path(what ...string) []string {
	if t.archived {
		return append([]string{archives, t.name}, what...)
	}
	return append([]string{"tapes", t.name}, what...)
}

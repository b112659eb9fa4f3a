package main

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/urfave/cli/v2"

	"handoff/surface/httpapi/client"
	"handoff/tape"
	"handoff/tape/comma"
	"handoff/workspace"
)

// oneTape is what the commands ask: a tape of the workspace, or a server's.
type oneTape interface {
	Name() string
	Query(context.Context, tape.Query) iter.Seq2[tape.Entry, error]
	Follow(context.Context, tape.FollowRequest) iter.Seq2[tape.Entry, error]
	Info(context.Context) (tape.Info, error)
	Anchors(ctx context.Context, limit int) ([]tape.Anchor, error)
	Search(ctx context.Context, s tape.Search, all bool) ([]workspace.TapeHit, error)
	Context(context.Context, workspace.ContextRequest) (workspace.TapeContext, error)
	Recover(context.Context) (tape.Recovery, error)
	Append(context.Context, tape.AppendRequest) ([]tape.Entry, error)
	HandOff(context.Context, comma.HandoffRequest, tape.AppendRequest) ([]tape.Entry, error)
	Fork(context.Context, tape.ForkRequest) (tape.ForkResult, error)
	Merge(context.Context, tape.MergeRequest) (tape.MergeResult, error)
	Discard(ctx context.Context, reason string) (tape.MergeResult, error)
	Reset(ctx context.Context, r tape.ResetRequest, sure bool) (archived string, err error)
	Create(ctx context.Context, bare bool) (created bool, err error)
	Delete(ctx context.Context, r tape.DeleteRequest, sure bool) (archived string, err error)
	Send(context.Context, tape.SendRequest) (tape.Envelope, error)
	Receive(ctx context.Context, e tape.Envelope, r workspace.ReceiveRequest) (anchor tape.Entry, existed bool, err error)
}

// here is a tape of the workspace, or of a home of Bub. What is not said below
// is the tape's own.
type here struct {
	*tape.Tape
	all *workspace.Tapes
}

func (h here) Query(_ context.Context, q tape.Query) iter.Seq2[tape.Entry, error] {
	return h.Tape.Query(q)
}

func (h here) Info(context.Context) (tape.Info, error) { return h.Tape.Info() }

func (h here) Anchors(_ context.Context, limit int) ([]tape.Anchor, error) {
	return h.Tape.Anchors(limit)
}

func (h here) Search(_ context.Context, s tape.Search, all bool) ([]workspace.TapeHit, error) {
	find := h.Tape.Search
	if all {
		find = h.all.Store.SearchAll
	}
	hits, err := find(s)
	return workspace.TapeHits(hits), err
}

func (h here) Context(_ context.Context, r workspace.ContextRequest) (workspace.TapeContext, error) {
	return h.all.Context(h.Tape, r)
}

func (h here) Recover(context.Context) (tape.Recovery, error) { return h.all.Recover(h.Tape) }

func (h here) Append(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
	stored, _, err := h.all.Append(ctx, h.Tape, r)
	return stored, err
}

func (h here) HandOff(ctx context.Context, r comma.HandoffRequest, a tape.AppendRequest) ([]tape.Entry, error) {
	stored, _, err := h.all.HandOff(ctx, h.Tape, r, a)
	return stored, err
}

func (h here) Reset(ctx context.Context, r tape.ResetRequest, sure bool) (string, error) {
	return h.all.Reset(ctx, h.Tape, r, sure)
}

func (h here) Create(_ context.Context, bare bool) (bool, error) { return h.all.Create(h.Tape, bare) }

func (h here) Delete(ctx context.Context, r tape.DeleteRequest, sure bool) (string, error) {
	return h.all.Delete(ctx, h.Tape, r, sure)
}

func (h here) Receive(ctx context.Context, e tape.Envelope, r workspace.ReceiveRequest) (tape.Entry, bool, error) {
	return h.all.Receive(ctx, h.Tape, e, r)
}

// tapeHereOnly are the flags that say what no server is asked for.
var tapeHereOnly = []string{"bub", "archive", "overflow", "document", "from-document", "from-thread"}

// withServer asks the server that --server names.
func (w *world) withServer(c *cli.Context, ask func(*client.Client) error) (err error) {
	for _, flag := range tapeHereOnly {
		if c.IsSet(flag) {
			return fmt.Errorf("--%s cannot be combined with --server", flag)
		}
	}
	s, err := w.server(c)
	if err != nil {
		return err
	}
	defer func() { err = tapeError(errors.Join(err, s.Close())) }()
	return ask(s)
}

// asked is a command that a tape is asked for, here or of a server.
func (s tapeSub) asked(w *world, c *cli.Context) error {
	name := c.String("tape")
	if s.named {
		var err error
		what := map[string]string{"FORK": "a fork (`handoff tape list` lists the tapes)", "NAME": "a tape (`handoff tape list` lists them)"}[s.args]
		if name, err = oneArgument(c, "the name of "+what); err != nil {
			return err
		}
	}
	if c.IsSet("server") {
		if name == "" {
			name = tape.Main
		}
		return w.withServer(c, func(server *client.Client) error { return s.ask(c, server.Tape(name)) })
	}
	return w.withTapes(c, s.writes, func(c *cli.Context, t *workspace.Tapes) error {
		find := func() (*tape.Tape, error) { return t.Tape(name) }
		if !s.writes {
			find = func() (*tape.Tape, error) { return w.readable(c, t, nil) }
		}
		one, err := find()
		if err != nil {
			return err
		}
		return s.ask(c, here{one, t})
	})
}

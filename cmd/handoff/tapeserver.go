package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/urfave/cli/v2"

	"handoff/surface/httpapi/client"
	"handoff/tape"
	"handoff/workspace/tapes"
)

// oneTape is a tape of the workspace, or of a server.
type oneTape interface {
	Name() string
	Query(context.Context, tape.Query) iter.Seq2[tape.Entry, error]
	Follow(context.Context, tape.FollowRequest) iter.Seq2[tape.Entry, error]
	Info(context.Context) (tape.Info, error)
	Anchors(ctx context.Context, limit int) ([]tape.Anchor, error)
	Search(ctx context.Context, s tape.Search, all bool) ([]tapes.Hit, error)
	Context(context.Context, tapes.ContextRequest) (tapes.Context, error)
	Recover(context.Context) (tape.Recovery, error)
	Append(context.Context, tape.AppendRequest) (tapes.Appended, error)
	HandOff(context.Context, tapes.HandoffRequest) (tapes.Appended, error)
	Fork(context.Context, tapes.ForkRequest) (tape.ForkResult, error)
	Merge(context.Context, tapes.MergeRequest) (tape.MergeResult, error)
	Discard(context.Context, tapes.DiscardRequest) (tape.MergeResult, error)
	Reset(context.Context, tapes.ResetRequest) (tapes.Archived, error)
	Create(ctx context.Context, bare bool) (tapes.Created, error)
	Delete(context.Context, tapes.DeleteRequest) (tapes.Archived, error)
	Send(context.Context, tapes.SendRequest) (tape.Envelope, error)
	Receive(ctx context.Context, e tape.Envelope, r tapes.ReceiveRequest) (tapes.Received, error)
}

// localTapeFlags are the flags that cannot be combined with --server.
var localTapeFlags = []string{"bub", "archive", "overflow", "document", "from-document", "from-thread"}

// withServer runs ask with the server that --server names.
func (w *process) withServer(c *cli.Context, ask func(*client.Client) error) (err error) {
	if set := given(c, localTapeFlags...); set != nil {
		return fmt.Errorf("%s cannot be combined with --server", set[0])
	}
	s, err := w.server(c)
	if err != nil {
		return err
	}
	defer func() { err = tapeError(c, errors.Join(err, s.Close())) }()
	return ask(s)
}

// asked runs a command on a tape of the workspace or a server.
func (s tapeSub) asked(w *process, c *cli.Context) error {
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
	return w.withTapes(c, s.writes, func(c *cli.Context, t *tapes.Tapes) error {
		find := func() (_ *tapes.Tape, err error) {
			if s.args == "FORK" {
				if name, err = tapeNamedBy(t, name); err != nil {
					return nil, err
				}
			}
			return t.Tape(name)
		}
		if !s.writes {
			find = func() (*tapes.Tape, error) { return w.readable(c, t, nil) }
		}
		one, err := find()
		if err != nil {
			return err
		}
		return nearTape(t, one, s.ask(c, one))
	})
}

// misspelled is the error for a tape that does not exist, when another one has
// nearly its name.
type misspelled struct {
	error
	near string
}

func (m misspelled) Unwrap() error { return m.error }

// nearTape makes the error for a missing tape one that suggests another name.
func nearTape(all *tapes.Tapes, one *tapes.Tape, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || all.Home != nil {
		return err
	}
	if exists, failed := one.Exists(); exists || failed != nil {
		return err
	}
	if near := all.Near(one.Name()); near != "" {
		return misspelled{err, near}
	}
	return err
}

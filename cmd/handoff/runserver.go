package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/surface/httpapi/client"
	"handoff/thread"
	"handoff/thread/runner"
	"handoff/workspace/threadops"
)

// localRunFlags are the flags of run that only apply to a local command.
var localRunFlags = []string{"message-id", "for", "budget", "refs", "no-base", "incomplete", "list"}

// runOnServer runs a message on a server, with the server's command.
func (w *process) runOnServer(c *cli.Context) error {
	if set := given(c, localRunFlags...); set != nil {
		return fmt.Errorf("%s: with --server the server decides that: leave it out", set[0])
	}
	s, err := w.server(c)
	if err != nil {
		return err
	}
	if c.IsSet("cancel") {
		if err := noArguments(c); err != nil {
			return err
		}
		return using(c.Context, s, "", func(s *client.Client, _ string) error { return s.CancelRun(c.Context, c.String("cancel")) })
	}
	if c.NArg() > 1 {
		return errors.New("with --server the server runs its own command (`handoff serve --runner COMMAND`): leave it out here")
	}
	if _, err := oneArgument(c, "a thread (`handoff thread list --server URL` lists them), or a prompt"); err != nil {
		return err
	}
	asked, err := w.asked(c)
	if err != nil {
		return err
	}
	ctx, stop := w.whileRunning(c)
	defer stop()
	return using(ctx, s, asked.thread, func(s *client.Client, id string) error {
		id, err := asked.threadOf(c, s, id)
		if err != nil {
			return err
		}
		r := thread.MessageRequest{Content: asked.content, ActorID: c.String("actor-id"), Origin: c.String("origin")}
		posted, err := threadops.PostMessage.On(ctx, s, id, r)
		if err != nil {
			return err
		}
		if posted.SessionID == nil {
			return errors.New("the server has started no run for the message")
		}
		return w.followRun(ctx, s, *posted.SessionID, asked.raw)
	})
}

// followRun prints the output of a run, or its frames, until it ends. When ctx
// ends, it cancels the run and waits for a while.
func (w *process) followRun(ctx context.Context, s *client.Client, id string, raw bool) error {
	reading, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(endsWithin, giveUp)
		if err := s.CancelRun(reading, id); err != nil && !errors.Is(err, fs.ErrNotExist) { // it has ended
			giveUp()
		}
	})
	defer stop()
	var outErr error
	for e, err := range s.Session(reading, id) {
		if err != nil {
			return fmt.Errorf("run %s continues, but cannot be followed: %w", id, err)
		}
		if raw && outErr == nil {
			line, _ := e.Line() // an event that was read
			_, outErr = w.stdout.Write(append(line, '\n'))
		}
		switch p := e.Payload.(type) {
		case *thread.OutputDelta:
			if !raw && outErr == nil {
				_, outErr = w.stdout.Write([]byte(p.Delta))
			}
		case *thread.SessionEnded:
			if outErr != nil && !errors.Is(outErr, syscall.EPIPE) { // the reader disconnected; the output is stored
				return outErr
			}
			return serverStatus(ctx, id, p.Reason)
		}
	}
	return fmt.Errorf("run %s: the server did not report its end", id)
}

// serverStatus is the exit status of a run on a server.
func serverStatus(ctx context.Context, id, reason string) error {
	r := runner.Result{Reason: reason}
	switch _, err := fmt.Sscanf(reason, "exit status %d", &r.ExitCode); {
	case err == nil, reason == runner.Completed, reason == runner.Cancelled:
		return endOf(ctx, r)
	}
	switch reason {
	case runner.CompileFailed, runner.NotStarted, runner.OutputFailed:
		reason += " (the server's log says why)"
	}
	return fmt.Errorf("run %s ended: %s", id, reason)
}

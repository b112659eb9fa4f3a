package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/surface/httpapi/client"
	"handoff/workspace/threadops"
)

// localRunFlags are the flags of run that only apply to a local command.
var localRunFlags = []string{"message-id", "for", "budget", "refs", "no-base", "incomplete", "list"}

// runOnServer runs a message on a server, with the server's command.
func runOnServer(ctx context.Context, w *command.Process, o *runOptions, args command.Arguments) error {
	for _, flag := range localRunFlags {
		if slices.Contains(o.given, flag) {
			return fmt.Errorf("--%s: with --server the server decides that: leave it out", flag)
		}
	}
	s, err := operations.ServerOf(w, &o.server)
	if err != nil {
		return err
	}
	if o.cancel != nil {
		if len(args) > 0 {
			return fmt.Errorf("unexpected argument %q (`handoff run --help` shows the usage)", args[0])
		}
		return using(ctx, s, "", func(s *client.Client, _ string) error {
			err := s.CancelRun(ctx, *o.cancel)
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			id, unknown := s.Resolve(ctx, "run", *o.cancel)
			if unknown != nil || id == *o.cancel {
				return cmp.Or(unknown, err)
			}
			return s.CancelRun(ctx, id)
		})
	}
	if len(args) > 1 {
		return errors.New("with --server the server runs its own command (`handoff serve --runner COMMAND`): leave it out here")
	}
	if _, err := args.Only("run", "a thread (`handoff thread list --server URL` lists them), or a prompt"); err != nil {
		return err
	}
	asked, err := o.ask(w, args.First())
	if err != nil {
		return err
	}
	ctx, stop := command.WhileRunning(ctx, w)
	defer stop()
	return using(ctx, s, asked.thread, func(s *client.Client, id string) error {
		id, err := asked.threadOf(ctx, s, id)
		if err != nil {
			return err
		}
		r := thread.MessageRequest{Content: asked.content, ActorID: o.actor.id, Origin: o.actor.origin}
		posted, err := threadops.PostMessage.On(ctx, s, id, r)
		if err != nil {
			return err
		}
		if posted.SessionID == nil {
			return errors.New("the server has started no run for the message")
		}
		if o.detach {
			return detached{id, posted.MessageID, *posted.SessionID}.print(w)
		}
		return followRun(ctx, w, s, *posted.SessionID, asked.raw)
	})
}

// followRun prints the output of a run, or its frames, until it ends. When ctx
// ends, it cancels the run and waits for a while.
func followRun(ctx context.Context, w *command.Process, s *client.Client, id string, raw bool) error {
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
			_, outErr = w.Stdout.Write(append(line, '\n'))
		}
		switch p := e.Payload.(type) {
		case *thread.OutputDelta:
			if !raw && outErr == nil {
				_, outErr = w.Stdout.Write([]byte(p.Delta))
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
		return command.EndOf(ctx, r)
	}
	switch reason {
	case runner.CompileFailed, runner.NotStarted, runner.OutputFailed:
		reason += " (the server's log says why)"
	}
	return fmt.Errorf("run %s ended: %s", id, reason)
}

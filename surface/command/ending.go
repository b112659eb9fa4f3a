package command

import (
	"context"
	"errors"
	"syscall"

	"handoff/log/thread/runner"
)

// WhileRunning is the context of a command that runs another one and ends after
// it, however long that takes. It passes signals on. It does not end when the
// reader of the output disconnects.
func WhileRunning(ctx context.Context, w *Process) (_ context.Context, stop func()) {
	w.Drains.Store(true)
	ctx, unlisten := StoppedBy(ctx, hangupSignals...)
	unignore := ignoreBrokenPipe()
	return ctx, func() { unignore(); unlisten() }
}

// EndOf returns the exit status of a run.
func EndOf(ctx context.Context, r runner.Result) error {
	var s runner.Signal
	switch n, _ := 0, errors.As(context.Cause(ctx), &s); {
	case r.Reason == runner.Cancelled:
		if sig, ok := s.Signal.(syscall.Signal); ok {
			n = int(sig)
		} else {
			n = int(syscall.SIGTERM)
		}
		return Exit(128 + n)
	case r.Signal != 0:
		return Exit(128 + r.Signal)
	case r.ExitCode != 0:
		return Exit(r.ExitCode)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"syscall"

	"handoff/log/thread/runner"
)

// whileRunning is the context of a command that runs another one and ends after
// it, however long that takes. It passes signals on. It does not end when the
// reader of the output disconnects.
func whileRunning(ctx context.Context, w *process) (_ context.Context, stop func()) {
	w.drains.Store(true)
	ctx, unlisten := stoppedBy(ctx, hangupSignals...)
	unignore := ignoreBrokenPipe()
	return ctx, func() { unignore(); unlisten() }
}

// endOf returns the exit status of a run.
func endOf(ctx context.Context, r runner.Result) error {
	var s runner.Signal
	switch n, _ := 0, errors.As(context.Cause(ctx), &s); {
	case r.Reason == runner.Cancelled:
		if sig, ok := s.Signal.(syscall.Signal); ok {
			n = int(sig)
		} else {
			n = int(syscall.SIGTERM)
		}
		return exit(128 + n)
	case r.Signal != 0:
		return exit(128 + r.Signal)
	case r.ExitCode != 0:
		return exit(r.ExitCode)
	}
	return nil
}

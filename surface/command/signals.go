package command

import (
	"context"
	"os"
	"os/signal"

	"handoff/log/thread/runner"
)

// StoppedBy is signal.NotifyContext whose cause is the signal.
func StoppedBy(ctx context.Context, signals ...os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	got := make(chan os.Signal, 1)
	signal.Notify(got, signals...)
	go func() {
		select {
		case s := <-got:
			cancel(runner.Signal{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(got); cancel(nil) }
}

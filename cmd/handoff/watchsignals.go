package main

import (
	"context"
	"os"
	"os/signal"
)

// watchSignals converts the signals of a watch into values. A hangup reloads,
// unless it came because the terminal was closed: then it ends the watch.
func (w *process) watchSignals(ctx context.Context) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(ctx)
	reload, signals := make(chan struct{}, 1), make(chan os.Signal, 4)
	terminal := isTerminal(w.stderr)
	signal.Notify(signals, reloadSignals...)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
				if terminal && !isTerminal(w.stderr) {
					cancel()
					return
				}
				select {
				case reload <- struct{}{}:
				default: // a reload is already pending
				}
			}
		}
	}()
	return ctx, reload, func() {
		signal.Stop(signals)
		cancel()
	}
}

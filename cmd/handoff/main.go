// Command handoff writes, checks and reads the one-screen documents by which
// an agent that runs out of context hands its work to the next one.
package main

import (
	"context"
	"os"
	"syscall"
	"time"

	"handoff/surface/command"
)

// patience is how long an interrupted command may take to clean up.
const patience = 300 * time.Millisecond

// listen returns a context that ends when the user interrupts. A second
// interrupt ends the process.
func listen(ctx context.Context, w *command.Process) context.Context {
	ctx, stop := command.StoppedBy(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop()
		if w.Drains.Load() {
			return
		}
		// A command that waits for a terminal or a pipe does not notice that
		// its context has ended. Exiting loses nothing: a partial file has not
		// been renamed into place yet.
		time.Sleep(patience)
		os.Exit(command.Failed)
	})
	return ctx
}

// system is the real process.
func system() *command.Process {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	w := &command.Process{Stdin: os.Stdin, Stdout: command.Guarded(os.Stdout), Stderr: command.Guarded(os.Stderr), Dir: dir, DirError: err, Now: time.Now, Getenv: os.Getenv}
	pager, set := os.LookupEnv("PAGER")
	w.Unpaged = set && pager == ""
	w.UntilInterrupted = func(ctx context.Context) context.Context { return listen(ctx, w) }
	return w
}

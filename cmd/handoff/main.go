// Command handoff writes, checks and reads the one-screen documents by which
// an agent that runs out of context hands its work to the next one.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command that is interrupted may take to clean up.
const patience = 300 * time.Millisecond

func main() { os.Exit(process(system(), os.Args[1:])) }

// process runs the command as that of this process, which signals end.
func process(w *world, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop() // the second signal ends it at once
		if w.drains.Load() {
			return
		}
		// What waits for a terminal or a pipe does not see that it is to end.
		// Half a file has no name yet, so that nothing is lost here.
		time.Sleep(patience)
		os.Exit(failed)
	})
	return run(ctx, w, args)
}

// system is the world as the process finds it.
func system() *world {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &world{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, dir: dir, now: time.Now, getenv: os.Getenv}
}

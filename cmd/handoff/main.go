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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, system(), os.Args[1:])
	stop()
	os.Exit(code)
}

// system is the world as the process finds it.
func system() *world {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &world{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, dir: dir, now: time.Now, getenv: os.Getenv}
}

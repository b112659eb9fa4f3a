//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangUps end a run beside those that end all commands.
var hangUps = []os.Signal{syscall.SIGHUP}

// keepOn lets a process live whose output nobody reads any more: writing to it
// fails instead. The signal is caught, not ignored, or commands would ignore
// it as well.
func keepOn() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
)

// hangupSignals are further signals that end a run.
var hangupSignals = []os.Signal{syscall.SIGHUP}

// ignoreBrokenPipe keeps the process alive when the reader of its output has exited:
// writes fail instead. The signal is caught, not ignored, because commands inherit
// ignored signals.
func ignoreBrokenPipe() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// ReloadSignals make a watch rescan everything: SIGHUP, which requests it, and
// SIGCONT, because events may have been lost while the process was stopped.
var ReloadSignals = []os.Signal{syscall.SIGHUP, syscall.SIGCONT}

//go:build unix

package main

import (
	"os"
	"syscall"
)

// reloadSignals make a watch look at everything: being told to, and going on
// after a stop, in which events may have been lost.
var reloadSignals = []os.Signal{syscall.SIGHUP, syscall.SIGCONT}

//go:build unix

package main

import (
	"os"
	"syscall"
)

// reloadSignals make a watch rescan everything: SIGHUP, which requests it, and
// SIGCONT, because events may have been lost while the process was stopped.
var reloadSignals = []os.Signal{syscall.SIGHUP, syscall.SIGCONT}

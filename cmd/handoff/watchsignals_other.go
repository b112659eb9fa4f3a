//go:build !unix

package main

import (
	"os"
	"syscall"
)

// reloadSignals make a watch rescan everything.
var reloadSignals = []os.Signal{syscall.SIGHUP}

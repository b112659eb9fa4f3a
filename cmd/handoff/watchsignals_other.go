//go:build !unix

package main

import (
	"os"
	"syscall"
)

// reloadSignals make a watch look at everything.
var reloadSignals = []os.Signal{syscall.SIGHUP}

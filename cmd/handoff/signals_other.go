//go:build !unix

package main

import (
	"os"
	"syscall"
)

var hangupSignals = []os.Signal{os.Interrupt}

func ignoreBrokenPipe() (stop func()) { return func() {} }

// reloadSignals make a watch rescan everything.
var reloadSignals = []os.Signal{syscall.SIGHUP}

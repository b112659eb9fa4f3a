//go:build !unix

package command

import (
	"os"
	"syscall"
)

var hangupSignals = []os.Signal{os.Interrupt}

func ignoreBrokenPipe() (stop func()) { return func() {} }

// ReloadSignals make a watch rescan everything.
var ReloadSignals = []os.Signal{syscall.SIGHUP}

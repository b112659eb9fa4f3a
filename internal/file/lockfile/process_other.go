//go:build darwin || freebsd || netbsd || openbsd

package lockfile

import (
	"os"
	"sync"
)

// self is this process. Its boot is unknown here.
var self = sync.OnceValue(func() process {
	host, _ := os.Hostname()
	return process{"-", "-", os.Getpid(), "-", word(host)}
})

// isStopped is unknown here, as life is.
func isStopped(int) bool { return false }

// life is unknown: without boot and start times, the id may have been reused by
// another process.
func (p process) life() (alive, dead bool) { return false, false }

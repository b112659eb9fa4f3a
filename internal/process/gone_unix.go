//go:build unix

// Package process reports whether other processes still exist, and from which terminal this
// one is controlled.
package process

import "syscall"

// Gone reports whether no process has this id.
func Gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

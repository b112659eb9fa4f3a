//go:build unix

package histories

import "syscall"

const (
	sigcont = syscall.SIGCONT
	sigstop = syscall.SIGSTOP
	sighup  = syscall.SIGHUP
)

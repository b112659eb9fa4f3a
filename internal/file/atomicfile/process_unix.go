//go:build unix

package atomicfile

import "syscall"

// gone reports whether no process has this id.
func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

//go:build unix

package atomicfile

import "syscall"

// gone reports whether there is no process of that number.
func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

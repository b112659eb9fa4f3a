//go:build unix

package rip

import "syscall"

// alive reports whether there is a process of that number.
func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) != syscall.ESRCH }

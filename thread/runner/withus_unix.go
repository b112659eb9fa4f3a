//go:build unix && !linux

package runner

import "syscall"

// withUs does nothing: a command whose runner was killed ends when it writes,
// by SIGPIPE, or by itself.
func withUs(*syscall.SysProcAttr) {}

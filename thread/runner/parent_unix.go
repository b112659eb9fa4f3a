//go:build unix && !linux

package runner

import "syscall"

// dieWithParent does nothing: a command whose runner was killed ends by itself, or
// by SIGPIPE when it writes.
func dieWithParent(*syscall.SysProcAttr) {}

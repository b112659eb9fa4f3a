//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent does nothing: a command whose runner was killed ends by itself, or
// by SIGPIPE when it writes.
func dieWithParent(*syscall.SysProcAttr) {}

// sweep does nothing: the environment of another process cannot be read here.
func (*group) sweep() {}

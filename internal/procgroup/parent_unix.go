//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent does nothing: a command whose runner was killed ends by itself, or
// by SIGPIPE when it writes.
func dieWithParent(*syscall.SysProcAttr) {}

// before looks at the processes that a command has started, before it gets a signal: those in groups of
// their own are only found while it runs. The environment of another process cannot be relied on here: macOS
// hides that of its own programs.
func (g *group) before() { g.tree() }

// sweep ends what was seen of the command, and what is left in its group.
func (g *group) sweep() { end(g.tree) }
